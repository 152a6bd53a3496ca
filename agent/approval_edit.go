package agent

import (
	"encoding/json"
	"strings"
)

// Editable reports whether a person may have the call run with other arguments:
// that of a declared tool which the provider did not sign, and that hides no
// text.
func (c ToolCallRequested) Editable() bool {
	return c.Definition != "" && !c.Signed && !c.HidesText()
}

// shown is the call as the model sent it and a card shows it.
func (c *RunCall) shown() ToolCallRequested {
	call := c.ToolCallRequested
	if c.Sent != "" {
		call.Arguments = c.Sent
	}
	return call
}

// checkEdit returns an [InputError] for arguments of a person that the tool
// does not take. What policy and guardrails say of them is asked right before
// the call runs.
func (e *Engine) checkEdit(c *RunCall, v CallDecision) error {
	edited := c.shown()
	edited.Arguments = v.Arguments
	switch {
	case v.Arguments == "":
		return nil
	case v.Verdict != VerdictAllow || v.Grant:
		return &InputError{Message: "Changed arguments can be approved once only."}
	case !c.shown().Editable():
		return &InputError{Message: "The arguments of this call can’t be changed. Approve it as it is, or deny it with a reason."}
	case len(v.Arguments) > MaxArguments:
		return &InputError{Message: "The arguments are too long. They may have up to 256 KiB."}
	case edited.HidesText():
		return &InputError{Message: "The arguments hold characters that can’t be seen. Write them as escapes, such as \\u202e."}
	case !json.Valid([]byte(v.Arguments)) || !strings.HasPrefix(strings.TrimSpace(v.Arguments), "{"):
		return &InputError{Message: "The arguments have to be a JSON object. Check quotes, commas and braces."}
	}
	checker, ok := e.tools[c.Tool].(Checker)
	if !ok {
		return nil
	}
	if problem := checker.Check(json.RawMessage(v.Arguments)); problem != "" {
		return &InputError{Message: problem}
	}
	return nil
}
