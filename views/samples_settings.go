package views

import (
	"time"

	"countersign/agent"
)

// doors are the pages of somebody who is not signed in.
func (m *maker) doors() []Sample {
	typed := SetupProps{
		Code: m.say("YJKBF2Y7OA4J"), Name: m.say("Dana Ruiz"), Email: m.say("dana"), MinPassword: 12,
		Errors: map[string]string{"email": m.say("Enter an email address."), "password": m.say("Use at least 12 characters.")},
	}
	return []Sample{
		{Component: "page", State: "login", Frame: "page", HTML: Login(LoginProps{})},
		{Component: "page", State: "login_wrong", Frame: "page", HTML: Login(LoginProps{Email: m.say("dana@example.com"), Next: m.say("/c/c_1"), Error: m.say("They do not match.")})},
		{Component: "page", State: "setup", Frame: "page", HTML: Setup(SetupProps{MinPassword: 12})},
		{Component: "page", State: "setup_wrong", Frame: "page", HTML: Setup(typed)},
		{Component: "page", State: "error", Frame: "page", HTML: ErrorPage(ErrorProps{Title: m.say("Not found"), Text: m.say("There is nothing here."), SignedIn: true})},
		{Component: "page", State: "error_ours", Frame: "page", HTML: ErrorPage(ErrorProps{Title: m.say("Something went wrong"), Text: m.say("The log says more."), Request: m.say("q_1")})},
	}
}

// settings are the pages where a server is configured.
func (m *maker) settings() []Sample {
	steps := []TestStep{
		{Label: "Key", State: "passed"}, {Label: "Model", State: "failed"}, {Label: "Tools", State: "skipped"},
		{Label: "Usage figures", State: "warned", Note: "The service sent none."},
	}
	refused := FaultOf(agent.ProviderError{Category: "authentication", HTTPStatus: 401, API: "chat-completions", RequestID: m.say("req_011CTq7Zk2"), Code: m.say("invalid_api_key")}, m.say("Gateway"))
	worked := &ProviderTest{Model: m.say("qwen3:14b"), Took: 2100 * time.Millisecond, Steps: steps, Offers: []string{m.say("qwen3:32b"), m.say("gemma")}, At: m.now}
	failed := &ProviderTest{Model: m.say("claude-opus-5"), Fault: &refused, Steps: steps, At: m.now.Add(-time.Hour)}
	health := func(h ProviderHealth) *ProviderHealth { return &h }
	rows := []ProviderRow{
		{ID: "p_1", Name: m.say("Workshop"), Models: 1, API: "Chat Completions", Address: m.say("http://workshop.example:11434/v1"), Credential: "None", Agents: 1, Health: health(ProviderHealth{At: m.now, Tested: true})},
		{ID: "p_2", Name: m.say("Gateway"), Models: 4, API: "Chat Completions", Address: m.say("https://llm.harbour.example/v1"), Credential: "Environment", CredentialNote: m.say("GATEWAY_KEY"), Health: health(ProviderHealth{Fault: &refused, At: m.now, Since: m.now.Add(-time.Hour)})},
		{ID: "p_4", Name: m.say("Team"), Models: 2, API: "OpenAI Responses", Credential: CredentialWords(CredentialMemory), CredentialNote: m.say("not entered since the restart"), NeedsKey: true},
		{ID: "p_5", Name: m.say("Spare"), API: "Anthropic Messages", Credential: CredentialWords(CredentialSealed)},
		{ID: "p_3", Name: m.say("Practice"), Models: 1, API: "Chat Completions", Practice: true, Credential: "None needed", Health: health(ProviderHealth{At: m.now})},
		{ID: "p_6", Name: m.say("Quiet"), Models: 1, API: "Chat Completions", Credential: "None"},
	}
	page := m.page("Providers", SectionProviders)
	form := page
	form.Narrow = true
	fresh := ProviderForm{
		Page: form, Heading: "New provider", Preset: "custom", AnyAPI: true,
		Hint:   PresetHint{Key: m.say("Made at example.com."), Models: m.say("Such as qwen3.")},
		Values: ProviderValues{API: APIChatCompletions, Credential: CredentialSealed, StreamUsage: true, PromptCaching: true},
	}
	wrong := fresh
	wrong.Keychain, wrong.Key = true, KeyNote{Typed: true}
	wrong.Values = ProviderValues{
		Name: m.say("Gateway"), API: APIChatCompletions, BaseURL: m.say("ftp://llm"), Private: true, Credential: CredentialCommand,
		EnvName: m.say("GATEWAY-KEY"), Command: m.say("/opt/token --for llm"), Models: m.say("qwen3:14b"),
		MaxOutput: m.say("many"), Retries: m.say("9"), Budget: m.say("1"),
	}
	wrong.Errors = map[string]string{"key": ""}
	for _, field := range []string{"name", "base_url", "env", "models", "max_output", "retries", "idle", "budget", "credential"} {
		wrong.Errors[field] = m.say("Not like this.")
	}
	saved := fresh
	saved.AnyAPI, saved.Hint, saved.ID, saved.Heading, saved.Test = false, PresetHint{}, "p_2", m.say("Gateway"), failed
	saved.Tested = []string{m.say("claude-opus-5"), m.say("claude-haiku-5")}
	saved.Key = KeyNote{Kind: CredentialSealed, Present: true, SavedAt: sampleTime, Hint: m.say("4f2c")}
	saved.Values = ProviderValues{
		Name: m.say("Gateway"), API: APIAnthropic, BaseURL: m.say("https://llm.harbour.example"), Credential: CredentialSealed, PromptCaching: true,
		Thinking: "enabled", Budget: m.say("2048"), Models: m.say("claude-opus-5"),
		Details: []ModelDetail{{Name: m.say("claude-opus-5"), Window: m.say("200000"), Images: true, Tools: true, Input: m.say("5"), Output: m.say("25"), CacheRead: m.say("0.5")}},
	}
	forgotten := saved
	forgotten.Values.Credential, forgotten.Key = CredentialMemory, KeyNote{Kind: CredentialMemory}
	forgotten.Values.API, forgotten.Values.Details = APIChatCompletions, nil
	choices := NewProviderProps{Page: form, Presets: []Preset{{Name: "openai", Label: m.say("OpenAI"), Text: m.say("The Responses API.")}, {Name: "ollama", Label: m.say("Ollama"), Text: m.say("On this machine."), Local: true}}}
	practice := ProviderForm{Page: form, ID: "p_3", Heading: m.say("Practice"), Practice: true, Test: worked}
	return []Sample{
		{Component: "page", State: "welcome", Frame: "page", HTML: Welcome(m.page("Set up Countersign", ""))},
		{Component: "page", State: "providers", Frame: "page", HTML: Providers(ProvidersProps{Page: page, Rows: rows})},
		{Component: "page", State: "providers_none", Frame: "page", HTML: Providers(ProvidersProps{Page: page, CanPractice: true})},
		{Component: "page", State: "provider_presets", Frame: "page", HTML: NewProvider(choices)},
		{Component: "page", State: "provider_new", Frame: "page", HTML: Provider(fresh)},
		{Component: "page", State: "provider_needs_key", Frame: "page", HTML: Provider(forgotten)},
		{Component: "page", State: "provider_wrong", Frame: "page", HTML: Provider(wrong)},
		{Component: "page", State: "provider_remove", Frame: "page", HTML: Removal(RemovalProps{Page: saved.Page, ID: saved.ID, Name: m.say("Gateway"), KeySaved: true, Agents: []string{m.say("Operations")}, Conversations: 3})},
		{Component: "page", State: "provider_saved", Frame: "page", HTML: Provider(saved)},
		{Component: "page", State: "provider_practice", Frame: "page", HTML: Provider(practice)},
		{Component: "page", State: "agents", Frame: "page", HTML: Agents(AgentsProps{Page: m.page("Agents", SectionAgents), Rows: m.agents(), CanAdd: true})},
		{Component: "page", State: "agents_none", Frame: "page", HTML: Agents(AgentsProps{Page: m.page("Agents", SectionAgents)})},
		{Component: "page", State: "agent", Frame: "page", HTML: Agent(m.agentForm())},
		{Component: "page", State: "agent_new", Frame: "page", HTML: Agent(m.newAgentForm())},
		{Component: "page", State: "agent_remove", Frame: "page", HTML: AgentRemoval(AgentRemovalProps{Page: form, ID: "g_1", Name: m.say("Operations"), Conversations: 2})},
		{Component: "page", State: "agent_remove_unused", Frame: "page", HTML: AgentRemoval(AgentRemovalProps{Page: form, ID: "g_1", Name: m.say("Operations")})},
		{Component: "page", State: "agent_remove_last", Frame: "page", HTML: AgentRemoval(AgentRemovalProps{Page: form, ID: "g_1", Name: m.say("Operations"), Last: true})},
	}
}

