package agent

import "context"

// A Policy is the rules of a server (contract 2.4). Their order settles only
// which of several alike is named: a denial beats a question, and a question
// beats leave, however narrow the one and broad the other.
type Policy []PolicyRule

// A Rulebook keeps the policy of a server. It must be safe for use by multiple
// goroutines.
type Rulebook interface {
	// Policy returns the rules that hold now. It is asked before a step is
	// decided, and again right before each call runs.
	Policy(ctx context.Context) (Policy, error)
}

// A Role is what kind of person somebody is.
type Role string

const (
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
	// RoleEndUser is whom a program serves.
	RoleEndUser Role = "end_user"
)

// Roles lists every role.
var Roles = []Role{RoleAdmin, RoleMember, RoleEndUser}

// A Case is a call as policy sees it.
type Case struct {
	Agent AgentID
	Role  Role // of the owner of the conversation
	Call  ToolCallRequested
	// Asks says that the call is a question to a person: asking is the consent.
	Asks bool
}

// CaseOf is a call of a tool, as the model of an agent would ask for it.
func CaseOf(id AgentID, role Role, t Tool, arguments string) Case {
	_, asks := t.(Asker)
	return Case{Agent: id, Role: role, Call: requestOf(t, arguments), Asks: asks}
}

// A Ruling is what policy says of a case by itself. The zero Ruling says
// nothing: whoever comes later in the order of authority decides.
type Ruling struct {
	// Rule is the rule that settles the case, nil where none does.
	Rule *PolicyRule
	// Free says that the call runs by itself, because it changes nothing.
	Free bool
}

// Hard reports whether the call is refused, whoever would allow it.
func (r Ruling) Hard() bool { return r.Rule != nil && r.Rule.Hard }

// Says returns the verb of the rule, "" where none settles the case.
func (r Ruling) Says() PolicyVerb {
	if r.Rule == nil {
		return ""
	}
	return r.Rule.Do
}

// Over returns what the policy says of a case.
func (p Policy) Over(c Case) Ruling {
	for i, r := range p {
		if r.Hard && r.covers(c) {
			return Ruling{Rule: &p[i]}
		}
	}
	if c.Call.ReadOnly || c.Asks {
		return Ruling{Free: true}
	}
	for _, verb := range []PolicyVerb{PolicyDeny, PolicyAsk, PolicyAllow} {
		for i, r := range p {
			if r.Do == verb && r.covers(c) {
				return Ruling{Rule: &p[i]}
			}
		}
	}
	return Ruling{}
}

// readPolicy learns what holds now of the policy and the owner's role.
func (w *worker) readPolicy(ctx context.Context) error {
	var err error
	if w.rules != nil {
		if w.policy, err = w.rules.Policy(ctx); err != nil {
			return err
		}
	}
	if w.people != nil {
		w.role, err = w.people.Role(ctx, w.owner)
	}
	return err
}

// ruling is what policy says of a call.
func (w *worker) ruling(c *RunCall) Ruling {
	tool, _ := w.offered(c.Tool)
	_, asks := tool.(Asker)
	return w.policy.Over(Case{Agent: w.agent.ID, Role: w.role, Call: c.ToolCallRequested, Asks: asks})
}
