package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

// formOf returns what the form of a provider sends when nothing is changed.
func formOf(t *testing.T, page webtest.Response) livepage.Form {
	t.Helper()
	parsed, err := livepage.Parse(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	forms := parsed.Forms("/settings/providers")
	if len(forms) == 0 {
		t.Fatalf("the page has no form\n%s", page.Body)
	}
	return forms[0]
}

// Every preset leads to a form that needs no more than a key and a model.
func TestPresetsFillInTheForm(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	list := s.Admin.Get("/settings/providers/new")
	for name, want := range map[string]struct {
		api     providers.API
		baseURL string
		private bool
	}{
		"openai":     {providers.APIResponses, "https://api.openai.com/v1", false},
		"anthropic":  {providers.APIAnthropic, "https://api.anthropic.com", false},
		"gemini":     {providers.APIChatCompletions, "https://generativelanguage.googleapis.com/v1beta/openai", false},
		"openrouter": {providers.APIChatCompletions, "https://openrouter.ai/api/v1", false},
		"deepseek":   {providers.APIChatCompletions, "https://api.deepseek.com/v1", false},
		"ollama":     {providers.APIChatCompletions, "http://127.0.0.1:11434/v1", true},
		"lmstudio":   {providers.APIChatCompletions, "http://127.0.0.1:1234/v1", true},
		"vllm":       {providers.APIChatCompletions, "http://127.0.0.1:8000/v1", true},
	} {
		if !strings.Contains(list.Body, "/settings/providers/new?preset="+name+`"`) {
			t.Errorf("%s is not offered\n%s", name, list.Body)
		}
		form := formOf(t, s.Admin.Get("/settings/providers/new?preset="+name))
		form.Values.Set("models", "some-model")
		if !want.private {
			form.Values.Set("key", canary)
		}
		if got := s.Admin.Post(form.Action, form.Values); got.Status != http.StatusSeeOther {
			t.Errorf("%s: got %d\n%s", name, got.Status, got.Body)
		}
		list, err := s.DB.Providers().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, p := range list {
			if p.BaseURL == want.baseURL {
				found = p.API == want.api && p.AllowPrivateNetwork == want.private
			}
		}
		if !found {
			t.Errorf("%s: got %+v", name, list)
		}
	}
}

// create stores a provider and returns the address of its page.
func create(t *testing.T, s *webtest.Server, form url.Values) string {
	t.Helper()
	got := s.Admin.Post("/settings/providers", form)
	if got.Status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", got.Status, got.Body)
	}
	return got.Location
}

func TestEveryOptionIsSavedAndKept(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	form := providerForm("Deep thought", "http://127.0.0.1:1/v1")
	for name, value := range map[string]string{
		"api": "anthropic", "thinking": "enabled", "budget": "2,048", "prompt_caching": "", "max_output": "4096",
		"retries": "0", "retry_base": "250ms", "retry_cap": "5", "retry_after_cap": "2m", "first_byte": "90s", "idle": "1h", "attempt": "45m",
	} {
		form.Set(name, value)
	}
	at := create(t, s, form)
	no, zero, half := false, 0, 0.5
	want := models.ProviderOptions{
		PromptCaching: &no, Thinking: &providers.Thinking{Type: providers.ThinkingEnabled, BudgetTokens: 2048}, MaxOutputTokens: 4096,
		Retry:    agent.RetryPolicy{MaxRetries: &zero, Base: 250 * time.Millisecond, Cap: 5 * time.Second, AfterCap: 2 * time.Minute},
		Timeouts: models.Timeouts{FirstByte: 90 * time.Second, Idle: time.Hour, Attempt: 45 * time.Minute},
		Models:   []models.ProviderModel{{Name: "some-model"}, {Name: "other-model"}},
	}
	check := func(when string) {
		t.Helper()
		if diff := cmp.Diff(want, onlyProvider(t, s).ProviderOptions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("saved")

	// What the page says is what is stored.
	again := formOf(t, s.Admin.Get(at))
	s.Admin.Post(again.Action, again.Values)
	check("saved again as it is shown")

	for name, value := range map[string]string{
		"window_0": "200000", "images_0": "on", "tools_0": "", "reasoning_0": "on", "input_0": "3", "output_0": "15", "cache_read_0": "0.5",
	} {
		again.Values.Set(name, value)
	}
	again.Values.Set("models", "some-model\nnew-model")
	s.Admin.Post(again.Action, again.Values)
	yes := true
	want.Models = []models.ProviderModel{
		{Name: "some-model", ContextWindow: 200000, Images: true, Tools: &no, Reasoning: &yes, Price: &agent.Price{Input: 3, Output: 15, CacheRead: &half}},
		{Name: "new-model"},
	}
	check("with the details of a model")
	again = formOf(t, s.Admin.Get(at))
	again.Values.Set("thinking", "")
	s.Admin.Post(again.Action, again.Values)
	want.Thinking = nil
	check("without thinking")
}

func TestOptionsThatCanNotBe(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	at := create(t, s, providerForm("Local", "http://127.0.0.1:1/v1"))
	for field, value := range map[string]string{
		"retries": "6", "retry_base": "soon", "idle": "-5s", "attempt": "25h", "max_output": "0", "input_0": "free", "window_0": "many", "output_0": "1",
	} {
		form := formOf(t, s.Admin.Get(at))
		form.Values.Set(field, value)
		form.Values.Set("key", canary)
		got := s.Admin.Post(form.Action, form.Values)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "field__error") || !strings.Contains(got.Body, `value="`+value+`"`) {
			t.Errorf("%s=%s: got %d, or the form does not hold it\n%s", field, value, got.Status, got.Body)
		}
		// A key that was typed is lost, and the form says so.
		if strings.Contains(got.Body, canary) || !strings.Contains(got.Body, "Enter the key once more") {
			t.Errorf("%s: the form says nothing of the key that was typed\n%s", field, got.Body)
		}
	}
	form := providerForm("Other", "http://127.0.0.1:1/v1")
	form.Set("api", "anthropic")
	form.Set("thinking", "enabled")
	form.Set("budget", "1023")
	if got := s.Admin.Post("/settings/providers", form); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "1024 at least") {
		t.Errorf("a budget that is too small: got %d\n%s", got.Status, got.Body)
	}
}

