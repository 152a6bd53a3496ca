package control

import (
	"context"
	"errors"
	"net/http"

	"countersign/models"
)

func (h handler) listUsers(r *http.Request) (any, error) {
	list, err := h.DB.Users().List(r.Context())
	if err != nil {
		return nil, err
	}
	users := make([]User, len(list))
	for i, u := range list {
		users[i] = userOf(u)
	}
	return users, nil
}

func userOf(u models.User) User { return User{u.Email, u.Name, u.Role, u.Disabled} }

func (h handler) createUser(r *http.Request) (any, error) {
	n, err := read[NewUser](r)
	if err != nil {
		return nil, err
	}
	u, err := h.DB.Users().Create(r.Context(), models.NewUser{
		Email: n.Email, Name: n.Name, Role: n.Role, Password: models.NewSecret(n.Password),
	})
	if err != nil {
		return nil, err
	}
	h.Log.InfoContext(r.Context(), "person created", "user", u.ID, "role", u.Role)
	return userOf(u), nil
}

// setPassword also signs the person out everywhere: whoever knew the old
// password may be in.
func (h handler) setPassword(r *http.Request) (any, error) {
	n, err := read[passwordRequest](r)
	if err != nil {
		return nil, err
	}
	u, err := h.user(r.Context(), n.Email)
	if err != nil {
		return nil, err
	}
	if err := h.DB.Users().SetPassword(r.Context(), u.ID, models.NewSecret(n.Password)); err != nil {
		return nil, err
	}
	h.Log.InfoContext(r.Context(), "password reset", "user", u.ID)
	return userOf(u), h.Site.EndSessions(r.Context(), u.ID)
}

func (h handler) setDisabled(r *http.Request) (any, error) {
	n, err := read[disabledRequest](r)
	if err != nil {
		return nil, err
	}
	u, err := h.user(r.Context(), n.Email)
	if err != nil {
		return nil, err
	}
	if n.Disabled {
		err = h.Site.Disable(r.Context(), u.ID)
	} else {
		err = h.DB.Users().SetDisabled(r.Context(), u.ID, false)
	}
	if err != nil {
		return nil, err
	}
	u.Disabled = n.Disabled
	h.Log.InfoContext(r.Context(), "person changed", "user", u.ID, "disabled", u.Disabled)
	return userOf(u), nil
}

func (h handler) user(ctx context.Context, email string) (models.User, error) {
	u, err := h.DB.Users().ByEmail(ctx, email)
	if errors.Is(err, models.ErrNotFound) {
		err = errNoUser
	}
	return u, err
}
