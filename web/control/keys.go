package control

import (
	"context"
	"errors"
	"net/http"
	"time"

	"countersign/agent"
	"countersign/models"
)

// A Key is an API key in answers. Its token is there once, when it is new.
type Key struct {
	ID        agent.KeyID    `json:"id"`
	Email     string         `json:"email"` // of its person
	Name      string         `json:"name"`
	Prefix    string         `json:"prefix"`
	Scopes    []models.Scope `json:"scopes"`
	UsedAt    time.Time      `json:"used_at,omitzero"`
	ExpiresAt time.Time      `json:"expires_at,omitzero"`
	Token     string         `json:"token,omitempty"`
}

// A NewKey is an API key to be.
type NewKey struct {
	Email  string         `json:"email"`
	Name   string         `json:"name"`
	Scopes []models.Scope `json:"scopes"`
	Lasts  time.Duration  `json:"lasts_ns,omitempty"` // 0 for good
}

type keyRequest struct {
	ID agent.KeyID `json:"id"`
}

var errNoAPIKey = &Error{"key_not_found", "There is no API key with this id.", http.StatusNotFound}

func keyOf(k models.APIKey, email string) Key {
	return Key{ID: k.ID, Email: email, Name: k.Name, Prefix: k.Prefix, Scopes: k.Scopes, UsedAt: k.UsedAt, ExpiresAt: k.ExpiresAt}
}

func (h handler) listKeys(r *http.Request) (any, error) {
	list, err := h.DB.APIKeys().List(r.Context(), "")
	if err != nil {
		return nil, err
	}
	people, err := h.DB.Users().List(r.Context())
	if err != nil {
		return nil, err
	}
	emails := make(map[agent.UserID]string)
	for _, u := range people {
		emails[u.ID] = u.Email
	}
	keys := make([]Key, len(list))
	for i, k := range list {
		keys[i] = keyOf(k, emails[k.User])
	}
	return keys, nil
}

func (h handler) createKey(r *http.Request) (any, error) {
	n, err := read[NewKey](r)
	if err != nil {
		return nil, err
	}
	u, err := h.user(r.Context(), n.Email)
	if err != nil {
		return nil, err
	}
	key := models.APIKey{User: u.ID, Name: n.Name, Scopes: n.Scopes}
	if n.Lasts != 0 {
		key.ExpiresAt = time.Now().Add(n.Lasts)
	}
	key, token, err := h.DB.APIKeys().Create(r.Context(), key)
	if err != nil {
		return nil, err
	}
	h.Log.InfoContext(r.Context(), "API key created", "key", key.ID, "user", u.ID)
	out := keyOf(key, u.Email)
	out.Token = token.Reveal()
	return out, nil
}

func (h handler) revokeKey(r *http.Request) (any, error) {
	n, err := read[keyRequest](r)
	if err != nil {
		return nil, err
	}
	key, err := h.DB.APIKeys().Revoke(r.Context(), n.ID, "")
	if errors.Is(err, models.ErrNotFound) {
		err = errNoAPIKey
	}
	if err != nil {
		return nil, err
	}
	h.Site.KeyRevoked(key.ID)
	h.Log.InfoContext(r.Context(), "API key revoked", "key", key.ID, "user", key.User)
	return keyOf(key, ""), nil
}

// Keys returns everybody's API keys, newest first.
func (c *Client) Keys(ctx context.Context) ([]Key, error) {
	return call[[]Key](ctx, c, http.MethodGet, pathKeys, nil)
}

// CreateKey makes an API key and returns it with its token.
func (c *Client) CreateKey(ctx context.Context, n NewKey) (Key, error) {
	return call[Key](ctx, c, http.MethodPost, pathKeys, n)
}

// RevokeKey ends an API key, and what it follows.
func (c *Client) RevokeKey(ctx context.Context, id agent.KeyID) (Key, error) {
	return call[Key](ctx, c, http.MethodPost, pathKeyRevoke, keyRequest{id})
}
