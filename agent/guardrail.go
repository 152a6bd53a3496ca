package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

// A Guardrail is a rule that may withhold what a model produces. Exactly one of
// Pattern, Arguments and Webhook is set.
type Guardrail struct {
	Name      string        `json:"name"` // unique within the agent
	Pattern   *PatternRule  `json:"pattern,omitempty"`
	Arguments *ArgumentRule `json:"arguments,omitempty"`
	Webhook   *Webhook      `json:"webhook,omitempty"`
}

// GuardrailKind says how a guardrail judges.
type GuardrailKind string

const (
	GuardrailPattern   GuardrailKind = "pattern"
	GuardrailArguments GuardrailKind = "arguments"
	GuardrailWebhook   GuardrailKind = "webhook"
)

// How returns how it judges.
func (g Guardrail) How() GuardrailKind {
	switch {
	case g.Pattern != nil:
		return GuardrailPattern
	case g.Arguments != nil:
		return GuardrailArguments
	}
	return GuardrailWebhook
}

// A Subject is a part of what a model produces.
type Subject string

const (
	SubjectAnswer    Subject = "answer"
	SubjectReasoning Subject = "reasoning"
	SubjectArguments Subject = "arguments" // of tool calls, with their names
)

// Subjects lists every subject.
var Subjects = []Subject{SubjectAnswer, SubjectReasoning, SubjectArguments}

// A PatternRule blocks text that a regular expression (RE2) is found in.
type PatternRule struct {
	Pattern string    `json:"pattern"`
	Over    []Subject `json:"over,omitempty"` // empty for all
}

// ArgumentVerb is what an argument rule does.
type ArgumentVerb string

const (
	// ArgumentRequire blocks a call that lacks the value.
	ArgumentRequire ArgumentVerb = "require"
	// ArgumentForbid blocks a call that has the value.
	ArgumentForbid ArgumentVerb = "forbid"
	// ArgumentRewrite puts another value in the place of the value. Where no
	// match is asked for, it also adds one that is missing.
	ArgumentRewrite ArgumentVerb = "rewrite"
)

// ArgumentVerbs lists every verb.
var ArgumentVerbs = []ArgumentVerb{ArgumentRequire, ArgumentForbid, ArgumentRewrite}

// An ArgumentRule looks at one place in the arguments of some tools.
type ArgumentRule struct {
	Tool string       `json:"tool"` // a name in which * stands for any text
	Path string       `json:"path"` // as in $.items[*].sku
	Do   ArgumentVerb `json:"do"`
	// Match is a regular expression (RE2) that has to be found in the value for
	// it to count; "" takes any.
	Match string `json:"match,omitempty"`
	// Value is JSON, for a rewrite.
	Value string `json:"value,omitempty"`
}

// over reports whether a list of subjects has one. An empty list has all.
func over(list []Subject, s Subject) bool { return len(list) == 0 || slices.Contains(list, s) }

// maxGuardrailName is how long the name of a guardrail may be, in characters.
const maxGuardrailName = 80

// Problems says what is wrong with a guardrail, by field: name, pattern, over,
// tool, path, do, match, value, timeout or url. Where the address of a webhook
// leads is for the caller to check.
func (g Guardrail) Problems() map[string]string {
	p := make(map[string]string)
	switch n := utf8.RuneCountInString(g.Name); {
	case n == 0 || n > maxGuardrailName || !utf8.ValidString(g.Name) || HasHidden(g.Name):
		p["name"] = fmt.Sprintf("Enter a name of up to %d characters, without hidden ones.", maxGuardrailName)
	case g.Pattern != nil:
		g.Pattern.problems(p)
	case g.Arguments != nil:
		g.Arguments.problems(p)
	case g.Webhook != nil:
		g.Webhook.problems(p)
	default:
		p["name"] = "A guardrail is a pattern, a rule on arguments or a webhook."
	}
	return p
}

func (r PatternRule) problems(p map[string]string) {
	if problem := expression(r.Pattern); problem != "" || r.Pattern == "" {
		p["pattern"] = expressionWords
	}
	subjects(p, r.Over)
}

var expressionWords = fmt.Sprintf("Enter a regular expression (RE2) of up to %d characters.", MaxPattern)

func expression(text string) string {
	if _, err := regexp.Compile(text); err != nil || len(text) > MaxPattern {
		return expressionWords
	}
	return ""
}

func subjects(p map[string]string, list []Subject) {
	for _, s := range list {
		if !slices.Contains(Subjects, s) {
			p["over"] = "Choose from answer, reasoning and arguments."
		}
	}
}

func (r ArgumentRule) problems(p map[string]string) {
	if !toolPattern.MatchString(r.Tool) {
		p["tool"] = "Enter the name of a tool; * stands for any text."
	}
	if _, err := parsePath(r.Path); err != nil {
		p["path"] = "Enter a path such as $.title or $.items[*].sku."
	}
	if problem := expression(r.Match); problem != "" {
		p["match"] = problem
	}
	if !slices.Contains(ArgumentVerbs, r.Do) {
		p["do"] = "Choose what the rule does: require, forbid or rewrite."
	}
	if r.Do == ArgumentRewrite && (len(r.Value) > MaxPattern || !json.Valid([]byte(r.Value))) {
		p["value"] = fmt.Sprintf(`Enter a JSON value of up to %d characters, such as "north", 5 or true.`, MaxPattern)
	}
}
