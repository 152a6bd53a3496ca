package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"countersign/agent"
	"countersign/web/control"
)

// Exit codes of commands that run something, beside 0 for a run that succeeded
// and 1 for one that did not.
const (
	exitWaiting     = 3
	exitInterrupted = 130
)

// maxTask is the longest task that is read, in bytes; the server's limit is
// lower.
const maxTask = 1 << 20

// runOptions say how to run something, and what to print of it.
type runOptions struct {
	user       string
	agent      string
	model      string
	json, raw  bool
	onApproval string
	timeout    time.Duration
}

func (p *Program) runFlags(l *line, onApproval string) *runOptions {
	o := &runOptions{}
	p.userFlag(l, &o.user)
	l.flags.BoolVar(&o.json, "json", false, "print what happens as JSON, an object a line")
	l.flags.BoolVar(&o.raw, "raw", false, "pass control characters of the model's text on to the terminal")
	l.flags.StringVar(&o.onApproval, "on-approval", onApproval, "what to do when the run waits for a person: deny, defer (leave it waiting, exit with 3) or ask")
	l.flags.DurationVar(&o.timeout, "timeout", 0, "cancel the run after this time, such as 10m")
	return o
}

func (p *Program) userFlag(l *line, to *string) {
	p.text(l, to, "user", "COUNTERSIGN_USER", "", "email address of the person in whose name, if there is not one admin alone")
}

func (o *runOptions) check(p *Program) error {
	switch o.onApproval {
	case "deny", "defer":
	case "ask":
		if !isTerminal(p.Stdin) {
			return Usage(errors.New("--on-approval ask needs a terminal on standard input; give the task as an argument"))
		}
	default:
		return Usage(errors.New("--on-approval is deny, defer or ask"))
	}
	if o.timeout < 0 {
		return Usage(errors.New("--timeout is a positive time, such as 10m"))
	}
	return nil
}

// runTask submits one task and prints the answer (contract C1, C2).
func (p *Program) runTask(ctx context.Context, l *line) error {
	o := p.runFlags(l, "deny")
	l.flags.StringVar(&o.agent, "agent", "", "name of the agent; the default one otherwise")
	l.flags.StringVar(&o.model, "model", "", "PROVIDER/MODEL; the agent's own otherwise")
	words, err := l.parseSome(0, 1)
	if err != nil {
		return err
	}
	if err := o.check(p); err != nil {
		return err
	}
	task, err := p.task(words)
	if err != nil {
		return err
	}
	return p.withRuns(ctx, l, func(c *control.Client) error {
		who := c.As(o.user)
		sent, err := submit(ctx, who, o, task)
		if err != nil {
			return err
		}
		return p.follow(ctx, who, o, sent)
	})
}

// task is the argument, or what standard input has.
func (p *Program) task(words []string) (string, error) {
	var text string
	switch {
	case len(words) == 1 && words[0] != "-":
		text = words[0]
	case len(words) == 0 && isTerminal(p.Stdin):
		return "", Usage(errors.New("say what to do: countersign run \"TASK\", or give the task on standard input"))
	default:
		read, err := io.ReadAll(io.LimitReader(p.Stdin, maxTask))
		if err != nil {
			return "", fmt.Errorf("read the task: %w", err)
		}
		text = string(read)
	}
	if strings.TrimSpace(text) == "" {
		return "", Usage(errors.New("the task is empty"))
	}
	return text, nil
}

// A sent is what the API says of a message.
type sent struct {
	Run          string `json:"run_id"`
	Conversation string `json:"conversation_id"`
}

