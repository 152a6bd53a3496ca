package command_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// A key that a command makes works until a command revokes it, beside a server
// and without one.
func TestKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.setUp()
	create := func() string {
		t.Helper()
		token := p.do("keys", "create", "--user", "admin@example.com", "--name", "Night shift", "--scopes", "read, run", "--lasts", "24h")
		if !regexp.MustCompile(`^cba_[A-Za-z0-9_-]{43}\n$`).MatchString(token) {
			t.Fatalf("got %q, want a token alone", token)
		}
		return strings.TrimSpace(token)
	}
	tokens := []string{create()}
	server := p.serve()
	tokens = append(tokens, create())
	ask := func(token string, want int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.url+"/v2/agents", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", token)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("got %d, want %d", res.StatusCode, want)
		}
	}
	list := p.do("keys", "list")
	ids := regexp.MustCompile(`(?m)^k_\S+`).FindAllString(list, -1)
	if len(ids) != 2 || strings.Count(list, "read,run") != 2 || strings.Contains(list, tokens[0]) {
		t.Fatalf("listed:\n%s", list)
	}
	for i, token := range tokens {
		ask(token, http.StatusOK)
		p.do("keys", "revoke", ids[len(ids)-1-i]) // the newest is listed first
		ask(token, http.StatusUnauthorized)
	}
	p.refused(1, "no API key", "keys", "revoke", ids[0])
	p.refused(1, "Choose what the key may do", "keys", "create", "--user", "admin@example.com", "--name", "x", "--scopes", "write")
	p.refused(1, "nobody with this email", "keys", "create", "--user", "x@example.com", "--name", "x")
	p.refused(2, "--user and --name", "keys", "create")
}
