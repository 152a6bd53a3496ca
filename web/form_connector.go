package web

import (
	"net/http"
	"strings"
	"time"

	"countersign/models"
)

// The kinds of connectors in a form.
const (
	kindStdio = "stdio"
	kindHTTP  = "http"
)

// A connectorForm is what the page of a connector sends.
type connectorForm struct {
	name    string
	kind    string
	command string // a part a line
	dir     string
	env     string // names with spaces between them
	url     string
	private bool
	headers models.Secret // one a line
	timeout string
	on      bool
}

func parseConnector(r *http.Request) (connectorForm, error) {
	if err := readForm(r); err != nil {
		return connectorForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(lineFeeds(r.PostFormValue(name))) }
	return connectorForm{
		name: text("name"), kind: text("kind"), command: text("command"), dir: text("dir"), env: text("env"), url: text("url"),
		private: r.PostFormValue("allow_private_network") == "on", headers: models.NewSecret(text("headers")),
		timeout: text("timeout"), on: r.PostFormValue("on") == "on",
	}, nil
}

// connectorFormOf is the form of a stored connector.
func connectorFormOf(c models.Connector) connectorForm {
	f := connectorForm{
		name: c.Name, kind: kindStdio, command: strings.Join(c.Argv, "\n"), dir: c.Dir, env: strings.Join(c.Env, " "),
		url: c.URL, private: c.AllowPrivateNetwork, timeout: shortDuration(c.Timeout), on: !c.Off,
	}
	if c.URL != "" {
		f.kind = kindHTTP
	}
	return f
}

// connector reads the form into a connector and says what is wrong with it, by
// field. Whether it is a good one is for storage to say.
func (f connectorForm) connector(id string) (models.Connector, map[string]string) {
	problems := make(map[string]string)
	c := models.Connector{ID: id, Name: f.name, Off: !f.on}
	switch f.kind {
	case kindHTTP:
		c.URL, c.AllowPrivateNetwork = f.url, f.private
		if f.url == "" {
			problems["url"] = "Enter the address."
		}
	default:
		for line := range strings.Lines(f.command) {
			if line = strings.TrimSpace(line); line != "" {
				c.Argv = append(c.Argv, line)
			}
		}
		c.Dir, c.Env = f.dir, strings.Fields(strings.ReplaceAll(f.env, ",", " "))
	}
	if f.timeout != "" {
		var err error
		if c.Timeout, err = time.ParseDuration(f.timeout); err != nil || c.Timeout <= 0 {
			problems["timeout"] = "Enter a time such as 30s or 2m."
		}
	}
	return c, problems
}

// noHeaders, alone, takes the saved headers away.
const noHeaders = "-"

// values are the headers that were typed, nil to keep what is saved.
func (f connectorForm) values() map[string]models.Secret {
	text := f.headers.Reveal()
	switch {
	case f.kind != kindHTTP || text == noHeaders:
		return map[string]models.Secret{}
	case text == "":
		return nil
	}
	headers := make(map[string]models.Secret)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			name, value, _ := strings.Cut(line, ":")
			headers[strings.TrimSpace(name)] = models.NewSecret(strings.TrimSpace(value))
		}
	}
	return headers
}
