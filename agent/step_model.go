package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/providers"
)

// activityEvery is how often an open request is announced (contract A20).
const activityEvery = 5 * time.Second

// stepModel makes one attempt of the next model call and records what came of
// it. A try that was announced is waited for first.
func (w *worker) stepModel(ctx context.Context) error {
	if r := w.state.Retry; r != nil {
		if err := pause(ctx, r.At.Sub(w.now())); err != nil {
			return err
		}
	}
	step, number := w.state.next()
	summary := step > w.agent.Limits.ModelCalls
	if m := w.state.Answer; summary && m != nil && m.Finish == providers.FinishPause {
		return w.finish(ctx, answered(m))
	}
	var err error
	w.conn, err = w.catalog.Connect(ctx, w.state.Model)
	var refused *providers.Error
	if err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("connect to %s: %w", w.state.Model.ProviderName, err)
	}
	w.conn.Retry = w.conn.Retry.withDefaults()
	started := ModelAttemptStarted{Attempt: AttemptID(w.newID("a_")), Step: step, Number: number, Of: w.tries(), Summary: summary}
	if err := w.append(ctx, func(Head) []Event { return []Event{started} }); err != nil {
		return err
	}
	a := attempt{worker: w, id: started.Attempt, number: number, summary: summary, began: w.now()}
	if refused != nil {
		return a.failed(ctx, refused)
	}
	return a.run(ctx)
}

// tries is the most tries that the model call may have, with those whose output
// was withheld.
func (w *worker) tries() int { return w.conn.Retry.tries() + w.state.Withheld }

// What is asked for when a run has made all its model calls (contract 2.18).
const (
	summaryText = "You have reached the limit of model calls for this message and can call no more tools. " +
		"Tell the person, in a few sentences: that the limit was reached, what was done, what is left, and what they could do next."
	summaryTokens = 512
)

// summarise turns a request for the next step into one for a summary: no tools,
// no thinking, few tokens (contract R11).
func summarise(req *providers.Request) {
	req.Messages = append(req.Messages, providers.UserMessage{Text: summaryText})
	req.Tools, req.Reasoning, req.OmitThinking, req.MaxOutputTokens = nil, false, true, summaryTokens
}

// request makes the next request from the whole conversation.
func (w *worker) request(ctx context.Context, number int) (providers.Request, error) {
	var h History
	for r, err := range w.journal.Read(ctx, w.ref.Conversation, 0) {
		if err != nil {
			return providers.Request{}, fmt.Errorf("read the history: %w", err)
		}
		h.Apply(r)
	}
	replays, err := w.journal.Replays(ctx, w.ref.Conversation)
	if err != nil {
		return providers.Request{}, fmt.Errorf("read the replay state: %w", err)
	}
	contents, err := w.contents(ctx, &h)
	if err != nil {
		return providers.Request{}, err
	}
	req := providers.Request{
		Model: w.state.Model.Model, System: w.agent.Instructions, Messages: h.Messages(replays, contents),
		Attempt: number, Reasoning: w.state.Output.Reasoning && !w.conn.NoReasoning,
	}
	if w.state.Withheld > 0 {
		req.Messages = append(req.Messages, providers.UserMessage{Text: askedAnew})
	}
	if w.conn.NoTools {
		return req, nil
	}
	for _, t := range w.toolset() {
		d := t.Definition()
		req.Tools = append(req.Tools, providers.ToolSpec{Name: d.Name, Description: d.Description, Parameters: d.Parameters})
	}
	return req, nil
}

// toolset are the tools that the agent has now: the built-in ones in the order
// of its own list, then those of connectors.
func (w *worker) toolset() []Tool {
	var list []Tool
	for _, name := range w.agent.Tools {
		if t, ok := w.tools[name]; ok {
			list = append(list, t)
		}
	}
	if w.more == nil {
		return list
	}
	for _, t := range w.more.Tools() {
		if w.agent.Has(t.Definition().Name) {
			list = append(list, t)
		}
	}
	return list
}

// answered ends a run with its newest message.
func answered(m *AssistantMessage) RunFinished {
	end := RunFinished{Status: StatusSucceeded}
	if m.Text != "" || m.Refusal != "" {
		end.Answer = m.Attempt
	}
	if !m.Finish.Complete() {
		end.StopReason = string(m.Finish)
	}
	return end
}
