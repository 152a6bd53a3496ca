package inspect_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/web/inspect"
)

var candidate = agent.Inspection{
	Guardrail: "Desk", Agent: "Assistant", Conversation: "c_1", Run: "r_1", Attempt: "a_1",
	Candidate: agent.Candidate{Answer: "Four.", Reasoning: "Two and two.", Calls: []agent.CandidateCall{{Tool: "save", Arguments: `{"n":1.0}`}}},
}

func ask(t *testing.T, w agent.Webhook, in agent.Inspection) (bool, error) {
	t.Helper()
	i := inspect.New()
	defer i.Close()
	return i.Inspect(t.Context(), w, in)
}

func TestInspect_Asks(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		const want = `{"guardrail":"Desk","agent":"Assistant","conversation_id":"c_1","run_id":"r_1","attempt_id":"a_1",` +
			`"answer":"Four.","reasoning":"Two and two.","calls":[{"tool":"save","arguments":"{\"n\":1.0}"}]}`
		if diff := cmp.Diff(want, string(body)); diff != "" || r.Method != http.MethodPost || r.URL.Path != "/judge" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %s", r.Method, r.URL.Path, diff)
		}
		_, _ = w.Write([]byte(`{"verdict":"allow","note":"passed over"}`))
	}))
	defer s.Close()
	if allowed, err := ask(t, agent.Webhook{URL: s.URL + "/judge", AllowPrivateNetwork: true}, candidate); !allowed || err != nil {
		t.Errorf("got %v, %v", allowed, err)
	}
}

// Whatever is not a verdict is none, and what is said of it holds nothing that
// was sent or answered.
func TestInspect_NoVerdict(t *testing.T) {
	t.Parallel()
	hung := make(chan struct{})
	t.Cleanup(func() { close(hung) })
	writes := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	elsewhere := httptest.NewServer(writes(`{"verdict":"allow"}`))
	t.Cleanup(elsewhere.Close)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string // "" for a block
	}{
		"blocks":        {writes(`{"verdict":"block"}`), ""},
		"nothing":       {writes(``), "no verdict"},
		"no JSON":       {writes(`canary`), "no verdict"},
		"another word":  {writes(`{"verdict":"ALLOW"}`), "no verdict"},
		"more than one": {writes(`{"verdict":"allow"}{"verdict":"allow"}`), "no verdict"},
		"a long answer": {writes(`{"verdict":"allow"}` + strings.Repeat(" ", 64<<10)), "no verdict"},
		"a list":        {writes(`["allow"]`), "no verdict"},
		"a failure": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"verdict":"allow"}`, http.StatusBadGateway)
		}, "502"},
		"created": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}, "201"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "307"},
		"an answer cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}, "failed"},
		"no answer": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case <-r.Context().Done():
			case <-hung:
			}
		}, "within 1s"},
		"an answer in drops": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for range 100 {
				if _, err := io.WriteString(w, " "); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-time.After(50 * time.Millisecond):
				case <-r.Context().Done():
					return
				}
			}
		}, "within 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(c.answer)
			defer s.Close()
			allowed, err := ask(t, agent.Webhook{URL: s.URL + "/secret-path", Timeout: time.Second, AllowPrivateNetwork: true}, candidate)
			if allowed || (err == nil) != (c.says == "") {
				t.Fatalf("got %v, %v", allowed, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "Four")) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

// Where a webhook may not be asked, nobody is connected to.
func TestInspect_Refuses(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	defer s.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	large := candidate
	large.Answer = strings.Repeat("x", agent.MaxInspection)
	for name, c := range map[string]struct {
		hook agent.Webhook
		in   agent.Inspection
	}{
		"a private address":        {agent.Webhook{URL: s.URL}, candidate},
		"a name of one":            {agent.Webhook{URL: "http://localhost:" + port}, candidate},
		"a metadata service":       {agent.Webhook{URL: "http://169.254.169.254/", AllowPrivateNetwork: true}, candidate},
		"no address":               {agent.Webhook{URL: "file:///etc/passwd", AllowPrivateNetwork: true}, candidate},
		"a user in it":             {agent.Webhook{URL: "http://a:b@127.0.0.1:" + port, AllowPrivateNetwork: true}, candidate},
		"a candidate of 4 MiB":     {agent.Webhook{URL: s.URL, AllowPrivateNetwork: true}, large},
		"nobody at the address":    {agent.Webhook{URL: "http://127.0.0.1:1", AllowPrivateNetwork: true}, candidate},
		"a name that is not there": {agent.Webhook{URL: "http://nowhere.invalid", AllowPrivateNetwork: true}, candidate},
	} {
		if allowed, err := ask(t, c.hook, c.in); allowed || err == nil {
			t.Errorf("%s: got %v, %v", name, allowed, err)
		}
	}
}

func TestInspection_JSON(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(agent.Inspection{Guardrail: "Desk"})
	if want := `{"guardrail":"Desk","agent":"","conversation_id":"","run_id":"","attempt_id":""}`; err != nil || string(data) != want {
		t.Errorf("got %s, %v", data, err)
	}
}