// A key in memory is gone with the process; until it is entered again nothing
// else takes its place.
func TestMemoryKeyIsNeededAfterARestart(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	address, calls := fakeAPI(t, http.StatusOK, "text/event-stream", okStream)
	// This is how it is after a restart: the row is there, the key is not.
	p, err := s.DB.Providers().Create(t.Context(), models.Provider{
		Name: "Local", API: providers.APIChatCompletions, BaseURL: address, AllowPrivateNetwork: true,
		ProviderOptions: models.ProviderOptions{Models: []models.ProviderModel{{Name: "some-model"}}},
	}, models.Credential{Kind: models.CredentialMemory})
	if err != nil {
		t.Fatal(err)
	}
	at := "/settings/providers/" + p.ID
	if page := s.Admin.Get("/settings/providers"); !strings.Contains(page.Body, "Needs its key again") || !strings.Contains(page.Body, "Enter key") {
		t.Errorf("the list does not say that the key is gone\n%s", page.Body)
	}
	if page := s.Admin.Get(at); !strings.Contains(page.Body, "The key is gone since the server was restarted.") {
		t.Errorf("the page does not say that the key is gone\n%s", page.Body)
	}
	if got := s.Admin.Follow(s.Admin.Post(at+"/test", url.Values{})); !strings.Contains(got.Body, "key_needed") || len(*calls) != 0 {
		t.Errorf("a test without the key: %d calls\n%s", len(*calls), got.Body)
	}
	again := formOf(t, s.Admin.Get(at))
	again.Values.Set("key", canary)
	s.Admin.Post(again.Action, again.Values)
	if got := s.Admin.Follow(s.Admin.Post(at+"/test", url.Values{})); !strings.Contains(got.Body, "It works") || !strings.Contains(got.Body, "ends in …9d1e") {
		t.Errorf("a test with the key\n%s", got.Body)
	}
}

// A token command is shown, kept and used, but no page sets one: that would be
// to run programs on the server.
func TestTokenCommand(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	address, calls := fakeAPI(t, http.StatusOK, "text/event-stream", okStream)
	form := providerForm("Local", address)
	form.Set("credential", "command")
	form.Set("command", "/bin/sh")
	if got := s.Admin.Post("/settings/providers", form); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "provisioning file") {
		t.Fatalf("a command from a page: got %d\n%s", got.Status, got.Body)
	}
	printed := `{"token":"short-lived","expires_at":"2040-01-02T15:04:05Z"}`
	p, err := s.DB.Providers().Create(t.Context(), models.Provider{
		Name: "Local", API: providers.APIChatCompletions, BaseURL: address, AllowPrivateNetwork: true,
		ProviderOptions: models.ProviderOptions{Models: []models.ProviderModel{{Name: "some-model"}}},
	}, models.Credential{Kind: models.CredentialCommand, Command: models.TokenCommand{Argv: []string{"/bin/echo", printed}}})
	if err != nil {
		t.Fatal(err)
	}
	at := "/settings/providers/" + p.ID
	page := s.Admin.Get(at)
	if !strings.Contains(page.Body, "/bin/echo") || strings.Contains(s.Admin.Get("/settings/providers").Body, "short-lived") {
		t.Errorf("the page does not say where the key comes from\n%s", page.Body)
	}
	again := formOf(t, page)
	again.Values.Set("name", "Renamed")
	again.Values.Set("do", "test")
	if got := s.Admin.Follow(s.Admin.Post(again.Action, again.Values)); !strings.Contains(got.Body, "It works") {
		t.Fatalf("the test did not work\n%s", got.Body)
	}
	if got := (*calls)[0].Get("Authorization"); got != "Bearer short-lived" {
		t.Errorf("got %q, want the token", got)
	}
}

