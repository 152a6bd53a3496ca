package scripted_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/scripted"
	"countersign/providers/scripted/scriptedtest"
)

func ask(text string) providers.Request {
	return providers.Request{
		Model:     "scripted-1",
		Reasoning: true,
		Attempt:   1,
		Messages:  []providers.Message{providers.UserMessage{Text: text}},
		Tools:     []providers.ToolSpec{{Name: "notes_write"}},
	}
}

// collect runs one attempt to its end.
func collect(ctx context.Context, p providers.Provider, req providers.Request) ([]providers.Event, error) {
	var events []providers.Event
	for ev, err := range p.Stream(ctx, req) {
		if err != nil {
			return events, err
		}
		events = append(events, ev)
	}
	return events, nil
}

func count(n int64) *int64 { return &n }

func TestProviderYieldsWhatTheScriptSays(t *testing.T) {
	t.Parallel()
	p := scriptedtest.NewProvider(t, `
		expect user "MILK"
		expect tool notes_write
		expect not tool notes_delete
		reasoning "Let me think. "
		text "a\x00\u202eb\n"
		keepalive
		text
		|  two
		|
		| # three
		repeat 2 text "la "
		quote user
		call call_1 notes_write {"title":"Milk"}
		call call_2 other
		| {"a":
		|  1}
		usage in=12 out=34 cached=0
		finish stop
	`)
	got, err := collect(t.Context(), p, ask("Buy milk\nand bread"))
	if err != nil {
		t.Fatal(err)
	}
	want := []providers.Event{
		providers.ReasoningDelta{Text: "Let me think. "},
		providers.TextDelta{Text: "a\x00\u202eb\n"},
		providers.Activity{},
		providers.TextDelta{Text: " two\n\n# three"},
		providers.TextDelta{Text: "la "},
		providers.TextDelta{Text: "la "},
		providers.TextDelta{Text: "> Buy milk\n> and bread"},
		providers.Activity{},
		providers.Activity{},
		providers.Finish{
			Reason: providers.FinishToolCalls, RawReason: "stop",
			Text:      "a\x00\u202eb\n two\n\n# threela la > Buy milk\n> and bread",
			Reasoning: "Let me think. ",
			Calls: []providers.ToolCall{
				{ID: "call_1", Name: "notes_write", Arguments: `{"title":"Milk"}`, Executable: true},
				{ID: "call_2", Name: "other", Arguments: "{\"a\":\n 1}"},
			},
			Usage:     providers.Usage{InputTotal: count(12), Output: count(34), CacheRead: count(0)},
			RequestID: "scripted-1",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProviderKeepsReasoningThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	p := scriptedtest.NewProvider(t, "reasoning \"secret\"\nfinish stop")
	req := ask("hello")
	req.Reasoning = false
	got, err := collect(t.Context(), p, req)
	if err != nil {
		t.Fatal(err)
	}
	want := []providers.Event{
		providers.Activity{},
		providers.Finish{Reason: providers.FinishStop, RawReason: "stop", RequestID: "scripted-1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProviderFinishes(t *testing.T) {
	t.Parallel()
	const milk = "call call_1 notes_write {}\n"
	tests := []struct {
		name, script string
		want         providers.FinishReason
		executable   bool
	}{
		{"stop", "text \"a\"\nfinish stop", providers.FinishStop, false},
		{"calls", milk + "finish tool_calls", providers.FinishToolCalls, true},
		{"cut calls never run", milk + "finish length", providers.FinishLength, false},
		{"filter", milk + "finish content_filter", providers.FinishContentFilter, false},
		{"refusal", "refusal \"no\"\nfinish stop", providers.FinishRefusal, false},
		{"named refusal", "refusal \"no\"\nfinish refusal", providers.FinishRefusal, false},
		{"other", milk + "finish other", providers.FinishOther, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, err := collect(t.Context(), scriptedtest.NewProvider(t, tt.script), ask("hello"))
			if err != nil {
				t.Fatal(err)
			}
			got, ok := events[len(events)-1].(providers.Finish)
			if !ok || got.Reason != tt.want {
				t.Fatalf("got %+v, want a finish with reason %s", events[len(events)-1], tt.want)
			}
			if executable := len(got.Calls) == 1 && got.Calls[0].Executable; executable != tt.executable {
				t.Errorf("got executable %v, want %v", executable, tt.executable)
			}
		})
	}
}

func TestProviderFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         providers.Error
	}{
		{"status", "status 503 overloaded code=slow_down retry-after=2s", providers.Error{
			Category: "overloaded", Retryable: true, HTTPStatus: 503, Code: "slow_down", RetryAfter: 2 * time.Second, RequestID: "scripted-1"}},
		{"status against its category", "status 401 authentication retryable=true", providers.Error{
			Category: "authentication", Retryable: true, HTTPStatus: 401, RequestID: "scripted-1"}},
		{"error in the stream", "text \"a\"\nerror server code=server_error retryable=false", providers.Error{
			Category: "server", HTTPStatus: 200, Code: "server_error", RequestID: "scripted-1"}},
		{"cut", "text \"a\"\ncut", providers.Error{
			Category: "network", Retryable: true, HTTPStatus: 200, Code: "stream_ended_early", RequestID: "scripted-1"}},
		{"cut before anything", "cut", providers.Error{
			Category: "network", Retryable: true, HTTPStatus: 200, Code: "empty_stream", RequestID: "scripted-1"}},
		{"reset", "text \"a\"\nreset", providers.Error{
			Category: "network", Retryable: true, HTTPStatus: 200, Code: "stream_ended_early", RequestID: "scripted-1"}},
		{"reset before anything", "reset", providers.Error{Category: "network", Retryable: true, Code: "connection_lost"}},
		{"call without object", "call c n \"{\"\nfinish tool_calls", providers.Error{
			Category: "parser", Retryable: true, HTTPStatus: 200, Code: "invalid_tool_call_arguments", RequestID: "scripted-1"}},
		{"calls without any", "finish tool_calls", providers.Error{
			Category: "parser", Retryable: true, HTTPStatus: 200, Code: "missing_tool_call", RequestID: "scripted-1"}},
		{"one id twice", "call c n {}\ncall c n {}\nfinish tool_calls", providers.Error{
			Category: "parser", Retryable: true, HTTPStatus: 200, Code: "duplicate_tool_call_id", RequestID: "scripted-1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := collect(t.Context(), scriptedtest.NewProvider(t, tt.script), ask("hello"))
			var got *providers.Error
			if !errors.As(err, &got) {
				t.Fatalf("got error %v, want a provider error", err)
			}
			tt.want.API = providers.APIChatCompletions
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProviderObeysTheFakeClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := scriptedtest.NewProvider(t, `
			pause 7s
			rate 10/s
			text "one two  three"
			rate off
			text "four five"
			finish stop
		`)
		start := time.Now()
		type said struct {
			At   time.Duration
			Text string
		}
		var got []said
		for ev, err := range p.Stream(t.Context(), ask("hello")) {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := ev.(providers.TextDelta); ok {
				got = append(got, said{time.Since(start), d.Text})
			}
		}
		want := []said{
			{7100 * time.Millisecond, "one "},
			{7200 * time.Millisecond, "two  "},
			{7300 * time.Millisecond, "three"},
			{7300 * time.Millisecond, "four five"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestProviderHoldsAtGates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := scriptedtest.NewProvider(t, "text \"a\"\ngate half\ntext \"b\"\nfinish stop")
		var events []providers.Event
		done := make(chan error)
		go func() {
			var err error
			events, err = collect(t.Context(), p, ask("hello"))
			done <- err
		}()
		if err := p.Reached(t.Context(), "half"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("the stream ended before the gate was released")
		default:
		}
		if err := p.Release("half"); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil || len(events) != 3 {
			t.Fatalf("got %v and error %v, want two texts and a finish", events, err)
		}
		if err := p.Release("other"); err == nil {
			t.Error("got no error for a gate that is not in the script")
		}
		if err := p.Reached(t.Context(), "other"); err == nil {
			t.Error("got no error for a gate that is not in the script")
		}
	})
}

func TestProviderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, script := range []string{"hang", "pause 1h\nfinish stop", "gate g\nfinish stop"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := scriptedtest.NewProvider(t, script)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Minute, func() { cancel(gone) })
				start := time.Now()
				if _, err := collect(ctx, p, ask("hello")); !errors.Is(err, gone) {
					t.Errorf("got error %v, want the cause of the context", err)
				}
				if d := time.Since(start); d != time.Minute {
					t.Errorf("ended after %s, want one minute", d)
				}
			})
		})
	}
}

