package practice_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/providers/practice"
	"countersign/providers/scripted"
)

// An answer is what a client makes of a stream.
type answer struct {
	status          int
	text, reasoning string
	tool, arguments string
	finish          string
	failure         string
	deltas          int
	firstAfter      time.Duration // until the first delta
	took            time.Duration
}

// A turn is the part of a request that the answers depend on.
type turn struct {
	user    string
	tools   []string
	call    string // the tool that was called in this turn, "" for none
	result  string // what it answered
	attempt string
}

func allTools() []string {
	return []string{"ask_user", "current_time", "notes_list", "notes_write", "notes_delete"}
}

func (in turn) body(t *testing.T) string {
	t.Helper()
	messages := []map[string]any{
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": "Write a note for me."},
		{"role": "assistant", "content": "An earlier answer."},
		{"role": "user", "content": in.user},
	}
	if in.call != "" {
		function := map[string]any{"name": in.call, "arguments": "{}"}
		messages = append(messages,
			map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{
				map[string]any{"id": "ours-1", "type": "function", "function": function},
			}},
			map[string]any{"role": "tool", "tool_call_id": "ours-1", "content": in.result})
	}
	request := map[string]any{"model": practice.Model, "stream": true, "messages": messages}
	var tools []any
	for _, name := range in.tools {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{
			"name": name, "parameters": map[string]any{"type": "object"},
		}})
	}
	if tools != nil {
		request["tools"] = tools
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func send(ctx context.Context, t *testing.T, wait scripted.Wait, in turn) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, practice.BaseURL+"/chat/completions", strings.NewReader(in.body(t)))
	if err != nil {
		t.Fatal(err)
	}
	if in.attempt != "" {
		req.Header.Set("X-Attempt", in.attempt)
	}
	client := http.Client{Transport: practice.Transport(wait)}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// ask sends a turn and reads the whole answer.
func ask(t *testing.T, wait scripted.Wait, in turn) answer {
	t.Helper()
	start := time.Now()
	resp := send(t.Context(), t, wait, in)
	defer resp.Body.Close()
	got := answer{status: resp.StatusCode}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		got.add(t, data, time.Since(start))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	got.took = time.Since(start)
	return got
}

