package views

import (
	"time"

	"countersign/agent"
)

func (m *maker) safeties() []Sample {
	item := func(cause agent.SafetyCause, times int, held *agent.OutputWithheld) *agent.SafetyItem {
		i := &agent.SafetyItem{Run: "r_sample", At: sampleTime}
		i.Interaction, i.Cause, i.Times, i.Withheld = agent.InteractionID("i_"+m.id()), cause, times, held
		if cause == agent.SafetyLoop {
			i.Repeated = m.call(agent.CallRequested, "")
		}
		return i
	}
	answered := func(i *agent.SafetyItem, answer agent.SafetyAnswer) *agent.SafetyItem {
		i.Closed, i.AnsweredAt = agent.ClosedDecided, sampleTime.Add(time.Minute)
		i.Answer = &agent.SafetyAnswered{Answer: answer, By: agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")}}
		return i
	}
	held := &agent.OutputWithheld{Guardrail: m.say("No price lists"), How: agent.GuardrailPattern, Subject: agent.SubjectAnswer}
	unjudged := &agent.OutputWithheld{Guardrail: m.say("Compliance desk"), How: agent.GuardrailWebhook, Failed: true}
	withdrawn := item(agent.SafetyBlocked, 2, held)
	withdrawn.Closed = agent.ClosedWithdrawn
	attempt := func(w agent.OutputWithheld) *agent.AttemptItem {
		a := m.attempt()
		a.State, a.Outcome, a.Withheld = agent.AttemptWithdrawn, agent.AttemptWithheld, &w
		return a
	}
	signed := agent.OutputWithheld{Guardrail: m.say("No keys"), How: agent.GuardrailArguments, Subject: agent.SubjectArguments, Signed: true}
	changed := m.asked()
	changed.Rewritten = m.say("Dry run, No keys")
	failed := func(code string) *agent.NoticeItem {
		return &agent.NoticeItem{Run: agent.RunID("r_" + m.id()), Status: agent.StatusFailed, Failure: &agent.Failure{Code: code}, At: sampleTime}
	}
	return []Sample{
		m.entry("safety", "blocked", item(agent.SafetyBlocked, 2, held)),
		m.entry("safety", "no_verdict", item(agent.SafetyFailed, 1, unjudged)),
		m.entry("safety", "loop", item(agent.SafetyLoop, 6, nil)),
		m.entry("safety", "continued", answered(item(agent.SafetyBlocked, 2, held), agent.SafetyContinue)),
		m.entry("safety", "ended", answered(item(agent.SafetyLoop, 6, nil), agent.SafetyStop)),
		m.entry("safety", "withdrawn", withdrawn),
		m.entry("attempt", "withheld", attempt(*held)),
		m.entry("attempt", "withheld_no_verdict", attempt(*unjudged)),
		m.entry("attempt", "withheld_signed", attempt(signed)),
		m.entry("card", "rewritten", m.card(changed)),
		m.entry("notice", "failed_blocked", failed(agent.FailBlocked)),
		m.entry("notice", "failed_guardrail", failed(agent.FailGuardrail)),
		m.entry("notice", "failed_loop", failed(agent.FailLoop)),
	}
}

// guards are the pages of guardrails.
func (m *maker) guards() []Sample {
	page := m.page("Guardrail", SectionAgents)
	page.Narrow = true
	list := []agent.Guardrail{
		{Name: m.say("No price lists"), Pattern: &agent.PatternRule{Pattern: m.say("(?i)price list"), Over: []agent.Subject{agent.SubjectAnswer, agent.SubjectReasoning}}},
		{Name: m.say("Dry run"), Arguments: &agent.ArgumentRule{Tool: m.say("mcp__Shop__*"), Path: m.say("$.dry_run"), Do: agent.ArgumentRewrite, Value: m.say("true")}},
		{Name: m.say("A branch"), Arguments: &agent.ArgumentRule{Tool: m.say("order"), Path: m.say("$.branch"), Do: agent.ArgumentRequire, Match: m.say("^north$")}},
		{Name: m.say("No keys"), Arguments: &agent.ArgumentRule{Tool: "*", Path: m.say("$.key"), Do: agent.ArgumentForbid}},
		{Name: m.say("Desk"), Webhook: &agent.Webhook{URL: m.say("https://desk.example/judge")}},
	}
	form := AgentForm{
		Page: page, ID: "g_1", Heading: m.say("Operations"), Name: m.say("Operations"), BlockedRetries: "2", SameCalls: "0", AskSafety: true, Guardrails: list,
		Errors: map[string]string{"max_retries": "Not like this.", "same_calls": "Not like this."},
	}
	fresh := GuardrailForm{Page: page, Agent: "g_1", AgentName: m.say("Operations"), How: agent.GuardrailPattern, Place: "1", Places: 1, Over: agent.Subjects}
	arguments := fresh
	arguments.How, arguments.Was, arguments.Name, arguments.Places = agent.GuardrailArguments, m.say("Dry run"), m.say("Dry run"), 3
	arguments.Tool, arguments.Path, arguments.Do, arguments.Match, arguments.Value = m.say("order"), m.say("$.dry_run"), string(agent.ArgumentRewrite), m.say("^n"), m.say("true")
	hook := fresh
	hook.How, hook.Was, hook.Name, hook.URL, hook.Timeout, hook.Private = agent.GuardrailWebhook, m.say("Desk"), m.say("Desk"), m.say("https://desk.example/judge"), "5s", true
	wrong := func(f GuardrailForm) GuardrailForm {
		f.Over, f.Errors = nil, map[string]string{}
		for _, field := range []string{"name", "place", "pattern", "url", "timeout", "over", "tool", "path", "do", "match", "value"} {
			f.Errors[field] = "Not like this."
		}
		return f
	}
	return []Sample{
		{Component: "page", State: "agent_guarded", Frame: "page", HTML: Agent(form)},
		{Component: "page", State: "guardrail_new", Frame: "page", HTML: Guardrail(fresh)},
		{Component: "page", State: "guardrail_wrong", Frame: "page", HTML: Guardrail(wrong(fresh))},
		{Component: "page", State: "guardrail_arguments", Frame: "page", HTML: Guardrail(arguments)},
		{Component: "page", State: "guardrail_arguments_wrong", Frame: "page", HTML: Guardrail(wrong(arguments))},
		{Component: "page", State: "guardrail_webhook", Frame: "page", HTML: Guardrail(hook)},
		{Component: "page", State: "guardrail_webhook_wrong", Frame: "page", HTML: Guardrail(wrong(hook))},
		{Component: "page", State: "guardrail_remove", Frame: "page", HTML: GuardrailRemoval(GuardrailRemovalProps{Page: page, Agent: "g_1", Name: m.say("Desk")})},
		{Component: "page", State: "guardrail_remove_last", Frame: "page", HTML: GuardrailRemoval(GuardrailRemovalProps{Page: page, Agent: "g_1", Name: m.say("Desk"), Last: true})},
	}
}
