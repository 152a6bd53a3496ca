package web

import (
	"countersign/providers"
	"countersign/views"
)

// A preset is what is known of a service before anything is entered
// (contract P5).
type preset struct {
	views.Preset
	title  string // the name of the connection
	values views.ProviderValues
	hint   views.PresetHint
}

// presets are in the order they are offered. Addresses of programs on this
// machine are the ones that they listen on by themselves.
func presets() []preset {
	custom := remote("custom", "Something else", "Any server that speaks one of the three APIs.", providers.APIChatCompletions, "", "", views.PresetHint{})
	custom.title = "New provider"
	return []preset{
		remote("openai", "OpenAI", "The Responses API, with summaries of the reasoning.", providers.APIResponses,
			"https://api.openai.com/v1", "OPENAI_API_KEY", views.PresetHint{Key: "Made at platform.openai.com, under API keys."}),
		remote("anthropic", "Anthropic", "The Messages API, with thinking and prompt caching.", providers.APIAnthropic,
			"https://api.anthropic.com", "ANTHROPIC_API_KEY", views.PresetHint{Key: "Made at console.anthropic.com, under API keys."}),
		remote("gemini", "Gemini", "Google’s models over its OpenAI-compatible address.", providers.APIChatCompletions,
			"https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", views.PresetHint{Key: "Made at aistudio.google.com."}),
		remote("openrouter", "OpenRouter", "Many models behind one key.", providers.APIChatCompletions,
			"https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", views.PresetHint{
				Key: "Made at openrouter.ai, under Keys.", Models: "Ids name the maker first: maker/model."}),
		remote("deepseek", "DeepSeek", "DeepSeek’s own address.", providers.APIChatCompletions,
			"https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", views.PresetHint{
				Key: "Made at platform.deepseek.com.", Models: "Such as deepseek-chat."}),
		local("ollama", "Ollama", "http://127.0.0.1:11434/v1", "As “ollama list” prints them, with the part after the colon."),
		local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", "As LM Studio names them. Its server has to be started, under Developer."),
		local("vllm", "vLLM", "http://127.0.0.1:8000/v1", "As given to “vllm serve”, unless --served-model-name says otherwise."),
		custom,
	}
}

func remote(name, label, text string, api providers.API, address, env string, hint views.PresetHint) preset {
	return preset{
		Preset: views.Preset{Name: name, Label: label, Text: text}, title: label, hint: hint,
		values: views.ProviderValues{API: string(api), BaseURL: address, Credential: views.CredentialSealed, EnvName: env},
	}
}

func local(name, label, address, models string) preset {
	return preset{
		Preset: views.Preset{Name: name, Label: label, Text: "On this machine, or elsewhere in your network.", Local: true}, title: label,
		values: views.ProviderValues{API: views.APIChatCompletions, BaseURL: address, Private: true, Credential: views.CredentialNone},
		hint: views.PresetHint{
			Address: "Where " + label + " listens by itself. If Countersign runs in a container, 127.0.0.1 is the container: name the host instead.",
			Models:  models,
		},
	}
}

// presetOf finds a preset by the name in an address.
func presetOf(name string) (preset, bool) {
	for _, p := range presets() {
		if p.Name == name {
			p.values.StreamUsage, p.values.PromptCaching = true, true
			return p, true
		}
	}
	return preset{}, false
}
