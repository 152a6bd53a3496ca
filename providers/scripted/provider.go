package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"countersign/providers"
)

// A Provider performs a script inside the process. It waits on timers and
// channels only and opens no socket, so it can stand in a testing/synctest
// bubble. It keeps the rules of [providers.Provider] as an adapter does, so
// that a script can't show the engine what no adapter would.
type Provider struct{ *Stage }

var _ providers.Provider = (*Provider)(nil)

// NewProvider returns a provider that performs on the stage.
func NewProvider(stage *Stage) *Provider { return &Provider{Stage: stage} }

// Stream implements [providers.Provider].
func (p *Provider) Stream(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
	return func(yield func(providers.Event, error) bool) {
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		r, err := p.Take(req)
		if err != nil {
			yield(nil, err)
			return
		}
		l := &iterListener{req: req, yield: yield, requestID: r.requestID()}
		err = r.play(ctx, req, RealTime, l)
		if err != nil && !errors.Is(err, errRangeEnded) {
			yield(nil, err)
		}
	}
}

// requestID is what the service would call the request.
func (r *Response) requestID() string { return fmt.Sprintf("scripted-%d", r.number) }

// errRangeEnded says that the caller left the loop, so that nothing may be
// yielded any more.
var errRangeEnded = errors.New("the range has ended")

// An iterListener turns a response into the events of an attempt.
type iterListener struct {
	req       providers.Request
	yield     func(providers.Event, error) bool
	requestID string

	heard                    bool // anything was sent before the end
	text, reasoning, refusal strings.Builder
	calls                    []providers.ToolCall
	counts                   providers.Usage
}

func (l *iterListener) emit(ev providers.Event) error {
	l.heard = true
	if !l.yield(ev, nil) {
		return errRangeEnded
	}
	return nil
}

func (l *iterListener) say(c channel, piece string) error {
	switch c {
	case channelReasoning:
		if !l.req.Reasoning {
			return l.emit(providers.Activity{})
		}
		l.reasoning.WriteString(piece)
		return l.emit(providers.ReasoningDelta{Text: piece})
	case channelRefusal:
		l.refusal.WriteString(piece)
		return l.emit(providers.RefusalDelta{Text: piece})
	}
	l.text.WriteString(piece)
	return l.emit(providers.TextDelta{Text: piece})
}

func (l *iterListener) keepalive() error { return l.emit(providers.Activity{}) }

func (l *iterListener) call(c call) error {
	l.calls = append(l.calls, providers.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments})
	return l.emit(providers.Activity{})
}

func (l *iterListener) usage(u usage) { l.counts = u.counts }

func (l *iterListener) end(ev event) error {
	switch ev := ev.(type) {
	case finish:
		return l.finish(ev)
	case failure:
		status := ev.status
		if status == 0 {
			status = 200
		}
		return l.fail(providers.Error{
			Category: ev.category, Retryable: ev.retryable, HTTPStatus: status,
			Code: ev.code, RetryAfter: ev.retryAfter,
		})
	case cut:
		return l.lose("empty_stream", 200)
	}
	return l.lose("connection_lost", 0) // a reset
}

// lose fails the attempt without an error of the service: with the code and
// the status given when nothing was heard before.
func (l *iterListener) lose(code string, status int) error {
	if l.heard {
		code, status = "stream_ended_early", 200
	}
	return l.fail(providers.Error{Category: providers.CategoryNetwork, Retryable: true, HTTPStatus: status, Code: code})
}

func (l *iterListener) fail(e providers.Error) error {
	e.API = providers.APIChatCompletions
	if e.HTTPStatus != 0 {
		e.RequestID = l.requestID
	}
	return &e
}

// finish closes the attempt as the Chat Completions rules do.
func (l *iterListener) finish(ev finish) error {
	reason := ev.reason
	switch {
	case reason == providers.FinishStop && len(l.calls) > 0:
		reason = providers.FinishToolCalls
	case reason == providers.FinishStop && l.refusal.Len() > 0:
		reason = providers.FinishRefusal
	}
	if code := callFault(reason, l.calls); code != "" {
		return l.fail(providers.Error{Category: providers.CategoryParser, Retryable: true, HTTPStatus: 200, Code: code})
	}
	for i, c := range l.calls {
		l.calls[i].Executable = reason == providers.FinishToolCalls && declares(l.req, c.Name)
	}
	return l.emit(providers.Finish{
		Reason: reason, RawReason: rawReason(ev.reason),
		Text: l.text.String(), Reasoning: l.reasoning.String(), Refusal: l.refusal.String(),
		Calls: l.calls, Usage: l.counts, RequestID: l.requestID,
	})
}

// callFault returns the parser code for calls that no adapter would let pass.
func callFault(reason providers.FinishReason, calls []providers.ToolCall) string {
	if reason != providers.FinishToolCalls {
		return ""
	}
	if len(calls) == 0 {
		return "missing_tool_call"
	}
	seen := map[string]bool{}
	for _, c := range calls {
		if seen[c.ID] {
			return "duplicate_tool_call_id"
		}
		seen[c.ID] = true
		if c.Arguments != "" && !isObject([]byte(c.Arguments)) {
			return "invalid_tool_call_arguments"
		}
	}
	return ""
}

func isObject(data []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(data, &object) == nil && object != nil
}

// rawReason is the word on the wire.
func rawReason(reason providers.FinishReason) string {
	if reason == providers.FinishRefusal {
		return "stop"
	}
	return string(reason)
}
