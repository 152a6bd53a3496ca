package views

import (
	"time"

	"countersign/agent"
)

// A verdict is how a decision looks.
type verdict struct {
	class  string
	icon   string
	text   string
	origin string
	name   string // who signed, "" where nobody did
	reason string // why, "" where nobody said
	rule   string // the rule of policy that decided, "" where none did
	// granted is when the grant that allowed the call was given, else zero.
	granted time.Time
}

// verdictOf returns how the decision on a call looks. Green is for what a
// person allowed, and for nothing else.
func verdictOf(i *agent.ApprovalItem, c *agent.ApprovalCall) verdict {
	d := c.Decision
	switch {
	case i.Closed == agent.ClosedExpired && (d == nil || d.Lapsed()), c.Outcome == agent.CallExpired:
		return verdict{class: "is-expired", icon: "clock", text: "Expired, not run", origin: "nobody signed"}
	case d == nil && i.Closed == agent.ClosedWithdrawn:
		return verdict{class: "is-expired", icon: "stop", text: "Withdrawn, not run", origin: "the run was stopped"}
	case d == nil:
		return verdict{class: "is-unsure", icon: "unknown", text: "Not decided"}
	}
	v := verdict{origin: originWords(d.Origin), reason: d.Reason}
	human := d.Origin == agent.OriginHuman
	if human {
		v.name = d.By.Name
	}
	if d.By.KeyName != "" {
		v.origin, v.name = "a program with the key", d.By.KeyName
	}
	if v.rule = ruleOf(d); v.rule != "" {
		v.origin = "by the rule"
	}
	if d.Origin == agent.OriginGrant {
		v.granted = grantedAt(c.CallItem)
	}
	switch {
	case d.Verdict == agent.VerdictAllow && human && d.Arguments != "":
		v.class, v.icon, v.text = "is-allow is-signed", "check", "Approved with changes"
	case d.Verdict == agent.VerdictAllow && human && d.Grant != "":
		v.class, v.icon, v.text = "is-allow is-signed", "check", "Approved for this conversation"
	case d.Verdict == agent.VerdictAllow && human:
		v.class, v.icon, v.text = "is-allow is-signed", "check", "Approved once"
	case d.Verdict == agent.VerdictAllow && d.Origin == agent.OriginBypass:
		v.class, v.icon, v.text = "is-bypass", "alert", "Allowed by bypass"
	case d.Verdict == agent.VerdictAllow:
		v.class, v.icon, v.text = "is-allow", "check", "Allowed"
	case d.Verdict == agent.VerdictDeny:
		v.class, v.icon, v.text = "is-deny", "x", "Denied"
	default:
		v.class, v.icon, v.text = "is-unsure", "eye", "Unsure, a person was asked"
	}
	return v
}

// ruleOf is the name of the rule that decided. Which of those that nothing
// overrides it was is for admins alone (contract V24).
func ruleOf(d *agent.ApprovalDecision) string {
	if d.Origin != agent.OriginApplicationPolicy {
		return ""
	}
	return d.Rule
}

// forbidding is the rule that nothing overrides which refused a call, "" where
// none did.
func forbidding(c *agent.CallItem) string {
	if c.Decision == nil || c.Decision.Origin != agent.OriginHardPolicy {
		return ""
	}
	return c.Decision.Rule
}

// grantedAt is when the grant was given that allowed a call.
func grantedAt(c *agent.CallItem) time.Time {
	if c.Decision.GrantedAt.IsZero() {
		return c.DecidedAt
	}
	return c.Decision.GrantedAt
}

// destroys reports whether any undecided call of a card is one that destroys,
// as the server of its connector says.
func destroys(i *agent.ApprovalItem) bool {
	for _, c := range i.Calls {
		if c.Decision == nil && c.Dangerous {
			return true
		}
	}
	return false
}

// suspicious reports whether any undecided call of a card holds characters
// that can't be seen.
func suspicious(i *agent.ApprovalItem) bool {
	for _, c := range i.Calls {
		if c.Decision == nil && c.HidesText() {
			return true
		}
	}
	return false
}
