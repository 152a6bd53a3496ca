package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"countersign/agent"
)

// A Tool is a tool of a scenario. It remembers how often it ran.
type Tool struct {
	Name     string
	ReadOnly bool
	Asks     bool // its calls are questions to a person, as those of ask_user
	// Does is what a call does, at the gate if there is one.
	Does func(ctx context.Context, gate *Gate) (agent.Result, error)
	Gate *Gate // nil for a tool without one

	mu      sync.Mutex
	version int
	ran     []Execution
}

// An Execution is one call of a tool's body.
type Execution struct {
	Tool      string
	Call      agent.CallID
	Arguments string
}

// A Gate holds whoever comes to it until it is released.
type Gate struct {
	Name              string
	reached, released chan struct{}
	reach, release    sync.Once
}

func newGate(name string) *Gate {
	return &Gate{Name: name, reached: make(chan struct{}), released: make(chan struct{})}
}

// Pass waits until the gate is released.
func (g *Gate) Pass(ctx context.Context) error {
	g.reach.Do(func() { close(g.reached) })
	select {
	case <-g.released:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release opens the gate for good.
func (g *Gate) Release() { g.release.Do(func() { close(g.released) }) }

// ParseTools reads the section of tools: a name, read_only or writing, and
// what a call does, one tool a line. A tool that asks does nothing.
//
//	ask  asks
//	look read_only answers "It rains."
//	save writing answers "Saved."
//	bad  writing refuses "There is no room."    # an error for the model
//	sick writing fails                          # a fault of the tool
//	lost writing loses                          # nobody knows whether it happened
//	bomb writing panics
//	slow writing takes 30s "At last."
//	door writing waits NAME "Opened."           # until NAME is released
func ParseTools(text string) ([]*Tool, error) {
	var list []*Tool
	for _, line := range lines(text) {
		words, err := split(line)
		if err != nil {
			return nil, err
		}
		t := &Tool{Name: shift(&words)}
		switch kind := shift(&words); kind {
		case "read_only":
			t.ReadOnly = true
		case "writing":
		case "asks":
			t.Asks, words = true, append([]string{"refuses", "An answer was expected, not a run."}, words...)
		default:
			return nil, fmt.Errorf("tool %s is read_only or writing or asks, not %q", t.Name, kind)
		}
		if err := t.behave(words); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		list = append(list, t)
	}
	return list, nil
}

func (t *Tool) behave(words []string) error {
	verb := shift(&words)
	want := map[string]int{"answers": 1, "refuses": 1, "fails": 0, "loses": 0, "panics": 0, "takes": 2, "waits": 2}
	if n, ok := want[verb]; !ok || n != len(words) {
		return fmt.Errorf("can't do %s with %q", verb, words)
	}
	switch verb {
	case "answers", "refuses":
		t.Does = func(context.Context, *Gate) (agent.Result, error) {
			return agent.Result{Text: words[0], IsError: verb == "refuses"}, nil
		}
	case "loses":
		t.Does = func(context.Context, *Gate) (agent.Result, error) {
			return agent.Result{}, fmt.Errorf("no answer: %w", agent.ErrOutcomeUnknown)
		}
	case "fails":
		t.Does = func(context.Context, *Gate) (agent.Result, error) {
			return agent.Result{}, errors.New("a fault that the model must not see")
		}
	case "panics":
		t.Does = func(context.Context, *Gate) (agent.Result, error) { panic("a fault that the model must not see") }
	case "takes":
		length, err := time.ParseDuration(words[0])
		if err != nil {
			return err
		}
		t.Does = func(ctx context.Context, _ *Gate) (agent.Result, error) {
			select {
			case <-time.After(length):
				return agent.Result{Text: words[1]}, nil
			case <-ctx.Done():
				return agent.Result{}, ctx.Err()
			}
		}
	case "waits":
		t.Gate = newGate(words[0])
		t.Does = func(ctx context.Context, g *Gate) (agent.Result, error) {
			if err := g.Pass(ctx); err != nil {
				return agent.Result{}, err
			}
			return agent.Result{Text: words[1]}, nil
		}
	}
	return nil
}

// Redefine makes the tool another one for engines that start from now on.
func (t *Tool) Redefine(readOnly bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.version++
	t.ReadOnly = readOnly
}

// Ran returns how the tool ran, oldest first.
func (t *Tool) Ran() []Execution {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Execution(nil), t.ran...)
}

// now returns the tool as it is defined now.
func (t *Tool) now() agent.Tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	defined := definedTool{t, agent.ToolDefinition{
		Name: t.Name, Title: "The tool " + t.Name, Description: fmt.Sprintf("Version %d.", t.version),
		Parameters: json.RawMessage(`{"type":"object"}`), ReadOnly: t.ReadOnly,
	}}
	if t.Asks {
		return askingTool{defined}
	}
	return defined
}

// An askingTool asks what its arguments say.
type askingTool struct{ definedTool }

var _ agent.Asker = askingTool{}

func (askingTool) Questions(arguments json.RawMessage) ([]agent.Question, error) {
	var asked struct {
		Questions []agent.Question `json:"questions"`
	}
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return nil, errors.New("they can't be read")
	}
	return asked.Questions, nil
}

// A definedTool is a tool whose definition stays as it is.
type definedTool struct {
	*Tool
	definition agent.ToolDefinition
}

var _ agent.Checker = definedTool{}

func (t definedTool) Definition() agent.ToolDefinition { return t.definition }

// Check refuses arguments that name a flaw.
func (t definedTool) Check(arguments json.RawMessage) string {
	var named struct{ Flaw string }
	if json.Unmarshal(arguments, &named) == nil && named.Flaw != "" {
		return "The arguments have a flaw: " + named.Flaw + "."
	}
	return ""
}

func (t definedTool) Call(ctx context.Context, in agent.Invocation) (agent.Result, error) {
	t.mu.Lock()
	t.ran = append(t.ran, Execution{t.Name, in.Call, string(in.Arguments)})
	t.mu.Unlock()
	return t.Does(ctx, t.Gate)
}
