package e2e_test

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"
)

// A session is a signed-in browser without a page: it sends forms only.
type session struct {
	t    *testing.T
	base string
	http *http.Client
}

// signIn opens a session of its own for the admin.
func (s *server) signIn() *session {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	to := &session{t: s.t, base: s.url, http: &http.Client{Jar: jar, Transport: &http.Transport{}}}
	s.t.Cleanup(to.http.CloseIdleConnections)
	if status, body, err := to.post("/login", url.Values{"email": {adminEmail}, "password": {adminPassword}}); err != nil || status != http.StatusNoContent && status != http.StatusOK {
		s.t.Fatalf("sign in: %d, %v\n%s", status, err, body)
	}
	return to
}

// post sends a form as a page does in the background. It may be called from
// any goroutine.
func (s *session) post(path string, form url.Values) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("HX-Request", "true")
	response, err := s.http.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// cardForm is what the form of the only call that waits would send, but for
// the button and the reason, and where to.
func (p *page) cardForm() (path string, values url.Values) {
	p.t.Helper()
	values = url.Values{}
	raw, err := p.Locator("[data-card] form.card__body").Evaluate(`f => [new URL(f.action).pathname, ...[...f.elements].filter(e => e.type === 'hidden').flatMap(e => [e.name, e.value])]`, nil)
	p.must(err)
	list := raw.([]any)
	for i := 1; i+1 < len(list); i += 2 {
		values.Set(list[i].(string), list[i+1].(string))
	}
	return list[0].(string), values
}

// with returns the form with a decision in it.
func with(form url.Values, decision string) url.Values {
	decided := url.Values{"decision": {decision}}
	for name, value := range form {
		decided[name] = value
	}
	return decided
}

// facts counts the records of the server's journals by their kind, from the
// file, so that it can be done while the server is down as well.
func (s *server) facts() map[string]int {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.data, "countersign.db")+"?_pragma=query_only(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(s.t.Context(), "SELECT kind, count(*) FROM events GROUP BY kind")
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	counts := map[string]int{}
	for rows.Next() {
		var kind string
		var n int
		if err := rows.Scan(&kind, &n); err != nil {
			s.t.Fatal(err)
		}
		counts[kind] = n
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return counts
}

// TestTwoTabsDecideAtOnce is the case approval-two-tabs with a tool of ours:
// in odd rounds both tabs approve, in even rounds one approves and one denies.
func TestTwoTabsDecideAtOnce(t *testing.T) {
	t.Parallel()
	var about struct {
		Input struct{ Repeat int }
	}
	readJSON(t, "testdata/approval-two-tabs/case.json", &about)
	rounds := about.Input.Repeat
	var script strings.Builder
	for i := 1; i <= rounds; i++ {
		fmt.Fprintf(&script, "match user \"round %d.\"\nmatch results 0\ncall call_1 notes_write {\"title\":\"A\",\"text\":\"%d\"}\nfinish tool_calls\n---\n", i, i)
		fmt.Fprintf(&script, "match user \"round %d.\"\ntext \"End of %d.\"\nfinish stop\n---\n", i, i)
	}
	c := newChat(t, strings.TrimSuffix(script.String(), "---\n"))
	one, two := c.server.signIn(), c.server.signIn()
	c.start("This is round 1.")
	other := c.another()
	other.visit(c.URL(), http.StatusOK)

	runs := 0
	for round := 1; round <= rounds; round++ {
		if round > 1 {
			c.send(fmt.Sprintf("This is round %d.", round))
		}
		path, form := c.cardForm()
		verdicts := [2]string{"allow", "allow"}
		if round%2 == 0 {
			verdicts[1] = "deny"
		}
		statuses, bodies := race(t, [2]*session{one, two}, path, with(form, verdicts[0]), with(form, verdicts[1]))
		c.awaitStatus(isReady)
		other.awaitStatus(isReady)

		winner := 0
		switch {
		case statuses == [2]int{204, 204} && verdicts[0] == verdicts[1]: // the same decision by the same person
		case statuses == [2]int{204, 409}:
		case statuses == [2]int{409, 204}:
			winner = 1
		default:
			t.Fatalf("round %d: %v were answered with %v", round, verdicts, statuses)
		}
		if statuses[1-winner] == 409 && !strings.Contains(bodies[1-winner], "Nothing waits for this any more") {
			t.Errorf("round %d: the loser was told\n%s", round, bodies[1-winner])
		}
		want := "Approved once"
		if verdicts[winner] == "deny" {
			want = "Denied"
		} else {
			runs++
		}
		for _, p := range []*page{c.page, other} {
			p.must(expect.Locator(p.decided()).ToHaveCount(round))
			p.must(expect.Locator(p.decided().Last()).ToContainText(want))
			p.must(expect.Locator(p.decided().Last()).ToContainText(adminName))
			p.must(expect.Locator(p.ran("notes_write")).ToHaveCount(runs))
		}
	}
	c.wantSame(other)
	c.server.wantFacts(map[string]int{"approval_requested": rounds, "approval_decision": rounds, "tool_call_started": runs, "tool_call_finished": rounds})
}

// race sends two forms at the same moment.
func race(t *testing.T, sessions [2]*session, path string, forms ...url.Values) (statuses [2]int, bodies [2]string) {
	t.Helper()
	var errs [2]error
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i, s := range sessions {
		wg.Go(func() {
			<-begin
			statuses[i], bodies[i], errs[i] = s.post(path, forms[i])
		})
	}
	close(begin)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return statuses, bodies
}

// wantFacts requires this many records of these kinds in the journals.
func (s *server) wantFacts(want map[string]int) {
	s.t.Helper()
	got := map[string]int{}
	counts := s.facts()
	for kind := range want {
		got[kind] = counts[kind]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("records by kind (-want +got):\n%s", diff)
	}
}
