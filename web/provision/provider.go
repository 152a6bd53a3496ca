package provision

import (
	"fmt"
	"math"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/web/check"
)

// The bounds of what a provider may be told to wait.
const (
	leastWait = time.Millisecond
	mostWait  = 24 * time.Hour
)

// provider reads one item of providers.
func (r *reader) provider(n *yaml.Node) {
	var s models.ProviderSetup
	var changes []func(*models.Provider)
	change := func(c func(*models.Provider)) { changes = append(changes, c) }
	at := r.mapping(n, "a provider",
		field{"name", func(n *yaml.Node) { s.Name = r.name(n, "the name of a provider") }},
		field{"api", func(n *yaml.Node) { s.API = r.api(n) }},
		field{"base_url", func(n *yaml.Node) {
			address := strings.TrimSpace(r.text(n, "base_url"))
			if problem := check.BaseURL(address); problem != "" {
				r.problem(n, "base_url: %s", problem)
			}
			change(func(p *models.Provider) { p.BaseURL = address })
		}},
		field{"allow_private_network", func(n *yaml.Node) {
			allow := r.boolean(n, "allow_private_network")
			change(func(p *models.Provider) { p.AllowPrivateNetwork = allow })
		}},
		field{"credentials", func(n *yaml.Node) { s.Credential = r.credentials(n) }},
		field{"stream_usage", func(n *yaml.Node) {
			usage := r.boolean(n, "stream_usage")
			change(func(p *models.Provider) { p.StreamUsage = &usage })
		}},
		r.anthropicOnly("prompt_caching"),
		r.anthropicOnly("thinking"),
		field{"max_output_tokens", func(n *yaml.Node) {
			tokens := r.integer(n, "max_output_tokens", 1, check.MaxOutputTokens)
			change(func(p *models.Provider) { p.MaxOutputTokens = tokens })
		}},
		field{"retry", func(n *yaml.Node) { change(r.retry(n)) }},
		field{"timeouts", func(n *yaml.Node) { change(r.timeouts(n)) }},
		field{"models", func(n *yaml.Node) {
			list := r.models(n)
			change(func(p *models.Provider) { p.Models = known(list, p.Models) })
		}},
	)
	if at.fields["name"] == 0 {
		r.problem(n, "a provider needs a name")
	}
	s.Change = func(p *models.Provider) models.Invalid {
		for _, c := range changes {
			c(p)
		}
		return judge(*p)
	}
	r.file.Setup.Providers = append(r.file.Setup.Providers, s)
	r.file.places[models.SectionProviders] = append(r.file.places[models.SectionProviders], at)
}

// judge says what is wrong with a provider as a whole.
func judge(p models.Provider) models.Invalid {
	invalid := models.Invalid{}
	switch {
	case p.BaseURL == "":
		invalid["base_url"] = "A new provider needs an address."
	case check.NamesPrivate(p.BaseURL) && !p.AllowPrivateNetwork:
		invalid["base_url"] = "This address is on this machine or in a private network. Set allow_private_network: true if that is meant."
	}
	if len(p.Models) == 0 {
		invalid["models"] = "List at least one model."
	}
	if p.API == "" {
		invalid["api"] = "A new provider needs an API: chat-completions."
	}
	return invalid
}

// api reads which API a provider speaks. Only one can be connected.
func (r *reader) api(n *yaml.Node) providers.API {
	api := providers.API(r.text(n, "api"))
	switch api {
	case providers.APIChatCompletions:
	case providers.APIResponses, providers.APIAnthropic:
		r.problem(n, "api: %s is not supported yet by this version; chat-completions is", api)
	default:
		r.problem(n, "api must be chat-completions")
	}
	return api
}

// anthropicOnly is an option of an API that no provider can have.
func (r *reader) anthropicOnly(name string) field {
	return field{name, func(n *yaml.Node) {
		r.problem(n, "%s is an option of api: anthropic, and not of chat-completions", name)
	}}
}

