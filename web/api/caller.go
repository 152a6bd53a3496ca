package api

import (
	"errors"
	"net/http"
	"strings"

	"countersign/agent"
	"countersign/models"
)

// A caller is a program with a key, and the person for whom it acts.
type caller struct {
	key  models.APIKey
	user models.User
}

// actor is the caller as the journal names it.
func (c caller) actor() agent.Actor {
	return agent.Actor{User: c.user.ID, Name: c.user.Name, Key: c.key.ID, KeyName: c.key.Name}
}

// maxToken is longer than any token.
const maxToken = 200

// tokenOf reads the token of a request: one, in one of two headers.
func tokenOf(r *http.Request) (models.Secret, bool) {
	var found []string
	found = append(found, r.Header.Values("X-API-Key")...)
	for _, value := range r.Header.Values("Authorization") {
		scheme, token, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return models.Secret{}, false
		}
		found = append(found, strings.TrimSpace(token))
	}
	if len(found) != 1 || len(found[0]) > maxToken || !strings.HasPrefix(found[0], models.TokenPrefix) {
		return models.Secret{}, false
	}
	return models.NewSecret(found[0]), true
}

// identify finds out who calls.
func (s *Server) identify(r *http.Request) (caller, error) {
	token, ok := tokenOf(r)
	if !ok {
		return caller{}, errNoKey
	}
	key, user, err := s.DB.APIKeys().Use(r.Context(), token)
	if errors.Is(err, models.ErrNotFound) {
		err = errNoKey
	}
	return caller{key, user}, err
}
