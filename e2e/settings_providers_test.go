package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/providers/providertest"
	"countersign/providers/scripted/scriptedtest"
)

// keyCanary is a key that no page may ever hold.
const keyCanary = "sk-canary-71d0f2a9"

// A connection is what the form of a provider is filled in with.
type connection struct {
	name, baseURL string
	private       bool
	key           string // "" for none
	model         string // "" for the one that scripted servers list
}

// fillIn types a connection into the form that is open, and presses a button.
func (c connection) fillIn(p *page, button string) {
	p.t.Helper()
	if c.model == "" {
		c.model = "scripted-1"
	}
	credential := "None"
	if c.key != "" {
		credential = "Sealed on this server"
	}
	if err := p.GetByRole("radio", playwright.PageGetByRoleOptions{Name: credential}).Check(); err != nil {
		p.t.Fatal(err)
	}
	if c.key != "" {
		p.fill("API key", c.key)
	}
	p.fill("Name", c.name)
	p.fill("Base URL", c.baseURL)
	p.fill("Model ids, one a line", c.model)
	if err := p.GetByLabel("This server is on this machine or in a private network").SetChecked(c.private); err != nil {
		p.t.Fatal(err)
	}
	p.press(button)
}

// fill types into the field with this label.
func (p *page) fill(label, value string) {
	p.t.Helper()
	field := p.GetByLabel(label, playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)})
	if err := field.Fill(value); err != nil {
		p.t.Fatalf("fill in %s: %v", label, err)
	}
}

// press clicks the one button of this exact name.
func (p *page) press(name string) {
	p.t.Helper()
	button := p.GetByRole("button", playwright.PageGetByRoleOptions{Name: name, Exact: playwright.Bool(true)})
	if err := button.Click(); err != nil {
		p.t.Fatalf("press %s: %v", name, err)
	}
}

// wantText requires that the element comes to hold the texts.
func (p *page) wantText(selector string, texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if err := expect.Locator(p.Locator(selector)).ToContainText(text); err != nil {
			p.t.Fatal(err)
		}
	}
}

// source is the page as it is now, and as the server sends it.
func (p *page) source() string {
	p.t.Helper()
	now, err := p.Content()
	if err != nil {
		p.t.Fatal(err)
	}
	sent, err := p.Evaluate(`() => fetch(location.href).then(r => r.text())`)
	if err != nil {
		p.t.Fatal(err)
	}
	return now + sent.(string)
}

// A test of a connection names the step that failed: nobody there, not this
// API, not this key, not this model. The key stays out of every page.
func TestProviderTestNamesTheFailingStep(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	setUp(t, s, p)

	upstream := scriptedtest.NewServer(t, `
		status 401 authentication code=invalid_api_key
		---
		match model scripted-1
		text "OK"
		finish stop
		---
		match tool noop
		status 400 invalid_request code=unsupported_parameter
		---
		match model scripted-1
		text "OK"
		finish stop
		---
		match tool noop
		text "OK"
		finish stop
		---
		match model other-1
		status 404 model_not_found code=model_not_found`)
	page404 := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page404.Close)

	c := connection{name: "Local", baseURL: providertest.Nobody + "/v1", private: true, key: keyCanary + "-wrong"}
	p.visit("/settings/providers/new?preset=custom", http.StatusOK)
	c.fillIn(p, "Save and test")
	p.wantText("#provider-test", "Nobody listens at the address of Local", "network")

	step := func(titles ...string) {
		t.Helper()
		c.fillIn(p, "Save and test")
		p.wantText("#provider-test", titles...)
		if strings.Contains(p.source(), keyCanary) {
			t.Errorf("the page after %q holds the key", titles[0])
		}
	}
	c.baseURL = page404.URL
	step("Local has nothing at this address", "not_found", "404")
	c.baseURL = upstream.URL
	step("Local refused the credential", "authentication", "401", "invalid_api_key")
	c.key, c.model = keyCanary+"-right", "other-1"
	step("Local does not know the model", "404")
	c.model = "scripted-1"
	step("Local takes no tools with this model", "tools_refused")
	step("It works", "scripted-1 answered")

	p.visit("/settings/providers", http.StatusOK)
	p.wantText("main", "Works", "in a test", "Sealed on this server")
	if strings.Contains(p.source(), keyCanary) {
		t.Error("the list holds the key")
	}
	sent := upstream.Sent()
	if got, want := sent[len(sent)-1].Header.Get("Authorization"), "Bearer "+keyCanary+"-right"; got != want {
		t.Errorf("the last test sent %q, want %q", got, want)
	}
	if strings.Contains(s.stderr.String(), keyCanary) {
		t.Error("the log holds the key")
	}
}