func TestProviderStopsWithTheRange(t *testing.T) {
	t.Parallel()
	p := scriptedtest.NewProvider(t, "repeat 1000000 text \"a\"\nfinish stop")
	n := 0
	for range p.Stream(t.Context(), ask("hello")) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("got %d events, want 3", n)
	}
}

func TestStageRecordsProblems(t *testing.T) {
	t.Parallel()
	script, err := scripted.Parse("expect user \"milk\"\nfinish stop\n---\nmatch attempt 2\nfinish stop")
	if err != nil {
		t.Fatal(err)
	}
	p := scripted.NewProvider(scripted.NewStage(script))
	for _, want := range []string{"expectation_failed", "script_exhausted"} {
		_, err := collect(t.Context(), p, ask("bread"))
		var got *providers.Error
		if !errors.As(err, &got) || got.Code != want || got.Retryable {
			t.Errorf("got error %v, want code %s, not retryable", err, want)
		}
	}
	want := []string{
		`request 1 got the response of line 1, which expects user "milk"`,
		`request 2 is unexpected: no unread response fits it`,
	}
	if diff := cmp.Diff(want, p.Problems()); diff != "" {
		t.Error(diff)
	}
	if p.Remaining() != 1 || len(p.Requests()) != 2 {
		t.Errorf("got %d remaining and %d requests, want 1 and 2", p.Remaining(), len(p.Requests()))
	}
}
