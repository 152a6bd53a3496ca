package web

import (
	"net/http"
	"strings"

	"countersign/models"
	"countersign/views"
	"countersign/web/connector"
)

// listConnectors shows every connector.
func (s *Server) listConnectors(w http.ResponseWriter, r *http.Request) error {
	list, err := s.config.DB.Connectors().List(r.Context())
	if err != nil {
		return err
	}
	page, err := s.page(r, "Connectors", views.SectionConnectors)
	if err != nil {
		return err
	}
	props := views.ConnectorsProps{Page: page}
	for _, c := range list {
		tools, err := s.config.DB.Connectors().Tools(r.Context(), c.ID)
		if err != nil {
			return err
		}
		row := views.ConnectorRow{ID: c.ID, Name: c.Name, Address: addressOf(c), Tools: len(tools)}
		for _, t := range tools {
			if t.Changed() {
				row.Changed++
			}
			if !t.Asks() && t.Verb != models.ToolBlocked {
				row.ReadOnly++
			}
		}
		row.State = s.connectorState(c, row.Changed)
		props.Rows = append(props.Rows, row)
	}
	return s.render(w, r, http.StatusOK, views.Connectors(props))
}

func addressOf(c models.Connector) string {
	if c.URL != "" {
		return c.URL
	}
	return "stdio: " + strings.Join(c.Argv, " ")
}

// connectorState is how a connector stands, in words.
func (s *Server) connectorState(c models.Connector, changed int) views.ConnectorState {
	now := s.config.Connectors.State(c.ID)
	state := views.ConnectorState{
		Since: now.Since, Error: now.Error, Next: now.Next, Server: now.Server, Notes: now.Notes, Stderr: now.Stderr,
	}
	switch {
	case c.Off || now.Phase == "":
		state.Tone, state.Text = views.ToneNote, "Off"
	case now.Phase == connector.Failed:
		state.Tone, state.Text = views.ToneBad, "Not connected"
	case now.Phase == connector.Connecting:
		state.Tone, state.Text = views.ToneNote, "Connecting"
	case changed > 0:
		state.Tone, state.Text = views.ToneAttn, "Review its tools"
	default:
		state.Tone, state.Text = views.ToneOK, "Connected"
	}
	return state
}

// newConnector shows the form for another connector.
func (s *Server) newConnector(w http.ResponseWriter, r *http.Request) error {
	return s.showConnector(w, r, http.StatusOK, models.Connector{}, connectorForm{kind: kindStdio, on: true}, nil)
}

// editConnector shows a stored connector.
func (s *Server) editConnector(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.connector(r)
	if err != nil {
		return err
	}
	return s.showConnector(w, r, http.StatusOK, saved, connectorFormOf(saved), nil)
}

func (s *Server) connector(r *http.Request) (models.Connector, error) {
	return s.config.DB.Connectors().Get(r.Context(), r.PathValue("connector"))
}

func (s *Server) showConnector(w http.ResponseWriter, r *http.Request, status int, saved models.Connector, f connectorForm, problems map[string]string) error {
	heading := saved.Name
	if saved.ID == "" {
		heading = "New connector"
	}
	page, err := s.page(r, heading, views.SectionConnectors)
	if err != nil {
		return err
	}
	page.Narrow = true
	props := views.ConnectorForm{
		Page: page, ID: saved.ID, Heading: heading, Name: f.name, Kind: f.kind, Command: f.command, Dir: f.dir, Env: f.env,
		URL: f.url, AllowPrivate: f.private, Headers: saved.Headers, Timeout: f.timeout, On: f.on, Errors: problems,
	}
	if saved.ID != "" {
		tools, err := s.config.DB.Connectors().Tools(r.Context(), saved.ID)
		if err != nil {
			return err
		}
		var changed int
		props.Tools, changed = toolsShown(saved, tools)
		props.State = s.connectorState(saved, changed)
	}
	return s.render(w, r, status, views.Connector(props))
}
