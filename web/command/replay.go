package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"countersign/agent"
	"countersign/web/api"
	"countersign/web/control"
	"countersign/web/export"
)

// replay prints a run of an exported conversation as run printed it (contract
// C18).
func (p *Program) replay(_ context.Context, l *line) error {
	only := l.flags.String("run", "", "id of the run; the last one otherwise")
	raw := l.flags.Bool("raw", false, "pass control characters of the model's text on to the terminal")
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	r, err := readRunOf(words[0], agent.RunID(*only))
	if err != nil {
		return err
	}
	d := &display{err: p.Stderr, raw: *raw}
	if err := r.reason(d); err != nil {
		return err
	}
	return r.ending().print(p.Stdout, d)
}

// A recorded is a run of a file.
type recorded struct {
	id       agent.RunID
	output   agent.OutputOptions
	attempts []export.Attempt
	messages map[agent.AttemptID]agent.AssistantMessage
	finished *agent.RunFinished
}

// readRunOf reads a run, the last one of the file with "".
func readRunOf(path string, id agent.RunID) (*recorded, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r *recorded
	for line, err := range export.Read(f) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		switch v := line.(type) {
		case export.Attempt:
			if r != nil && v.Run == r.id {
				r.attempts = append(r.attempts, v)
			}
		case export.Event:
			rec, err := v.Record("")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			_, begins := rec.Event.(agent.UserMessage)
			if begins && (id == "" || rec.Run == id) {
				r = &recorded{id: rec.Run, messages: map[agent.AttemptID]agent.AssistantMessage{}}
			}
			if r != nil && rec.Run == r.id {
				r.apply(rec.Event)
			}
		}
	}
	if r == nil {
		return nil, errors.New(path + ": there is no such run in it")
	}
	return r, nil
}

func (r *recorded) apply(e agent.Event) {
	switch e := e.(type) {
	case agent.RunCreated:
		r.output = e.Output
	case agent.AssistantMessage:
		r.messages[e.Attempt] = e
	case agent.RunFinished:
		r.finished = &e
	}
}

// reason prints the reasoning of every attempt: what was shown while it came
// can't be taken back, so that of a failed one is there too.
func (r *recorded) reason(d *display) error {
	if r.output.BufferAttempts {
		return nil // nothing of it was shown as it came
	}
	for _, a := range r.attempts {
		left := agent.MaxReasoningDisplay
		for _, s := range a.Segments {
			var err error
			if s.Channel == agent.ChannelReasoning {
				text := agent.Cut(s.Text, left)
				left -= len(text)
				if len(text) < len(s.Text) {
					left = 0
				}
				err = d.reasoning(text)
			} else if s.Text != "" {
				err = d.close()
			}
			if err != nil {
				return err
			}
		}
		if err := d.close(); err != nil {
			return err
		}
	}
	return nil
}

// ending is what the API told of the run when it was over.
func (r *recorded) ending() ending {
	var e ending
	switch {
	case r.finished == nil:
	case r.finished.Status == agent.StatusSucceeded:
		m := r.messages[r.finished.Answer]
		e.Result = &answer{FinalOutput: m.Text}
		if m.Refusal != "" {
			e.Result.Refusal = &m.Refusal
		}
	default:
		f := api.FailureOf(*r.finished)
		e.Error = &failure{Code: f.Code, Message: f.Message}
		if p := f.ProviderError; p != nil {
			e.Error.Provider = &control.ProviderError{
				Category: string(p.Category), Retryable: p.Retryable, HTTPStatus: p.HTTPStatus, API: string(p.API), RequestID: p.RequestID, Code: p.Code,
			}
		}
	}
	return e
}
