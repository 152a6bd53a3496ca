package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"countersign/providers"
)

// An attempt is one try of a model call under way.
type attempt struct {
	*worker
	id      AttemptID
	number  int
	summary bool // see [ModelAttemptStarted]
	began   time.Time
	parts   []part
	limited bool // the display bound on reasoning was reached
	heard   bool // the provider sent something, which may have to be paid for
	usage   providers.Usage
	// rewritten names, for each call, the guardrails that changed it.
	rewritten []string
}

// A part is a segment that still grows.
type part struct {
	channel Channel
	text    []byte
}

func (a *attempt) run(ctx context.Context) error {
	req, err := a.request(ctx, a.number)
	if err != nil {
		return err
	}
	if a.summary {
		summarise(&req)
	}
	// The draft outlives the stream until the fact that replaces it is
	// committed; whoever asks in between still sees the text.
	a.hub.begin(a.ref.Conversation, a.ref.Run, a.id)
	defer a.hub.end(a.ref.Conversation, a.id)
	finish, err := a.stream(ctx, req)
	var held *OutputWithheld
	if err == nil && a.guarded() {
		held, err = a.judge(ctx, &finish)
	}
	var failure *providers.Error
	switch {
	case held != nil:
		return a.withheld(ctx, *held)
	case err == nil:
		return a.completed(ctx, finish)
	case ctx.Err() != nil:
		return a.interrupted(ctx)
	case errors.As(err, &failure):
		return a.failed(ctx, failure)
	}
	return fmt.Errorf("attempt %s: %w", a.id, err)
}

// stream plays the attempt to those who watch and returns its proved end.
func (a *attempt) stream(ctx context.Context, req providers.Request) (providers.Finish, error) {
	ctx, stop := context.WithCancel(ctx)
	var ticking sync.WaitGroup
	defer ticking.Wait()
	defer stop()
	ticking.Go(func() { a.tick(ctx) })

	for event, err := range a.conn.Provider.Stream(ctx, req) {
		if err != nil {
			return providers.Finish{}, err
		}
		a.heard = true
		switch e := event.(type) {
		case providers.UsageUpdate:
			a.usage = e.Usage
		case providers.TextDelta:
			a.show(ctx, ChannelAnswer, e.Text)
		case providers.RefusalDelta:
			a.show(ctx, ChannelAnswer, e.Text)
		case providers.ReasoningDelta:
			a.show(ctx, ChannelReasoning, e.Text)
		case providers.Finish:
			a.usage = e.Usage
			return e, refuseEmpty(e)
		}
	}
	return providers.Finish{}, errors.New("the provider's stream ended without a finish")
}

// tick announces the open request. It says nothing about progress
// (contract A25).
func (a *attempt) tick(ctx context.Context) {
	for pause(ctx, activityEvery) == nil {
		a.hub.activity(a.ref.Conversation, Activity{Attempt: a.id, Elapsed: a.now().Sub(a.began)})
	}
}

// refuseEmpty makes an end that has nothing in it a failure: an empty answer
// is not an answer. One that says why it is empty is kept, because another try
// would end the same way; the run's stop reason tells of it.
func refuseEmpty(f providers.Finish) error {
	if f.Text != "" || f.Refusal != "" || len(f.Calls) > 0 {
		return nil
	}
	switch f.Reason {
	case providers.FinishLength, providers.FinishContextLength, providers.FinishRefusal:
		return nil
	case providers.FinishContentFilter:
		return &providers.Error{Category: providers.CategoryContentFilter, Code: "content_filter", HTTPStatus: 200, RequestID: f.RequestID}
	}
	return &providers.Error{Category: providers.CategoryNetwork, Code: "empty_stream", Retryable: true, HTTPStatus: 200, RequestID: f.RequestID}
}

// show adds text to the draft, unless the sender wants to see completed
// attempts only (contract A14), or a guardrail has to see it first (R19).
func (a *attempt) show(ctx context.Context, c Channel, text string) {
	if n := len(a.parts); n == 0 || a.parts[n-1].channel != c {
		a.parts = append(a.parts, part{channel: c})
	}
	last := &a.parts[len(a.parts)-1]
	last.text = append(last.text, text...)
	if a.state.Output.BufferAttempts || a.guarded() {
		return
	}
	fits := a.hub.append(a.ref.Conversation, Delta{Attempt: a.id, Channel: c, Segment: len(a.parts) - 1, Text: text})
	if !fits && c == ChannelReasoning && !a.limited {
		a.limited = true
		if err := a.append(ctx, func(Head) []Event { return []Event{ReasoningDisplayLimited{Attempt: a.id}} }); err != nil {
			a.limited = false // the end of the attempt records it
		}
	}
}

// withdrawn is the output of an attempt that did not complete. What no
// guardrail has seen is not kept.
func (a *attempt) withdrawn() []Output {
	if a.guarded() {
		return nil
	}
	o := a.output()
	o.Withdrawn = true
	return []Output{o}
}

// output returns what the attempt produced, for the private table.
func (a *attempt) output() Output {
	o := Output{Run: a.ref.Run, Attempt: a.id}
	for _, p := range a.parts {
		o.Segments = append(o.Segments, Segment{Channel: p.channel, Text: string(p.text)})
	}
	return o
}

