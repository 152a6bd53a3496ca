package web_test

import (
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
)

// A run whose key was in the memory of an earlier process fails at once and
// says what is missing, in words that hold nothing of it; with the key the
// same conversation goes on (contract P3, P13).
func TestKeyIsNeededAfterARestart(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Hello there\"\nfinish stop", setting{})
	change := func(c models.Credential) {
		t.Helper()
		if _, err := d.s.DB.Providers().Update(t.Context(), d.model.Provider, models.ProviderUpdate{Credential: &c}); err != nil {
			t.Fatal(err)
		}
	}
	change(models.Credential{Kind: models.CredentialMemory})
	d.send("Hello")
	d.until(agent.StatusFailed)
	page := d.s.Admin.Get(d.url()).Body
	if !strings.Contains(page, "Scripted needs its key") || !strings.Contains(page, "key_needed") {
		t.Errorf("the page does not say what is missing:\n%s", page)
	}
	change(models.Credential{Kind: models.CredentialMemory, Key: models.NewSecret(canary)})
	d.send("Hello again")
	d.until(agent.StatusSucceeded)
	page = d.s.Admin.Get(d.url()).Body
	if !strings.Contains(page, "Hello there") {
		t.Errorf("the answer is not there:\n%s", page)
	}
	if strings.Contains(d.s.Log()+page, canary) {
		t.Error("the log or the page holds the key")
	}
}
