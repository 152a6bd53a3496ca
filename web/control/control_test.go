package control_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
	"countersign/web"
	"countersign/web/control"
)

func local(t *testing.T, h http.Handler) *control.Client {
	t.Helper()
	c, err := control.Dial(t.Context(), t.TempDir(), func(context.Context) (*control.Local, error) {
		return &control.Local{Handler: h, Close: func() error { return nil }}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func newHandler(t *testing.T, log io.Writer) (http.Handler, *models.DB) {
	t.Helper()
	db := modelstest.Open(t)
	logger := slog.New(slog.NewTextHandler(log, nil))
	site, err := web.New(web.Config{
		DB: db, Logger: logger, Engine: agent.NewEngine(agent.Config{Journal: db.Journal(), Index: db.Journal()}),
		Connect: func(context.Context, models.Provider) (providers.Provider, error) {
			return nil, &providers.Error{Category: providers.CategoryConfiguration, API: providers.APIChatCompletions, Code: "unsupported_api"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return control.Handler(control.Config{DB: db, Site: site, Log: logger}), db
}

// Half a backup is none.
func TestBackup_BreaksOff(t *testing.T) {
	t.Parallel()
	c := local(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	var got bytes.Buffer
	if _, err := c.Backup(t.Context(), &got); err == nil {
		t.Errorf("got %q and no error", &got)
	}
}

// What goes wrong inside is for the log; the command says only that it did.
func TestFault(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h, db := newHandler(t, &log)
	c := local(t, h)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.CreateUser(t.Context(), control.NewUser{Email: "a@example.com", Name: "A", Role: models.RoleAdmin, Password: "correct horse battery"})
	var said *control.Error
	if !errors.As(err, &said) || said.Code != "internal" {
		t.Errorf("got %v, want an internal error", err)
	}
	if !bytes.Contains(log.Bytes(), []byte("closed")) || bytes.Contains(log.Bytes(), []byte("correct horse")) {
		t.Errorf("the log: %s", &log)
	}
}

func TestHandler_Refuses(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t, io.Discard)
	c := local(t, h)
	for name, call := range map[string]func() error{
		"user_not_found": func() error {
			_, err := c.SetDisabled(t.Context(), "nobody@example.com", true)
			return err
		},
		"provider_not_found": func() error {
			_, err := c.TestProvider(t.Context(), "none")
			return err
		},
		"invalid": func() error {
			_, err := c.CreateUser(t.Context(), control.NewUser{Email: "a"})
			return err
		},
		"invalid_file": func() error {
			_, err := c.Apply(t.Context(), "x: 1", nil)
			return err
		},
	} {
		var said *control.Error
		if err := call(); !errors.As(err, &said) || said.Code != name || said.Message == "" {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// Disabling a person stops their runs, also where no server works on them; the
// runs of others go on.
func TestDisable_StopsRuns(t *testing.T) {
	t.Parallel()
	h, db := newHandler(t, io.Discard)
	c := local(t, h)
	runs := make(map[string]agent.ConversationID)
	for _, email := range []string{"a@example.com", "b@example.com"} {
		u, err := db.Users().Create(t.Context(), models.NewUser{Email: email, Name: "A", Role: models.RoleMember, Password: models.NewSecret("correct horse battery")})
		if err != nil {
			t.Fatal(err)
		}
		id := agent.ConversationFor(u.ID, "m_1")
		run := agent.RunFor(id, "m_1")
		_, err = db.Journal().Append(t.Context(), agent.Batch{Conversation: id, At: time.Now(), Entries: []agent.Entry{
			{Event: agent.ConversationCreated{Owner: u.ID}},
			{Run: run, Event: agent.UserMessage{Message: "m_1", Text: "Go.", Author: agent.Actor{User: u.ID, Name: "A"}}},
			{Run: run, Event: agent.RunCreated{Message: "m_1"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		runs[email] = id
	}
	if _, err := c.SetDisabled(t.Context(), "a@example.com", true); err != nil {
		t.Fatal(err)
	}
	for email, want := range map[string]agent.RunStatus{"a@example.com": agent.StatusCancelled, "b@example.com": agent.StatusPending} {
		head, err := db.Journal().Head(t.Context(), runs[email])
		if err != nil {
			t.Fatal(err)
		}
		if head.Run.Status != want {
			t.Errorf("the run of %s is %s, want %s", email, head.Run.Status, want)
		}
	}
}
