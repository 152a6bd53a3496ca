package views

import (
	"time"

	"github.com/a-h/templ"

	"countersign/agent"
)

// A Sample is a component in one state. The gallery shows all of them, and the
// tests keep their HTML.
type Sample struct {
	Component string
	State     string
	HTML      templ.Component
	// Frame says what stands around it: "steps" for an entry of a run, "page"
	// for a whole page, "" for nothing.
	Frame string
}

// Samples returns every component in every state, in the order to show them.
func Samples() []Sample { return samples(func(s string) string { return s }) }

// samples makes the samples with every text of theirs changed by say, which
// tests use to put hostile text everywhere.
func samples(say func(string) string) []Sample {
	m := maker{say: say, now: sampleNow}
	var list []Sample
	for _, group := range [][]Sample{m.attempts(), m.faults(), m.calls(), m.cards(), m.decisions(), m.questions(), m.reconciles(), m.notices(), m.runs(), m.composers(), m.parts(), m.pages(), m.doors(), m.settings(), m.housekeeping(), m.people(), m.usage(), m.servers(), m.keys(), m.connectors(), m.policies(), m.ruled(), m.safeties(), m.fullCards(), m.guards()} {
		list = append(list, group...)
	}
	return list
}

// The samples happened at one time and are looked at a little later.
var (
	sampleTime = time.Date(2026, time.October, 9, 9, 12, 0, 0, time.UTC)
	sampleNow  = sampleTime.Add(4 * time.Minute)
)

// A maker makes samples. Every one has ids of its own, because the gallery
// shows them on one page.
type maker struct {
	say func(string) string
	now time.Time
	n   int
}

