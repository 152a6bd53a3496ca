package views

import (
	"strconv"

	"countersign/agent"
)

// Announcement is what assistive technology is told when a run comes to where
// it is now, "" where there is nothing to say. It is about states alone: text
// that streams and countdowns are not read out. run may be nil.
func Announcement(run *agent.RunItem) string {
	if run == nil {
		return ""
	}
	switch run.Status {
	case agent.StatusSucceeded:
		return "The answer is complete."
	case agent.StatusFailed:
		return "The run failed."
	case agent.StatusCancelled:
		return "The run was stopped."
	}
	if len(run.Items) == 0 {
		return ""
	}
	switch i := run.Items[len(run.Items)-1].(type) {
	case *agent.ApprovalItem:
		if i.Closed == "" && len(i.Calls) > 0 {
			open := undecided(i)
			if len(open) == 0 {
				return "The decision is recorded."
			}
			text := "Waiting for your countersignature: " + toolTitle(open[0].CallItem)
			if n := len(open) - 1; n > 0 {
				text += " and " + strconv.Itoa(n) + " more"
			}
			if n := len(i.Calls) - len(open); n > 0 {
				return strconv.Itoa(n) + " of " + strconv.Itoa(len(i.Calls)) + " decided. " + text + "."
			}
			return text + "."
		}
		return "The decision is recorded."
	case *agent.QuestionItem:
		switch {
		case i.Closed == "":
			return or(run.AgentName, "The agent") + " is asking you " + plural(len(i.Questions), "a question.", strconv.Itoa(len(i.Questions))+" questions.")
		case i.Answer == nil:
			return "The question is closed. Nobody answered it."
		}
		return "Your answer is recorded."
	case *agent.ReconcileItem:
		if i.Closed == "" {
			return "Waiting for you: " + toolTitle(i.Call) + " may or may not have happened."
		}
		return "Your answer is recorded."
	case *agent.SafetyItem:
		if i.Closed == "" {
			return "Stopped for safety, and waiting for you: " + safetyWords(i).title + "."
		}
		return "Your answer is recorded."
	case *agent.AttemptItem:
		if i.Withheld != nil {
			return "A response was held back."
		}
		if i.Retry != nil && !i.Retried {
			return "Attempt " + strconv.Itoa(i.Number) + " failed. Attempt " + strconv.Itoa(i.Retry.Number) + " of " + strconv.Itoa(i.Retry.Of) + " starts soon."
		}
		if i.State == agent.AttemptOpen {
			return "The agent is writing."
		}
	}
	return ""
}
