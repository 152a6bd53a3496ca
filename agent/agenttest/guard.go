package agenttest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/providers"
)

// guard adds a guardrail; see [ParseOptions].
func (o *Options) guard(name string, words []string) error {
	g := agent.Guardrail{Name: name}
	subjects := func() (list []agent.Subject) {
		for _, w := range words {
			list = append(list, agent.Subject(w))
		}
		return list
	}
	switch kind := shift(&words); kind {
	case "pattern":
		g.Pattern = &agent.PatternRule{Pattern: shift(&words)}
		g.Pattern.Over = subjects()
	case "require", "forbid", "rewrite":
		g.Arguments = &agent.ArgumentRule{Do: agent.ArgumentVerb(kind), Tool: shift(&words), Path: shift(&words)}
		if kind == "rewrite" {
			g.Arguments.Value = shift(&words)
		}
		g.Arguments.Match = shift(&words)
	case "webhook":
		does := shift(&words)
		if does == "blocks" {
			does += " " + shift(&words)
		}
		g.Webhook = &agent.Webhook{URL: "hook " + name}
		g.Webhook.Over = subjects()
		if o.Hooks == nil {
			o.Hooks = make(map[string]string)
		}
		o.Hooks[g.Webhook.URL] = does
	default:
		return fmt.Errorf("there is no guardrail %q", kind)
	}
	for field, problem := range g.Problems() {
		return fmt.Errorf("%s: %s", field, problem)
	}
	o.Safety.Guardrails = append(o.Safety.Guardrails, g)
	return nil
}

// guards has the agent have another guardrail from now on.
func (s *Server) guards(name string, words []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Safety.Guardrails = slices.Clip(s.config.Safety.Guardrails)
	return s.config.guard(name, words)
}

// Withheld is in everything that the model of a scenario says and nobody may
// see.
const Withheld = "SECRET"

// checkWithheld reports what is withheld and is somewhere all the same.
func checkWithheld(t testing.TB, p *Played) {
	t.Helper()
	for name, text := range map[string]string{
		"the journal": p.Journal, "the timeline": p.Timeline, "a request": fmt.Sprintf("%+v", p.Requests),
		"the outputs": fmt.Sprintf("%+v", p.Memory.Outputs(Conversation)),
	} {
		if i := strings.Index(text, Withheld); i >= 0 {
			t.Errorf("%s has what is withheld: %s", name, text[max(0, i-80):min(len(text), i+80)])
		}
	}
}

// Inspect implements [agent.Inspector].
func (s *Server) Inspect(ctx context.Context, w agent.Webhook, in agent.Inspection) (bool, error) {
	does, text, _ := strings.Cut(s.config.Hooks[w.URL], " ")
	switch does {
	case "allows":
		return true, nil
	case "blocks":
		return !strings.Contains(fmt.Sprint(in.Candidate), text), nil
	case "hangs":
		<-ctx.Done()
		return false, ctx.Err()
	}
	return false, errors.New("no verdict")
}

// signing is a provider that signs every batch of calls.
type signing struct{ providers.Provider }

func (p signing) Stream(ctx context.Context, r providers.Request) iter.Seq2[providers.Event, error] {
	return func(yield func(providers.Event, error) bool) {
		for event, err := range p.Provider.Stream(ctx, r) {
			if f, ok := event.(providers.Finish); ok && len(f.Calls) > 0 {
				f.Calls = slices.Clone(f.Calls)
				f.Replay = &providers.Replay{Binding: "signed"}
				event = f
			}
			if !yield(event, err) {
				return
			}
		}
	}
}
