package practice_test

import (
	"errors"
	"net/http"
	"testing"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/practice"
	"countersign/providers/scripted"
)

func adapter(t *testing.T) *chatcompletions.Client {
	t.Helper()
	client, err := chatcompletions.New(chatcompletions.Config{
		Connection:    "practice",
		BaseURL:       practice.BaseURL,
		HTTPClient:    &http.Client{Transport: practice.Transport(scripted.NoTime)},
		AttemptHeader: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func request(user string, attempt int) providers.Request {
	return providers.Request{
		Model:     practice.Model,
		Attempt:   attempt,
		Reasoning: true,
		Messages:  []providers.Message{providers.UserMessage{Text: user}},
		Tools:     []providers.ToolSpec{{Name: "notes_write", Parameters: []byte(`{"type":"object"}`)}},
	}
}

func TestTheAdapterSpeaksToThePracticeService(t *testing.T) {
	t.Parallel()
	tests := []struct {
		user    string
		attempt int
		finish  providers.FinishReason // "" for a failure
	}{
		{"Show me a short answer.", 1, providers.FinishStop},
		{"Write a note for me.", 1, providers.FinishToolCalls},
		{"Fail once, then answer.", 1, ""},
		{"Fail once, then answer.", 2, providers.FinishStop},
	}
	for _, tt := range tests {
		var finish providers.Finish
		var failed *providers.Error
		for ev, err := range adapter(t).Stream(t.Context(), request(tt.user, tt.attempt)) {
			if f, ok := ev.(providers.Finish); ok {
				finish = f
			}
			if err != nil && !errors.As(err, &failed) {
				t.Fatal(err)
			}
		}
		if finish.Reason != tt.finish {
			t.Errorf("%s, attempt %d: got finish %q and error %v, want %q", tt.user, tt.attempt, finish.Reason, failed, tt.finish)
		}
		for _, call := range finish.Calls {
			if !call.Executable {
				t.Errorf("got a call that may not run: %+v", call)
			}
		}
		if tt.finish == "" && (failed == nil || failed.Category != providers.CategoryOverloaded || !failed.Retryable) {
			t.Errorf("got error %v, want overloaded, to be tried again", failed)
		}
	}
}

func TestLeavingTheRangeStopsTheService(t *testing.T) {
	t.Parallel()
	n := 0
	for _, err := range adapter(t).Stream(t.Context(), request("Show me a long answer.", 1)) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 5 {
			break
		}
	}
	if n != 5 {
		t.Errorf("got %d events, want 5", n)
	}
} // goleak sees a goroutine that is left
