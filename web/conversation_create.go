package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"countersign/agent"
	"countersign/providers/practice"
	"countersign/views"
)

// newConversation shows the page that a conversation starts from.
func (s *Server) newConversation(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	composer := views.ComposerProps{Message: newMessageID(), Model: query.Get("model"), From: agent.ConversationID(query.Get("from"))}
	return s.renderNew(w, r, http.StatusOK, composer)
}

func (s *Server) renderNew(w http.ResponseWriter, r *http.Request, status int, composer views.ComposerProps) error {
	agents, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	offers, err := s.offers(r.Context())
	if err != nil {
		return err
	}
	page, err := s.page(r, "New conversation", views.SectionNew)
	if err != nil {
		return err
	}
	if composer.From != "" {
		from, err := s.ownHead(r, composer.From)
		if err != nil {
			return err
		}
		composer.FromTitle = from.Title
	}
	chosen, _ := agentOf(agents, composer.Agent)
	props := views.NewConversationProps{Page: page, AgentName: chosen.Name, Composer: composer}
	if len(agents) > 1 {
		for _, a := range agents {
			props.Composer.Agents = append(props.Composer.Agents, views.Option{Value: string(a.ID), Label: a.Name})
		}
		if len(offers) > 0 {
			props.Composer.Models = []views.Option{{Label: "The agent's own model"}}
		}
	}
	for _, o := range offers {
		props.Composer.Models = append(props.Composer.Models, views.Option{Value: o.value(), Label: o.ref.Model + " on " + o.ref.ProviderName})
		if o.practice {
			props.SuggestionModel = o.value()
		}
		if len(agents) == 1 && props.Composer.Model == "" && o.is(chosen.Model) {
			props.Composer.Model = o.value()
		}
	}
	if composer.Text == "" && composer.Error == "" {
		props.Composer.Output = chosen.Output
	}
	if props.SuggestionModel != "" {
		for _, sg := range practice.Suggestions() {
			props.Suggestions = append(props.Suggestions, views.Suggestion{Label: sg.Label, Message: sg.Message})
		}
	}
	return s.render(w, r, status, views.NewConversation(props))
}

// createConversation opens a conversation with its first message.
func (s *Server) createConversation(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	m, err := readMessage(r, v.user)
	if err != nil {
		return err
	}
	agents, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	offers, err := s.offers(r.Context())
	if err != nil {
		return err
	}
	if len(agents) == 0 {
		return &agent.InputError{Message: "No provider is connected yet, so nobody can answer. An admin can connect one in the settings."}
	}
	var sent agent.Sent
	if err = s.takeFiles(r, &m); err == nil {
		sent, err = s.create(r, agents, offers, m)
	}
	var refused *agent.InputError
	if errors.As(err, &refused) {
		return s.renderNew(w, r, http.StatusUnprocessableEntity, views.ComposerProps{
			Message: newMessageID(), Text: m.Text, Error: refused.Message, Files: m.Attachments,
			Output: m.Output, From: agent.ConversationID(r.PostFormValue("from")), Agent: r.PostFormValue("agent"), Model: r.PostFormValue("model"),
		})
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, views.ConversationURL(sent.Conversation), http.StatusSeeOther)
	return nil
}

// create opens a conversation with the agent and the model that the form
// names: the oldest agent where it names none, and then the agent's own model.
func (s *Server) create(r *http.Request, agents []agent.Agent, offers []offer, m agent.SendMessage) (agent.Sent, error) {
	chosen, ok := agentOf(agents, r.PostFormValue("agent"))
	if !ok {
		return agent.Sent{}, &agent.InputError{Message: "This agent is not there any more. Choose another one."}
	}
	value := r.PostFormValue("model")
	i := slices.IndexFunc(offers, func(o offer) bool { return o.value() == value || value == "" && o.is(chosen.Model) })
	if i < 0 {
		return agent.Sent{}, &agent.InputError{Message: "This model is not offered any more. Choose another one."}
	}
	n := agent.NewConversation{Agent: chosen, Model: offers[i].ref, SendMessage: m}
	if from := agent.ConversationID(r.PostFormValue("from")); from != "" {
		if _, err := s.ownHead(r, from); err != nil {
			return agent.Sent{}, err
		}
		copied, err := s.config.Engine.Copy(r.Context(), from)
		if err != nil {
			return agent.Sent{}, err
		}
		n.Copied = &copied
	}
	return s.config.Engine.Create(r.Context(), n)
}

// agentOf returns the agent with an id: the oldest one where no id is given.
func agentOf(agents []agent.Agent, id string) (agent.Agent, bool) {
	i := slices.IndexFunc(agents, func(a agent.Agent) bool { return id == "" || string(a.ID) == id })
	if i < 0 {
		return agent.Agent{}, false
	}
	return agents[i], true
}

// An offer is a model that a conversation may start with.
type offer struct {
	ref      agent.ModelRef
	practice bool
}

func (o offer) value() string { return o.ref.Provider + "/" + o.ref.Model }

// is reports whether the offer is the model that a reference names. Names of
// providers may have changed since.
func (o offer) is(ref agent.ModelRef) bool {
	return o.ref.Provider == ref.Provider && o.ref.Model == ref.Model
}

func (s *Server) offers(ctx context.Context) ([]offer, error) {
	rows, err := s.config.DB.Providers().List(ctx)
	if err != nil {
		return nil, err
	}
	var list []offer
	for _, p := range rows {
		for _, m := range p.Models {
			list = append(list, offer{
				ref:      agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: m.Name},
				practice: p.BaseURL == practice.Address,
			})
		}
	}
	return list, nil
}

// lineFeeds turns every line end into a line feed.
func lineFeeds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