// A provider is added from what is known of the service, without any typing
// but its address: what models there are, the service says. Without scripts it
// is the same.
func TestProviderFromAPreset(t *testing.T) {
	t.Parallel()
	for name, looks := range map[string][]look{"as usual": nil, "without script": {noScript}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			p := newPage(t, s.url, looks...)
			setUp(t, s, p)
			upstream := scriptedtest.NewServer(t, "text \"OK\"\nfinish stop\n---\nmatch tool noop\ntext \"OK\"\nfinish stop")

			p.visit("/settings/providers", http.StatusOK)
			p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Add provider"}).Click())
			p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Ollama"}).Focus())
			p.must(p.Keyboard().Press("Enter"))
			p.must(expect.Locator(p.GetByLabel("Base URL")).ToHaveValue("http://127.0.0.1:11434/v1"))
			p.fill("Base URL", upstream.URL)
			p.press("Save")
			p.wantText("main", "Saved. It has no model yet")
			p.press("Find models")
			p.wantText("#provider-test", "Ollama has no model yet", "1 model at this address")
			p.press("scripted-1 add")
			p.wantText("main", "Added scripted-1.")
			p.press("Test connection")
			p.wantText("#provider-test", "It works", "scripted-1 answered")
			p.visit("/settings/providers", http.StatusOK)
			p.wantText("tbody", "Works", "1 model, 1 agent")
		})
	}
}

// TestProviderAddressesThatAreRefused is the case sec-metadata-base-url, as an
// admin meets it.
func TestProviderAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	var input struct{ Blocked, Allowed []string }
	readCase(t, "sec-metadata-base-url", &input)
	s := startServer(t)
	p := newPage(t, s.url)
	setUp(t, s, p)
	p.allow("422") // the console names every refused form

	for _, address := range input.Blocked {
		p.visit("/settings/providers/new?preset=custom", http.StatusOK)
		connection{name: "P " + address, baseURL: address, private: true}.fillIn(p, "Save")
		field := p.GetByLabel("Base URL")
		if err := expect.Locator(field).ToHaveAttribute("aria-invalid", "true"); err != nil {
			t.Errorf("%s: %v", address, err)
		}
		if err := expect.Locator(field).ToHaveValue(address); err != nil {
			t.Errorf("%s: what was typed is gone: %v", address, err)
		}
	}
	for _, address := range input.Allowed {
		p.visit("/settings/providers/new?preset=custom", http.StatusOK)
		connection{name: "P " + address, baseURL: address, private: true}.fillIn(p, "Save")
		p.wantText("main", "Saved.")
	}
	p.visit("/settings/providers", http.StatusOK)
	if err := expect.Locator(p.Locator("tbody tr")).ToHaveCount(len(input.Allowed)); err != nil {
		t.Error(err)
	}
}

// Conversations outlive their provider: what was said stays, and a new message
// fails in plain words.
func TestConversationOfARemovedProvider(t *testing.T) {
	t.Parallel()
	c := newChat(t, "text \"Hello.\"\nfinish stop")
	c.start("Greet me")
	c.awaitStatus(isReady)
	conversation := c.URL()

	c.visit("/settings/providers", http.StatusOK)
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Scripted", Exact: playwright.Bool(true)}).Click())
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Remove …", Exact: playwright.Bool(true)}).Click())
	c.press("Remove provider")
	c.wantText("main", "Scripted was removed.", "No providers yet")

	c.visit(conversation, http.StatusOK)
	c.must(expect.Locator(c.finished()).ToHaveText("Hello."))
	c.send("And again")
	c.awaitStatus(isFailed)
	c.wantText(".fault", "Scripted was removed", "Start a fresh conversation")
	c.wantReload()
	c.must(expect.Locator(c.Locator("#message")).ToBeEditable())
}

// readCase reads the input of a recorded fault of others; see testdata.
func readCase(t *testing.T, name string, into any) {
	t.Helper()
	readJSON(t, "testdata/"+name+"/input.json", into)
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
}

// A provider is added from what is known of the service. Its key is only in
// memory, so after a restart the provider says that it needs it, a message
// fails in plain words, and works once the key is there again.
func TestMemoryKeyAfterARestart(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	setUp(t, s, p)
	upstream := scriptedtest.NewServer(t, "text \"Hello.\"\nfinish stop")

	p.visit("/settings/providers", http.StatusOK)
	p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Add provider"}).Click())
	p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Ollama"}).Click())
	p.must(expect.Locator(p.GetByLabel("Base URL")).ToHaveValue("http://127.0.0.1:11434/v1"))
	p.fill("Base URL", upstream.URL)
	p.must(p.GetByRole("radio", playwright.PageGetByRoleOptions{Name: "Memory only"}).Check())
	p.fill("API key", keyCanary)
	p.fill("Model ids, one a line", "scripted-1")
	p.press("Save")
	p.wantText("main", "Saved.", "ends in …f2a9")

	s.Stop()
	s.Restart()
	p.visit("/settings/providers", http.StatusOK)
	p.wantText("main", "Needs its key again")
	c := &chat{page: p, server: s, model: upstream}
	p.visit("/", http.StatusOK)
	c.start("Greet me")
	c.awaitStatus(isFailed)
	c.wantText(".fault", "key_needed")

	p.visit("/settings/providers", http.StatusOK)
	p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Enter key"}).Click())
	p.fill("API key", keyCanary)
	p.press("Save")
	p.wantText("main", "ends in …f2a9")
	p.visit("/", http.StatusOK)
	c.start("Greet me again")
	c.awaitStatus(isReady)
	p.must(expect.Locator(c.finished()).ToHaveText("Hello."))
	if strings.Contains(p.source(), keyCanary) || strings.Contains(s.stderr.String(), keyCanary) {
		t.Error("the key is on a page or in the log")
	}
}
