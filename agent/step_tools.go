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
// are decided, then questions are asked, then calls run one after the other.
func (w *worker) stepTools(ctx context.Context) error {
	acted := false
	err := w.append(ctx, func(h Head) []Event {
		events := w.gate(h)
		acted = len(events) > 0
		return events
	})
	if err != nil || acted {
		return err
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

// gate decides what can be decided without a person and puts the rest on a
// card (the order of authority in contract 2.4).
func (w *worker) gate(h Head) (events []Event) {
	var card []BoundCall
	for _, c := range w.state.OpenCalls() {
		if c.Started || c.Decision != nil || c.Asked != nil {
			continue
		}
		id := c.ToolCallRequested.Call
		tool, ok := w.offered(c.Tool)
		_, asks := tool.(Asker)
		grant := grantList(h.Grants).covering(c.ToolCallRequested)
		switch {
		case !ok || c.Definition == "":
			events = append(events, ToolCallFinished{Call: id, Outcome: CallError, Result: resultNoTool})
		case w.forbids(c):
			events = append(events, w.hardDeny(c))
		case w.changed(c):
			events = append(events, ToolCallFinished{Call: id, Outcome: CallError, Result: resultChanged})
		case w.unusable(tool, c) != "":
			events = append(events, ToolCallFinished{Call: id, Outcome: CallError, Result: w.unusable(tool, c)})
		case c.ReadOnly, asks:
		case grant != nil:
			events = append(events, ApprovalDecision{
				Call: id, Tool: c.Tool, Binding: bind(w.ref.Run, c.ToolCallRequested), Verdict: VerdictAllow, Origin: OriginGrant, By: grant.By,
				Grant: grant.Grant, GrantedAt: grant.At,
			})
		default:
			card = append(card, BoundCall{Call: id, Binding: bind(w.ref.Run, c.ToolCallRequested)})
		}
	}
	if len(card) > 0 {
		expires := w.now().Add(w.agent.Limits.Approval).UTC().Truncate(time.Millisecond)
		events = append(events,
			ApprovalRequested{Interaction: InteractionID(w.newID("i_")), Calls: card, ExpiresAt: expires},
			RunWaiting{For: StatusWaitingApproval})
	}
	return events
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

// unusable says to the model why a call can't work, "" where it may.
func (w *worker) unusable(tool Tool, c *RunCall) string {
	if len(c.Arguments) > MaxArguments {
		return resultTooLong
	}
	if checker, ok := tool.(Checker); ok {
		return checker.Check(w.arguments(c))
	}
	return ""
}

func (w *worker) forbids(c *RunCall) bool {
	return w.policy != nil && w.policy.Forbids(c.ToolCallRequested)
}

func (w *worker) hardDeny(c *RunCall) ApprovalDecision {
	return ApprovalDecision{
		Call: c.ToolCallRequested.Call, Tool: c.Tool, Binding: bind(w.ref.Run, c.ToolCallRequested),
		Verdict: VerdictDeny, Origin: OriginHardPolicy,
	}
}

// offered returns a tool that the agent has now.
func (w *worker) offered(name string) (Tool, bool) {
	t, ok := w.tools[name]
	return t, ok && slices.Contains(w.agent.Tools, name)
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
	if err != nil {
		return err
	}
	return w.append(ctx, func(Head) []Event { return []Event{finished} })
}

// refusal checks once more, right before a call would run, whether it may, and
// returns what is recorded when it may not.
func (w *worker) refusal(c *RunCall) []Event {
	f := ToolCallFinished{Call: c.ToolCallRequested.Call, Outcome: CallDenied, Result: resultPolicy}
	d := c.Decision
	switch {
	case c.Expired:
		f.Outcome, f.Result = CallExpired, resultExpired
	case d != nil && d.Verdict != VerdictAllow && d.Origin == OriginHuman:
		f.Result = withReason(resultDenied, "The person's reason", d.Reason)
	case d != nil && d.Verdict != VerdictAllow:
	case w.forbids(c):
		return []Event{w.hardDeny(c), f}
	case w.changed(c):
		f.Outcome, f.Result = CallError, resultChanged
	case d == nil && !c.ReadOnly, d != nil && d.Binding != bind(w.ref.Run, c.ToolCallRequested):
	default:
		return nil
	}
	return []Event{f}
}

// unfinished returns what is recorded of a call that had begun when the server
// stopped, or nothing when it is to run again.
func (w *worker) unfinished(c *RunCall) []Event {
	f := ToolCallFinished{Call: c.ToolCallRequested.Call, Outcome: CallUnknown, Result: resultNotAgain}
	known, ok := c.known()
	switch {
	case ok:
		return []Event{known}
	case c.Reconcile == nil && !c.ReadOnly:
		id := InteractionID(w.newID("i_"))
		return []Event{ReconcileRequested{Interaction: id, Call: f.Call}, RunWaiting{For: StatusWaitingInput}}
	case w.forbids(c):
		return []Event{w.hardDeny(c), f}
	case w.changed(c):
		return []Event{f}
	}
	return nil
}

// changed reports whether the tool is not the one that was decided on.
func (w *worker) changed(c *RunCall) bool {
	tool, ok := w.offered(c.Tool)
	return !ok || tool.Definition().hash() != c.Definition
}

// run calls the tool. An error means that the engine is stopping and the call
// with it: its outcome is not known to this process.
func (w *worker) run(ctx context.Context, tool Tool, c *RunCall) (ToolCallFinished, error) {
	began := w.now()
	in := Invocation{
		Conversation: w.ref.Conversation, Call: c.ToolCallRequested.Call, Now: began,
		Arguments: w.arguments(c),
	}
	callCtx, cancel := context.WithTimeout(ctx, w.bound().ToolCall)
	defer cancel()
	result, err := call(callCtx, tool, in)
	f := ToolCallFinished{Call: c.ToolCallRequested.Call, Outcome: CallOK, Result: cut(result.Text, maxResult), DurationMS: w.now().Sub(began).Milliseconds()}
	switch {
	case err == nil && result.IsError:
		f.Outcome = CallError
	case err == nil:
	case ctx.Err() != nil:
		return f, context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		f.Outcome, f.Result = CallError, resultTimeout
	default:
		w.log.Error("tool failed", "tool", c.Tool, "conversation", w.ref.Conversation, "run", w.ref.Run, "call", c.ToolCallRequested.Call)
		f.Outcome, f.Result = CallError, resultFailed
	}
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