// The list says how providers fare, also where nobody tests them.
func TestListSaysHowProvidersFare(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "status 401 authentication code=invalid_api_key\n---\ntext \"Hello.\"\nfinish stop", setting{})
	list := func(want string) {
		t.Helper()
		if page := d.s.Admin.Get("/settings/providers"); !strings.Contains(page.Body, want) || strings.Contains(page.Body, "in a test") {
			t.Errorf("the list lacks %q\n%s", want, page.Body)
		}
	}
	list("Not used since the server started")
	d.send("Hi")
	d.until(agent.StatusFailed)
	list("Scripted refused the credential.")
	list("Failing since")
	d.send("Hi again")
	d.until(agent.StatusSucceeded)
	list("answered at")
}

// A way to keep a key needs the key: what is saved in another way does not move
// by itself.
func TestAnotherWayToKeepAKeyNeedsTheKey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	at := create(t, s, providerForm("Local", "http://127.0.0.1:1/v1"))
	form := formOf(t, s.Admin.Get(at))
	form.Values.Set("credential", "memory")
	if got := s.Admin.Post(form.Action, form.Values); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "Enter the key, or choose another way") {
		t.Errorf("without the key: got %d\n%s", got.Status, got.Body)
	}
	form.Values.Set("key", canary)
	if got := s.Admin.Post(form.Action, form.Values); got.Status != http.StatusSeeOther {
		t.Errorf("with the key: got %d\n%s", got.Status, got.Body)
	}
}

// A provider is saved before it has a model; a test finds some, and one of them
// makes it usable. A list that comes without an answer proves no model.
func TestProviderWithoutAModel(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Admin.Post("/settings/providers/practice", url.Values{})
	form := providerForm("Local", fakeService{models: says(http.StatusOK, "application/json", `{"data":[{"id":"new-model"}]}`)}.start(t, false))
	form.Set("models", "")
	form.Set("do", "test")
	saved := s.Admin.Post("/settings/providers", form)
	page := s.Admin.Follow(saved)
	for _, want := range []string{"Saved and tested.", "Local has no model yet.", `value="new-model"`, "Find models"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page lacks %q\n%s", want, page.Body)
		}
	}
	if list := s.Admin.Get("/settings/providers"); !strings.Contains(list.Body, "Has no model yet") {
		t.Errorf("the list does not say that it has no model\n%s", list.Body)
	}
	at := strings.Split(saved.Location, "#")[0]
	added := s.Admin.Follow(s.Admin.Post(at+"/models", url.Values{"model": {"new-model"}}))
	if !strings.Contains(added.Body, "Added new-model. The agent Assistant uses new-model on Local now.") {
		t.Errorf("the page does not say that the agent has another model\n%s", added.Body)
	}
}

// A test asks the model that is chosen, and fails if that one is not there
// (contract P3).
func TestTheModelToTestIsChosen(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	service := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"other-model"`) {
			says(http.StatusNotFound, "application/json", `{"error":{"message":"canary","code":"model_not_found"}}`)(w, r)
			return
		}
		says(http.StatusOK, "text/event-stream", usedStream)(w, r)
	}
	server := httptest.NewServer(http.HandlerFunc(service))
	t.Cleanup(server.Close)
	at := create(t, s, providerForm("Local", server.URL+"/v1"))
	for model, want := range map[string]string{"some-model": "some-model answered", "other-model": "Local does not know the model", "": "some-model answered"} {
		if page := s.Admin.Follow(s.Admin.Post(at+"/test", url.Values{"model": {model}})); !strings.Contains(page.Body, want) {
			t.Errorf("%q: the page lacks %q\n%s", model, want, page.Body)
		}
	}
}

// Before a provider is removed, the page says who uses it; that an agent moves
// to another one is said as well.
func TestRemovalSaysWhoUsesIt(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Hello.\"\nfinish stop", setting{})
	d.send("Hi")
	d.until(agent.StatusSucceeded)
	at := "/settings/providers/" + d.model.Provider
	for _, want := range []string{"1 conversation keeps its history", "Assistant"} {
		if page := d.s.Admin.Get(at + "/delete"); !strings.Contains(page.Body, want) {
			t.Errorf("the page lacks %q\n%s", want, page.Body)
		}
	}
	create(t, d.s, providerForm("Other", "http://127.0.0.1:1/v1"))
	if page := d.s.Admin.Follow(d.s.Admin.Post(at+"/delete", url.Values{})); !strings.Contains(page.Body, "The agent Assistant uses some-model on Other now.") {
		t.Errorf("the list does not say that the agent has another model\n%s", page.Body)
	}
}
