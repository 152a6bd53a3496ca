package provision

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/models"
	"countersign/providers"
	"countersign/web/check"
)

// apis are the model APIs that a provider can speak (contract P4).
var apis = []providers.API{providers.APIResponses, providers.APIAnthropic, providers.APIChatCompletions}

const apiChoice = "responses, anthropic or chat-completions"

// onlyIn says which options one API alone has.
var onlyIn = map[string]providers.API{
	"stream_usage":       providers.APIChatCompletions,
	"output_limit_field": providers.APIChatCompletions,
	"prompt_caching":     providers.APIAnthropic,
	"thinking":           providers.APIAnthropic,
}

// provider reads one item of providers.
func (r *reader) provider(n *yaml.Node) {
	var s models.ProviderSetup
	changes := providerChanges{reader: r}
	at := r.mapping(n, "a provider", append([]field{
		{"name", func(n *yaml.Node) { s.Name = r.name(n, "the name of a provider") }},
		{"api", func(n *yaml.Node) { s.API = r.api(n) }},
		{"credentials", func(n *yaml.Node) { s.Credential = r.credentials(n) }},
	}, changes.fields()...)...)
	if at.fields["name"] == 0 {
		r.problem(n, "a provider needs a name")
	}
	// Where the file leaves the API out, storage knows it.
	if slices.Contains(apis, s.API) {
		for _, option := range slices.Sorted(maps.Keys(onlyIn)) {
			if line := at.fields[option]; line > 0 && s.API != onlyIn[option] {
				r.problem(&yaml.Node{Line: line}, "%s is an option of api: %s, and not of %s", option, onlyIn[option], s.API)
			}
		}
	}
	s.Change = changes.apply
	r.file.Setup.Providers = append(r.file.Setup.Providers, s)
	r.file.places[models.SectionProviders] = append(r.file.places[models.SectionProviders], at)
}

// judge says what is wrong with a provider as a whole.
func judge(p models.Provider, invalid models.Invalid) {
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
		invalid["api"] = "A new provider needs an API: " + apiChoice + "."
	}
}

// api reads which API a provider speaks.
func (r *reader) api(n *yaml.Node) providers.API {
	api := providers.API(r.text(n, "api"))
	if !slices.Contains(apis, api) {
		r.problem(n, "api must be %s", apiChoice)
	}
	return api
}

const credentialChoice = "credentials must be none, {env: NAME}, {sealed_file: PATH}, {command: [PROGRAM, …]}, {memory: true} or {keychain: true}"

// credentials reads where a key is, or that there is none.
func (r *reader) credentials(n *yaml.Node) *models.Credential {
	if n.Kind == yaml.ScalarNode {
		if r.text(n, "credentials") != "none" {
			r.problem(n, credentialChoice)
		}
		return &models.Credential{Kind: models.CredentialNone}
	}
	var c models.Credential
	var env *yaml.Node
	kept := func(name string, kind models.CredentialKind) field {
		return field{name, func(n *yaml.Node) {
			if !r.boolean(n, name) {
				r.problem(n, "%s can only be true", name)
			}
			c.Kind = kind
		}}
	}
	at := r.mapping(n, "credentials",
		field{"env", func(n *yaml.Node) { env = n }},
		field{"sealed_file", func(n *yaml.Node) {
			c.Kind, c.Key = models.CredentialSealed, r.secret(n, "sealed_file")
		}},
		field{"command", func(n *yaml.Node) {
			c.Kind, c.Command.Argv = models.CredentialCommand, r.texts(n, "a part of the command")
		}},
		kept("memory", models.CredentialMemory),
		kept("keychain", models.CredentialKeychain),
	)
	ways := len(at.fields)
	switch {
	case env != nil && c.Kind == models.CredentialCommand:
		c.Command.Env = r.texts(env, "a variable that the command sees")
		ways--
	case env != nil:
		c.Kind, c.Env = models.CredentialEnv, r.text(env, "env")
	}
	if ways != 1 {
		r.problem(n, credentialChoice)
	}
	return &c
}

// texts reads a list of texts.
func (r *reader) texts(n *yaml.Node, what string) []string {
	var list []string
	r.list(n, func(n *yaml.Node) { list = append(list, r.text(n, what)) })
	return list
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