func (a *answer) add(t *testing.T, data string, after time.Duration) {
	t.Helper()
	var chunk struct {
		Error   *struct{ Code string }
		Choices []struct {
			Delta struct {
				Content          string
				ReasoningContent string `json:"reasoning_content"`
				ToolCalls        []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
			FinishReason string `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal([]byte(data), &chunk); err != nil {
		t.Fatal(err)
	}
	if chunk.Error != nil {
		a.failure = chunk.Error.Code
	}
	for _, choice := range chunk.Choices {
		if a.deltas == 0 {
			a.firstAfter = after
		}
		a.deltas++
		a.text += choice.Delta.Content
		a.reasoning += choice.Delta.ReasoningContent
		a.finish += choice.FinishReason
		for _, c := range choice.Delta.ToolCalls {
			a.tool += c.Function.Name
			a.arguments += c.Function.Arguments
		}
	}
}

func TestEverySuggestionGetsItsAnswer(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ text, tool, failure string }{
		"A short answer":            {text: "Three things to notice"},
		"A call that waits for you": {tool: "notes_write", text: "I will ask to write a note."},
		"Questions for you":         {tool: "ask_user", text: "I have two questions."},
		"A slow start":              {text: "seven seconds without a byte"},
		"A failed attempt":          {text: "first attempt", failure: "server_is_overloaded"},
		"A long answer":             {text: "| Word | Means |"},
		"The time":                  {tool: "current_time"},
	}
	for _, s := range practice.Suggestions() {
		t.Run(s.Label, func(t *testing.T) {
			t.Parallel()
			w, ok := want[s.Label]
			if !ok {
				t.Fatal("no expectation for this suggestion")
			}
			got := ask(t, scripted.NoTime, turn{user: s.Message, tools: allTools()})
			if !strings.Contains(got.text, w.text) || got.tool != w.tool || got.failure != w.failure {
				t.Errorf("got tool %q, failure %q, text %s", got.tool, got.failure, got.text)
			}
			if got.tool != "" && !json.Valid([]byte(got.arguments)) {
				t.Errorf("got arguments %s, want JSON", got.arguments)
			}
			wantFinish := "stop"
			switch {
			case w.failure != "":
				wantFinish = ""
			case w.tool != "":
				wantFinish = "tool_calls"
			}
			if got.finish != wantFinish {
				t.Errorf("got finish %q, want %q", got.finish, wantFinish)
			}
			if got.text != "" && !honest(got.text) {
				t.Errorf("the answer does not say that it is scripted: %s", got.text)
			}
		})
	}
	if len(want) != len(practice.Suggestions()) {
		t.Errorf("got %d suggestions, want %d", len(practice.Suggestions()), len(want))
	}
}

func honest(text string) bool {
	return strings.Contains(text, "script") || strings.Contains(text, "practice provider")
}

func TestPaceIsNatural(t *testing.T) {
	t.Parallel()
	tests := []struct {
		user                         string
		firstAtLeast, firstAtMost    time.Duration
		tookAtLeast, tookAtMost      time.Duration
		deltasAtLeast, deltasPerSecs int
	}{
		{"Show me a short answer.", 0, time.Second, 2 * time.Second, 6 * time.Second, 100, 60},
		{"Take your time before you answer.", 7 * time.Second, 8 * time.Second, 8 * time.Second, 12 * time.Second, 40, 60},
		{"Show me a long answer.", 0, time.Second, 18 * time.Second, 23 * time.Second, 1800, 110},
	}
	for _, tt := range tests {
		t.Run(tt.user, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := ask(t, nil, turn{user: tt.user})
				if got.firstAfter < tt.firstAtLeast || got.firstAfter > tt.firstAtMost {
					t.Errorf("got the first delta after %s, want %s to %s", got.firstAfter, tt.firstAtLeast, tt.firstAtMost)
				}
				if got.took < tt.tookAtLeast || got.took > tt.tookAtMost {
					t.Errorf("took %s, want %s to %s", got.took, tt.tookAtLeast, tt.tookAtMost)
				}
				if perSecond := float64(got.deltas) / got.took.Seconds(); got.deltas < tt.deltasAtLeast || perSecond > float64(tt.deltasPerSecs) {
					t.Errorf("got %d deltas, %.0f a second", got.deltas, perSecond)
				}
			})
		})
	}
}

func TestFailureDependsOnTheAttempt(t *testing.T) {
	t.Parallel()
	tests := []struct{ attempt, failure, finish string }{
		{"", "server_is_overloaded", ""},
		{"1", "server_is_overloaded", ""},
		{"2", "", "stop"},
		{"3", "", "stop"},
	}
	for _, tt := range tests {
		got := ask(t, scripted.NoTime, turn{user: "Fail once, then answer.", attempt: tt.attempt})
		if got.failure != tt.failure || got.finish != tt.finish || got.text == "" {
			t.Errorf("attempt %q: got failure %q, finish %q, text %q", tt.attempt, got.failure, got.finish, got.text)
		}
	}
}

func TestAnswersFollowTheResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, user, call, result, want string
	}{
		{"written", "Write a note for me.", "notes_write", `Saved "Practice note".`, "was allowed and has run"},
		{"denied", "Write a note for me.", "notes_write", "A person decided against this call, so it did not run.", "turned down"},
		{"policy", "Write a note for me.", "notes_write", "A rule of this server does not permit this call, so it did not run.", "turned down"},
		{"expired", "Write a note for me.", "notes_write", "Nobody decided on this call in time, so it did not run.", "Nobody decided in time"},
		{"changed", "Write a note for me.", "notes_write", "This tool has changed since the call was made, so it did not run.", "the call did not run"},
		{"failed", "Write a note for me.", "notes_write", "The tool failed. It may have done part of its work.", "did not come to a clean end"},
		{"unknown", "Write a note for me.", "notes_write", "It may or may not have happened.", "did not come to a clean end"},
		{"deleted", "Delete the practice note.", "notes_delete", "Deleted.", "was allowed and has been made"},
		{"kept", "Delete the practice note.", "notes_delete", "A person decided against this call, so it did not run.", "Nothing was deleted"},
		{"answered", "Ask me something.", "ask_user", `{"answers":{"Branch":"District 3","Notify":["Nobody"]}}`, "You answered. This is"},
		{"own words", "Ask me something.", "ask_user", `{"answer_in_own_words":"Neither."}`, "in your own words"},
		{"unanswered", "Ask me something.", "ask_user", "Nobody answered in time. Go on with what you know.", "Nobody answered in time, so"},
		{"not asked", "Ask me something.", "ask_user", "The questions were not asked: question 1: the question is missing.", "You were not asked."},
		{"time", "What time is it?", "current_time", "2026-01-02T03:04:05Z", "I asked the tool `current_time`"},
		{"notes", "List my notes.", "notes_list", "- one\n- denied", "I asked the tool `notes_list`"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ask(t, scripted.NoTime, turn{user: tt.user, tools: allTools(), call: tt.call, result: tt.result})
			if !strings.Contains(got.text, tt.want) || got.finish != "stop" || got.tool != "" {
				t.Errorf("got finish %q, tool %q, text %s", got.finish, got.tool, got.text)
			}
			if quoted := "> " + strings.ReplaceAll(tt.result, "\n", "\n> "); !strings.Contains(got.text, quoted) {
				t.Errorf("the answer does not quote %q: %s", tt.result, got.text)
			}
			if !honest(got.text) {
				t.Errorf("the answer does not say that it is scripted: %s", got.text)
			}
		})
	}
}

func TestAnswersSayWhichToolIsMissing(t *testing.T) {
	t.Parallel()
	for tool, user := range map[string]string{
		"ask_user":     "Ask me something.",
		"notes_write":  "Write a note for me.",
		"notes_delete": "Delete the practice note.",
		"notes_list":   "List my notes.",
		"current_time": "What time is it?",
	} {
		got := ask(t, scripted.NoTime, turn{user: user, tools: []string{"something_else"}})
		if !strings.Contains(got.text, "no tool `"+tool+"`") || got.tool != "" || got.finish != "stop" || !honest(got.text) {
			t.Errorf("%s: got tool %q, finish %q, text %s", tool, got.tool, got.finish, got.text)
		}
	}
}

func TestAnythingElseIsQuoted(t *testing.T) {
	t.Parallel()
	got := ask(t, scripted.NoTime, turn{user: "Why is <b>the sky</b>\nblue?"})
	if !strings.Contains(got.text, "> Why is <b>the sky</b>\n> blue?\n\nNo script answers that.") || !honest(got.text) {
		t.Errorf("got %s", got.text)
	}
	for _, s := range practice.Suggestions() {
		if !strings.Contains(got.text, s.Message) {
			t.Errorf("the answer does not suggest %q", s.Message)
		}
	}
	long := ask(t, scripted.NoTime, turn{user: strings.Repeat("é", 10_000)})
	if n := strings.Count(long.text, "é"); n != 500 || !strings.Contains(long.text, "é…") {
		t.Errorf("got %d quoted characters, want 500 and an ellipsis", n)
	}
}

func TestUnknownModelsAndPathsAreRefused(t *testing.T) {
	t.Parallel()
	client := http.Client{Transport: practice.Transport(nil)}
	body := strings.Replace(turn{user: "hello"}.body(t), practice.Model, "other", 1)
	tests := []struct {
		path, body string
		status     int
		want       string
	}{
		{"/chat/completions", body, http.StatusNotFound, "model_not_found"},
		{"/chat/completions", "{", http.StatusBadRequest, "invalid_request_error"},
		{"/responses", "{}", http.StatusNotFound, "invalid_request_error"},
	}
	for _, tt := range tests {
		resp, err := client.Post(practice.BaseURL+tt.path, "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s: got status %d, error %v, body %s", tt.path, resp.StatusCode, err, got)
		}
	}
}

func TestModelsAreListed(t *testing.T) {
	t.Parallel()
	client := http.Client{Transport: practice.Transport(nil)}
	resp, err := client.Get(practice.BaseURL + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data) != 1 || list.Data[0].ID != practice.Model {
		t.Errorf("got %+v, want the practice model", list)
	}
}
