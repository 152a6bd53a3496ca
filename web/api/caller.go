package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"countersign/agent"
	"countersign/models"
)

// A caller is who asks: a program with a key, for the person of the key, an end
// user with a token that such a program made, or the operator's command, which
// is the person.
type caller struct {
	key  models.APIKey
	user models.User
	// end is the end user, nil for a program; their token works until then.
	end   *models.EndUser
	until time.Time
	// operator says that it is a command of whoever runs the server.
	operator bool
}

// endUserScopes are what an end user may, in their own conversations. They are
// a person: what they decide on, they were asked.
var endUserScopes = []models.Scope{models.ScopeRead, models.ScopeRun, models.ScopeDecide}

// may reports whether the caller has a scope.
func (c caller) may(s models.Scope) bool {
	if c.end != nil {
		return slices.Contains(endUserScopes, s)
	}
	return c.operator || c.key.May(s)
}

// owner is whose conversations the caller has.
func (c caller) owner() agent.UserID {
	if c.end != nil {
		return c.end.ID
	}
	return c.user.ID
}

// name tells callers apart: their requests are theirs, and so are their limits.
func (c caller) name() string {
	if c.end != nil {
		return string(c.end.ID)
	}
	if c.operator {
		return "operator " + string(c.user.ID)
	}
	return string(c.key.ID)
}

// actor is the caller as the journal names it.
func (c caller) actor() agent.Actor {
	if c.end != nil {
		return agent.Actor{User: c.end.ID, Name: c.end.Name}
	}
	return agent.Actor{User: c.user.ID, Name: c.user.Name, Key: c.key.ID, KeyName: c.key.Name}
}

// maxToken is longer than any token.
const maxToken = 200

// tokenOf reads the token of a request, in one of two headers or, as clients
// that were made from the document have it, the same in both.
func tokenOf(r *http.Request) (string, bool) {
	var found []string
	found = append(found, r.Header.Values("X-API-Key")...)
	for _, value := range r.Header.Values("Authorization") {
		scheme, token, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", false
		}
		found = append(found, strings.TrimSpace(token))
	}
	if found = slices.Compact(found); len(found) != 1 || len(found[0]) > maxToken {
		return "", false
	}
	return found[0], true
}

// identify finds out who calls.
func (s *Server) identify(r *http.Request) (c caller, err error) {
	if c, ok := r.Context().Value(operatorKey{}).(caller); ok {
		return c, nil
	}
	token, _ := tokenOf(r)
	switch {
	case strings.HasPrefix(token, models.TokenPrefix):
		c.key, c.user, err = s.DB.APIKeys().Use(r.Context(), models.NewSecret(token))
	case strings.HasPrefix(token, models.EndUserTokenPrefix):
		var end models.EndUser
		end, c.key, c.until, err = s.DB.EndUsers().Use(r.Context(), models.NewSecret(token))
		c.end, c.user.ID = &end, end.Host
	default:
		err = errNoKey
	}
	return c, orUnknown(err, errNoKey)
}

// mayStill returns an error once a caller may not follow a run any more.
func (s *Server) mayStill(c *call) error {
	if c.operator {
		return nil
	}
	key, _, err := s.DB.APIKeys().Check(c.Context(), c.key.ID)
	switch {
	case errors.Is(err, models.ErrNotFound):
		return errNoKey
	case err != nil:
		return err
	case c.end != nil && (!key.May(models.ScopeAdmin) || !s.Now().Before(c.until)):
		return errNoKey
	case c.end == nil && !key.May(models.ScopeRead):
		return errScope(string(models.ScopeRead))
	}
	return nil
}
