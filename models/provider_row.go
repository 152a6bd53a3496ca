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
	Credential          CredentialKind
	CredentialEnv       string
	Sealed              []byte
	Options             []byte
	CreatedAt           stamp `gorm:"autoCreateTime:false"`
	UpdatedAt           stamp `gorm:"autoUpdateTime:false"`
}

func (providerRow) TableName() string { return "providers" }

// storedOptions is the JSON of the options: durations in nanoseconds.
type storedOptions struct {
	StreamUsage     *bool           `json:"stream_usage,omitempty"`
	MaxOutputTokens int             `json:"max_output_tokens,omitempty"`
	Retry           storedRetry     `json:"retry,omitzero"`
	Timeouts        storedTimeouts  `json:"timeouts,omitzero"`
	Models          []ProviderModel `json:"models,omitempty"`
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
	return Provider{
		ID: r.ID, Name: r.Name, API: r.API, BaseURL: r.BaseURL, AllowPrivateNetwork: r.AllowPrivateNetwork,
		Credential: r.Credential, CredentialEnv: r.CredentialEnv,
		ProviderOptions: ProviderOptions{
			o.StreamUsage, o.MaxOutputTokens, agent.RetryPolicy(o.Retry), Timeouts(o.Timeouts), o.Models,
		},
		CreatedAt: r.CreatedAt.time(), UpdatedAt: r.UpdatedAt.time(),
	}, nil
}

// row returns what is stored of a provider. A nil credential keeps the one of
// the provider, with what was sealed.
func (s Providers) row(p Provider, c *Credential, sealed []byte) (providerRow, error) {
	v := Invalid{}
	p.check(v)
	if c != nil {
		c.check(v)
	}
	if err := v.err(); err != nil {
		return providerRow{}, err
	}
	o := p.ProviderOptions
	options, err := json.Marshal(storedOptions{
		o.StreamUsage, o.MaxOutputTokens, storedRetry(o.Retry), storedTimeouts(o.Timeouts), o.Models,
	})
	row := providerRow{
		ID: p.ID, Name: p.Name, API: p.API, BaseURL: p.BaseURL, AllowPrivateNetwork: p.AllowPrivateNetwork,
		Credential: p.Credential, CredentialEnv: p.CredentialEnv, Sealed: sealed, Options: options,
		CreatedAt: stampOf(p.CreatedAt), UpdatedAt: stampOf(p.UpdatedAt),
	}
	if c != nil {
		c.keep(&row, s.db.sealer)
	}
	return row, err
}

var (
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	apiName = regexp.MustCompile(`^[a-z][a-z-]{0,39}$`)
)

const (
	maxProviderModels = 200
	maxModelName      = 200 // bytes
	// MaxRetries is how often a provider may be asked again.
	MaxRetries = 5
)

func (p Provider) check(v Invalid) {
	v.check("name", checkName(p.Name))
	v.check("base_url", checkBaseURL(p.BaseURL))
	v.check("models", checkModels(p.Models))
	if !apiName.MatchString(string(p.API)) {
		v["api"] = "Choose an API."
	}
	if p.StreamUsage != nil && p.API != providers.APIChatCompletions {
		v["stream_usage"] = "Only Chat Completions has this option."
	}
	if p.MaxOutputTokens < 0 {
		v["max_output"] = "Enter a whole number above zero, or nothing."
	}
	if n := p.Retry.MaxRetries; n != nil && (*n < 0 || *n > MaxRetries) {
		v["retry"] = fmt.Sprintf("There can be %d retries at most.", MaxRetries)
	}
	for _, d := range []time.Duration{p.Retry.Base, p.Retry.Cap, p.Retry.AfterCap} {
		if d < 0 {
			v["retry"] = "A delay can't be negative."
		}
	}
	for _, d := range []time.Duration{p.Timeouts.FirstByte, p.Timeouts.Idle, p.Timeouts.Attempt} {
		if d < 0 {
			v["timeouts"] = "A time limit can't be negative."
		}
	}
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

func checkModels(list []ProviderModel) string {
	if len(list) > maxProviderModels {
		return fmt.Sprintf("There can be %d models at most.", maxProviderModels)
	}
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		switch {
		case m.Name == "" || len(m.Name) > maxModelName:
			return fmt.Sprintf("A model id has 1 to %d bytes.", maxModelName)
		case seen[m.Name]:
			return "Every model can be listed once."
		case m.ContextWindow < 0:
			return "A context window can't be negative."
		}
		seen[m.Name] = true
	}
	return ""
}
