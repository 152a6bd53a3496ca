package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"countersign/providers"
)

// A Candidate is what a model produced, before anybody may see it.
type Candidate struct {
	Answer    string          `json:"answer,omitempty"` // with a refusal
	Reasoning string          `json:"reasoning,omitempty"`
	Calls     []CandidateCall `json:"calls,omitempty"`
}

// A CandidateCall is a call that the model asks for.
type CandidateCall struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"` // raw

	rewritten []string // names of the guardrails that changed the arguments
}

func candidateOf(f providers.Finish) Candidate {
	c := Candidate{Answer: f.Text, Reasoning: f.Reasoning}
	if f.Refusal != "" {
		c.Answer += f.Refusal
	}
	for _, call := range f.Calls {
		c.Calls = append(c.Calls, CandidateCall{Tool: call.Name, Arguments: call.Arguments})
	}
	return c
}

// changed reports whether a guardrail rewrote anything.
func (c Candidate) changed() bool {
	return slices.ContainsFunc(c.Calls, func(call CandidateCall) bool { return len(call.rewritten) > 0 })
}

// only keeps the subjects that are listed.
func (c Candidate) only(list []Subject) Candidate {
	if !over(list, SubjectAnswer) {
		c.Answer = ""
	}
	if !over(list, SubjectReasoning) {
		c.Reasoning = ""
	}
	if !over(list, SubjectArguments) {
		c.Calls = nil
	}
	return c
}

func (c Candidate) empty() bool { return c.Answer == "" && c.Reasoning == "" && len(c.Calls) == 0 }

// texts returns what there is to read of a subject. Arguments come as they are
// written and as they are meant: an escape hides nothing.
func (c Candidate) texts(s Subject) []string {
	switch s {
	case SubjectAnswer:
		return []string{c.Answer}
	case SubjectReasoning:
		return []string{c.Reasoning}
	}
	var list []string
	for _, call := range c.Calls {
		list = append(list, call.Tool, call.Arguments, meant(call.Arguments))
	}
	return list
}

// meant returns the names and values in a JSON text, one a line.
func meant(text string) string {
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		switch v := token.(type) {
		case string:
			b.WriteString(v + "\n")
		case json.Number:
			b.WriteString(v.String() + "\n")
		}
	}
}
