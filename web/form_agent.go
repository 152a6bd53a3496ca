package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/web/check"
)

// An agentForm is what the page of an agent sends.
type agentForm struct {
	name         string
	instructions string
	model        string   // the value of an offer
	reviewer     string   // the same, "" for none
	tools        []string // names
	reasoning    bool
	buffer       bool   // hold an attempt's text back until it has succeeded
	approval     string // "" for the default
	question     string // the same
	review       string // the same
	modelCalls   string // "" for the default
	maxRetries   string // after output was held back, "" for the default
	sameCalls    string // "" for the default
	askSafety    bool
}

func parseAgent(r *http.Request) (agentForm, error) {
	if err := readForm(r); err != nil {
		return agentForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(lineFeeds(r.PostFormValue(name))) }
	return agentForm{
		name:         text("name"),
		instructions: text("instructions"),
		model:        r.PostFormValue("model"),
		reviewer:     r.PostFormValue("reviewer"),
		tools:        r.PostForm["tool"],
		reasoning:    r.PostFormValue("reasoning") == "on",
		buffer:       r.PostFormValue("buffer_attempts") == "on",
		approval:     text("approval"),
		question:     text("question"),
		review:       text("review"),
		modelCalls:   text("model_calls"),
		maxRetries:   text("max_retries"),
		sameCalls:    text("same_calls"),
		askSafety:    r.PostFormValue("ask_safety") == "on",
	}, nil
}

// agentFormOf is the form of a stored agent.
func agentFormOf(a agent.Agent) agentForm {
	f := agentForm{name: a.Name, instructions: a.Instructions, model: offer{ref: a.Model}.value(), tools: a.Tools, reasoning: a.Output.Reasoning, buffer: a.Output.BufferAttempts}
	f.approval, f.question, f.review = shortDuration(a.Limits.Approval), shortDuration(a.Limits.Question), shortDuration(a.Limits.Review)
	if a.Reviewer != (agent.ModelRef{}) {
		f.reviewer = offer{ref: a.Reviewer}.value()
	}
	f.askSafety, f.maxRetries, f.sameCalls = a.Safety.Ask, optionalNumber(a.Safety.MaxRetries), optionalNumber(a.Safety.SameCalls)
	if n := a.Limits.ModelCalls; n > 0 {
		f.modelCalls = strconv.Itoa(n)
	}
	return f
}

// limits reads the limits and says what is wrong with them, by field. What is
// left empty is zero, which stands for the default.
func (f agentForm) limits() (agent.Limits, map[string]string) {
	var limits agent.Limits
	problems := make(map[string]string)
	wait := func(name, text string, most time.Duration, says string) time.Duration {
		if text == "" {
			return 0
		}
		d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
		if err != nil || d < check.MinWait || d > most {
			problems[name] = says
		}
		return d
	}
	const long = "Enter a time from 1s to 168h, such as 90s, 5m or 1h30m."
	limits.Approval = wait("approval", f.approval, check.MaxWait, long)
	limits.Question = wait("question", f.question, check.MaxWait, long)
	limits.Review = wait("review", f.review, agent.MaxReview, "Enter a time from 1s to 5m, such as 30s.")
	if f.modelCalls != "" {
		n, err := strconv.Atoi(f.modelCalls)
		if err != nil || n < 1 || n > models.MaxModelCalls {
			problems["model_calls"] = "Enter a whole number from 1 to " + strconv.Itoa(models.MaxModelCalls) + "."
		}
		limits.ModelCalls = n
	}
	return limits, problems
}

// safety reads what is to be done where output is held back, and adds what is
// wrong to the problems. The guardrails stay as they are.
func (f agentForm) safety(saved agent.Safety, problems map[string]string) agent.Safety {
	number := func(name, text string, most int) *int {
		if text == "" {
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > most {
			problems[name] = "Enter a whole number from 0 to " + strconv.Itoa(most) + "."
		}
		return &n
	}
	saved.Ask = f.askSafety
	saved.MaxRetries = number("max_retries", f.maxRetries, agent.MaxBlockedRetries)
	saved.SameCalls = number("same_calls", f.sameCalls, agent.MaxSameCalls)
	return saved
}

func optionalNumber(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// shortDuration writes a duration as the form takes it: 5m, not 5m0s, and
// nothing for the default.
func shortDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