func (m *maker) scene() Scene {
	return Scene{Conversation: "c_sample", Viewer: agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")}, Admin: true, Now: m.now}
}

func (m *maker) id() string {
	m.n++
	return "s" + number(int64(m.n))
}

func (m *maker) model() agent.ModelRef {
	return agent.ModelRef{Provider: "p_1", ProviderName: m.say("Anthropic"), Model: m.say("claude-sonnet-4-5")}
}

func (m *maker) run(status agent.RunStatus, items ...agent.Item) *agent.RunItem {
	return &agent.RunItem{
		ID:        agent.RunID("r_" + m.id()),
		Message:   agent.UserMessage{Message: "m_1", Text: m.say("The 02:00 export to the warehouse did not finish.\n\nFind out why, but do not change anything."), Author: agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")}},
		AgentName: m.say("Operations"), Model: m.model(), Status: status, CreatedAt: sampleTime,
		Items: items,
	}
}

// entry is the sample of an item in a run that is under way.
func (m *maker) entry(component, state string, item agent.Item) Sample {
	return Sample{Component: component, State: state, Frame: "steps", HTML: Entry(m.scene(), m.run(agent.StatusRunning), item)}
}

func (m *maker) attempt() *agent.AttemptItem {
	return &agent.AttemptItem{Attempt: agent.AttemptID("a_" + m.id()), Number: 1, Of: 3, State: agent.AttemptOpen, At: sampleTime.Add(9 * time.Second)}
}

func (m *maker) attempts() []Sample {
	waiting := m.attempt()
	waiting.At = m.now.Add(-8 * time.Second)

	streaming := m.attempt()
	streaming.At = m.now.Add(-14 * time.Second)
	streaming.Text = m.say("The export waited ten minutes for a lock.\n\nNothing is wrong with")

	provisional := m.attempt()
	provisional.State, provisional.Outcome, provisional.Finish = agent.AttemptProvisional, agent.AttemptCompleted, "tool_calls"
	provisional.Text = m.say("I will look for what held the lock.")

	final := m.attempt()
	final.State, final.Outcome, final.Finish = agent.AttemptFinal, agent.AttemptCompleted, "stop"
	final.Text = m.say(sampleAnswer)
	m.count(final, 3412, 2048)

	refused := m.attempt()
	refused.State, refused.Outcome, refused.Finish = agent.AttemptFinal, agent.AttemptCompleted, "refusal"
	refused.Refusal = m.say("I can’t help with that.")

	stopped := m.attempt()
	stopped.State = agent.AttemptWithdrawn

	interrupted := m.attempt()
	interrupted.State, interrupted.Outcome = agent.AttemptWithdrawn, agent.AttemptInterrupted

	unanswered := m.attempt()
	unanswered.State, unanswered.Outcome = agent.AttemptWithdrawn, agent.AttemptCompleted

	reasoning := func(text string, open, limited bool) *agent.ReasoningItem {
		return &agent.ReasoningItem{Attempt: agent.AttemptID("a_" + m.id()), Text: text, Open: open, Limited: limited, At: sampleTime}
	}
	thought := m.say("Only reading: no restarts, nothing cancelled.")
	return []Sample{
		m.entry("attempt", "waiting", waiting),
		m.entry("attempt", "streaming", streaming),
		m.entry("attempt", "provisional", provisional),
		m.entry("attempt", "final", final),
		m.entry("attempt", "refused", refused),
		m.entry("attempt", "stopped", stopped),
		m.entry("attempt", "interrupted", interrupted),
		m.entry("attempt", "unanswered", unanswered),
		m.entry("reasoning", "empty", reasoning("", true, false)),
		m.entry("reasoning", "open", reasoning(thought, true, false)),
		m.entry("reasoning", "closed", reasoning(thought, false, false)),
		m.entry("reasoning", "limited", reasoning(thought, false, true)),
	}
}

// count gives an attempt a usage of which only a part is known.
func (m *maker) count(a *agent.AttemptItem, input, cached int64) {
	var u agent.ModelUsage
	u.InputTotal, u.CacheRead = &input, &cached
	a.Usage = &u.Usage
}

func (m *maker) failed(e agent.ProviderError) *agent.AttemptItem {
	a := m.attempt()
	a.State, a.Outcome, a.Took, a.Error = agent.AttemptWithdrawn, agent.AttemptFailed, 9*time.Second, &e
	return a
}

func (m *maker) faults() []Sample {
	overloaded := agent.ProviderError{Category: "overloaded", Retryable: true, HTTPStatus: 529, API: "anthropic", RequestID: m.say("req_011CTq7Zk2"), Code: m.say("overloaded_error")}

	retrying := m.failed(overloaded)
	retrying.Retry = &agent.RetryScheduled{Number: 2, Of: 3, At: m.now.Add(6 * time.Second)}

	past := m.failed(overloaded)
	past.Retry, past.Retried = retrying.Retry, true

	exhausted := m.failed(agent.ProviderError{Category: "network", Retryable: true, Code: "connect_timeout"})
	exhausted.Number = 3

	refused := m.failed(agent.ProviderError{Category: "authentication", HTTPStatus: 401, Code: m.say("invalid_api_key")})
	unknown := m.failed(agent.ProviderError{Category: "sunspots"})
	return []Sample{
		m.entry("fault", "retrying", retrying),
		m.entry("fault", "past", past),
		m.entry("fault", "exhausted", exhausted),
		m.entry("fault", "refused", refused),
		m.entry("fault", "unknown", unknown),
	}
}

func (m *maker) call(state agent.CallState, outcome agent.CallOutcome) *agent.CallItem {
	return &agent.CallItem{
		ToolCallRequested: agent.ToolCallRequested{
			Call: agent.CallID("t_" + m.id()), Tool: m.say("create_order"), Title: m.say("Create order"), Connector: m.say("Shop"),
			Arguments: m.say(`{"sku":"A-100","quantity":36,"note":"two lines:\nthe second","unit_price_gbp":15.40,"to":{},"tags":["a","b"]}`),
		},
		State: state, Outcome: outcome, At: sampleTime.Add(6 * time.Second),
	}
}

// inRow is calls that followed one another.
func inRow(calls ...*agent.CallItem) *agent.CallsItem { return &agent.CallsItem{Calls: calls} }

func (m *maker) calls() []Sample {
	finished := func(outcome agent.CallOutcome, result string) *agent.CallItem {
		c := m.call(agent.CallFinished, outcome)
		c.Result, c.Took = m.say(result), 400*time.Millisecond
		return c
	}
	running := m.call(agent.CallRunning, "")
	running.At = m.now.Add(-3 * time.Second)
	again := m.call(agent.CallRunning, "")
	again.Again = true
	granted := finished(agent.CallOK, "Saved.")
	granted.Decision = &agent.ApprovalDecision{Verdict: agent.VerdictAllow, Origin: agent.OriginGrant, Grant: "n_1", GrantedAt: sampleTime.Add(-time.Hour)}
	one := func(state string, c *agent.CallItem) Sample { return m.entry("call", state, inRow(c)) }
	ok := func() *agent.CallItem { return finished(agent.CallOK, "ordered\n\tHB-2291") }
	return []Sample{
		one("running", running),
		one("again", again),
		one("ok", ok()),
		one("granted", granted),
		one("error", finished(agent.CallError, "permission denied on shipments")),
		one("denied", finished(agent.CallDenied, "A person denied this call.")),
		one("expired", finished(agent.CallExpired, "Nobody decided in time.")),
		one("not_started", finished(agent.CallNotStarted, "")),
		one("unknown", finished(agent.CallUnknown, "")),
		m.entry("call", "three", inRow(ok(), ok(), ok())),
		m.entry("call", "many", inRow(ok(), ok(), finished(agent.CallError, "permission denied"), ok())),
		m.entry("call", "many_running", inRow(ok(), ok(), ok(), running)),
	}
}