func (m *maker) agents() []AgentRow {
	return []AgentRow{
		{ID: "g_1", Name: m.say("Operations"), Model: m.model(), Tools: []string{m.say("current_time"), m.say("notes_write")}},
		{ID: "g_2", Name: m.say("Reader"), Model: m.model(), Missing: true},
	}
}

func (m *maker) agentForm() AgentForm {
	page := m.page("Operations", SectionAgents)
	page.Narrow = true
	return AgentForm{
		Page: page, ID: "g_1", Heading: m.say("Operations"), Name: m.say("Operations"), Instructions: m.say("Read first. Ask before you change anything."),
		Model: "p_1/a", Models: []Option{{Value: "p_1/a", Label: m.say("claude-sonnet-4-5"), Group: m.say("Anthropic")}},
		Reviewer: "p_1/a", Reviewers: []Option{{Label: "No reviewer"}, {Value: "p_1/a", Label: m.say("claude-sonnet-4-5"), Group: m.say("Anthropic")}}, Review: m.say("20s"),
		Tools: m.toolChoices(), Reasoning: true, BufferAttempts: true, Approval: m.say("90s"), Question: m.say("1h"), ModelCalls: m.say("51"),
		Errors: map[string]string{"instructions": m.say("Instructions may be 64 KiB long."), "model_calls": m.say("Enter a whole number.")},
	}
}

func (m *maker) newAgentForm() AgentForm {
	f := m.agentForm()
	f.ID, f.Heading, f.Name, f.Instructions = "", "New agent", "", ""
	f.Errors = map[string]string{"name": m.say("Enter a name."), "tools": m.say("Choose from the tools that exist.")}
	return f
}

func (m *maker) toolChoices() []ToolChoice {
	return []ToolChoice{
		{Name: m.say("current_time"), Title: m.say("Current time"), About: m.say("Tells the current date, weekday and time."), When: "Runs by itself.", Checked: true},
		{Name: m.say("notes_write"), Title: m.say("Write a note"), About: m.say("Writes a note."), When: "Waits for a countersignature."},
	}
}