func (a *attempt) ended(outcome AttemptOutcome) ModelAttemptFinished {
	return ModelAttemptFinished{Attempt: a.id, Outcome: outcome, DurationMS: a.now().Sub(a.began).Milliseconds()}
}

// used says what the attempt has cost so far.
func (a *attempt) used() ModelUsage {
	u := ModelUsage{Attempt: a.id, Model: a.state.Model, Usage: a.usage}
	if a.conn.Price != nil {
		u.CostNanoUSD = a.conn.Price.Cost(a.usage)
	}
	return u
}

// interrupted records an attempt that nobody waits for any more. If the run
// was stopped, that is recorded already and this append is refused.
func (a *attempt) interrupted(ctx context.Context) error {
	events := []Event{a.ended(AttemptInterrupted), a.used()}
	err := a.append(ctx, func(Head) []Event { return events }, a.withdrawn()...)
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

// failed records a failed attempt and what follows from it: another try, or
// the end of the run.
func (a *attempt) failed(ctx context.Context, f *providers.Error) error {
	diagnostic := ProviderError{
		Attempt: a.id, Category: f.Category, Retryable: f.Retryable, HTTPStatus: f.HTTPStatus, API: f.API,
		RequestID: f.RequestID, Code: f.Code, RetryAfterMS: f.RetryAfter.Milliseconds(),
	}
	events := []Event{a.ended(AttemptFailed), diagnostic}
	if a.heard {
		events = append(events, a.used())
	}
	delay, again := a.conn.Retry.delay(a.state.Failed+1, &diagnostic, a.jitter())
	if again {
		at := a.now().Add(delay).UTC().Truncate(time.Millisecond)
		events = append(events, RetryScheduled{Attempt: a.id, Number: a.number + 1, Of: a.tries(), DelayMS: delay.Milliseconds(), At: at})
		return a.append(ctx, func(Head) []Event { return events }, a.withdrawn()...)
	}
	end := RunFinished{Status: StatusFailed, Failure: &Failure{Code: FailProvider, Provider: &diagnostic}}
	if a.summary {
		end.StopReason, end.Failure.Code = stopTurnLimit, FailTurnLimit
	}
	return a.appendEntries(ctx, func(h Head) []Entry {
		return append(runEntries(a.ref.Run, append(events, end)), startNext(a.ref.Conversation, h)...)
	}, a.withdrawn()...)
}

// completed commits what the attempt said. Its calls are requests so far:
// whether they run is for the next phase to decide. Without calls, the text is
// the answer and the run is over, unless the model only paused.
func (a *attempt) completed(ctx context.Context, f providers.Finish) error {
	message := AssistantMessage{
		Attempt: a.id, Text: f.Text, Reasoning: Cut(f.Reasoning, MaxReasoningDisplay), Refusal: f.Refusal, Finish: f.Reason,
	}
	events := []Event{a.ended(AttemptCompleted)}
	if len(message.Reasoning) < len(f.Reasoning) && !a.limited {
		events = append(events, ReasoningDisplayLimited{Attempt: a.id})
	}
	events = append(events, a.used(), message)
	output := a.output()
	if a.summary {
		end := RunFinished{Status: StatusSucceeded, Answer: a.id, StopReason: stopTurnLimit}
		if f.Text == "" {
			end = RunFinished{Status: StatusFailed, StopReason: stopTurnLimit, Failure: &Failure{Code: FailTurnLimit}}
		}
		// Private state is of a request that no other one continues.
		return a.appendEntries(ctx, func(h Head) []Entry {
			return append(runEntries(a.ref.Run, append(events, end)), startNext(a.ref.Conversation, h)...)
		}, output)
	}
	if f.Reason == providers.FinishToolCalls || len(f.Calls) == 0 {
		output.Replay = f.Replay // otherwise it holds calls that get no result
	}
	if f.Reason == providers.FinishToolCalls {
		for i, c := range f.Calls {
			output.Segments = append(output.Segments, Segment{Channel: ChannelCall, Text: c.Name + " " + c.Arguments})
			r := a.requested(c)
			r.Signed = f.Replay != nil
			if a.rewritten != nil {
				r.Rewritten = a.rewritten[i]
			}
			events = append(events, r)
		}
		return a.append(ctx, func(Head) []Event { return events }, output)
	}
	if f.Reason == providers.FinishPause {
		// The provider wants its turn back as it is, and goes on from there.
		return a.append(ctx, func(Head) []Event { return events }, output)
	}
	return a.appendEntries(ctx, func(h Head) []Entry { return a.finishEntries(h, answered(&message), events...) }, output)
}

func (a *attempt) requested(c providers.ToolCall) ToolCallRequested {
	r := ToolCallRequested{Tool: c.Name, Arguments: c.Arguments}
	if t, ok := a.offered(c.Name); ok && c.Executable {
		r = requestOf(t, c.Arguments)
	}
	r.Call, r.Attempt = CallID(a.newID("t_")), a.id
	return r
}

// requestOf is a call of a tool that is declared.
func requestOf(t Tool, arguments string) ToolCallRequested {
	d := t.Definition()
	return ToolCallRequested{
		Tool: d.Name, Title: d.Title, Connector: d.Connector, Original: d.Original, Arguments: arguments, Definition: d.hash(),
		ReadOnly: d.ReadOnly, Repeat: d.Repeat, Dangerous: d.Dangerous,
	}
}
