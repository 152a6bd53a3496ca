package views

import (
	"time"

	"countersign/agent"
)

func (m *maker) card(calls ...*agent.ApprovalCall) *agent.ApprovalItem {
	return &agent.ApprovalItem{Interaction: agent.InteractionID("i_" + m.id()), Run: "r_sample", Calls: calls, ExpiresAt: m.now.Add(4*time.Minute + 12*time.Second), At: sampleTime.Add(27 * time.Second)}
}

func (m *maker) asked() *agent.ApprovalCall {
	return &agent.ApprovalCall{CallItem: m.call(agent.CallRequested, "")}
}

func (m *maker) decidedCall(verdict agent.Verdict, origin agent.Origin, by, reason string) *agent.ApprovalCall {
	c := m.asked()
	c.Decision = &agent.ApprovalDecision{Call: c.Call, Tool: c.Tool, Verdict: verdict, Origin: origin, Reason: m.say(reason), By: agent.Actor{User: "u_2", Name: m.say(by)}}
	c.DecidedAt = sampleTime.Add(2 * time.Minute)
	return c
}

func (m *maker) cards() []Sample {
	soon := m.card(m.asked())
	soon.ExpiresAt = m.now.Add(48 * time.Second)

	builtIn := m.asked()
	builtIn.Tool, builtIn.Title, builtIn.Connector, builtIn.Definition = m.say("notes_write"), "", "", "d"

	hidden := m.asked()
	hidden.Arguments = m.say("{\"path\":\"/srv/exports/2026-10-09.csv\",\"rename_to\":\"invoice\u202efdp.exe\",\"confirm\":true}")

	plain := m.asked()
	plain.Arguments = m.say("not JSON:\n\tbut shown as it is")

	destructive := m.asked()
	destructive.Original, destructive.Dangerous = m.say("exports.delete"), true

	return []Sample{
		m.entry("card", "waiting", m.card(m.asked())),
		m.entry("card", "destructive", m.card(destructive)),
		m.entry("card", "soon", soon),
		m.entry("card", "built_in", m.card(builtIn)),
		m.entry("card", "hidden_characters", m.card(hidden)),
		m.entry("card", "not_json", m.card(plain)),
		m.entry("card", "several", m.card(m.asked(), m.decidedCall(agent.VerdictAllow, agent.OriginHuman, "Ines Okafor", "Checked."), m.asked())),
	}
}

// fullCards are cards of several calls that can be decided together.
func (m *maker) fullCards() []Sample {
	return []Sample{
		m.entry("card", "three", m.card(m.asked(), m.asked(), m.asked())),
	}
}

func (m *maker) decisions() []Sample {
	closed := func(how agent.Closing, c *agent.ApprovalCall) *agent.ApprovalItem {
		card := m.card(c)
		card.Closed = how
		return card
	}
	expired := m.decidedCall(agent.VerdictDeny, agent.OriginApplicationPolicy, "", "")
	expired.State, expired.Outcome = agent.CallFinished, agent.CallExpired
	granting := m.decidedCall(agent.VerdictAllow, agent.OriginHuman, "Dana Ruiz", "")
	granting.Decision.Grant = "n_1"
	byKey := m.decidedCall(agent.VerdictAllow, agent.OriginApplicationPolicy, "Dana Ruiz", "")
	byKey.Decision.By.Key, byKey.Decision.By.KeyName = "k_1", m.say("Night shift")
	done := agent.ClosedDecided
	return []Sample{
		m.entry("decision", "approved", closed(done, m.decidedCall(agent.VerdictAllow, agent.OriginHuman, "Dana Ruiz", "Quantity checked with the depot."))),
		m.entry("decision", "approved_without_reason", closed(done, m.decidedCall(agent.VerdictAllow, agent.OriginHuman, "Dana Ruiz", ""))),
		m.entry("decision", "denied", closed(done, m.decidedCall(agent.VerdictDeny, agent.OriginHuman, "Ines Okafor", "Wait for the new price list."))),
		m.entry("decision", "policy", closed(done, m.decidedCall(agent.VerdictDeny, agent.OriginHardPolicy, "", "The workspace never allows this tool."))),
		m.entry("decision", "approved_for_conversation", closed(done, granting)),
		m.entry("decision", "by_key", closed(done, byKey)),
		m.entry("decision", "grant", closed(done, m.decidedCall(agent.VerdictAllow, agent.OriginGrant, "", ""))),
		m.entry("decision", "reviewer", closed(done, m.decidedCall(agent.VerdictAllow, agent.OriginReviewer, "", "Reads one file the user named."))),
		m.entry("decision", "unsure", closed(done, m.decidedCall(agent.VerdictUnsure, agent.OriginReviewer, "", "Its owner did not ask."))),
		m.entry("decision", "bypass", closed(done, m.decidedCall(agent.VerdictAllow, agent.OriginBypass, "", ""))),
		m.entry("decision", "unrecorded", closed(done, m.decidedCall(agent.VerdictAllow, "", "", ""))),
		m.entry("decision", "expired", closed(agent.ClosedExpired, expired)),
		m.entry("decision", "withdrawn", closed(agent.ClosedWithdrawn, m.asked())),
	}
}

