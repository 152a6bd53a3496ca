package views

import (
	"slices"
	"time"

	"countersign/agent"
)

// A Scene is what the entries of a conversation need beside themselves.
type Scene struct {
	Conversation agent.ConversationID
	Viewer       agent.Actor // the person who looks, and who would sign
	Admin        bool        // may open the settings
	Now          time.Time
}

// stepProps place one entry on the rail.
type stepProps struct {
	id     string
	at     time.Time // zero: no time is shown
	icon   string    // of the mark, "" for a mark without one
	mark   string    // who, draft, final, busy, needs, signed or bad; "" is plain
	pencil bool      // it may still change
}

// conversationTitle is what a conversation without a title is called.
func conversationTitle(title string) string { return or(title, "Untitled conversation") }

// runState says what a run waits for where no entry says so, "" when one does.
func runState(run *agent.RunItem) string {
	switch run.Status {
	case agent.StatusNone, agent.StatusPending:
		return "Waiting to start"
	case agent.StatusRunning:
	default:
		return ""
	}
	if run.Reviewing != nil {
		return "The reviewer model is judging: " + Plain(toolTitle(run.Reviewing))
	}
	if len(run.Items) == 0 {
		return "Starting"
	}
	for _, item := range run.Items {
		switch i := item.(type) {
		case *agent.AttemptItem:
			if i.State == agent.AttemptOpen || i.Retry != nil && !i.Retried {
				return ""
			}
		case *agent.CallsItem:
			if slices.ContainsFunc(i.Calls, unfinished) {
				return ""
			}
		}
	}
	return "Working"
}

// attemptStep places an attempt on the rail.
func attemptStep(i *agent.AttemptItem) stepProps {
	p := stepProps{id: EntryID(i), at: i.At}
	switch i.State {
	case agent.AttemptFinal:
		p.mark = "final"
	case agent.AttemptWithdrawn:
		p.mark, p.icon = "bad", "x"
		if i.Error != nil && !i.Retried || i.Withheld != nil {
			p.icon = "alert"
		}
	default:
		p.mark, p.pencil = "draft", true
	}
	return p
}

// withdrawnWords say what became of an attempt. Of one that failed or was
// interrupted, nobody knows any more whether it had written anything.
func withdrawnWords(i *agent.AttemptItem) string {
	switch i.Outcome {
	case agent.AttemptWithheld:
		return "Response " + number(int64(i.Number)) + " was held back" + byGuardrail(i.Withheld)
	case agent.AttemptFailed:
		return "Attempt " + number(int64(i.Number)) + " failed after " + spanInSentence(i.Took) + "; nothing of it is kept."
	case agent.AttemptInterrupted:
		return "Attempt " + number(int64(i.Number)) + " was interrupted; nothing of it is kept."
	case agent.AttemptCompleted:
		return "The run ended without an answer. This draft was withdrawn."
	}
	return "The unfinished draft was withdrawn."
}

// byGuardrail says which guardrail held a response back, and why. It says
// nothing of the response.
func byGuardrail(w *agent.OutputWithheld) string {
	switch {
	case w == nil:
		return "."
	case w.Failed:
		return ": the guardrail “" + w.Guardrail + "” gave no verdict."
	case w.Signed:
		return " by the guardrail “" + w.Guardrail + "”, which would change a tool call that the provider signed."
	}
	return " by the guardrail “" + w.Guardrail + "”" + map[agent.Subject]string{
		agent.SubjectAnswer: ", for its answer.", agent.SubjectReasoning: ", for its reasoning.", agent.SubjectArguments: ", for a tool call.", "": ".",
	}[w.Subject]
}

// callStep places a call on the rail.
func callStep(i *agent.CallItem) stepProps {
	p := stepProps{id: CallElementID(i.Call), at: i.At}
	switch {
	case unfinished(i):
		p.mark, p.pencil = "busy", true
	case i.Outcome == agent.CallOK:
		p.icon = "check"
	case i.Outcome == agent.CallUnknown:
		p.mark, p.icon = "bad", "unknown"
	default:
		p.mark, p.icon = "bad", "x"
	}
	return p
}

func callClass(i *agent.CallItem) string {
	switch {
	case unfinished(i):
		return "tool is-running"
	case i.Outcome == agent.CallOK:
		return "tool is-ok"
	}
	return "tool is-error"
}

// cardStep places a card on the rail.
func cardStep(i *agent.ApprovalItem) stepProps {
	p := stepProps{id: EntryID(i), at: i.At}
	switch {
	case i.Closed == "":
		p.mark, p.icon, p.pencil = "needs", "sign", true
	case i.Closed != agent.ClosedDecided:
		p.mark, p.icon = "bad", "clock"
	case allowed(i, agent.OriginHuman):
		p.mark, p.icon = "signed", "check"
	case allowed(i, ""):
		p.icon = "check"
	default:
		p.mark, p.icon = "bad", "x"
	}
	return p
}

// allowed reports whether any call of a card was allowed by that origin, or by
// any where it is "".
func allowed(i *agent.ApprovalItem, by agent.Origin) bool {
	for _, c := range i.Calls {
		if d := c.Decision; d != nil && d.Verdict == agent.VerdictAllow && (by == "" || d.Origin == by) {
			return true
		}
	}
	return false
}

// toolTitle is what a tool is called for people.
func toolTitle(c *agent.CallItem) string { return or(c.Title, c.Tool) }

// warning says why a call needs a second look.
func warning(c *agent.CallItem) string {
	if c.HidesText() {
		return "It holds characters that can’t be seen and may change how the text reads. They are shown by their code points, such as U+202E."
	}
	if c.Connector != "" {
		return c.Connector + " does not mark this tool read-only. It may change data outside Countersign."
	}
	return "This tool is not read-only. It may change data."
}
