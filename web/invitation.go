package web

import (
	"errors"
	"net/http"

	"countersign/models"
	"countersign/views"
)

// showInvitation shows whoever has the link of an invitation the form that
// accepts it.
func (s *Server) showInvitation(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	invited, err := s.invitation(r, token)
	if err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, views.Invitation(views.InvitationProps{
		Token: token, Email: invited.Email, Name: invited.Name, MinPassword: minPassword,
	}))
}

func (s *Server) invitation(r *http.Request, token string) (models.Invitation, error) {
	invited, err := s.config.DB.Invitations().Find(r.Context(), models.NewSecret(token))
	if errors.Is(err, models.ErrNotFound) {
		err = errInvitation
	}
	return invited, err
}

// acceptInvitation makes a user and signs them in. Of two at once, storage
// lets one win. A session that the browser had before ends.
func (s *Server) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(r); err != nil {
		return err
	}
	token := r.PostFormValue("token")
	invited, err := s.invitation(r, token)
	if err != nil {
		return err
	}
	name := r.PostFormValue("name")
	user, err := s.config.DB.Invitations().Accept(r.Context(), models.NewSecret(token), name, models.NewSecret(r.PostFormValue("password")))
	var invalid models.Invalid
	switch {
	case errors.As(err, &invalid):
		return s.render(w, r, http.StatusUnprocessableEntity, views.Invitation(views.InvitationProps{
			Token: token, Email: invited.Email, Name: name, MinPassword: minPassword, Errors: invalid,
		}))
	case errors.Is(err, models.ErrNotFound):
		return errInvitation
	case err != nil:
		return err
	}
	s.log.InfoContext(r.Context(), "invitation accepted", "request", requestOf(r.Context()).id, "invitation", invited.ID, "user", string(user.ID))
	return s.signIn(w, r, user, views.HomeURL)
}
