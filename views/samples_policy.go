package views

import (
	"time"

	"countersign/agent"
)

// policies are the pages of the rules of policy.
func (m *maker) policies() []Sample {
	page := m.page("Policy", SectionPolicy)
	form := page
	form.Narrow = true
	agents := []Option{{Value: "g_1", Label: m.say("Operations")}}
	try := PolicyTry{
		Tool: "notes_write", Tools: []Option{{Value: "notes_write", Label: m.say("notes_write")}},
		Agent: "g_1", Agents: agents, Role: string(agent.RoleMember), Arguments: m.say(`{"title":"Milk"}`),
	}
	rows := []RuleRow{
		{PolicyRule: agent.PolicyRule{ID: "y_1", Name: m.say("Quick notes"), Do: agent.PolicyAllow, Agent: "g_1", Tool: m.say("notes_write"), Match: []agent.ArgumentMatch{agent.MatchAt(m.say("title"), m.say("Quick *"))}}, AgentName: m.say("Operations")},
		{PolicyRule: agent.PolicyRule{ID: "y_2", Name: m.say("Shop for others"), Do: agent.PolicyAsk, Role: agent.RoleEndUser, Connector: m.say("Shop")}},
		{PolicyRule: agent.PolicyRule{ID: "y_3", Name: m.say("Old agent"), Do: agent.PolicyDeny, Agent: "g_gone"}},
		{PolicyRule: agent.PolicyRule{ID: "y_4", Name: m.say("Nothing is deleted"), Do: agent.PolicyDeny, Hard: true, Tool: m.say("*_delete"), Role: agent.RoleMember}},
	}
	decided, wrong := try, try
	decided.Outcome = &PolicyOutcome{Tone: ToneAttn, Verdict: "Ask", Because: m.say("A person decides."), Rule: m.say("Shop for others")}
	wrong.Errors = map[string]string{"arguments": m.say("Enter JSON."), "tool": "Choose from the tools that exist."}
	fresh := RuleForm{Page: form, Heading: "New rule", Agents: append([]Option{{Label: "Any agent"}}, agents...)}
	saved := fresh
	saved.ID, saved.Heading, saved.Name, saved.Then, saved.Tool, saved.Connector = "y_1", m.say("Quick notes"), m.say("Quick notes"), RuleHard, m.say("notes_*"), m.say("Shop")
	saved.Match, saved.Role, saved.Agent = m.say("$.title = Quick *"), string(agent.RoleEndUser), "g_1"
	mistaken := saved
	mistaken.Errors = map[string]string{}
	for _, field := range []string{"name", "tool", "connector", "match"} {
		mistaken.Errors[field] = m.say("Not like this.")
	}
	for _, field := range []string{"do", "role", "agent"} {
		mistaken.Errors[field] = "Choose one."
	}
	return []Sample{
		{Component: "page", State: "policy", Frame: "page", HTML: Policy(PolicyProps{Page: page, Rows: rows, Try: decided})},
		{Component: "page", State: "policy_none", Frame: "page", HTML: Policy(PolicyProps{Page: page, Try: try})},
		{Component: "page", State: "policy_wrong", Frame: "page", HTML: Policy(PolicyProps{Page: page, Rows: rows[:1], Try: wrong})},
		{Component: "page", State: "policy_no_agents", Frame: "page", HTML: Policy(PolicyProps{Page: page})},
		{Component: "page", State: "rule_new", Frame: "page", HTML: Rule(fresh)},
		{Component: "page", State: "rule", Frame: "page", HTML: Rule(saved)},
		{Component: "page", State: "rule_wrong", Frame: "page", HTML: Rule(mistaken)},
		{Component: "page", State: "rule_remove", Frame: "page", HTML: RuleRemoval(RuleRemovalProps{Page: form, ID: "y_1", Name: m.say("Quick notes")})},
		{Component: "page", State: "rule_remove_denial", Frame: "page", HTML: RuleRemoval(RuleRemovalProps{Page: form, ID: "y_1", Name: m.say("Quick notes"), Deny: true})},
	}
}

