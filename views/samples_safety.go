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
