package providertest_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/providers/providertest"
)

// recorder is a test that may fail without failing this one.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures int
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(string, ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures++
}

func (r *recorder) end() int {
	for _, f := range r.cleanups {
		f()
	}
	return r.failures
}

func post(t *testing.T, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/x", strings.NewReader("hi"))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	return http.DefaultClient.Do(req)
}

func TestServerPlaysItsScript(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	s := providertest.NewServer(r, providertest.Answer{Status: 418, Header: map[string]string{"x-a": "b"}, Body: []byte("body"), Writes: []int{1, 2}})
	res, err := post(t, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != 418 || res.Header.Get("X-A") != "b" || string(body) != "body" || err != nil {
		t.Errorf("got %d %v %q, %v", res.StatusCode, res.Header, body, err)
	}
	got := s.Requests()
	if len(got) != 1 || got[0].Path != "/x" || string(got[0].Body) != "hi" {
		t.Errorf("got %+v", got)
	}
	if n := r.end(); n != 0 {
		t.Errorf("got %d failures", n)
	}
}

func TestServerIsStrict(t *testing.T) {
	t.Parallel()
	unexpected := &recorder{TB: t}
	s := providertest.NewServer(unexpected)
	res, err := post(t, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if unexpected.end() != 1 {
		t.Error("an unexpected request does not fail the test")
	}
	unread := &recorder{TB: t}
	providertest.NewServer(unread, providertest.Answer{})
	if unread.end() != 1 {
		t.Error("an unread answer does not fail the test")
	}
}

func TestServerEndings(t *testing.T) {
	t.Parallel()
	for _, ending := range []providertest.Ending{providertest.Cut, providertest.Reset} {
		a := providertest.Events([]byte("data: a\n\n"))
		a.Then = ending
		s := providertest.NewServer(t, a)
		res, err := post(t, s.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if string(body) != "data: a\n\n" || err == nil {
			t.Errorf("ending %d: got %q, %v, want all bytes and an error", ending, body, err)
		}
	}
}
