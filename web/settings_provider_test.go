package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"countersign/models"
	"countersign/providers/providertest"
	"countersign/web/webtest"
)

// A key that must never be seen again.
const canary = "sk-canary-4f7c9d1e"

// providerForm is a complete form for a server at an address.
func providerForm(name, address string) url.Values {
	return url.Values{
		"name": {name}, "api": {"chat-completions"}, "base_url": {address}, "private": {"on"}, "credential": {"sealed"}, "key": {canary},
		"models": {"some-model\nother-model"}, "stream_usage": {"on"},
	}
}

// fakeAPI answers every request with the status and body, and counts them.
func fakeAPI(t *testing.T, status int, contentType, body string) (address string, calls *[]http.Header) {
	t.Helper()
	calls = new([]http.Header)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*calls = append(*calls, r.Header.Clone())
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Request-Id", "req_42")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", calls
}

// probeCalls is how often a test asks a service that works: for an answer, for
// one with a tool, and for its models.
const probeCalls = 3

const okStream = `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"OK"},"finish_reason":null}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`

func onlyProvider(t *testing.T, s *webtest.Server) models.Provider {
	t.Helper()
	list, err := s.DB.Providers().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("got %d providers, want 1", len(list))
	}
	return list[0]
}

func TestProviderIsSavedAndTested(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	address, calls := fakeAPI(t, http.StatusOK, "text/event-stream", okStream)

	form := providerForm("Local", address)
	form.Set("max_output", "4096")
	saved := s.Admin.Post("/settings/providers", form)
	page := s.Admin.Follow(saved)
	for _, want := range []string{"Saved.", "ends in …9d1e. It is not shown again.", "some-model\nother-model", `value="4096"`} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the saved page lacks %q\n%s", want, page.Body)
		}
	}
	if again := s.Admin.Get(saved.Location); strings.Contains(again.Body, "Saved.") {
		t.Error("the notice is shown twice")
	}
	if got := s.Admin.Follow(s.Admin.Post(saved.Location+"/test", url.Values{})); !strings.Contains(got.Body, "some-model answered") || !strings.Contains(got.Body, "req_42") {
		t.Errorf("the test does not say that it worked\n%s", got.Body)
	}
	if len(*calls) != probeCalls || (*calls)[0].Get("Authorization") != "Bearer "+canary {
		t.Errorf("got %d calls, want %d with the key", len(*calls), probeCalls)
	}
	p := onlyProvider(t, s)
	agents, err := s.DB.Agents().List(t.Context())
	if err != nil || len(agents) != 1 || agents[0].Model.Provider != p.ID || agents[0].Model.Model != "some-model" {
		t.Errorf("got agents %v, %v; want one with the first model", agents, err)
	}
}

// TestKeysAreWriteOnly plants a key and looks for it wherever a person or an
// operator could see it.
func TestKeysAreWriteOnly(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	address, _ := fakeAPI(t, http.StatusUnauthorized, "application/json",
		`{"error":{"message":"Incorrect API key provided: `+canary+`","code":"invalid_api_key"}}`)
	var seen []webtest.Response
	see := func(r webtest.Response) webtest.Response { seen = append(seen, r); return r }

	invalid := providerForm("", address)
	see(s.Admin.Post("/settings/providers", invalid))
	blocked := providerForm("Local", "http://169.254.169.254/")
	see(s.Admin.Post("/settings/providers", blocked))
	form := providerForm("Local", address)
	form.Set("do", "test")
	saved := see(s.Admin.Post("/settings/providers", form))
	page := see(s.Admin.Follow(saved))
	if !strings.Contains(page.Body, "Local refused the credential") || !strings.Contains(page.Body, "invalid_api_key") {
		t.Errorf("the test does not say that the key was refused\n%s", page.Body)
	}
	see(s.Admin.Get("/settings/providers"))
	id := onlyProvider(t, s).ID
	see(s.Admin.Post("/settings/providers/"+id+"/test", url.Values{"back": {"list"}}))
	see(s.Admin.Get("/settings/providers/" + id))
	taken := providerForm("Local", address)
	see(s.Admin.Post("/settings/providers", taken)) // the name is taken

	for _, r := range seen {
		if text := r.Body + fmt.Sprint(r.Header); strings.Contains(text, canary) || strings.Contains(text, "Incorrect API key") {
			t.Errorf("an answer holds the key or the upstream's words:\n%s", text)
		}
	}
	if log := s.Log(); strings.Contains(log, "canary") || strings.Contains(log, "Incorrect API key") {
		t.Errorf("the log holds the key or the upstream's words:\n%s", log)
	}
}