// submit opens a conversation and sends the task to it.
func submit(ctx context.Context, who control.Person, o *runOptions, task string) (sent, error) {
	start := map[string]any{}
	if o.agent != "" {
		id, err := agentNamed(ctx, who, o.agent)
		if err != nil {
			return sent{}, err
		}
		start["agent"] = id
	}
	if o.model != "" {
		model, err := modelNamed(ctx, who, o.model)
		if err != nil {
			return sent{}, err
		}
		start["model"] = model
	}
	var opened struct{ ID string }
	if err := who.Do(ctx, http.MethodPost, "/v2/conversations", start, &opened); err != nil {
		return sent{}, err
	}
	var s sent
	err := who.Do(ctx, http.MethodPost, "/v2/conversations/"+opened.ID+"/messages", map[string]any{
		"text": task, "output": map[string]bool{"reasoning": true}, // no setting turns it off (contract C11, C14)
	}, &s)
	return s, err
}

func agentNamed(ctx context.Context, who control.Person, name string) (string, error) {
	var list struct {
		Data []struct{ ID, Name string }
	}
	if err := who.Do(ctx, http.MethodGet, "/v2/agents", nil, &list); err != nil {
		return "", err
	}
	var names []string
	for _, a := range list.Data {
		if a.Name == name || a.ID == name {
			return a.ID, nil
		}
		names = append(names, a.Name)
	}
	return "", Usage(fmt.Errorf("there is no agent %q; there are: %s", name, strings.Join(names, ", ")))
}

func modelNamed(ctx context.Context, who control.Person, name string) (any, error) {
	type model struct {
		Provider     string `json:"provider"`
		ProviderName string `json:"provider_name,omitempty"`
		Name         string `json:"name"`
	}
	var list struct{ Data []model }
	if err := who.Do(ctx, http.MethodGet, "/v2/models", nil, &list); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range list.Data {
		full := m.ProviderName + "/" + m.Name
		if full == name {
			return model{Provider: m.Provider, Name: m.Name}, nil
		}
		names = append(names, full)
	}
	return nil, Usage(fmt.Errorf("there is no model %q; there are: %s", name, strings.Join(names, ", ")))
}

// An ending is how a run ended, as the API tells of it.
type ending struct {
	Conversation  string          `json:"conversation_id"`
	State         agent.RunStatus `json:"state"`
	Interruptions []interruption  `json:"interruptions"`
	Result        *answer         `json:"result"`
	Error         *failure        `json:"error"`
}

type answer struct {
	FinalOutput string  `json:"final_output"`
	Refusal     *string `json:"refusal"`
}

type failure struct {
	Code     string                 `json:"code"`
	Message  string                 `json:"message"`
	Provider *control.ProviderError `json:"provider_error"`
}

// line is the line about a failure; all that is known of one of a provider is
// in it (contract D2).
func (f failure) line() error {
	if f.Provider != nil {
		return &codedError{f.Code, "The model did not answer: " + plain(diagnostic(*f.Provider)) + "."}
	}
	return &codedError{f.Code, f.Message}
}

// print prints the answer and nothing else, or why there is none. Of a run
// that did not succeed nothing is printed: what it wrote was provisional.
func (e ending) print(out io.Writer, d *display) error {
	if err := d.close(); err != nil {
		return err
	}
	if e.Result == nil {
		if e.Error == nil {
			return &codedError{"not_over", "The run is not over."}
		}
		return e.Error.line()
	}
	text := e.Result.FinalOutput
	if text == "" && e.Result.Refusal != nil {
		text = *e.Result.Refusal
	}
	_, err := io.WriteString(out, d.visible(text)+"\n")
	return err
}

// A codedError ends a command with a line that has a code (contract C13, C20).
type codedError struct{ code, message string }

func (e *codedError) Error() string { return e.code + ": " + e.message }

// An exit ends a command with a code of its own. Its error is printed, unless
// it is nil.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return fmt.Sprint(e.err) }
func (e exit) Unwrap() error { return e.err }

// A printer prints what happens to a run.
type printer struct {
	*display
	lines *json.Encoder // nil unless JSON is asked for
}

func (p *printer) line(v any) error {
	if p.lines == nil {
		return nil
	}
	return p.lines.Encode(v)
}
