package api

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"countersign/agent"
	"countersign/models"
)

// choose finds the agent and the model of a new conversation. There is no
// fallback for one that is named and not there (contract P3).
func (s *Server) choose(ctx context.Context, in NewConversation) (agent.Agent, agent.ModelRef, error) {
	agents, err := s.DB.Agents().List(ctx)
	if err != nil {
		return agent.Agent{}, agent.ModelRef{}, err
	}
	var chosen *agent.Agent
	for i := range agents {
		if in.Agent == "" || agents[i].ID == in.Agent {
			chosen = &agents[i]
			break
		}
	}
	if chosen == nil {
		return agent.Agent{}, agent.ModelRef{}, invalid("There is no agent %q.", short(string(in.Agent)))
	}
	want := agent.ModelRef{Provider: chosen.Model.Provider, Model: chosen.Model.Model}
	if in.Model != nil {
		want = agent.ModelRef{Provider: in.Model.Provider, Model: in.Model.Name}
	}
	offers, err := s.offers(ctx)
	if err != nil {
		return agent.Agent{}, agent.ModelRef{}, err
	}
	for _, o := range offers {
		if o.Provider == want.Provider && o.Name == want.Model {
			want.ProviderName = o.ProviderName
			return *chosen, want, nil
		}
	}
	return agent.Agent{}, agent.ModelRef{}, invalid("The model %q of the provider %q is not offered.", short(want.Model), short(want.Provider))
}

func (s *Server) offers(ctx context.Context) ([]ModelOffer, error) {
	list, err := s.DB.Providers().List(ctx)
	if err != nil {
		return nil, err
	}
	offers := []ModelOffer{}
	for _, p := range list {
		for _, m := range p.Models {
			o := ModelOffer{Model: Model{p.ID, p.Name, m.Name}, Images: m.Images, PDF: m.PDF, Tools: m.Tools == nil || *m.Tools}
			if m.ContextWindow > 0 {
				o.ContextWindow = &m.ContextWindow
			}
			offers = append(offers, o)
		}
	}
	return offers, nil
}

// listModels answers with the models that a conversation may start with.
func (s *Server) listModels(c *call) (answer, error) {
	offers, err := s.offers(c.Context())
	if err != nil {
		return answer{}, err
	}
	return ok(ModelList{offers})
}

// listAgents answers with the agents.
func (s *Server) listAgents(c *call) (answer, error) {
	agents, err := s.DB.Agents().List(c.Context())
	if err != nil {
		return answer{}, err
	}
	out := AgentList{Data: []Agent{}}
	for _, a := range agents {
		if c.end == nil || c.end.Agent == a.ID {
			out.Data = append(out.Data, Agent{a.ID, a.Name, modelOf(a.Model), append([]string{}, a.Tools...)})
		}
	}
	return ok(out)
}

// listKeys answers with everybody's keys.
func (s *Server) listKeys(c *call) (answer, error) {
	list, err := s.DB.APIKeys().List(c.Context(), "")
	if err != nil {
		return answer{}, err
	}
	out := KeyList{Data: make([]Key, len(list))}
	for i, k := range list {
		out.Data[i] = Key{
			ID: k.ID, User: k.User, Name: k.Name, Prefix: k.Prefix, Scopes: []string{},
			CreatedAt: Time(k.CreatedAt), UsedAt: timeOrNull(k.UsedAt), ExpiresAt: timeOrNull(k.ExpiresAt),
		}
		for _, scope := range k.Scopes {
			out.Data[i].Scopes = append(out.Data[i].Scopes, string(scope))
		}
	}
	return ok(out)
}

// revokeKey ends a key, which may be the caller's own.
func (s *Server) revokeKey(c *call) (answer, error) {
	key, err := s.DB.APIKeys().Revoke(c.Context(), agent.KeyID(c.PathValue("key")), "")
	if err != nil {
		return answer{}, err
	}
	s.KeyRevoked(key.ID)
	s.log.InfoContext(c.Context(), "API key revoked", "key", string(key.ID), "by", string(c.key.ID), "user", string(c.user.ID))
	return answer{status: http.StatusNoContent}, nil
}

// mint makes a token for an end user of an agent.
func (s *Server) mint(c *call) (answer, error) {
	var in NewToken
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	if _, err := s.DB.Agents().Get(c.Context(), in.Agent); err != nil {
		return answer{}, orUnknown(err, invalid("There is no agent %q.", short(string(in.Agent))))
	}
	n := models.EndUser{Host: c.user.ID, Agent: in.Agent, External: in.EndUser, Name: in.Name}
	if n.Name == "" {
		n.Name = "End user"
	}
	_, token, expires, err := s.DB.EndUsers().Mint(c.Context(), c.key.ID, n)
	var problems models.Invalid
	if errors.As(err, &problems) {
		return answer{}, invalid("%s", strings.Join(slices.Sorted(maps.Values(problems)), " "))
	}
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: Token{token.Reveal(), Time(expires)}}, nil
}
