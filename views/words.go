package views

import (
	"strings"

	"countersign/agent"
)

// words say what happened and what can be done. %s is the provider's name.
type words struct {
	title string
	what  string
	next  string // what a person can do once Countersign has stopped trying
}

// categoryWords has words for every category of a provider error.
var categoryWords = map[string]words{
	"authentication":  {"%s refused the credential", "The key is missing, wrong or no longer valid.", "An administrator can enter the key again."},
	"permission":      {"%s does not allow this", "The credential is known, but it may not use this model or this feature.", "An administrator can change what the credential may do, or choose another model."},
	"rate_limit":      {"%s limits how fast requests may come", "Too many requests or tokens were sent in a short time.", "Wait a little, then send the message again."},
	"overloaded":      {"%s is overloaded", "It has more requests than it can answer now.", "Wait a little, then send the message again."},
	"quota":           {"%s says that the credit is used up", "The account has reached its limit of money or usage.", "An administrator can raise the limit at the provider."},
	"context_length":  {"The conversation is too long for the model", "It does not fit into what the model can read at once.", "Start a new conversation with what matters, or send a shorter message."},
	"invalid_request": {"%s did not accept the request", "A setting or a part of the conversation is not what it expects.", "An administrator can check the provider’s settings against its documentation."},
	"model_not_found": {"%s does not know the model", "The name of the model is wrong, or the account has no access to it.", "An administrator can correct the name of the model."},
	"not_found":       {"%s has nothing at this address", "Something answered, but it is not the expected service.", "An administrator can correct the base URL."},
	"content_filter":  {"%s withheld the answer", "Its content filter stopped the request or the answer.", "Put the message in other words."},
	"timeout":         {"%s did not answer in time", "The request was ended because nothing arrived for too long.", "Send the message again, or ask an administrator for longer limits."},
	"network":         {"The connection to %s failed", "The service could not be reached, or the connection broke before the answer was complete.", "Check that the service runs and can be reached from this server."},
	"server":          {"%s had a fault", "The service reported a problem of its own.", "Send the message again later."},
	"parser":          {"%s sent an answer that could not be read", "What arrived does not follow the format, so nothing in it was used and no tool ran.", "An administrator can check that the base URL and the API format belong together."},
	"blocked":         {"Countersign does not connect to this address", "It is a private or reserved address, and nobody allowed it for this provider.", "An administrator can allow private addresses for this provider."},
	"configuration":   {"%s can’t be used as it is set up", "A part of its configuration is missing, for example its key.", "An administrator can complete the provider’s settings."},
}

// codeWords replace the words of a category where the code says more.
var codeWords = map[string]words{
	"provider_removed":            {"%s was removed", "The provider of this conversation is not set up here any more.", "Start a fresh conversation from here, with another one."},
	"replay_foreign":              {"The connection to %s has changed", "This conversation holds private state of the model that may go back only to the address and model it came from.", "Start a fresh conversation from here; what was said is copied."},
	"key_needed":                  {"%s needs its key", "The key was kept in the server’s memory alone, or is gone from the keychain. Nothing was sent.", "An administrator can enter the key again."},
	"key_missing_env":             {"%s has no key", "The environment variable that holds it is not set. Nothing was sent.", "An administrator can set the variable and start the server again."},
	"key_unreadable":              {"The key of %s can’t be read", "The saved key could not be opened on this server. Nothing was sent.", "An administrator can restore the sealing key, or enter the key again."},
	"token_command_failed":        {"%s got no token", "The command that prints its tokens failed. Nothing was sent.", "An administrator can find the reason in the server’s log."},
	"invalid_tool_call_index":     {"%s sent a tool call that could not be read", "The stream was malformed, so no tool ran.", ""},
	"invalid_tool_call_arguments": {"%s sent a tool call that could not be read", "Its arguments are not one JSON object, so no tool ran.", ""},
	"connect_timeout":             {"%s could not be reached in time", "No connection was made before the limit.", ""},
	"empty_stream":                {"%s answered with nothing", "The connection closed before any text arrived.", ""},
	"stream_ended_early":          {"%s ended the answer early", "The connection closed before the answer was complete.", ""},
	"missing_finish_reason":       {"%s ended the answer early", "The end of the answer was not confirmed, so none of it is used.", ""},
	"unexpected_content_type":     {"%s answered with a page instead of an answer", "The address may belong to a sign-in page or a proxy.", ""},
}

// otherWords are for a category that this program does not know.
var otherWords = words{"%s reported an error", "Countersign does not know this kind of error.", "Send the message again later."}

// errorWords returns the words for a provider error.
func errorWords(e *agent.ProviderError, provider string) words {
	w, ok := categoryWords[string(e.Category)]
	if !ok {
		w = otherWords
	}
	if c, ok := codeWords[e.Code]; ok {
		w.title, w.what, w.next = c.title, c.what, or(c.next, w.next)
	}
	w.title = strings.ReplaceAll(w.title, "%s", or(provider, "The provider"))
	return w
}

// failureWords has words for every code of a failed run.
var failureWords = map[string]words{
	agent.FailProvider:  {"The run failed", "The model gave no answer that can be used. Your message is kept.", ""},
	agent.FailTurnLimit: {"The run reached its limit of model calls", "What it did until then is above. Your message is kept.", "Send a message to go on from here."},
	agent.FailReclaimed: {"The run was given up", "The server stopped several times while it ran, without progress. Your message is kept.", "Send a message to go on from here."},
	agent.FailNoAgent:   {"The agent of this conversation was removed", "What happened until then is kept. Nobody answers here any more.", "Start a fresh conversation from here, with another one."},
	agent.FailFull:      {"The server’s disk is full", "What happened until then is kept. What came after it could not be.", "Send a message to go on, once an administrator has made room."},
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
