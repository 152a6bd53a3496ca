package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// tryPolicy says what would become of a call. Nothing runs and nothing is
// stored.
func (s *Server) tryPolicy(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(r); err != nil {
		return err
	}
	try := views.PolicyTry{
		Tool: r.PostFormValue("tool"), Role: r.PostFormValue("role"), Agent: r.PostFormValue("agent"),
		Arguments: strings.TrimSpace(lineFeeds(r.PostFormValue("arguments"))), Errors: make(map[string]string),
	}
	tools := s.config.Engine.Tools()
	tool := slices.IndexFunc(tools, func(t agent.Tool) bool { return t.Definition().Name == try.Tool })
	if tool < 0 {
		try.Errors["tool"] = "Choose from the tools that exist."
	}
	if !slices.Contains(agent.Roles, agent.Role(try.Role)) {
		try.Errors["role"] = "Choose for whom."
	}
	if try.Arguments != "" && !json.Valid([]byte(try.Arguments)) {
		try.Errors["arguments"] = `Enter JSON, such as {"title":"Milk"}.`
	}
	in, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(try.Agent))
	if errors.Is(err, models.ErrNotFound) {
		try.Errors["agent"] = "Choose from the agents that exist."
	} else if err != nil {
		return err
	}
	if len(try.Errors) > 0 {
		return s.renderPolicy(w, r, http.StatusUnprocessableEntity, try)
	}
	policy, err := s.config.DB.Rules().Policy(r.Context())
	if err != nil {
		return err
	}
	outcome := policyOutcome(policy, in, agent.CaseOf(in.ID, agent.Role(try.Role), tools[tool], try.Arguments))
	try.Outcome = &outcome
	return s.renderPolicy(w, r, http.StatusOK, try)
}

// policyOutcome puts into words what becomes of a call, in the order in which
// the engine asks.
func policyOutcome(policy agent.Policy, in agent.Agent, c agent.Case) views.PolicyOutcome {
	ruling := policy.Over(c)
	o := views.PolicyOutcome{}
	if ruling.Rule != nil {
		o.Rule = ruling.Rule.Name
	}
	switch {
	case ruling.Hard():
		o.Tone, o.Verdict, o.Because = views.ToneBad, "Denied", "Nothing overrides it."
	case !in.Has(c.Call.Tool):
		o = views.PolicyOutcome{Tone: views.ToneBad, Verdict: "Not run", Because: in.Name + " does not have this tool."}
	case ruling.Free && c.Asks:
		o.Verdict, o.Because = "Asked", "The call is a question to a person, and asking needs no leave."
	case ruling.Free:
		o.Verdict, o.Because = "Allowed", "The tool only reads, so it runs by itself."
	case ruling.Says() == agent.PolicyDeny:
		o.Tone, o.Verdict, o.Because = views.ToneBad, "Denied", "No card is shown."
	case ruling.Says() == agent.PolicyAsk:
		o.Tone, o.Verdict, o.Because = views.ToneAttn, "Ask", "A person decides, whatever the conversation allows."
	case ruling.Says() == agent.PolicyAllow:
		o.Tone, o.Verdict, o.Because = views.ToneOK, "Allowed", "It runs without a card."
	default:
		o.Tone, o.Verdict, o.Because = views.ToneAttn, "Ask", "No rule covers it. A person decides, unless the conversation allows it."
		if in.Reviewer != (agent.ModelRef{}) {
			o.Because = "No rule covers it. The reviewer judges it, unless the conversation allows it; a person decides where the reviewer is unsure."
		}
	}
	return o
}