// ruled are calls that a rule or a bypass decided, or a rule wants a person for.
func (m *maker) ruled() []Sample {
	call := func(state string, v agent.Verdict, o agent.Origin, outcome agent.CallOutcome) Sample {
		c := m.call(agent.CallFinished, outcome)
		c.Result, c.Took = m.say("Saved."), 400*time.Millisecond
		c.Decision = &agent.ApprovalDecision{Verdict: v, Origin: o, Rule: m.say("Quick notes")}
		return m.entry("call", state, inRow(c))
	}
	asked := m.asked()
	asked.Connector, asked.Rule = "", m.say("Big orders")
	decided := m.card(m.decidedCall(agent.VerdictDeny, agent.OriginApplicationPolicy, "", ""))
	decided.Closed, decided.Calls[0].Decision.Rule = agent.ClosedDecided, m.say("No exports")
	bypass := &agent.Bypass{By: agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")}, At: sampleTime}
	page := m.page("Switch approvals off", SectionConversation)
	page.Narrow = true
	ask := BypassProps{Page: page, ID: "c_sample", Title: m.say("Filters"), Waits: true}
	off := ask
	off.Now = bypass
	judged := func(v agent.Verdict, fault agent.ReviewFault, reason string) *agent.ApprovalDecision {
		return &agent.ApprovalDecision{Verdict: v, Origin: agent.OriginReviewer, Fault: fault, Reason: m.say(reason)}
	}
	reviewed := func(state string, d *agent.ApprovalDecision) Sample {
		c := m.call(agent.CallFinished, agent.CallDenied)
		if c.Result, c.Decision = m.say("No."), d; d.Verdict == agent.VerdictAllow {
			c.Outcome = agent.CallOK
		}
		return m.entry("call", state, inRow(c))
	}
	unsure := func(state string, d *agent.ApprovalDecision) Sample {
		c := m.asked()
		c.Review = d
		return m.entry("card", state, m.card(c))
	}
	judging := m.run(agent.StatusRunning, inRow(m.call(agent.CallFinished, agent.CallOK)))
	judging.Reviewing = m.call(agent.CallRequested, "")
	silent := judged(agent.VerdictUnsure, "", "")
	silent.Reason = ""
	stopped := DetailsProps{Conversation: "c_sample", AgentName: m.say("Operations"), Model: m.model(), Reviews: agent.Reviews{InRow: 3, Total: 3}}
	ended := stopped
	ended.Reviews = agent.Reviews{Total: 20}
	return []Sample{
		{Component: "run", State: "reviewing", HTML: Run(m.scene(), judging)},
		reviewed("allowed_by_reviewer", judged(agent.VerdictAllow, "", "Asked for.")),
		reviewed("denied_by_reviewer", judged(agent.VerdictDeny, "", "Not asked for.")),
		unsure("unsure", judged(agent.VerdictUnsure, "", "It may have been asked for.")),
		unsure("unsure_why", silent),
		unsure("review_timeout", judged(agent.VerdictUnsure, agent.ReviewTimeout, "")),
		unsure("review_failed", judged(agent.VerdictUnsure, agent.ReviewFailed, "")),
		unsure("review_malformed", judged(agent.VerdictUnsure, agent.ReviewMalformed, "")),
		{Component: "details", State: "reviewer_stopped", HTML: DetailsBody(stopped)},
		{Component: "details", State: "reviewer_ended", HTML: DetailsBody(ended)},
		{Component: "bypass", State: "on", HTML: BypassBanner("c_sample", bypass)},
		{Component: "page", State: "bypass", Frame: "page", HTML: Bypass(ask)},
		{Component: "page", State: "bypass_already", Frame: "page", HTML: Bypass(off)},
		call("allowed_by_bypass", agent.VerdictAllow, agent.OriginBypass, agent.CallOK),
		call("allowed_by_rule", agent.VerdictAllow, agent.OriginApplicationPolicy, agent.CallOK),
		call("denied_by_rule", agent.VerdictDeny, agent.OriginApplicationPolicy, agent.CallDenied),
		call("denied_for_good", agent.VerdictDeny, agent.OriginHardPolicy, agent.CallDenied),
		m.entry("card", "rule", m.card(asked)),
		m.entry("decision", "rule", decided),
	}
}
