package web

import (
	"net/http"
	"slices"

	"countersign/agent"
	"countersign/views"
)

// listAgents shows every agent.
func (s *Server) listAgents(w http.ResponseWriter, r *http.Request) error {
	list, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	models, err := s.offers(r.Context())
	if err != nil {
		return err
	}
	page, err := s.page(r, "Agents", views.SectionAgents)
	if err != nil {
		return err
	}
	props := views.AgentsProps{Page: page, CanAdd: len(models) > 0}
	for _, a := range list {
		_, offered := offerOf(models, a.Model)
		props.Rows = append(props.Rows, views.AgentRow{ID: a.ID, Name: a.Name, Model: a.Model, Tools: a.Tools, Missing: !offered})
	}
	return s.render(w, r, http.StatusOK, views.Agents(props))
}

// offerOf finds the offer of a model that was chosen before. Its provider may
// have another name by now.
func offerOf(list []offer, ref agent.ModelRef) (offer, bool) {
	i := slices.IndexFunc(list, func(o offer) bool { return o.ref.Provider == ref.Provider && o.ref.Model == ref.Model })
	if i < 0 {
		return offer{ref: ref}, false
	}
	return list[i], true
}
