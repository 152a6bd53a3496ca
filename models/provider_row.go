package models

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"countersign/agent"
	"countersign/providers"
)

type providerRow struct {
	ID                  string
	Name                string
	API                 providers.API
	BaseURL             string
	AllowPrivateNetwork bool
	Key                 keyColumns `gorm:"embedded"`
	Options             []byte
	CreatedAt           stamp `gorm:"autoCreateTime:false"`
	UpdatedAt           stamp `gorm:"autoUpdateTime:false"`
}

func (providerRow) TableName() string { return "providers" }

// storedOptions is the JSON of the options: durations in nanoseconds.
type storedOptions struct {
	StreamUsage      *bool               `json:"stream_usage,omitempty"`
	PromptCaching    *bool               `json:"prompt_caching,omitempty"`
	Thinking         *providers.Thinking `json:"thinking,omitempty"`
	OutputLimitField string              `json:"output_limit_field,omitempty"`
	MaxOutputTokens  int                 `json:"max_output_tokens,omitempty"`
	Retry            storedRetry         `json:"retry,omitzero"`
	Timeouts         storedTimeouts      `json:"timeouts,omitzero"`
	Models           []ProviderModel     `json:"models,omitempty"`
}

type storedRetry struct {
	MaxRetries *int          `json:"max_retries,omitempty"`
	Base       time.Duration `json:"base_ns,omitempty"`
	Cap        time.Duration `json:"cap_ns,omitempty"`
	AfterCap   time.Duration `json:"after_cap_ns,omitempty"`
}

type storedTimeouts struct {
	FirstByte time.Duration `json:"first_byte_ns,omitempty"`
	Idle      time.Duration `json:"idle_ns,omitempty"`
	Attempt   time.Duration `json:"attempt_ns,omitempty"`
}

func (r providerRow) provider() (Provider, error) {
	var o storedOptions
	if err := json.Unmarshal(r.Options, &o); err != nil {
		return Provider{}, fmt.Errorf("decode options of provider %s: %w", r.ID, err)
	}
	command, err := r.Key.command()
	if err != nil {
		return Provider{}, fmt.Errorf("decode command of provider %s: %w", r.ID, err)
	}
	return Provider{
		ID: r.ID, Name: r.Name, API: r.API, BaseURL: r.BaseURL, AllowPrivateNetwork: r.AllowPrivateNetwork,
		Credential: r.Key.Credential, CredentialEnv: r.Key.CredentialEnv, CredentialCommand: command,
		ProviderOptions: ProviderOptions{
			o.StreamUsage, o.PromptCaching, o.Thinking, o.OutputLimitField, o.MaxOutputTokens,
			agent.RetryPolicy(o.Retry), Timeouts(o.Timeouts), o.Models,
		},
		CreatedAt: r.CreatedAt.time(), UpdatedAt: r.UpdatedAt.time(),
	}, nil
}

// row returns what is to be stored of a provider. A nil credential keeps what
// stored has; item is where the keychain has the new key, "" if it has none.
func (s Providers) row(p Provider, c *Credential, stored providerRow, item string) (providerRow, error) {
	v := Invalid{}
	p.check(v)
	if c != nil {
		c.check(v)
		if c.Kind == CredentialKeychain && s.db.config.Keychain == nil {
			v["credential"] = noKeychain
		}
	}
	if err := v.err(); err != nil {
		return providerRow{}, err
	}
	o := p.ProviderOptions
	options, err := json.Marshal(storedOptions{
		o.StreamUsage, o.PromptCaching, o.Thinking, o.OutputLimitField, o.MaxOutputTokens,
		storedRetry(o.Retry), storedTimeouts(o.Timeouts), o.Models,
	})
	if err != nil {
		return providerRow{}, fmt.Errorf("encode options of provider %s: %w", p.ID, err)
	}
	row := providerRow{
		ID: p.ID, Name: p.Name, API: p.API, BaseURL: p.BaseURL, AllowPrivateNetwork: p.AllowPrivateNetwork,
		Key: stored.Key, Options: options,
		CreatedAt: stampOf(p.CreatedAt), UpdatedAt: stampOf(p.UpdatedAt),
	}
	if c != nil {
		row.Key, err = s.db.keyColumns(*c, row, stored, item)
	}
	return row, err
}

var apiName = regexp.MustCompile(`^[a-z][a-z-]{0,39}$`)

func (p Provider) check(v Invalid) {
	v.check("name", checkName(p.Name))
	v.check("base_url", checkBaseURL(p.BaseURL))
	if !apiName.MatchString(string(p.API)) {
		v["api"] = "Choose an API."
	}
	p.ProviderOptions.check(p.API, v)
}

// practiceAddress stands for the provider inside this process.
const practiceAddress = "practice:"

// checkBaseURL keeps out what is no address, or holds a password. Where it may
// lead is judged by whoever connects.
func checkBaseURL(raw string) string {
	if raw == "" || raw == practiceAddress {
		return ""
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "Enter a whole address, such as https://api.example/v1."
	case u.User != nil:
		return "Leave user and password out of the address."
	}
	return ""
}
