// Package practice is the provider for trying Countersign without a model: a
// service inside the process that speaks Chat Completions and answers from
// the scripts in this directory. Nothing leaves the machine.
//
// It is served to the ordinary Chat Completions adapter by an HTTP client with
// [Transport], so the whole path of a real provider is used. It keeps no
// state: an answer follows from the history in the request and from the header
// X-Attempt, the number of the try, so a restart changes nothing. And it is
// honest: every answer says that it was written beforehand.
package practice

import (
	"embed"
	"fmt"
	"net/http"
	"sync"

	"countersign/providers"
	"countersign/providers/scripted"
)

const (
	// Address is what a connection states as its address.
	Address = "practice:"

	// BaseURL is the base address to give to the adapter together with
	// [Transport]. Its host resolves nowhere.
	BaseURL = "http://practice.invalid/v1"

	// Model is the one model there is.
	Model = "practice-1"
)

// A Suggestion is something to try: Message, sent as it is, gets the answer
// that Label describes.
type Suggestion struct{ Label, Message string }

// Suggestions returns what can be tried in a new conversation, in the order to
// show it. What needs a note to exist is not among them.
func Suggestions() []Suggestion {
	return []Suggestion{
		{"A short answer", "Show me a short answer."},
		{"A call that waits for you", "Write a note for me."},
		{"Questions for you", "Ask me something."},
		{"A slow start", "Take your time before you answer."},
		{"A failed attempt", "Fail once, then answer."},
		{"A long answer", "Show me a long answer."},
		{"The time", "What time is it?"},
	}
}

// behaviours are the scripts in the order in which they are asked. The last
// one takes every request.
var behaviours = []string{"short", "write", "ask", "slow", "fail", "long", "time", "list", "delete", "other"}

//go:embed scripts/*.txt
var files embed.FS

var scripts = sync.OnceValue(func() []*scripted.Script {
	var list []*scripted.Script
	for _, name := range behaviours {
		text, err := files.ReadFile("scripts/" + name + ".txt")
		if err != nil {
			panic(err) // a file is missing from the program
		}
		script, err := scripted.Parse(string(text))
		if err != nil {
			panic(fmt.Sprintf("practice script %s: %v", name, err))
		}
		list = append(list, script)
	}
	return list
})

// Handler returns the service under any base path. wait lets time pass between
// the pieces of an answer; nil means the natural pace.
func Handler(wait scripted.Wait) http.Handler {
	return &scripted.Handler{Model: Model, Pick: pick, Wait: wait}
}

// pick chooses the response by what the request says.
func pick(req providers.Request) (*scripted.Response, error) {
	if req.Model != Model {
		return nil, &providers.Error{Category: providers.CategoryModelNotFound, HTTPStatus: http.StatusNotFound, Code: "model_not_found"}
	}
	for _, script := range scripts() {
		if r := script.Match(req); r != nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no practice script takes the request")
}
