package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/agent"
	"countersign/views"
	"countersign/web/check"
)

// A guardrailForm is what the page of a guardrail sends.
type guardrailForm struct {
	was     string // the saved name, "" for a new one
	how     agent.GuardrailKind
	name    string
	place   string
	pattern string
	over    []agent.Subject
	tool    string
	path    string
	do      string
	match   string
	value   string
	url     string
	timeout string
	private bool
}

func parseGuardrail(r *http.Request) (guardrailForm, error) {
	if err := readForm(r); err != nil {
		return guardrailForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(lineFeeds(r.PostFormValue(name))) }
	f := guardrailForm{
		was: r.PostFormValue("was"), how: agent.GuardrailKind(r.PostFormValue("kind")), name: text("name"), place: text("place"),
		pattern: lineFeeds(r.PostFormValue("pattern")), tool: text("tool"), path: text("path"), do: text("do"),
		match: r.PostFormValue("match"), value: text("value"), url: text("url"), timeout: text("timeout"),
		private: r.PostFormValue("private") == "on",
	}
	for _, s := range agent.Subjects {
		if r.PostFormValue("over_"+string(s)) == "on" {
			f.over = append(f.over, s)
		}
	}
	return f, nil
}

// guardrailFormOf is the form of a stored guardrail.
func guardrailFormOf(g agent.Guardrail, place int) guardrailForm {
	f := guardrailForm{was: g.Name, how: g.How(), name: g.Name, place: strconv.Itoa(place), over: agent.Subjects}
	switch {
	case g.Pattern != nil:
		f.pattern = g.Pattern.Pattern
		if len(g.Pattern.Over) > 0 {
			f.over = g.Pattern.Over
		}
	case g.Arguments != nil:
		r := g.Arguments
		f.tool, f.path, f.do, f.match, f.value = r.Tool, r.Path, string(r.Do), r.Match, r.Value
	case g.Webhook != nil:
		f.url, f.timeout, f.private = g.Webhook.URL, shortDuration(g.Webhook.Timeout), g.Webhook.AllowPrivateNetwork
		if len(g.Webhook.Over) > 0 {
			f.over = g.Webhook.Over
		}
	}
	return f
}

// guardrail reads the form, and says what is wrong with it by field.
func (f guardrailForm) guardrail() (agent.Guardrail, map[string]string) {
	g := agent.Guardrail{Name: f.name}
	over := f.over
	if len(over) == len(agent.Subjects) {
		over = nil
	}
	var address, timeout string // what is wrong with them
	switch f.how {
	case agent.GuardrailPattern:
		g.Pattern = &agent.PatternRule{Pattern: f.pattern, Over: over}
	case agent.GuardrailArguments:
		g.Arguments = &agent.ArgumentRule{Tool: f.tool, Path: f.path, Do: agent.ArgumentVerb(f.do), Match: f.match}
		if g.Arguments.Do == agent.ArgumentRewrite {
			g.Arguments.Value = f.value
		}
	default:
		g.Webhook = &agent.Webhook{URL: f.url, Over: over, AllowPrivateNetwork: f.private}
		address = check.Webhook(f.url, f.private)
		if f.timeout != "" {
			d, err := time.ParseDuration(strings.ReplaceAll(f.timeout, " ", ""))
			if g.Webhook.Timeout = d; err != nil || d < agent.MinWebhook || d > agent.MaxWebhook {
				timeout = "Enter a time from 1s to 1m, such as 5s."
			}
		}
	}
	problems := g.Problems()
	if address != "" {
		problems["url"] = address
	}
	if timeout != "" {
		problems["timeout"] = timeout
	}
	if len(f.over) == 0 && f.how != agent.GuardrailArguments {
		problems["over"] = "Choose at least one."
	}
	return g, problems
}

// put places a guardrail among those of an agent, in place of the one it was,
// and says what is wrong with it by field.
func (f guardrailForm) put(list []agent.Guardrail, g agent.Guardrail) ([]agent.Guardrail, map[string]string) {
	rest := slices.DeleteFunc(slices.Clone(list), func(old agent.Guardrail) bool { return f.was != "" && old.Name == f.was })
	at, err := strconv.Atoi(f.place)
	problems := make(map[string]string)
	if err != nil || at < 1 || at > len(rest)+1 {
		problems["place"] = "Enter a whole number from 1 to " + strconv.Itoa(len(rest)+1) + "."
	}
	if slices.ContainsFunc(rest, func(other agent.Guardrail) bool { return strings.EqualFold(other.Name, g.Name) }) {
		problems["name"] = "There is a guardrail of this name."
	}
	if len(rest) >= agent.MaxGuardrails {
		problems["name"] = "An agent may have " + strconv.Itoa(agent.MaxGuardrails) + " guardrails. Remove one first."
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return slices.Insert(rest, at-1, g), nil
}

// props is the form as it is shown.
func (f guardrailForm) props(a agent.Agent, problems map[string]string) views.GuardrailForm {
	places := len(a.Safety.Guardrails)
	if f.was == "" {
		places++
	}
	return views.GuardrailForm{
		Agent: a.ID, AgentName: a.Name, Was: f.was, How: f.how, Name: f.name, Place: f.place, Places: places,
		Pattern: f.pattern, Over: f.over, Tool: f.tool, Path: f.path, Do: f.do, Match: f.match, Value: f.value,
		URL: f.url, Timeout: f.timeout, Private: f.private, Errors: problems,
	}
}