// credentials reads where a key is, or that there is none.
func (r *reader) credentials(n *yaml.Node) *models.Credential {
	if n.Kind == yaml.ScalarNode {
		if r.text(n, "credentials") != "none" {
			r.problem(n, "credentials must be none, {env: NAME} or {sealed_file: PATH}")
		}
		return &models.Credential{Kind: models.CredentialNone}
	}
	var c models.Credential
	at := r.mapping(n, "credentials",
		field{"env", func(n *yaml.Node) { c = models.Credential{Kind: models.CredentialEnv, Env: r.text(n, "env")} }},
		field{"sealed_file", func(n *yaml.Node) {
			c = models.Credential{Kind: models.CredentialSealed, Key: r.secret(n, "sealed_file")}
		}},
		r.later("memory"),
		r.later("command"),
	)
	if len(at.fields) != 1 {
		r.problem(n, "credentials must be none, {env: NAME} or {sealed_file: PATH}")
	}
	return &c
}

// secret reads the file that is named, without the end of its last line.
func (r *reader) secret(n *yaml.Node, what string) models.Secret {
	path := r.text(n, what)
	if path == "" {
		return models.Secret{}
	}
	secret, err := r.context.Secret(path)
	if err != nil {
		r.problem(n, "%s: the file can't be read", what)
		return models.Secret{}
	}
	return models.NewSecret(strings.TrimRight(secret.Reveal(), "\r\n"))
}

func (r *reader) retry(n *yaml.Node) func(*models.Provider) {
	var changes []func(*agent.RetryPolicy)
	wait := func(name string, set func(*agent.RetryPolicy, time.Duration)) field {
		return field{name, func(n *yaml.Node) {
			d := r.duration(n, name, leastWait, mostWait)
			changes = append(changes, func(p *agent.RetryPolicy) { set(p, d) })
		}}
	}
	r.mapping(n, "retry",
		field{"max_retries", func(n *yaml.Node) {
			most := r.integer(n, "max_retries", 0, models.MaxRetries)
			changes = append(changes, func(p *agent.RetryPolicy) { p.MaxRetries = &most })
		}},
		wait("base", func(p *agent.RetryPolicy, d time.Duration) { p.Base = d }),
		wait("cap", func(p *agent.RetryPolicy, d time.Duration) { p.Cap = d }),
		wait("retry_after_cap", func(p *agent.RetryPolicy, d time.Duration) { p.AfterCap = d }),
	)
	return func(p *models.Provider) {
		for _, c := range changes {
			c(&p.Retry)
		}
	}
}

func (r *reader) timeouts(n *yaml.Node) func(*models.Provider) {
	var changes []func(*models.Timeouts)
	limit := func(name string, set func(*models.Timeouts, time.Duration)) field {
		return field{name, func(n *yaml.Node) {
			d := r.duration(n, name, leastWait, mostWait)
			changes = append(changes, func(t *models.Timeouts) { set(t, d) })
		}}
	}
	r.mapping(n, "timeouts",
		limit("first_byte", func(t *models.Timeouts, d time.Duration) { t.FirstByte = d }),
		limit("idle", func(t *models.Timeouts, d time.Duration) { t.Idle = d }),
		limit("attempt", func(t *models.Timeouts, d time.Duration) { t.Attempt = d }),
	)
	return func(p *models.Provider) {
		for _, c := range changes {
			c(&p.Timeouts)
		}
	}
}

// A modelEntry is a model as the file lists it.
type modelEntry struct {
	name   string
	window *int
}

func (r *reader) models(n *yaml.Node) []modelEntry {
	var list []modelEntry
	r.list(n, func(n *yaml.Node) {
		var m modelEntry
		at := r.mapping(n, "a model",
			field{"name", func(n *yaml.Node) { m.name = strings.TrimSpace(r.text(n, "the name of a model")) }},
			field{"context_window", func(n *yaml.Node) {
				window := r.integer(n, "context_window", 1, math.MaxInt32)
				m.window = &window
			}},
			r.later("images"), r.later("pdf"), r.later("price"),
		)
		if at.fields["name"] == 0 {
			r.problem(n, "a model needs a name")
		}
		for _, o := range list {
			if o.name == m.name {
				r.problem(n, "%s", fmt.Sprintf("the model %q is there twice", m.name))
			}
		}
		list = append(list, m)
	})
	return list
}

// known makes the list of models. What is stored of one and left out is kept.
func known(list []modelEntry, stored []models.ProviderModel) []models.ProviderModel {
	all := make([]models.ProviderModel, len(list))
	for i, m := range list {
		for _, s := range stored {
			if s.Name == m.name {
				all[i] = s
			}
		}
		all[i].Name = m.name
		if m.window != nil {
			all[i].ContextWindow = *m.window
		}
	}
	return all
}
