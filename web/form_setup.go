package web

import (
	"net/http"
	"strings"

	"countersign/models"
	"countersign/views"
)

// minPassword is what the form says and browsers check; models has the rule.
const minPassword = 12

// A setupForm is what the form for the first admin sends.
type setupForm struct {
	code     string
	name     string
	email    string
	password models.Secret
}

func parseSetup(r *http.Request) (setupForm, error) {
	if err := readForm(r); err != nil {
		return setupForm{}, err
	}
	return setupForm{
		code:     strings.TrimSpace(r.PostFormValue("token")),
		name:     strings.TrimSpace(r.PostFormValue("name")),
		email:    strings.TrimSpace(r.PostFormValue("email")),
		password: models.NewSecret(r.PostFormValue("password")),
	}, nil
}

// props shows the form again. A password is typed anew.
func (f setupForm) props(problems map[string]string) views.SetupProps {
	return views.SetupProps{Code: f.code, Name: f.name, Email: f.email, MinPassword: minPassword, Errors: problems}
}
