package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"countersign/agent"
	"countersign/models"
	"countersign/providers/practice"
	"countersign/views"
)

// newConversation shows the page that a conversation starts from.
func (s *Server) newConversation(w http.ResponseWriter, r *http.Request) error {
	return s.renderNew(w, r, http.StatusOK, views.ComposerProps{Message: newMessageID(), Model: r.URL.Query().Get("model")})
}

func (s *Server) renderNew(w http.ResponseWriter, r *http.Request, status int, composer views.ComposerProps) error {
	chosen, err := s.defaultAgent(r.Context())
	if err != nil && !errors.Is(err, models.ErrNotFound) {
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
	props := views.NewConversationProps{Page: page, AgentName: chosen.Name, Composer: composer}
	for _, o := range offers {
		props.Composer.Models = append(props.Composer.Models, views.Option{Value: o.value(), Label: o.ref.Model + " on " + o.ref.ProviderName})
		if o.practice {
			props.SuggestionModel = o.value()
		}
		if props.Composer.Model == "" && o.ref.Provider == chosen.Model.Provider && o.ref.Model == chosen.Model.Model {
			props.Composer.Model = o.value()
		}
	}
	if composer.Text == "" && composer.Error == "" {
		props.Composer.Reasoning = chosen.Output.Reasoning
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
	chosen, err := s.defaultAgent(r.Context())
	if errors.Is(err, models.ErrNotFound) {
		return &agent.InputError{Message: "No provider is connected yet, so nobody can answer. An admin can connect one in the settings."}
	}
	if err != nil {
		return err
	}
	m.Output.BufferAttempts = chosen.Output.BufferAttempts
	offers, err := s.offers(r.Context())
	if err != nil {
		return err
	}
	var model *offer
	for i, o := range offers {
		if o.value() == r.PostFormValue("model") {
			model = &offers[i]
		}
	}
	err = &agent.InputError{Message: "This model is not offered any more. Choose another one."}
	var sent agent.Sent
	if model != nil {
		sent, err = s.config.Engine.Create(r.Context(), agent.NewConversation{Agent: chosen, Model: model.ref, SendMessage: m})
	}
	var refused *agent.InputError
	if errors.As(err, &refused) {
		return s.renderNew(w, r, http.StatusUnprocessableEntity, views.ComposerProps{
			Message: newMessageID(), Text: m.Text, Error: refused.Message,
			Reasoning: m.Output.Reasoning, Model: r.PostFormValue("model"),
		})
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, views.ConversationURL(sent.Conversation), http.StatusSeeOther)
	return nil
}

// defaultAgent is the agent of new conversations: the oldest one. Without any,
// it is not found.
func (s *Server) defaultAgent(ctx context.Context) (agent.Agent, error) {
	list, err := s.config.DB.Agents().List(ctx)
	if err != nil {
		return agent.Agent{}, err
	}
	if len(list) == 0 {
		return agent.Agent{}, models.ErrNotFound
	}
	return list[0], nil
}

// An offer is a model that a conversation may start with.
type offer struct {
	ref      agent.ModelRef
	practice bool
}

func (o offer) value() string { return o.ref.Provider + "/" + o.ref.Model }

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
