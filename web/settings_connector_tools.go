package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
	"countersign/web/connector"
)

// toolsShown are the tools of a connector for its page, and how many of them
// have changed.
func toolsShown(c models.Connector, tools []models.ConnectorTool) (shown []views.ConnectorTool, changed int) {
	names := connector.Names(c, tools)
	for _, t := range tools {
		shown = append(shown, views.ConnectorTool{
			Name: t.Name, Model: names[t.Name], Title: t.Declared.Title, About: firstSentence(t.Declared.Description),
			Hints: hintsOf(t.Declared), Verb: string(t.Verb), Changed: t.Changed(), Seen: seenMark(t.Declared),
			Differences: differences(t.Accepted, t.Declared),
		})
		if t.Changed() {
			changed++
		}
	}
	return shown, changed
}

// hintsOf are a server's hints in words. What it leaves out counts as the
// protocol has it.
func hintsOf(d models.ToolDeclaration) []string {
	if d.ReadOnly {
		return []string{"Says that it only reads"}
	}
	hints := []string{"May write"}
	switch {
	case d.Destructive == nil:
		hints = append(hints, "may destroy")
	case *d.Destructive:
		hints = append(hints, "says that it destroys")
	default:
		hints = append(hints, "says that it only adds")
	}
	if d.Idempotent {
		hints = append(hints, "says that a second call changes nothing")
	}
	return hints
}

// seenMark stands for a declaration in a form.
func seenMark(d models.ToolDeclaration) string {
	text, err := json.Marshal(d)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// differences are the parts that differ between what was accepted and what is
// declared now.
func differences(before, after models.ToolDeclaration) []views.ToolDifference {
	var list []views.ToolDifference
	add := func(part, a, b string) {
		if a != b {
			list = append(list, views.ToolDifference{Part: part, Before: a, After: b})
		}
	}
	add("Title", before.Title, after.Title)
	add("Description", before.Description, after.Description)
	add("Arguments", before.Schema, after.Schema)
	add("Hints", allHints(before), allHints(after))
	return list
}

func allHints(d models.ToolDeclaration) string {
	text, err := json.Marshal(models.ToolDeclaration{ReadOnly: d.ReadOnly, Destructive: d.Destructive, Idempotent: d.Idempotent, OpenWorld: d.OpenWorld})
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(text), `"schema":"",`, "")
}

// saveConnectorTools says what becomes of the calls of each tool.
func (s *Server) saveConnectorTools(w http.ResponseWriter, r *http.Request) error {
	c, err := s.connector(r)
	if err == nil {
		err = readForm(r)
	}
	if err != nil {
		return err
	}
	store := s.config.DB.Connectors()
	for i, name := range r.PostForm["tool"] {
		err := store.SetVerb(r.Context(), c.ID, name, models.ToolVerb(r.PostFormValue("verb"+strconv.Itoa(i))))
		if invalid := (models.Invalid)(nil); errors.As(err, &invalid) {
			return &agent.InputError{Message: invalid["verb"]}
		}
		if err != nil {
			return err
		}
	}
	return s.connectorToolsChanged(w, r, c, "The tools were saved.")
}

// acceptConnectorTool accepts a tool as it was shown. One that has changed once
// more meanwhile is shown anew.
func (s *Server) acceptConnectorTool(w http.ResponseWriter, r *http.Request) error {
	c, err := s.connector(r)
	if err == nil {
		err = readForm(r)
	}
	if err != nil {
		return err
	}
	tools, err := s.config.DB.Connectors().Tools(r.Context(), c.ID)
	if err != nil {
		return err
	}
	name, seen := r.PostFormValue("tool"), r.PostFormValue("seen")
	i := slices.IndexFunc(tools, func(t models.ConnectorTool) bool { return t.Name == name })
	if i < 0 || seenMark(tools[i].Declared) != seen {
		return s.redirect(w, r, views.ConnectorURL(c.ID), "The tool has changed once more. Look at it again.")
	}
	if err := s.config.DB.Connectors().Accept(r.Context(), c.ID, name, tools[i].Declared); err != nil {
		return err
	}
	return s.connectorToolsChanged(w, r, c, "The change was accepted.")
}

func (s *Server) connectorToolsChanged(w http.ResponseWriter, r *http.Request, c models.Connector, words string) error {
	if err := s.config.Connectors.Refresh(r.Context()); err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "tools of a connector changed", "request", requestOf(r.Context()).id, "connector", c.ID, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.ConnectorURL(c.ID), words)
}
