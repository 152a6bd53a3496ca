package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"countersign/models"
	"countersign/providers"
	"countersign/providers/practice"
	"countersign/views"
)

// addPractice registers the scripted provider, once, and leads to a new
// conversation with it, whatever the agent's own model is.
func (s *Server) addPractice(w http.ResponseWriter, r *http.Request) error {
	there, err := s.hasPractice(r.Context())
	if err != nil {
		return err
	}
	if !there {
		_, err = s.config.DB.Providers().Create(r.Context(), models.Provider{
			Name: "Practice", API: providers.APIChatCompletions, BaseURL: practice.Address,
			ProviderOptions: models.ProviderOptions{Models: []models.ProviderModel{{Name: practice.Model}}},
		}, models.Credential{Kind: models.CredentialNone})
	}
	if err != nil {
		// Of two clicks at once one is refused, because the name is taken.
		if there, again := s.hasPractice(r.Context()); again != nil || !there {
			return err
		}
	}
	moved, err := s.keepAgentUsable(r.Context(), false)
	if err != nil {
		return err
	}
	offers, err := s.offers(r.Context())
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(offers, func(o offer) bool { return o.practice }); i >= 0 {
		return s.redirect(w, r, views.NewWithURL(offers[i].value()), strings.TrimSpace(movedWords(moved)))
	}
	return s.redirect(w, r, views.HomeURL, "")
}

func (s *Server) hasPractice(ctx context.Context) (bool, error) {
	list, err := s.config.DB.Providers().List(ctx)
	return slices.ContainsFunc(list, isPractice), err
}
