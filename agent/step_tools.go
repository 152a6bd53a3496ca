package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxResult is the longest result that a tool may give, in bytes.
const maxResult = 256 << 10

// stepTools brings the calls of a step one stage further: first all of them
// are decided, one review after the other, then questions are asked, then calls
// run one after the other.
func (w *worker) stepTools(ctx context.Context) error {
	if err := w.readPolicy(ctx); err != nil {
		return err
	}
	if stopped, err := w.stopLoop(ctx); stopped || err != nil {
		return err
	}
	acted := false
	var judged []*RunCall
	err := w.append(ctx, func(h Head) (events []Event) {
		events, judged = w.gate(h)
		acted = len(events) > 0
		return events
	})
	if err != nil || acted {
		return err
	}
	if len(judged) > 0 {
		return w.review(ctx, judged[0])
	}
	open := w.state.OpenCalls()
	for _, c := range open {
		if events := w.ask(c); len(events) > 0 {
			return w.append(ctx, func(Head) []Event { return events })
		}
	}
	// A call whose outcome is unknown comes first: what it did may change what
	// a person wants of the others.
	i := max(slices.IndexFunc(open, func(c *RunCall) bool { return c.Started }), 0)
	return w.settle(ctx, open[i])
}

// ask brings a call that is a question one stage further. It returns nothing
// for any other call.
func (w *worker) ask(c *RunCall) []Event {
	if f, ok := c.known(); ok && c.Asked != nil {
		return []Event{f}
	}
	tool, _ := w.offered(c.Tool)
	asker, asks := tool.(Asker)
	if !asks || c.Decision != nil {
		return nil
	}
	id := c.ToolCallRequested.Call
	questions, err := asker.Questions(w.arguments(c))
	if err == nil {
		err = CheckQuestions(questions)
	}
	if err != nil {
		return []Event{ToolCallFinished{Call: id, Outcome: CallError, Result: "The questions were not asked: " + err.Error() + "."}}
	}
	return []Event{
		QuestionAsked{
			Interaction: InteractionID(w.newID("i_")), Call: id, Questions: questions,
			ExpiresAt: w.now().Add(w.agent.Limits.Question).UTC().Truncate(time.Millisecond),
		},
		RunWaiting{For: StatusWaitingInput},
	}
}

// offered returns a tool that the agent has now.
func (w *worker) offered(name string) (Tool, bool) {
	t, ok := w.tool(name)
	return t, ok && w.agent.Has(name)
}

// settle brings a call one stage further: to its result, to a question for a
// person, or through a run of its tool.
func (w *worker) settle(ctx context.Context, c *RunCall) error {
	events := w.refusal(c)
	if c.Started {
		events = w.unfinished(c)
	}
	if len(events) > 0 {
		return w.append(ctx, func(Head) []Event { return events })
	}
	tool, ok := w.offered(c.Tool)
	if !ok {
		return fmt.Errorf("tool %s is gone", c.Tool) // it was there a moment ago
	}
	started := ToolCallStarted{Call: c.ToolCallRequested.Call, Binding: bind(w.ref.Run, c.ToolCallRequested), Again: c.Started}
	if err := w.append(ctx, func(Head) []Event { return []Event{started} }); err != nil {
		return err
	}
	finished, err := w.run(ctx, tool, c)
	if errors.Is(err, ErrOutcomeUnknown) {
		return w.append(ctx, func(Head) []Event { return w.reconcile(c, true) })
	}
	if err != nil {
		return err
	}
	return w.append(ctx, func(Head) []Event { return []Event{finished} })
}

// unfinished returns what is recorded of a call that had begun when the server
// stopped, or nothing when it is to run again.
func (w *worker) unfinished(c *RunCall) []Event {
	f := ToolCallFinished{Call: c.ToolCallRequested.Call, Outcome: CallUnknown, Result: resultNotAgain}
	ruling := w.ruling(c)
	known, ok := c.known()
	switch {
	case ok:
		return []Event{known}
	case c.Reconcile == nil && !c.Repeatable():
		return w.reconcile(c, false)
	case ruling.Hard():
		return []Event{w.refused(c, ruling), f}
	case w.changed(c):
		return []Event{f}
	}
	return nil
}

// reconcile puts to a person what became of a call. lost says that the
// connection to whoever carried it out is gone, and not this server.
func (w *worker) reconcile(c *RunCall, lost bool) []Event {
	asked := ReconcileRequested{Interaction: InteractionID(w.newID("i_")), Call: c.ToolCallRequested.Call, Lost: lost}
	return []Event{asked, RunWaiting{For: StatusWaitingInput}}
}

// run calls the tool. An error means that the outcome of the call is not known
// to this process: it is [ErrOutcomeUnknown], or the engine is stopping and the
// call with it.
func (w *worker) run(ctx context.Context, tool Tool, c *RunCall) (ToolCallFinished, error) {
	began := w.now()
	in := Invocation{
		Conversation: w.ref.Conversation, Call: c.ToolCallRequested.Call, Now: began,
		Arguments: w.arguments(c),
	}
	callCtx, cancel := context.WithTimeout(ctx, w.bound().ToolCall)
	defer cancel()
	result, err := call(callCtx, tool, in)
	f := ToolCallFinished{Call: c.ToolCallRequested.Call, Outcome: CallOK, Result: result.Text, DurationMS: w.now().Sub(began).Milliseconds()}
	switch {
	case err == nil && result.IsError:
		f.Outcome = CallError
	case err == nil:
	case ctx.Err() != nil:
		return f, context.Cause(ctx)
	case errors.Is(err, ErrOutcomeUnknown) && c.Repeatable():
		f.Outcome, f.Result = CallError, resultLost
	case errors.Is(err, ErrOutcomeUnknown):
		return f, err
	case errors.Is(err, context.DeadlineExceeded):
		f.Outcome, f.Result = CallError, resultTimeout
	default:
		w.log.Error("tool failed", "tool", c.Tool, "conversation", w.ref.Conversation, "run", w.ref.Run, "call", c.ToolCallRequested.Call)
		f.Outcome, f.Result = CallError, resultFailed
	}
	if c.Sent != "" {
		f.Result = resultEdited + c.Arguments + "\n\n" + f.Result
	}
	f.Result = Cut(f.Result, maxResult)
	return f, nil
}

// arguments are the raw bytes, or an empty object where the model sent none.
func (*worker) arguments(c *RunCall) json.RawMessage {
	if c.Arguments == "" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(c.Arguments)
}

// call keeps a panic in a tool from taking the run with it.
func call(ctx context.Context, t Tool, in Invocation) (r Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool panicked: %T", p)
		}
	}()
	return t.Call(ctx, in)
}
