package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/models/modelstest"
)

// TestAnEndedSessionStaysEnded guards against the request that is under way
// while its session is signed out: what it saves afterwards must not bring the
// session back.
func TestAnEndedSessionStaysEnded(t *testing.T) {
	t.Parallel()
	var ended []string
	s := newSessions(modelstest.Open(t).Sessions(), false, time.Now, func(id string) { ended = append(ended, id) })

	res := httptest.NewRecorder()
	if err := s.start(res, request(t, nil), "u_dana"); err != nil {
		t.Fatal(err)
	}
	r := request(t, res.Result().Cookies())
	slow, ok, err := s.find(r)
	if err != nil || !ok || slow.user != "u_dana" {
		t.Fatalf("got %v, %v, %v; want the session of u_dana", slow.user, ok, err)
	}
	if err := s.end(t.Context(), slow); err != nil {
		t.Fatal(err)
	}
	if err := s.setNotice(t.Context(), slow.token, "Saved."); err != nil {
		t.Errorf("a notice for a session that ended: %v", err)
	}
	if _, ok, err := s.find(r); ok || err != nil {
		t.Errorf("afterwards: got %v, %v; want no session", ok, err)
	}
	if diff := cmp.Diff([]string{slow.id}, ended); diff != "" {
		t.Errorf("sessions told to end (-want +got):\n%s", diff)
	}
}

func TestTheCookieIsNotTheSessionsID(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	s := newSessions(db.Sessions(), false, time.Now, func(string) {})
	res := httptest.NewRecorder()
	if err := s.start(res, request(t, nil), "u_dana"); err != nil {
		t.Fatal(err)
	}
	found, _, err := s.find(request(t, res.Result().Cookies()))
	if err != nil {
		t.Fatal(err)
	}
	// Neither the id nor what is stored works as a cookie.
	if _, stored, err := db.Sessions().Find(t.Context(), found.token); stored || err != nil {
		t.Errorf("the token is stored as it is: %v, %v", stored, err)
	}
	if _, ok, err := s.find(request(t, []*http.Cookie{{Name: "countersign", Value: found.id}})); ok || err != nil {
		t.Errorf("the id works as a cookie: %v, %v", ok, err)
	}
}

func request(t *testing.T, cookies []*http.Cookie) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return r
}
