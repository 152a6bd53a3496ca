package web

import (
	"errors"
	"net/http"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

var errPractice = &agent.InputError{Message: "The practice provider can't be changed."}

// createProvider stores a new connection.
func (s *Server) createProvider(w http.ResponseWriter, r *http.Request) error {
	form, err := parseProvider(r)
	if err != nil {
		return err
	}
	p, problems := form.read(models.Provider{})
	if len(problems) > 0 {
		return s.refuseProvider(w, r, form, nil, problems)
	}
	saved, err := s.config.DB.Providers().Create(r.Context(), p, form.credential())
	return s.savedProvider(w, r, form, nil, saved, err)
}

// updateProvider changes a connection.
func (s *Server) updateProvider(w http.ResponseWriter, r *http.Request) error {
	before, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	if isPractice(before) {
		return errPractice
	}
	form, err := parseProvider(r)
	if err != nil {
		return err
	}
	p, problems := form.read(before)
	if len(problems) > 0 {
		return s.refuseProvider(w, r, form, &before, problems)
	}
	saved, err := s.config.DB.Providers().Update(r.Context(), before.ID, form.update(p))
	return s.savedProvider(w, r, form, &before, saved, err)
}

// refuseProvider shows the form again, with what is wrong.
func (s *Server) refuseProvider(w http.ResponseWriter, r *http.Request, form providerForm, before *models.Provider, problems map[string]string) error {
	props, err := s.typedProps(r, form, before, problems)
	if err != nil {
		return err
	}
	return s.showProvider(w, r, http.StatusUnprocessableEntity, props)
}

// savedProvider ends a form that storage took or refused.
func (s *Server) savedProvider(w http.ResponseWriter, r *http.Request, form providerForm, before *models.Provider, saved models.Provider, err error) error {
	var invalid models.Invalid
	if errors.As(err, &invalid) {
		return s.refuseProvider(w, r, form, before, invalid)
	}
	if err != nil {
		return err
	}
	s.health.drop(saved.ID) // it was another connection that was tested
	moved, err := s.keepAgentUsable(r.Context(), before == nil || len(before.Models) == 0)
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "provider saved", "request", requestOf(r.Context()).id, "provider", saved.ID, "user", requestOf(r.Context()).user)
	if form.test {
		if _, err := s.test(r.Context(), saved, ""); err != nil {
			return err
		}
		return s.redirect(w, r, views.ProviderURL(saved.ID)+"#"+views.IDProviderTest, "Saved and tested."+movedWords(moved))
	}
	if len(saved.Models) == 0 {
		return s.redirect(w, r, views.ProviderURL(saved.ID)+"#"+views.IDProviderTest, "Saved. It has no model yet: find some here, or type their ids above."+movedWords(moved))
	}
	return s.redirect(w, r, views.ProviderURL(saved.ID), "Saved."+movedWords(moved))
}
