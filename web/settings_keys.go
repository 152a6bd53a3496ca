package web

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// keysOf is whose keys a person may see and revoke: their own, or for an admin
// everybody's, which is "".
func keysOf(u models.User) agent.UserID {
	if u.Role == models.RoleAdmin {
		return ""
	}
	return u.ID
}

// listKeys shows the API keys.
func (s *Server) listKeys(w http.ResponseWriter, r *http.Request) error {
	rows, err := s.keyRows(r)
	if err != nil {
		return err
	}
	page, err := s.page(r, "API keys", views.SectionKeys)
	if err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, views.Keys(views.KeysProps{Page: page, Keys: rows}))
}

func (s *Server) keyRows(r *http.Request) ([]views.KeyRow, error) {
	user, _ := currentUser(r.Context())
	list, err := s.config.DB.APIKeys().List(r.Context(), keysOf(user))
	if err != nil {
		return nil, err
	}
	people, err := s.config.DB.Users().List(r.Context())
	if err != nil {
		return nil, err
	}
	names := make(map[agent.UserID]string)
	for _, u := range people {
		names[u.ID] = u.Name
	}
	delete(names, user.ID)
	rows := make([]views.KeyRow, len(list))
	for i, k := range list {
		rows[i] = views.KeyRow{
			ID: k.ID, Name: k.Name, Prefix: k.Prefix, Person: names[k.User],
			CreatedAt: k.CreatedAt, UsedAt: k.UsedAt, ExpiresAt: k.ExpiresAt,
		}
		for _, scope := range k.Scopes {
			rows[i].Scopes = append(rows[i].Scopes, string(scope))
		}
	}
	return rows, nil
}

// newKey shows the form of a new key.
func (s *Server) newKey(w http.ResponseWriter, r *http.Request) error {
	return s.showKeyForm(w, r, http.StatusOK, views.KeyForm{Scopes: []string{string(models.ScopeRead)}, Days: "90"})
}

func (s *Server) showKeyForm(w http.ResponseWriter, r *http.Request, status int, form views.KeyForm) error {
	var err error
	if form.Page, err = s.page(r, "Create a key", views.SectionKeys); err != nil {
		return err
	}
	form.Narrow = true
	return s.render(w, r, status, views.NewKey(form))
}

// createKey makes a key for the person who asks and shows its token, in the
// answer to the form: nothing that is stored could show it later.
func (s *Server) createKey(w http.ResponseWriter, r *http.Request) error {
	user, _ := currentUser(r.Context())
	if err := readForm(r); err != nil {
		return err
	}
	n := models.APIKey{User: user.ID, By: user.ID, Name: r.PostFormValue("name")}
	form := views.KeyForm{Name: n.Name, Days: r.PostFormValue("days")}
	for _, scope := range models.Scopes {
		if r.PostFormValue(string(scope)) != "" {
			n.Scopes, form.Scopes = append(n.Scopes, scope), append(form.Scopes, string(scope))
		}
	}
	if form.Days != "" {
		days, err := strconv.Atoi(form.Days)
		if err != nil || days < 1 || days > 3650 {
			return errBadForm
		}
		n.ExpiresAt = s.config.Now().Add(time.Duration(days) * 24 * time.Hour)
	}
	key, token, err := s.config.DB.APIKeys().Create(r.Context(), n)
	var invalid models.Invalid
	if errors.As(err, &invalid) {
		form.Errors = invalid
		return s.showKeyForm(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "API key created", "request", requestOf(r.Context()).id, "key", string(key.ID), "user", string(user.ID))
	page, err := s.page(r, "API key", views.SectionKeys)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.CreatedKey(views.CreatedKeyProps{Page: page, Name: key.Name, Token: token.Reveal()}))
}

// confirmRevocation says what revoking a key does.
func (s *Server) confirmRevocation(w http.ResponseWriter, r *http.Request) error {
	rows, err := s.keyRows(r)
	if err != nil {
		return err
	}
	page, err := s.page(r, "Revoke a key", views.SectionKeys)
	if err != nil {
		return err
	}
	page.Narrow = true
	for _, row := range rows {
		if row.ID == agent.KeyID(r.PathValue("key")) {
			return s.render(w, r, http.StatusOK, views.Revocation(views.RevocationProps{Page: page, Key: row}))
		}
	}
	return agent.ErrNotFound
}

// revokeKey ends a key, and what it follows.
func (s *Server) revokeKey(w http.ResponseWriter, r *http.Request) error {
	user, _ := currentUser(r.Context())
	key, err := s.config.DB.APIKeys().Revoke(r.Context(), agent.KeyID(r.PathValue("key")), keysOf(user))
	if err != nil {
		return err
	}
	s.KeyRevoked(key.ID)
	s.log.InfoContext(r.Context(), "API key revoked", "request", requestOf(r.Context()).id, "key", string(key.ID), "user", string(user.ID))
	return s.redirect(w, r, views.KeysURL, "The key "+key.Name+" was revoked.")
}
