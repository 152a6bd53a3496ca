package models_test

import (
	"errors"
	"testing"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

func TestEndUsers(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	db := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }})
	host, other := person(t, db, "host", models.RoleAdmin), person(t, db, "other", models.RoleAdmin)
	key, _, err := db.APIKeys().Create(t.Context(), models.APIKey{User: host, Name: "Shop", Scopes: []models.Scope{models.ScopeAdmin}})
	if err != nil {
		t.Fatal(err)
	}
	mint := func(n models.EndUser) (models.EndUser, models.Secret) {
		t.Helper()
		u, token, expires, err := db.EndUsers().Mint(t.Context(), key.ID, n)
		if err != nil || !expires.Equal(now.Add(models.EndUserTokenLasts)) {
			t.Fatalf("until %v, %v", expires, err)
		}
		return u, token
	}
	nam, token := mint(models.EndUser{Host: host, Agent: "g_1", External: "1", Name: "Nam"})
	same, second := mint(models.EndUser{Host: host, Agent: "g_1", External: "1", Name: " Nam Le "})
	if same.ID != nam.ID || same.Name != "Nam Le" {
		t.Errorf("got %+v, want %+v with the new name", same, nam)
	}
	for name, n := range map[string]models.EndUser{
		"another id":    {Host: host, Agent: "g_1", External: "2", Name: "Nam"},
		"another agent": {Host: host, Agent: "g_2", External: "1", Name: "Nam"},
		"another host":  {Host: other, Agent: "g_1", External: "1", Name: "Nam"},
	} {
		if u, _ := mint(n); u.ID == nam.ID {
			t.Errorf("%s is the same end user", name)
		}
	}
	barred := func() bool {
		t.Helper()
		barred, err := db.Users().Barred(t.Context(), nam.ID)
		if err != nil {
			t.Fatal(err)
		}
		return barred
	}
	use := func(token models.Secret) error {
		u, k, until, err := db.EndUsers().Use(t.Context(), token)
		if err == nil && (u.ID != nam.ID || k.ID != key.ID || !until.After(now)) {
			t.Errorf("got %+v with %s until %v", u, k.ID, until)
		}
		return err
	}
	if err := errors.Join(use(token), use(second)); err != nil || barred() {
		t.Errorf("two tokens: %v", err)
	}
	if err := use(models.NewSecret(token.Reveal() + "x")); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("another token: got %v", err)
	}
	if err := db.Users().SetDisabled(t.Context(), host, true); err != nil {
		t.Fatal(err)
	}
	if err := use(token); !errors.Is(err, models.ErrNotFound) || !barred() {
		t.Errorf("of a disabled host: got %v", err)
	}
	if err := db.Users().SetDisabled(t.Context(), host, false); err != nil {
		t.Fatal(err)
	}
	now = now.Add(models.EndUserTokenLasts)
	if err := use(token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("after its hour: got %v", err)
	}
	_, third := mint(models.EndUser{Host: host, Agent: "g_1", External: "1", Name: "Nam"})
	if _, err := db.APIKeys().Revoke(t.Context(), key.ID, ""); err != nil {
		t.Fatal(err)
	}
	if err := use(third); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("after its key: got %v", err)
	}
}

// The runs of a person's end users are found with theirs, and one that has not
// begun by its id.
func TestConversations_OfEndUsers(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	host := person(t, db, "host", models.RoleAdmin)
	key, _, err := db.APIKeys().Create(t.Context(), models.APIKey{User: host, Name: "Shop", Scopes: []models.Scope{models.ScopeAdmin}})
	if err != nil {
		t.Fatal(err)
	}
	nam, _, _, err := db.EndUsers().Mint(t.Context(), key.ID, models.EndUser{Host: host, Agent: "g_1", External: "1", Name: "Nam"})
	if err != nil {
		t.Fatal(err)
	}
	const id = "c_1"
	run := agent.RunFor(id, "m_1")
	_, err = db.Journal().Append(t.Context(), agent.Batch{Conversation: id, At: time.Now(), Entries: []agent.Entry{
		{Event: agent.ConversationCreated{Owner: nam.ID, Agent: "g_1"}},
		{Run: run, Event: agent.UserMessage{Message: "m_1", Text: "a"}},
		{Run: run, Event: agent.RunCreated{Message: "m_1"}},
		{Event: agent.MessageQueued{Message: "m_2", Text: "b"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range []agent.UserID{host, nam.ID} {
		if runs, err := db.Conversations().UnfinishedOf(t.Context(), owner); err != nil || len(runs) != 1 || runs[0].Run != run {
			t.Errorf("of %s: %v, %v", owner, runs, err)
		}
	}
	queued := agent.RunFor(id, "m_2")
	at, q, err := db.Conversations().FindQueued(t.Context(), nam.ID, queued)
	if err != nil || at != id || q.Text != "b" {
		t.Errorf("got %s, %+v, %v", at, q, err)
	}
	if _, _, err := db.Conversations().FindQueued(t.Context(), host, queued); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("for somebody else: got %v", err)
	}
	if _, err := db.Journal().Append(t.Context(), agent.Batch{Conversation: id, After: 4, At: time.Now(), Entries: []agent.Entry{{Event: agent.QueuedMessageRemoved{Message: "m_2"}}}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Conversations().FindQueued(t.Context(), nam.ID, queued); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("taken back: got %v", err)
	}
}
