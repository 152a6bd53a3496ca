package web

import (
	"errors"
	"net/http"
	"strings"

	"countersign/models"
	"countersign/views"
)

// newInvitation shows the form that invites somebody.
func (s *Server) newInvitation(w http.ResponseWriter, r *http.Request) error {
	return s.showInvite(w, r, http.StatusOK, views.InviteForm{Role: string(models.RoleMember)})
}

func (s *Server) showInvite(w http.ResponseWriter, r *http.Request, status int, form views.InviteForm) error {
	var err error
	if form.Page, err = s.page(r, "Invite somebody", views.SectionPeople); err != nil {
		return err
	}
	form.Narrow = true
	return s.render(w, r, status, views.Invite(form))
}

// invite makes an invitation and shows its link, in the answer to the form:
// nothing that is stored could show it later.
func (s *Server) invite(w http.ResponseWriter, r *http.Request) error {
	user, _ := currentUser(r.Context())
	if err := readForm(r); err != nil {
		return err
	}
	n := models.Invitation{
		Email: strings.TrimSpace(r.PostFormValue("email")), Name: strings.TrimSpace(r.PostFormValue("name")),
		Role: models.Role(r.PostFormValue("role")), By: user.ID,
	}
	n, token, err := s.config.DB.Invitations().Create(r.Context(), n)
	var invalid models.Invalid
	if errors.As(err, &invalid) {
		return s.showInvite(w, r, http.StatusUnprocessableEntity, views.InviteForm{
			Email: r.PostFormValue("email"), Name: r.PostFormValue("name"), Role: r.PostFormValue("role"), Errors: invalid,
		})
	}
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "somebody invited", "request", requestOf(r.Context()).id, "invitation", n.ID, "user", string(user.ID))
	page, err := s.page(r, "Invitation", views.SectionPeople)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Invited(views.InvitedProps{
		Page: page, Email: n.Email, Expires: n.ExpiresAt, Link: s.base(r) + views.AcceptURL(token.Reveal()),
	}))
}

// base is the address of this server as browsers write it.
func (s *Server) base(r *http.Request) string {
	switch {
	case s.config.PublicURL != "":
		return strings.TrimSuffix(s.config.PublicURL, "/")
	case s.isHTTPS(r):
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// withdrawInvitation ends an invitation that nobody has accepted.
func (s *Server) withdrawInvitation(w http.ResponseWriter, r *http.Request) error {
	n, err := s.config.DB.Invitations().Withdraw(r.Context(), r.PathValue("invitation"))
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "invitation withdrawn", "request", requestOf(r.Context()).id, "invitation", n.ID, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.PeopleURL, "The invitation of "+n.Email+" was withdrawn.")
}
