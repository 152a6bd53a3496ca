package web

import (
	"net/http"
	"slices"
	"strings"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// newAgent shows the form for another agent. What needs nobody's signature is
// ticked.
func (s *Server) newAgent(w http.ResponseWriter, r *http.Request) error {
	form := agentForm{reasoning: true}
	for _, t := range s.config.Engine.Tools() {
		if _, asks := t.(agent.Asker); asks || t.Definition().ReadOnly && t.Definition().Connector == "" {
			form.tools = append(form.tools, t.Definition().Name)
		}
	}
	return s.showAgent(w, r, http.StatusOK, agent.Agent{}, form, nil)
}

// editAgent shows a stored agent.
func (s *Server) editAgent(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	return s.showAgent(w, r, http.StatusOK, saved, agentFormOf(saved), nil)
}

// showAgent shows the form of an agent, which is empty for a new one.
func (s *Server) showAgent(w http.ResponseWriter, r *http.Request, status int, saved agent.Agent, form agentForm, problems map[string]string) error {
	list, err := s.agentModels(r, saved)
	if err != nil {
		return err
	}
	connectors, err := s.config.DB.Connectors().List(r.Context())
	if err != nil {
		return err
	}
	heading := saved.Name
	if saved.ID == "" {
		heading = "New agent"
	}
	page, err := s.page(r, heading, views.SectionAgents)
	if err != nil {
		return err
	}
	page.Narrow = true
	props := views.AgentForm{
		Page: page, ID: saved.ID, Heading: heading, Name: form.name, Instructions: form.instructions, Model: form.model,
		Tools: s.toolChoices(saved, form.tools, connectors), Reasoning: form.reasoning, BufferAttempts: form.buffer,
		Reviewer: form.reviewer, Reviewers: []views.Option{{Label: "No reviewer"}},
		Approval: form.approval, Question: form.question, Review: form.review, ModelCalls: form.modelCalls,
		BlockedRetries: form.maxRetries, SameCalls: form.sameCalls, AskSafety: form.askSafety, Guardrails: saved.Safety.Guardrails,
		Errors: problems,
	}
	for _, o := range list {
		props.Models = append(props.Models, views.Option{Value: o.value(), Label: o.ref.Model, Group: o.ref.ProviderName})
	}
	props.Reviewers = append(props.Reviewers, props.Models...)
	return s.render(w, r, status, views.Agent(props))
}

// agentModels are the models to choose from: those that are offered, and a
// stored agent's own even if they are not.
func (s *Server) agentModels(r *http.Request, saved agent.Agent) ([]offer, error) {
	list, err := s.offers(r.Context())
	if err != nil {
		return nil, err
	}
	for _, ref := range []agent.ModelRef{saved.Model, saved.Reviewer} {
		if own, offered := offerOf(list, ref); !offered && ref != (agent.ModelRef{}) {
			list = append(list, own)
		}
	}
	return list, nil
}

// toolChoices are the tools that there are, and those that the agent has
// although they are not there any more.
func (s *Server) toolChoices(saved agent.Agent, chosen []string, connectors []models.Connector) []views.ToolChoice {
	var list []views.ToolChoice
	for _, t := range s.config.Engine.Tools() {
		d := t.Definition()
		if d.Connector != "" {
			continue
		}
		list = append(list, views.ToolChoice{
			Name: d.Name, Title: d.Title, About: firstSentence(d.Description), When: whenItRuns(t), Checked: slices.Contains(chosen, d.Name),
		})
	}
	for _, c := range connectors {
		list = append(list, views.ToolChoice{
			Name: c.Prefix() + "*", Title: "All tools of " + c.Name, About: "Those of the connector, also ones that come later.",
			When: "What its server does not mark as read-only waits for a countersignature.", Checked: slices.Contains(chosen, c.Prefix()+"*"),
		})
	}
	for _, name := range saved.Tools {
		if slices.ContainsFunc(s.config.Engine.Tools(), func(t agent.Tool) bool { return t.Definition().Name == name && t.Definition().Connector != "" }) {
			list = append(list, views.ToolChoice{Name: name, Title: "One tool of a connector", Checked: slices.Contains(chosen, name)})
		} else if !slices.ContainsFunc(list, func(c views.ToolChoice) bool { return c.Name == name }) {
			list = append(list, views.ToolChoice{Name: name, Title: "Not there any more", Checked: slices.Contains(chosen, name)})
		}
	}
	return list
}

// whenItRuns says whether a tool asks first.
func whenItRuns(t agent.Tool) string {
	if _, asks := t.(agent.Asker); asks {
		return "Asks a person, and waits for the answer."
	}
	if t.Definition().ReadOnly {
		return "Runs by itself."
	}
	return "Waits for a countersignature."
}

// firstSentence is what a description written for models says first.
func firstSentence(text string) string {
	if before, _, more := strings.Cut(text, ". "); more {
		return before + "."
	}
	return text
}
