package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/providers/providertest"
	"countersign/web/webtest"
)

// A service answers a request for an answer with what its parts say.
type fakeService struct {
	models, plain, tools http.HandlerFunc
}

func (f fakeService) start(t *testing.T, tls bool) string {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodGet && f.models != nil:
			f.models(w, r)
		case r.Method == http.MethodGet:
			http.NotFound(w, r)
		case strings.Contains(string(body), `"noop"`) && f.tools != nil:
			f.tools(w, r)
		default:
			f.plain(w, r)
		}
	})
	server := httptest.NewUnstartedServer(handler)
	if tls {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

const usedStream = `data: {"choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}

`

// A test of a connection says at which step it ends, or what is missing of one
// that works.
func TestProbeNamesTheStep(t *testing.T) {
	t.Parallel()
	works := says(http.StatusOK, "text/event-stream", usedStream)
	fails := func(status int, code string) http.HandlerFunc {
		return says(status, "application/json", `{"error":{"message":"canary","code":"`+code+`"}}`)
	}
	const nobody = providertest.Nobody
	for name, tt := range map[string]struct {
		address string
		title   string
		failed  string // "" for none
		warned  string
	}{
		"nobody there":  {nobody + "/v1", "Nobody listens at the address of Local.", "Connection", ""},
		"no key":        {fakeService{plain: fails(401, "invalid_api_key")}.start(t, false), "Local refused the credential.", "Key", ""},
		"wrong path":    {fakeService{plain: says(404, "text/html", "<h1>canary</h1>")}.start(t, false), "Local has nothing at this address.", "Path and API", ""},
		"no such model": {fakeService{plain: fails(404, "model_not_found")}.start(t, false), "Local does not know the model.", "Model", ""},
		"tools refused": {fakeService{plain: works, tools: fails(400, "unsupported_parameter")}.start(t, false), "Local takes no tools with this model.", "Tools", ""},
		"no usage":      {fakeService{plain: says(200, "text/event-stream", okStream)}.start(t, false), "It works.", "", "Usage figures"},
		"all of it":     {fakeService{plain: works}.start(t, false), "It works.", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := webtest.New(t)
			form := providerForm("Local", tt.address)
			form.Set("do", "test")
			got := d.Admin.Follow(d.Admin.Post("/settings/providers", form))
			if strings.Contains(got.Body, "canary") {
				t.Errorf("the page repeats the service's words\n%s", got.Body)
			}
			if !strings.Contains(got.Body, "<b>"+tt.title+"</b>") {
				t.Errorf("the page does not say %q\n%s", tt.title, got.Body)
			}
			check := func(status, label string) {
				t.Helper()
				parts := strings.Split(got.Body, `class="status status--`+status)
				found := false
				for _, p := range parts[1:] {
					found = found || strings.Contains(p[:min(len(p), 400)], label)
				}
				if label == "" && len(parts) > 1 || label != "" && !found {
					t.Errorf("the steps that are %s should be %q\n%s", status, label, got.Body)
				}
			}
			check("bad", tt.failed)
			check("attn", tt.warned)
		})
	}
}

// What the endpoint lists can be added with a click; a list without end is cut.
func TestProbeOffersModels(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	works := says(http.StatusOK, "text/event-stream", usedStream)
	list := says(http.StatusOK, "application/json", `{"data":[{"id":"some-model"},{"id":"new-model"},{"id":"odd\u0000id"},{"id":""}]}`)
	form := providerForm("Local", fakeService{models: list, plain: works}.start(t, false))
	form.Set("do", "test")
	saved := s.Admin.Post("/settings/providers", form)
	page := s.Admin.Follow(saved)
	if !strings.Contains(page.Body, "1 more model at this address") || !strings.Contains(page.Body, `value="new-model"`) || strings.Contains(page.Body, "odd") {
		t.Errorf("the page offers the wrong models\n%s", page.Body)
	}
	at := strings.Split(saved.Location, "#")[0]
	after := s.Admin.Follow(s.Admin.Post(at+"/models", url.Values{"model": {"new-model"}}))
	if !strings.Contains(after.Body, "some-model\nother-model\nnew-model") || strings.Contains(after.Body, "at this address") {
		t.Errorf("the model was not added, or is offered again\n%s", after.Body)
	}
	if got := s.Admin.Post(at+"/models", url.Values{"model": {"new-model"}}); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("a model twice: got %d, want 422", got.Status)
	}

	endless := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[`)
		for range 100 << 20 / 1024 {
			if _, err := fmt.Fprint(w, `{"id":"`+strings.Repeat("x", 1024)+`"},`); err != nil {
				return
			}
		}
	}
	form = providerForm("Endless", fakeService{models: endless, plain: works}.start(t, false))
	form.Set("do", "test")
	if page := s.Admin.Follow(s.Admin.Post("/settings/providers", form)); !strings.Contains(page.Body, "It works.") {
		t.Errorf("an endless list of models\n%s", page.Body)
	}
}

// A provider that never answers slows no page; only its test waits, and not for
// long.
func TestDeadProviderSlowsNoPage(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	reached := make(chan struct{}, 4)
	hangs := func(_ http.ResponseWriter, r *http.Request) { reached <- struct{}{}; <-r.Context().Done() }
	saved := s.Admin.Post("/settings/providers", providerForm("Dead", fakeService{plain: hangs}.start(t, false)))
	tested := make(chan string)
	started := time.Now()
	go func() { tested <- s.Admin.Follow(s.Admin.Post(saved.Location+"/test", url.Values{})).Body }()
	<-reached
	for _, path := range []string{"/", "/settings/providers", saved.Location, "/settings/agents", "/inbox"} {
		if page := s.Admin.Get(path); page.Status != http.StatusOK {
			t.Errorf("%s: got %d", path, page.Status)
		}
	}
	select {
	case <-tested:
		t.Error("the test ended before the pages were looked at")
	default:
	}
	if page := <-tested; !strings.Contains(page, "Dead took too long") || time.Since(started) > 15*time.Second {
		t.Errorf("the test took %v\n%s", time.Since(started), page)
	}
}