func (m *maker) reconciles() []Sample {
	item := func() *agent.ReconcileItem {
		return &agent.ReconcileItem{Interaction: agent.InteractionID("i_" + m.id()), Run: "r_sample", Call: m.call(agent.CallRunning, ""), At: sampleTime}
	}
	answered := func(answer agent.ReconcileAnswer, note string) *agent.ReconcileItem {
		i := item()
		i.Closed, i.AnsweredAt = agent.ClosedDecided, sampleTime.Add(time.Minute)
		i.Answer = &agent.ReconcileAnswered{Answer: answer, Note: m.say(note), By: agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")}}
		return i
	}
	lost := item()
	lost.Lost = true
	withdrawn := item()
	withdrawn.Closed = agent.ClosedWithdrawn
	return []Sample{
		m.entry("reconcile", "waiting", item()),
		m.entry("reconcile", "lost", lost),
		m.entry("reconcile", "happened", answered(agent.ReconcileHappened, "Gateway lists it.")),
		m.entry("reconcile", "not_happened", answered(agent.ReconcileNotHappened, "")),
		m.entry("reconcile", "run_again", answered(agent.ReconcileRunAgain, "")),
		m.entry("reconcile", "withdrawn", withdrawn),
	}
}

func (m *maker) notices() []Sample {
	end := func(status agent.RunStatus, reason string, failure *agent.Failure, by *agent.Actor) *agent.NoticeItem {
		return &agent.NoticeItem{Run: agent.RunID("r_" + m.id()), Status: status, StopReason: reason, Failure: failure, By: by, At: sampleTime}
	}
	failed := func(code string) *agent.NoticeItem {
		return end(agent.StatusFailed, "", &agent.Failure{Code: code}, nil)
	}
	return []Sample{
		m.entry("notice", "stopped_by_viewer", end(agent.StatusCancelled, "", nil, &agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")})),
		m.entry("notice", "stopped_by_other", end(agent.StatusCancelled, "", nil, &agent.Actor{User: "u_2", Name: m.say("Ines Okafor")})),
		m.entry("notice", "stopped", end(agent.StatusCancelled, "", nil, nil)),
		m.entry("notice", "failed_provider", failed(agent.FailProvider)),
		m.entry("notice", "failed_for_good", end(agent.StatusFailed, "", &agent.Failure{Code: agent.FailProvider, Provider: &agent.ProviderError{Code: "replay_foreign"}}, nil)),
		m.entry("notice", "failed_turn_limit", failed(agent.FailTurnLimit)),
		m.entry("notice", "failed_reclaimed", failed(agent.FailReclaimed)),
		m.entry("notice", "failed_agent_removed", failed(agent.FailNoAgent)),
		m.entry("notice", "failed_disk_full", failed(agent.FailFull)),
		m.entry("notice", "failed_internal", failed(agent.FailInternal)),
		m.entry("notice", "cut_off", end(agent.StatusSucceeded, "length", nil, nil)),
		m.entry("notice", "filtered", end(agent.StatusSucceeded, "content_filter", nil, nil)),
		m.entry("notice", "declined", end(agent.StatusSucceeded, "refusal", nil, nil)),
	}
}