func TestAnEmptyKeyKeepsTheSavedOne(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	saved := s.Admin.Post("/settings/providers", providerForm("Local", "http://127.0.0.1:1/v1"))
	id := onlyProvider(t, s).ID
	key := func() string {
		k, err := s.DB.Providers().Key(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return k.Reveal()
	}
	form := providerForm("Renamed", "http://127.0.0.1:1/v1")
	form.Set("key", "")
	if got := s.Admin.Post(saved.Location, form); got.Status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", got.Status, got.Body)
	}
	if got := key(); got != canary || onlyProvider(t, s).Name != "Renamed" {
		t.Errorf("got key %q, want the saved one", got)
	}

	// A saved key does not go to a host that it was not entered for.
	form.Set("base_url", "http://127.0.0.1:2/v1")
	if got := s.Admin.Post(saved.Location, form); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "another host") {
		t.Errorf("another host: got %d, want 422\n%s", got.Status, got.Body)
	}

	form.Set("credential", "none")
	s.Admin.Post(saved.Location, form)
	if got := key(); got != "" {
		t.Errorf("got key %q, want none", got)
	}
}

func TestKeyFromTheEnvironment(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.Env("LOCAL_KEY", canary))
	address, calls := fakeAPI(t, http.StatusOK, "text/event-stream", okStream)
	form := providerForm("Local", address)
	form.Set("credential", "env")
	form.Set("env", "LOCAL_KEY")
	form.Del("key")
	form.Set("do", "test")
	if got := s.Admin.Follow(s.Admin.Post("/settings/providers", form)); !strings.Contains(got.Body, "It works") {
		t.Errorf("the test did not work\n%s", got.Body)
	}
	if len(*calls) != probeCalls || (*calls)[0].Get("Authorization") != "Bearer "+canary {
		t.Error("the key was not read from the environment")
	}
	form.Set("env", "OTHER_KEY")
	got := s.Admin.Follow(s.Admin.Post("/settings/providers/"+onlyProvider(t, s).ID, form))
	if !strings.Contains(got.Body, "Local has no key") || len(*calls) != probeCalls {
		t.Errorf("a variable that is not set: %d calls\n%s", len(*calls), got.Body)
	}
}

// TestMetadataAddressesAreRefused replays the case sec-metadata-base-url.
func TestMetadataAddressesAreRefused(t *testing.T) {
	t.Parallel()
	var input struct{ Blocked, Allowed []string }
	text, err := os.ReadFile("testdata/sec-metadata-base-url/input.json")
	if err == nil {
		err = json.Unmarshal(text, &input)
	}
	if err != nil || len(input.Blocked) == 0 || len(input.Allowed) == 0 {
		t.Fatalf("the case can't be read: %v", err)
	}
	s := webtest.New(t)
	for _, address := range input.Blocked {
		got := s.Admin.Post("/settings/providers", providerForm("P "+address, address))
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `aria-invalid="true"`) {
			t.Errorf("%s: got %d, want 422", address, got.Status)
		}
	}
	for _, address := range input.Allowed {
		got := s.Admin.Post("/settings/providers", providerForm("P "+address, address))
		if got.Status != http.StatusSeeOther {
			t.Errorf("%s: got %d, want it saved\n%s", address, got.Status, got.Body)
		}
	}
	local := providerForm("Local", "http://localhost:11434/v1")
	local.Del("private")
	if got := s.Admin.Post("/settings/providers", local); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "Tick the box") {
		t.Errorf("a private address without the switch: got %d", got.Status)
	}
}

func TestFailedTestsSayWhatHappened(t *testing.T) {
	t.Parallel()
	const gone = providertest.Nobody
	page, _ := fakeAPI(t, http.StatusOK, "text/html", "<p>canary page</p>")
	cut, _ := fakeAPI(t, http.StatusOK, "text/event-stream", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"O\"}}]}\n\n")
	missing, _ := fakeAPI(t, http.StatusNotFound, "application/json", `{"error":{"message":"canary","code":"model_not_found"}}`)
	tests := map[string]struct{ address, title, fact string }{
		"nobody there": {gone + "/v1", "Nobody listens at the address of Local", "network"},
		"a web page":   {page, "Local answered with a page instead of an answer", "parser"},
		"a cut stream": {cut, "", "HTTP"},
		"no model":     {missing, "Local does not know the model", "model_not_found"},
	}
	for name, test := range tests {
		s := webtest.New(t)
		form := providerForm("Local", test.address)
		form.Set("do", "test")
		got := s.Admin.Follow(s.Admin.Post("/settings/providers", form))
		if !strings.Contains(got.Body, test.title) || !strings.Contains(got.Body, test.fact) || strings.Contains(got.Body, "It works") {
			t.Errorf("%s: the page lacks %q or %q\n%s", name, test.title, test.fact, got.Body)
		}
		if strings.Contains(got.Body, "canary") {
			t.Errorf("%s: the page repeats the upstream's words", name)
		}
	}
}

func TestProviderFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	form := providerForm(`"><script>alert(1)</script>`, "nonsense")
	form.Set("max_output", "many")
	got := s.Admin.Post("/settings/providers", form)
	if got.Status != http.StatusUnprocessableEntity {
		t.Fatalf("got %d, want 422", got.Status)
	}
	for _, want := range []string{
		`value="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"`, `value="nonsense"`, "Enter a whole address",
		`value="many"`, "Enter a whole number", "some-model\nother-model", "field__error",
	} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("the page lacks %q\n%s", want, got.Body)
		}
	}
}

func TestHostileNamesAreInert(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	name := "<img src=x>\u202egnp.exe"
	form := providerForm(name, "http://127.0.0.1:1/v1")
	form.Set("models", `"><script>alert(1)</script>`)
	saved := s.Admin.Post("/settings/providers", form)
	for _, path := range []string{saved.Location, "/settings/providers"} {
		got := s.Admin.Get(path)
		if got.Status != http.StatusOK || strings.Contains(got.Body, "<img") || strings.Contains(got.Body, "<script>alert") {
			t.Errorf("%s: got %d, or markup came alive\n%s", path, got.Status, got.Body)
		}
		if !strings.Contains(got.Body, "&lt;img src=x&gt;") || !strings.Contains(got.Body, "U+202E") {
			t.Errorf("%s: the name is not shown for what it is\n%s", path, got.Body)
		}
	}
}

func TestPracticeProvider(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	if got := s.Admin.Get("/"); got.Location != "/welcome" {
		t.Errorf("without a provider: got %s, want /welcome", describe(got))
	}
	for range 2 { // a second click changes nothing
		if got := s.Admin.Post("/settings/providers/practice", url.Values{}); !strings.HasPrefix(got.Location, "/?model=") {
			t.Fatalf("got %s\n%s", describe(got), got.Body)
		}
	}
	p := onlyProvider(t, s)
	list := s.Admin.Get("/settings/providers")
	if !strings.Contains(list.Body, "Scripted") || strings.Contains(list.Body, "Try it offline") {
		t.Errorf("the list does not say that the provider is scripted, or offers it again\n%s", list.Body)
	}
	page := s.Admin.Get("/settings/providers/" + p.ID)
	if strings.Contains(page.Body, `name="base_url"`) || !strings.Contains(page.Body, "Remove …") {
		t.Errorf("the practice provider can be edited, or not removed\n%s", page.Body)
	}
	if got := s.Admin.Post("/settings/providers/"+p.ID, providerForm("X", "http://127.0.0.1:1/v1")); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("an edit: got %d, want 422", got.Status)
	}
	if got := s.Admin.Follow(s.Admin.Post("/settings/providers/"+p.ID+"/test", url.Values{})); !strings.Contains(got.Body, "It works") {
		t.Errorf("the test did not work\n%s", got.Body)
	}
	if got := s.Admin.Get("/settings/providers/" + p.ID + "/delete"); !strings.Contains(got.Body, "Remove this provider?") || !strings.Contains(got.Body, "Remove provider") {
		t.Errorf("the question before it is removed: got %d\n%s", got.Status, got.Body)
	}
	if got := s.Admin.Follow(s.Admin.Post("/settings/providers/"+p.ID+"/delete", url.Values{})); !strings.Contains(got.Body, "was removed") {
		t.Errorf("the list does not say that it was removed\n%s", got.Body)
	}
}

func TestTheAgentFollowsTheProviders(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	model := func() string {
		list, err := s.DB.Agents().List(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("got %d agents, %v", len(list), err)
		}
		return list[0].Model.ProviderName + "/" + list[0].Model.Model
	}
	s.Admin.Post("/settings/providers/practice", url.Values{})
	if got := model(); got != "Practice/practice-1" {
		t.Errorf("after practice: got %s", got)
	}
	saved := s.Admin.Post("/settings/providers", providerForm("Local", "http://127.0.0.1:1/v1"))
	if got := model(); got != "Local/some-model" {
		t.Errorf("after a real provider: got %s", got)
	}
	form := providerForm("Local", "http://127.0.0.1:1/v1")
	form.Set("models", "other-model")
	s.Admin.Post(saved.Location, form)
	if got := model(); got != "Local/other-model" {
		t.Errorf("after its model went: got %s", got)
	}
	s.Admin.Post(saved.Location+"/delete", url.Values{})
	if got := model(); got != "Practice/practice-1" {
		t.Errorf("after the provider went: got %s", got)
	}
}

func TestTestButtonAnswersInPlace(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Admin.Post("/settings/providers/practice", url.Values{})
	r := s.Admin.Request(http.MethodPost, "/settings/providers/"+onlyProvider(t, s).ID+"/test", url.Values{})
	r.Header.Set("HX-Request", "true")
	got := s.Admin.Do(r)
	if got.Status != http.StatusOK || !strings.HasPrefix(got.Body, `<section class="section" id="provider-test"`) {
		t.Errorf("got %d, want the section alone\n%s", got.Status, got.Body)
	}
}
