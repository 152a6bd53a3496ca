package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"countersign/web/control"
)

// stopWithin is how long a command that was interrupted waits for the run to
// end.
const stopWithin = 10 * time.Second

// Why a run is cancelled by the command itself.
var (
	errTimeout     = &codedError{"timeout", "The run took longer than --timeout allows, and was cancelled."}
	errInterrupted = &codedError{"interrupted", "The command was interrupted, and its run was cancelled."}
)

// A following is a run that a command prints.
type following struct {
	program *Program
	options *runOptions
	who     control.Person
	sent    sent
	asking  context.Context // for what is typed: it ends when the command is to end
	printer
}

// follow prints a run to its end, or to where it waits for a person.
func (p *Program) follow(ctx context.Context, who control.Person, o *runOptions, s sent) error {
	f := &following{program: p, options: o, who: who, sent: s}
	f.display = &display{err: p.Stderr, raw: o.raw}
	if o.json {
		f.lines = json.NewEncoder(p.Stdout)
		f.lines.SetEscapeHTML(false)
		f.display.err = io.Discard
	}
	if err := f.line(map[string]string{"type": "run", "conversation_id": s.Conversation, "run_id": s.Run}); err != nil {
		return err
	}
	err := f.watch(ctx)
	return errors.Join(f.close(), err) // an error's line comes after an open phase (contract C13, C51)
}

// watch follows the run. What ends the command early cancels the run first, and
// then waits for its end all the same.
func (f *following) watch(ctx context.Context) error {
	watching, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	asking, stopAsking := context.WithCancel(ctx)
	defer stopAsking()
	early := make(chan error, 1)
	done := make(chan struct{})
	defer close(done)
	go func() {
		if cause := f.untilEarly(ctx, done); cause != nil {
			early <- cause
			stopAsking()
			f.cancel(context.WithoutCancel(ctx))
			timer := time.AfterFunc(stopWithin, func() { stop(cause) })
			<-done
			timer.Stop()
		}
	}()
	f.asking = asking
	err := f.events(watching)
	if err == nil || asking.Err() == nil {
		return err
	}
	cause := <-early
	if errors.Is(cause, errInterrupted) {
		return exit{exitInterrupted, cause}
	}
	return cause
}

// untilEarly waits for what ends the command before its run, and returns nil
// when that is over.
func (f *following) untilEarly(ctx context.Context, done <-chan struct{}) error {
	var late <-chan time.Time
	if f.options.timeout > 0 {
		timer := time.NewTimer(f.options.timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ctx.Done():
		return errInterrupted
	case <-late:
		return errTimeout
	case <-done:
		return nil
	}
}

func (f *following) cancel(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, stopWithin)
	defer stop()
	_ = f.who.Do(ctx, http.MethodPost, "/v2/runs/"+f.sent.Run+"/cancel", nil, nil) // the wait for its end has a limit
}

func (f *following) events(ctx context.Context) error {
	for e, err := range f.who.Events(ctx, f.sent.Run) {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return &codedError{"stream_unavailable", "The server stopped. The run goes on when it starts again: countersign runs resume " + f.sent.Run}
		}
		if err != nil {
			return err
		}
		if err := f.event(ctx, e); err != nil {
			return err
		}
	}
	run, err := f.run(ctx)
	if err != nil {
		return err
	}
	if err := f.line(map[string]any{"type": "final", "run": run.whole}); err != nil || f.lines != nil {
		if run.Result == nil && err == nil {
			err = errFailed
		}
		return err
	}
	return run.print(f.program.Stdout, f.display)
}

// A readRun is a run as the API has it, and the whole answer.
type readRun struct {
	ending
	whole json.RawMessage
}

func (f *following) run(ctx context.Context) (r readRun, err error) {
	if err = f.who.Do(ctx, http.MethodGet, "/v2/runs/"+f.sent.Run, nil, &r.whole); err == nil {
		err = json.Unmarshal(r.whole, &r.ending)
	}
	return r, err
}

// event prints what an event has to say. What is no reasoning closes a phase
// (contract C8), but for signs of life and figures (C7).
func (f *following) event(ctx context.Context, e control.Event) error {
	switch e.Type {
	case "reasoning_delta":
		var delta struct{ Text string }
		if err := json.Unmarshal(e.Data, &delta); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		if f.lines != nil {
			return f.line(map[string]string{"type": "reasoning", "text": delta.Text})
		}
		return f.reasoning(delta.Text)
	case "model_activity", "model_usage", "reasoning_display_limited":
		return nil
	}
	if err := f.close(); err != nil {
		return err
	}
	switch e.Type {
	case "tool_call_started", "tool_call_finished", "approval_decision", "retry_scheduled":
		return f.line(map[string]any{"type": e.Type, "data": e.Data})
	case "run_waiting":
		return f.waiting(ctx)
	}
	return nil
}
