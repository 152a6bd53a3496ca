package web

import (
	"net/http"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// listPeople shows everybody, and who is invited.
func (s *Server) listPeople(w http.ResponseWriter, r *http.Request) error {
	people, err := s.config.DB.Users().List(r.Context())
	if err != nil {
		return err
	}
	invited, err := s.config.DB.Invitations().List(r.Context())
	if err != nil {
		return err
	}
	page, err := s.page(r, "People", views.SectionPeople)
	if err != nil {
		return err
	}
	props := views.PeopleProps{Page: page}
	for _, u := range people {
		props.People = append(props.People, personRow(r, u))
	}
	for _, n := range invited {
		props.Invited = append(props.Invited, views.InvitationRow{
			ID: n.ID, Email: n.Email, Role: string(n.Role), InvitedAt: n.CreatedAt, ExpiresAt: n.ExpiresAt,
		})
	}
	return s.render(w, r, http.StatusOK, views.People(props))
}

func personRow(r *http.Request, u models.User) views.PersonRow {
	self, _ := currentUser(r.Context())
	return views.PersonRow{
		ID: u.ID, Name: u.Name, Email: u.Email, Role: string(u.Role), Disabled: u.Disabled, Self: u.ID == self.ID,
		JoinedAt: u.CreatedAt, SeenAt: u.SeenAt,
	}
}

// showPerson shows what may be changed of a person.
func (s *Server) showPerson(w http.ResponseWriter, r *http.Request) error {
	people, err := s.config.DB.Users().List(r.Context())
	if err != nil {
		return err
	}
	var person *models.User
	others := false // somebody else may configure the server
	for i, u := range people {
		if u.ID == agent.UserID(r.PathValue("person")) {
			person = &people[i]
		} else if u.Role == models.RoleAdmin && !u.Disabled {
			others = true
		}
	}
	if person == nil {
		return models.ErrNotFound
	}
	page, err := s.page(r, person.Name, views.SectionPeople)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Person(views.PersonProps{
		Page: page, Person: personRow(r, *person), Last: !others,
	}))
}

// setRole changes what a person may do.
func (s *Server) setRole(w http.ResponseWriter, r *http.Request) error {
	return s.changePerson(w, r, func(u models.User) (string, error) {
		role := models.Role(r.PostFormValue("role"))
		if err := s.config.DB.Users().SetRole(r.Context(), u.ID, role); err != nil {
			return "", err
		}
		s.log.InfoContext(r.Context(), "role changed", "request", requestOf(r.Context()).id,
			"person", string(u.ID), "role", string(role), "user", requestOf(r.Context()).user)
		return "Saved.", nil
	})
}

// confirmDisabling says what disabling a person does.
func (s *Server) confirmDisabling(w http.ResponseWriter, r *http.Request) error {
	u, err := s.config.DB.Users().Get(r.Context(), agent.UserID(r.PathValue("person")))
	if err != nil {
		return err
	}
	runs, err := s.config.DB.Conversations().UnfinishedOf(r.Context(), u.ID)
	if err != nil {
		return err
	}
	page, err := s.page(r, "Disable a person", views.SectionPeople)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Disabling(views.DisablingProps{
		Page: page, Person: personRow(r, u), Runs: len(runs),
	}))
}

// setAccess disables a person, who is signed out everywhere and whose runs stop
// at once, or enables them again.
func (s *Server) setAccess(w http.ResponseWriter, r *http.Request) error {
	return s.changePerson(w, r, func(u models.User) (string, error) {
		self, _ := currentUser(r.Context())
		disabled := r.PostFormValue("disabled") == "true"
		if disabled && u.ID == self.ID {
			return "", &agent.InputError{Message: "You can’t disable yourself. Another admin can."}
		}
		var err error
		if disabled {
			err = s.disable(r.Context(), u.ID, actorOf(self))
		} else {
			err = s.config.DB.Users().SetDisabled(r.Context(), u.ID, false)
		}
		if err != nil {
			return "", err
		}
		s.log.InfoContext(r.Context(), "access changed", "request", requestOf(r.Context()).id,
			"person", string(u.ID), "disabled", disabled, "user", string(self.ID))
		if !disabled {
			return u.Name + " can sign in again.", nil
		}
		return u.Name + " is disabled and signed out.", nil
	})
}

// changePerson does something to the person that the address names, and says
// so on their page.
func (s *Server) changePerson(w http.ResponseWriter, r *http.Request, change func(models.User) (notice string, err error)) error {
	u, err := s.config.DB.Users().Get(r.Context(), agent.UserID(r.PathValue("person")))
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	notice, err := change(u)
	if err != nil {
		return err
	}
	return s.redirect(w, r, views.PersonURL(u.ID), notice)
}
