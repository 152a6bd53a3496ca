package views

import "countersign/agent"

// words say what happened and what can be done.
type words struct {
	title string
	what  string
	next  string // what a person can do once Countersign has stopped trying
}

// failureWords has words for every code of a failed run.
var failureWords = map[string]words{
	agent.FailProvider:  {"The run failed", "The model gave no answer that can be used. Your message is kept.", ""},
	agent.FailTurnLimit: {"The run reached its limit of model calls", "What it did until then is above. Your message is kept.", "Send a message to go on from here."},
	agent.FailReclaimed: {"The run was given up", "The server stopped several times while it ran, without progress. Your message is kept.", "Send a message to go on from here."},
	agent.FailNoAgent:   {"The agent of this conversation was removed", "What happened until then is kept. Nobody answers here any more.", "Start a fresh conversation from here, with another one."},
	agent.FailFull:      {"The server’s disk is full", "What happened until then is kept. What came after it could not be.", "Send a message to go on, once an administrator has made room."},
	agent.FailBlocked:   {"No answer passed the guardrails", "What the model wrote was held back each time. Nobody has seen it, and none of its tool calls ran. Your message is kept.", "Put the message in other words."},
	agent.FailGuardrail: {"A guardrail could not judge the answer", "Without its verdict, what the model wrote was held back. Nobody has seen it, and none of its tool calls ran. Your message is kept.", "Send the message again later. An administrator can look at the guardrail."},
	agent.FailLoop:      {"The agent repeated itself", "It asked for the same call with the same arguments again and again, so the run was stopped. What ran before is above.", "Put the message in other words."},
	agent.FailInternal:  {"The run failed inside Countersign", "Your message is kept. The server’s log has the detail.", "Send a message to go on from here."},
}

// stopWords has words for a run that has an answer which is not whole, by its
// stop reason.
var stopWords = map[string]words{
	"length":         {"The answer was cut off", "The model reached its limit of output.", "Ask it to go on."},
	"content_filter": {"The answer was cut off", "The provider’s content filter ended it.", "Put the message in other words."},
	"refusal":        {"The model declined", "It gave no answer to this.", "Put the message in other words."},
	"pause":          {"The model paused", "The provider ended the answer before the model was done.", "Ask it to go on."},
	"context_length": {"The answer was cut off", "The conversation is as long as the model can read at once.", "Start a new conversation with what matters."},
	"turn_limit":     {"The run reached its limit of model calls", "This is a summary of what was done.", "Send a message to go on from here."},
	"other":          {"The answer may not be whole", "The provider ended it for a reason that Countersign does not know.", "Ask the model to go on."},
}

// noticeWords say how a run ended.
func noticeWords(n *agent.NoticeItem, viewer agent.UserID) words {
	switch {
	case n.Status == agent.StatusCancelled:
		return words{title: whoStopped(n.By, viewer), what: "What was done before stays on the record."}
	case n.Failure != nil:
		if w, ok := failureWords[n.Failure.Code]; ok {
			return w
		}
		return failureWords[agent.FailInternal]
	}
	if w, ok := stopWords[n.StopReason]; ok {
		return w
	}
	return stopWords["other"]
}

func whoStopped(by *agent.Actor, viewer agent.UserID) string {
	switch {
	case by == nil || by.User == "":
		return "The run was stopped"
	case by.User == viewer:
		return "You stopped the run"
	}
	return by.Name + " stopped the run"
}

// originWords say who or what decided.
func originWords(o agent.Origin) string {
	switch o {
	case agent.OriginHuman:
		return "by a person"
	case agent.OriginHardPolicy, agent.OriginApplicationPolicy:
		return "by policy"
	case agent.OriginGrant:
		return "by the conversation grant"
	case agent.OriginReviewer:
		return "by the reviewer model"
	case agent.OriginBypass:
		return "approvals were switched off"
	}
	return "who decided was not recorded"
}

// statusWords say what a run is doing, for the line below the title.
func statusWords(s agent.RunStatus) string {
	switch s {
	case agent.StatusPending:
		return "waiting to start"
	case agent.StatusRunning:
		return "working"
	case agent.StatusWaitingApproval:
		return "waiting for you"
	case agent.StatusWaitingInput:
		return "has a question for you"
	case agent.StatusFailed:
		return "the last run failed"
	case agent.StatusCancelled:
		return "the last run was stopped"
	}
	return "ready"
}

// callWords are the note beside a finished call.
func callWords(c *agent.CallItem) string {
	switch c.State {
	case agent.CallRequested:
		return "requested"
	case agent.CallRunning:
		if c.Again {
			return "running again after a restart"
		}
		return "running"
	}
	switch c.Outcome {
	case agent.CallOK:
		return "done"
	case agent.CallError:
		return "failed"
	case agent.CallDenied:
		return "not run: denied"
	case agent.CallExpired:
		return "not run: nobody decided in time"
	case agent.CallNotStarted:
		return "not run: the run ended first"
	}
	return "outcome unknown"
}
