package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"countersign/models"
	"countersign/views"
	"countersign/web/connector"
)

// testWithin is how long a page waits for a connection.
const testWithin = 20 * time.Second

// createConnector adds a connector.
func (s *Server) createConnector(w http.ResponseWriter, r *http.Request) error {
	return s.saveConnector(w, r, models.Connector{})
}

// updateConnector changes a connector. It is connected anew.
func (s *Server) updateConnector(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.connector(r)
	if err != nil {
		return err
	}
	return s.saveConnector(w, r, saved)
}

// saveConnector stores what was typed, or shows it again with what is wrong.
// Values of headers are not shown again.
func (s *Server) saveConnector(w http.ResponseWriter, r *http.Request, saved models.Connector) error {
	form, err := parseConnector(r)
	if err != nil {
		return err
	}
	c, problems := form.connector(saved.ID)
	if len(problems) == 0 {
		var invalid models.Invalid
		c, err = s.config.DB.Connectors().Save(r.Context(), c, form.values())
		if errors.As(err, &invalid) {
			problems = invalid
		} else if err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return s.showConnector(w, r, http.StatusUnprocessableEntity, saved, form, problems)
	}
	s.log.InfoContext(r.Context(), "connector saved", "request", requestOf(r.Context()).id, "connector", c.ID, "user", requestOf(r.Context()).user)
	if err := s.config.Connectors.Refresh(r.Context()); err != nil {
		return err
	}
	return s.redirect(w, r, views.ConnectorURL(c.ID), c.Name+" was saved.")
}

// testConnector connects, unless there is a connection, and says what came of
// it.
func (s *Server) testConnector(w http.ResponseWriter, r *http.Request) error {
	c, err := s.connector(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), testWithin)
	defer cancel()
	words := "It is connected."
	switch state := s.config.Connectors.Try(ctx, c.ID); state.Phase {
	case connector.Connected:
	case connector.Failed:
		words = "It could not be connected."
	default:
		words = "It has not answered yet."
	}
	return s.redirect(w, r, views.ConnectorURL(c.ID), words)
}

// confirmConnectorRemoval says what removing a connector changes.
func (s *Server) confirmConnectorRemoval(w http.ResponseWriter, r *http.Request) error {
	c, err := s.connector(r)
	if err != nil {
		return err
	}
	page, err := s.page(r, "Remove a connector", views.SectionConnectors)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.ConnectorRemoval(views.ConnectorRemovalProps{Page: page, ID: c.ID, Name: c.Name}))
}

// removeConnector removes a connector and ends its connection.
func (s *Server) removeConnector(w http.ResponseWriter, r *http.Request) error {
	c, err := s.connector(r)
	if err != nil {
		return err
	}
	if err := s.config.DB.Connectors().Remove(r.Context(), c.ID); err != nil {
		return err
	}
	if err := s.config.Connectors.Refresh(r.Context()); err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "connector removed", "request", requestOf(r.Context()).id, "connector", c.ID, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.ConnectorsURL, c.Name+" was removed.")
}
