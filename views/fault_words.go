package views

import (
	"strconv"
	"strings"

	"countersign/agent"
)

// A Fault is a failed attempt in words. It is the one way in which pages, the
// command and programs tell of it: an error in, sentences of ours out, and
// nothing of what the service wrote (contract D2, D5).
type Fault struct {
	Error agent.ProviderError
	Title string // what failed, naming the provider; no full stop
	What  string // what happened, in sentences
	Next  string // what a person in a conversation can do
	Mend  string // what an admin can do
	// Settings says that the admin can do it on the provider's page.
	Settings bool
}

// FaultOf puts an error into words. Provider is a name for people, "" if it is
// not known.
func FaultOf(e agent.ProviderError, provider string) Fault {
	w, ok := categoryWords[string(e.Category)]
	if !ok {
		w = otherWords
	}
	if c, ok := codeWords[e.Code]; ok {
		w.title, w.what = or(c.title, w.title), or(c.what, w.what)
		w.next, w.mend = or(c.next, w.next), or(c.mend, w.mend)
		w.settings = c.settings || w.settings && c.mend == ""
	}
	return Fault{
		Error: e, Title: strings.ReplaceAll(w.title, "%s", or(provider, "The provider")), What: w.what,
		Next: w.next, Mend: or(w.mend, w.next), Settings: w.settings,
	}
}

// advice is what the one who looks can do.
func (f Fault) advice(admin bool) string {
	if admin {
		return f.Mend
	}
	return f.Next
}

// Facts are the parts of the diagnostic. Of an answer they tell only if one was
// asked for.
func (f Fault) Facts() []Fact {
	asked := f.Error.Category != "configuration" && f.Error.Category != "blocked"
	list := []Fact{{Label: "Category", Value: string(f.Error.Category)}}
	if asked {
		status := Fact{Label: "HTTP", Unknown: "no response"}
		if f.Error.HTTPStatus != 0 {
			status.Value = strconv.Itoa(f.Error.HTTPStatus)
		}
		list = append(list, status)
	}
	if f.Error.API != "" {
		list = append(list, Fact{Label: "API", Value: string(f.Error.API)})
	}
	list = append(list, Fact{Label: "Code", Value: f.Error.Code, Unknown: "none"})
	if asked {
		list = append(list, Fact{Label: "Request", Value: f.Error.RequestID, Unknown: "not sent by the provider"})
	}
	return list
}

// faultWords are the words for a category or a code. Of a code, what is empty
// is as its category has it.
type faultWords struct {
	title, what, next, mend string // as in [Fault]; %s is the provider's name
	settings                bool
}

// categoryWords has words for every category of a provider error.
var categoryWords = map[string]faultWords{
	"authentication": {
		"%s refused the credential", "The key is missing, wrong or no longer valid.",
		"An administrator can enter the key again.",
		"Check that the key is whole and belongs to this provider, then enter it again.", true},
	"permission": {
		"%s does not allow this", "The credential is known, but it may not use this model or this feature.",
		"An administrator can change what the credential may do, or choose another model.",
		"Check at the provider what the key may do and where it may be used, or choose another model.", true},
	"rate_limit": {
		"%s limits how fast requests may come", "Too many requests or tokens were sent in a short time.",
		"Wait a little, then send the message again.",
		"Wait a little and try again, or ask the provider for a higher limit.", false},
	"overloaded": {
		"%s is overloaded", "It has more requests than it can answer now.",
		"Wait a little, then send the message again.",
		"Wait a little and try again.", false},
	"quota": {
		"%s says that the credit is used up", "The account has reached its limit of money or usage.",
		"An administrator can raise the limit at the provider.",
		"Add credit or raise the limit at the provider.", false},
	"context_length": {
		"The conversation is too long for the model", "It does not fit into what the model can read at once.",
		"Start a new conversation with what matters, or send a shorter message.",
		"", false},
	"invalid_request": {
		"%s did not accept the request", "A setting or a part of the conversation is not what it expects.",
		"An administrator can check the provider’s settings against its documentation.",
		"Check the model id, the limit on output tokens and the options of the provider: some servers refuse one of them.", true},
	"model_not_found": {
		"%s does not know the model", "The name of the model is wrong, or the account has no access to it.",
		"An administrator can correct the name of the model.",
		"Correct the model id, or choose one that the provider lists.", true},
	"not_found": {
		"%s has nothing at this address", "Something answered, but it is not the expected service.",
		"An administrator can correct the base URL.",
		"Correct the path of the base URL. It often ends in /v1.", true},
	"content_filter": {
		"%s withheld the answer", "Its content filter stopped the request or the answer.",
		"Put the message in other words.",
		"", false},
	"timeout": {
		"%s did not answer in time", "The request was ended because nothing arrived for too long.",
		"Send the message again, or ask an administrator for longer limits.",
		"Try again: a local model may still be loading. The time limits are among the provider’s options.", true},
	"network": {
		"The connection to %s failed", "The service could not be reached, or the connection broke before the answer was complete.",
		"Check that the service runs and can be reached from this server.",
		"Check that the service runs, and the base URL.", true},
	"server": {
		"%s had a fault", "The service reported a problem of its own.",
		"Send the message again later.",
		"Try again later.", false},
	"parser": {
		"%s sent an answer that could not be read", "What arrived does not follow the format, so nothing in it was used and no tool ran.",
		"An administrator can check that the base URL and the API format belong together.",
		"Check that the base URL and the API format belong together.", true},
	"blocked": {
		"Countersign does not connect to this address", "It is a private or reserved address, and nobody allowed it for this provider.",
		"An administrator can allow private addresses for this provider.",
		"If the service is on this machine or in a private network, tick that box and save.", true},
	"configuration": {
		"%s can’t be used as it is set up", "A part of its configuration is missing, for example its key.",
		"An administrator can complete the provider’s settings.",
		"Complete the provider’s settings.", true},
}

// otherWords are for a category that this program does not know.
var otherWords = faultWords{
	"%s reported an error", "Countersign does not know this kind of error.",
	"Send the message again later.",
	"Try again later.", false,
}
