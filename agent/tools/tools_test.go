package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/agent/tools"
)

// A book is a notebook in memory.
type book map[agent.ConversationID]map[string]string

func (b book) List(_ context.Context, id agent.ConversationID) ([]string, error) {
	return slices.Sorted(maps.Keys(b[id])), nil
}

func (b book) Read(_ context.Context, id agent.ConversationID, title string) (string, error) {
	if title == "faulty" {
		return "", errors.New("disk on fire at /secret")
	}
	text, ok := b[id][title]
	if !ok {
		return "", agent.ErrNotFound
	}
	return text, nil
}

func (b book) Write(_ context.Context, id agent.ConversationID, title, text string) error {
	if title == "" {
		return &agent.InputError{Message: "A note needs a title."}
	}
	if b[id] == nil {
		b[id] = map[string]string{}
	}
	b[id][title] = text
	return nil
}

func (b book) Delete(_ context.Context, id agent.ConversationID, title string) error {
	if _, ok := b[id][title]; !ok {
		return agent.ErrNotFound
	}
	delete(b[id], title)
	return nil
}

func find(t *testing.T, b book, name string) agent.Tool {
	t.Helper()
	for _, tool := range tools.All(b) {
		if tool.Definition().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func call(t *testing.T, b book, name, arguments string) agent.Result {
	t.Helper()
	r, err := find(t, b, name).Call(t.Context(), agent.Invocation{
		Conversation: "c_1", Call: "t_1", Arguments: json.RawMessage(arguments),
		Now: time.Date(2026, 3, 14, 15, 9, 26, 5, time.UTC),
	})
	if err != nil {
		t.Fatalf("%s(%s): %v", name, arguments, err)
	}
	return r
}

func TestAll_Definitions(t *testing.T) {
	t.Parallel()
	type about struct {
		Title    string
		ReadOnly bool
	}
	want := map[string]about{
		"ask_user":     {"Ask", false},
		"current_time": {"Current time", true},
		"notes_list":   {"List notes", true},
		"notes_read":   {"Read a note", true},
		"notes_write":  {"Write a note", false},
		"notes_delete": {"Delete a note", false},
	}
	got := map[string]about{}
	for _, tool := range tools.All(book{}) {
		d := tool.Definition()
		got[d.Name] = about{d.Title, d.ReadOnly}
		if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(d.Name) {
			t.Errorf("%s is not a name that every provider takes", d.Name)
		}
		text, err := os.ReadFile(d.Name + ".md")
		if err != nil || d.Description == "" || d.Description != strings.TrimSpace(string(text)) {
			t.Errorf("%s is described as %q, but %s.md says %q (%v)", d.Name, d.Description, d.Name, text, err)
		}
		var schema struct {
			Type                 string
			Properties           map[string]struct{ Type, Description string }
			Required             []string
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
		if schema.Type != "object" || schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("%s takes %s, want a closed object", d.Name, d.Parameters)
		}
		for name, p := range schema.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s: %s is %+v", d.Name, name, p)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCurrentTime(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]agent.Result{
		`{}`:                          {Text: "Saturday, 14 March 2026, 15:09:26 UTC (2026-03-14T15:09:26Z)"},
		`{"zone":"UTC"}`:              {Text: "Saturday, 14 March 2026, 15:09:26 UTC (2026-03-14T15:09:26Z)"},
		`{"zone":"Asia/Kolkata"}`:     {Text: "Saturday, 14 March 2026, 20:39:26 IST (2026-03-14T20:39:26+05:30)"},
		`{"zone":"Pacific/Auckland"}`: {Text: "Sunday, 15 March 2026, 04:09:26 NZDT (2026-03-15T04:09:26+13:00)"},
	} {
		if diff := cmp.Diff(want, call(t, book{}, "current_time", arguments)); diff != "" {
			t.Errorf("%s: %s", arguments, diff)
		}
	}
	for _, zone := range []string{"Mars/Olympus", "", "Local", "../../etc/passwd", "/etc/localtime"} {
		arguments, _ := json.Marshal(map[string]string{"zone": zone})
		got := call(t, book{}, "current_time", string(arguments))
		if !got.IsError || !strings.Contains(got.Text, "Europe/Paris") {
			t.Errorf("zone %q: %+v, want an error that names a zone that works", zone, got)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	b := book{"c_2": {"Foreign": "of another conversation"}}
	for _, step := range []struct {
		tool, arguments string
		want            agent.Result
	}{
		{"notes_list", `{}`, agent.Result{Text: "There are no notes in this conversation."}},
		{"notes_write", `{"title":"Milk","text":"two litres\nand bread"}`, agent.Result{Text: `The note "Milk" is written.`}},
		{"notes_write", `{"text":"","title":"Äpfel"}`, agent.Result{Text: `The note "Äpfel" is written.`}},
		{"notes_write", `{"title":"","text":"x"}`, agent.Result{Text: "A note needs a title.", IsError: true}},
		{"notes_list", `{}`, agent.Result{Text: "Milk\nÄpfel"}},
		{"notes_read", `{"title":"Milk"}`, agent.Result{Text: "two litres\nand bread"}},
		{"notes_read", `{"title":"Foreign"}`, agent.Result{Text: `There is no note called "Foreign" in this conversation.`, IsError: true}},
		{"notes_delete", `{"title":"Milk"}`, agent.Result{Text: `The note "Milk" is deleted.`}},
		{"notes_delete", `{"title":"Milk"}`, agent.Result{Text: `There is no note called "Milk" in this conversation.`, IsError: true}},
		{"notes_list", `{}`, agent.Result{Text: "Äpfel"}},
	} {
		if diff := cmp.Diff(step.want, call(t, b, step.tool, step.arguments)); diff != "" {
			t.Errorf("%s(%s): %s", step.tool, step.arguments, diff)
		}
	}
}

func TestNotes_FaultIsNoResult(t *testing.T) {
	t.Parallel()
	r, err := find(t, book{}, "notes_read").Call(t.Context(), agent.Invocation{Arguments: json.RawMessage(`{"title":"faulty"}`)})
	if err == nil || r != (agent.Result{}) {
		t.Errorf("a fault of the notebook became %+v, %v", r, err)
	}
}

// What a tool takes is what a person read on the card: nothing is guessed.
func TestArguments_Strict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, arguments, says string }{
		{"notes_write", `{"title":"a","text":"b","tags":"c"}`, `no argument "tags"`},
		{"notes_write", `{"title":"a","Title":"b","text":"c"}`, `no argument "Title"`},
		{"notes_write", `{"title":"a","title":"b","text":"c"}`, `"title" comes twice`},
		{"notes_write", `{"title":1,"text":"c"}`, `"title" has to be a string`},
		{"notes_write", `{"title":null,"text":"c"}`, `"title" has to be a string`},
		{"notes_write", `{"title":["a"],"text":"c"}`, `"title" has to be a string`},
		{"notes_write", `{"title":"a"}`, `"text" is missing`},
		{"notes_write", `[]`, "not a JSON object"},
		{"notes_write", `null`, "not a JSON object"},
		{"notes_write", ``, "not a JSON object"},
		{"notes_write", `{"title":"a","text":"c"`, "not valid JSON"},
		{"notes_write", `{"title":"a" "text":"c"}`, "not valid JSON"},
		{"notes_write", `{"title":"a","text":"c"}{}`, "something follows"},
		{"notes_write", `{"title":"a","text":"c"} garbage`, "something follows"},
		{"notes_list", `{"all":"yes"}`, "this tool takes none"},
		{"notes_delete", `{"name":"a"}`, "this tool takes title"},
		{"current_time", `{"zone":7}`, `"zone" has to be a string`},
		{"current_time", `{"timezone":"UTC"}`, "this tool takes zone"},
	} {
		b := book{}
		got := call(t, b, c.tool, c.arguments)
		if !got.IsError || !strings.Contains(got.Text, c.says) {
			t.Errorf("%s(%s): %+v, want an error that says %q", c.tool, c.arguments, got, c.says)
		}
		for _, tool := range tools.All(b) {
			checker, ok := tool.(agent.Checker)
			if ok && tool.Definition().Name == c.tool && checker.Check(json.RawMessage(c.arguments)) != got.Text {
				t.Errorf("%s(%s) passes its check", c.tool, c.arguments)
			}
		}
		if len(b) > 0 {
			t.Errorf("%s(%s) wrote %v", c.tool, c.arguments, b)
		}
	}
}
