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
}

// presets are in the order they are offered. Addresses of programs on this
// machine are the ones that they listen on by themselves.
func presets() []preset {
	remote := func(name, label, text string, api providers.API, address, env string) preset {
		return preset{
			Preset: views.Preset{Name: name, Label: label, Text: text}, title: label,
			values: views.ProviderValues{API: string(api), BaseURL: address, Credential: views.CredentialSealed, EnvName: env},
		}
	}
	local := func(name, label, text, address string) preset {
		return preset{
			Preset: views.Preset{Name: name, Label: label, Text: text, Local: true}, title: label,
			values: views.ProviderValues{API: views.APIChatCompletions, BaseURL: address, Private: true, Credential: views.CredentialNone},
		}
	}
	custom := remote("custom", "Something else", "Any server that speaks one of the three APIs.", providers.APIChatCompletions, "", "")
	custom.title = "New provider"
	return []preset{
		remote("openai", "OpenAI", "The Responses API, with summaries of the reasoning.", providers.APIResponses, "https://api.openai.com/v1", "OPENAI_API_KEY"),
		remote("anthropic", "Anthropic", "The Messages API, with thinking and prompt caching.", providers.APIAnthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
		remote("gemini", "Gemini", "Google’s models over its OpenAI-compatible address.", providers.APIChatCompletions, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
		remote("openrouter", "OpenRouter", "Many models behind one key.", providers.APIChatCompletions, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
		remote("deepseek", "DeepSeek", "DeepSeek’s own address.", providers.APIChatCompletions, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
		local("ollama", "Ollama", "On this machine, or elsewhere in your network.", "http://127.0.0.1:11434/v1"),
		local("lmstudio", "LM Studio", "On this machine, or elsewhere in your network.", "http://127.0.0.1:1234/v1"),
		local("vllm", "vLLM", "On this machine, or elsewhere in your network.", "http://127.0.0.1:8000/v1"),
		custom,
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
