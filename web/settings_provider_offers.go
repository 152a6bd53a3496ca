package web

import (
	"errors"
	"net/http"
	"slices"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// modelNames are the models of a provider, the default one first.
func modelNames(p models.Provider) []string {
	list := make([]string, len(p.Models))
	for i, m := range p.Models {
		list[i] = m.Name
	}
	return list
}

// newModels are those of a list that the provider does not have yet.
func newModels(p models.Provider, listed []string) []string {
	known := modelNames(p)
	var list []string
	for _, id := range listed {
		if !slices.Contains(known, id) {
			list = append(list, id)
		}
	}
	return list
}

// addModel adds a model that a test has found.
func (s *Server) addModel(w http.ResponseWriter, r *http.Request) error {
	p, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	if isPractice(p) {
		return errPractice
	}
	if err := readForm(r); err != nil {
		return err
	}
	name := r.PostFormValue("model")
	list := append(slices.Clone(p.Models), models.ProviderModel{Name: name})
	_, err = s.config.DB.Providers().Update(r.Context(), p.ID, models.ProviderUpdate{Models: &list})
	var invalid models.Invalid
	if errors.As(err, &invalid) {
		return &agent.InputError{Message: "This model can't be added. " + invalid["models"]}
	}
	if err != nil {
		return err
	}
	s.health.added(p.ID, name)
	moved, err := s.keepAgentUsable(r.Context(), len(p.Models) == 0)
	if err != nil {
		return err
	}
	return s.redirect(w, r, views.ProviderURL(p.ID)+"#"+views.IDProviderTest, "Added "+name+"."+movedWords(moved))
}
