package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"countersign/agent"
)

// What is said where nobody is there (contract part 2.22).
const (
	nobodyDecides = "Nobody is there to decide: the task runs unattended."
	nobodyAnswers = "Nobody is there to answer: the task runs unattended. Go on with what you know, or say what you would need."
)

// An interruption is a pause for a person.
type interruption struct {
	Kind     agent.InteractionKind `json:"kind"`
	Approval *struct {
		Calls []waitingCall `json:"calls"`
	} `json:"approval"`
	Question *struct {
		Questions []agent.Question `json:"questions"`
	} `json:"question"`
}

type waitingCall struct {
	ID        string          `json:"call_id"`
	Server    *string         `json:"server_name"`
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Arguments json.RawMessage `json:"arguments"`
}

type decision struct {
	Call     string `json:"call_id"`
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

// waiting does what the options say about a run that waits. What became of a
// call whose outcome nobody knows is never guessed.
func (f *following) waiting(ctx context.Context) error {
	run, err := f.run(ctx)
	if err != nil {
		return err
	}
	for _, i := range run.Interruptions {
		switch {
		case f.options.onApproval == "defer", i.Kind == agent.KindReconcile:
			return f.deferred(i)
		case i.Approval != nil:
			err = f.decide(ctx, i.Approval.Calls)
		case i.Question != nil:
			err = f.answer(ctx, i.Question.Questions)
		case i.Kind == agent.KindSafety:
			err = f.release(ctx)
		default:
			return f.deferred(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// deferred leaves the run waiting and says how to find it.
func (f *following) deferred(i interruption) error {
	if err := f.line(map[string]any{"type": "waiting", "kind": i.Kind, "run_id": f.sent.Run}); err != nil {
		return err
	}
	return exit{exitWaiting, &codedError{"waiting", "The run waits for a person: " + f.sent.Run}}
}

func (f *following) decide(ctx context.Context, calls []waitingCall) error {
	var list []decision
	for _, c := range calls {
		d := decision{c.ID, "deny", nobodyDecides}
		if f.options.onApproval == "ask" {
			allowed, err := f.program.askYes(f.asking, c)
			if err != nil {
				return err
			}
			if d.Reason = ""; allowed {
				d.Decision = "once"
			}
		}
		list = append(list, d)
	}
	return f.who.Do(ctx, http.MethodPost, "/v2/runs/"+f.sent.Run+"/approval", map[string]any{"decisions": list}, nil)
}

// describe writes a call so that it can be decided on.
func (c waitingCall) describe() string {
	name := c.Name
	if c.Server != nil {
		name += " on " + *c.Server
	}
	if c.Title != "" {
		name = c.Title + " (" + name + ")"
	}
	return name + "\n" + string(c.Arguments)
}

func (p *Program) askYes(ctx context.Context, c waitingCall) (bool, error) {
	fmt.Fprintf(p.Stderr, "%s\nApprove? [y/N] ", visible(c.describe()))
	text, err := p.typed(ctx)
	return yes(text), err
}

// release says whether a run goes on that was stopped for safety: only if
// somebody says so.
func (f *following) release(ctx context.Context) error {
	answer := agent.SafetyStop
	if f.options.onApproval == "ask" {
		fmt.Fprint(f.program.Stderr, "The run was stopped for safety. Go on? [y/N] ")
		text, err := f.program.typed(f.asking)
		if err != nil {
			return err
		}
		if yes(text) {
			answer = agent.SafetyContinue
		}
	}
	return f.who.Do(ctx, http.MethodPost, "/v2/runs/"+f.sent.Run+"/safety", map[string]any{"answer": answer}, nil)
}

func yes(text string) bool { return strings.EqualFold(text, "y") || strings.EqualFold(text, "yes") }

func (f *following) answer(ctx context.Context, questions []agent.Question) error {
	answers := make([]map[string]any, len(questions))
	for i, q := range questions {
		answers[i] = map[string]any{"text": nobodyAnswers}
		if f.options.onApproval == "ask" {
			fmt.Fprintln(f.program.Stderr, visible(q.Question))
			for n, o := range q.Options {
				fmt.Fprintf(f.program.Stderr, "  %d  %s  %s\n", n+1, visible(o.Label), visible(o.Description))
			}
			fmt.Fprint(f.program.Stderr, "A number, your own words, or nothing to skip: ")
			text, err := f.program.typed(f.asking)
			if err != nil {
				return err
			}
			answers[i] = given(q, text)
		}
	}
	return f.who.Do(ctx, http.MethodPost, "/v2/runs/"+f.sent.Run+"/answer", map[string]any{"answers": answers}, nil)
}

// given is what was typed as an answer to a question.
func given(q agent.Question, text string) map[string]any {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(q.Options) {
		return map[string]any{"selected": []string{q.Options[n-1].Label}}
	}
	if text == "" {
		return map[string]any{}
	}
	return map[string]any{"text": text}
}

// typed reads a line from the terminal. The end of input is an empty one: it
// allows nothing.
func (p *Program) typed(ctx context.Context) (string, error) {
	type line struct {
		text string
		err  error
	}
	// An interrupt ends the command, so the reading can't be waited for.
	got := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(p.Stdin).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		got <- line{strings.TrimSpace(text), err}
	}()
	select {
	case l := <-got:
		return l.text, l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
