package e2e_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/web/livepage"
)

// A visitor talks to a server over HTTP alone, without a browser's patience:
// what is refused while the server is down is tried again.
type visitor struct {
	server *server
	client *http.Client

	mu      sync.Mutex
	talks   map[string]bool // conversations that the server said it has
	decided map[string]bool // interactions whose decision it took
}

func newVisitor(t *testing.T, s *server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v := &visitor{
		server: s, client: &http.Client{Jar: jar, CheckRedirect: stay, Timeout: 20 * time.Second},
		talks: map[string]bool{}, decided: map[string]bool{},
	}
	_, token, _ := strings.Cut(s.SetupURL(), "token=")
	account := url.Values{"token": {token}, "name": {adminName}, "email": {adminEmail}, "password": {adminPassword}}
	if _, err := v.post("/setup", account); err != nil {
		t.Fatal(err)
	}
	if _, err := v.post("/settings/providers/practice", nil); err != nil {
		t.Fatal(err)
	}
	return v
}

// errRefused says that the server answered, and not as hoped.
var errRefused = errors.New("refused")

// post sends a form and returns where its answer leads.
func (v *visitor) post(path string, form url.Values) (string, error) {
	request, err := http.NewRequest(http.MethodPost, v.server.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", v.server.url)
	response, err := v.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		return "", fmt.Errorf("%w: POST %s: %s", errRefused, path, response.Status)
	}
	return response.Header.Get("Location"), nil
}

func (v *visitor) page(path string) (*livepage.Page, error) {
	response, err := v.client.Get(v.server.url + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%w: GET %s: %s", errRefused, path, response.Status)
	}
	if err != nil {
		return nil, err
	}
	return livepage.Parse(string(body))
}

// talk starts conversations, one after the other, and decides on what they ask
// for, until it is told to stop. What the server acknowledges is kept.
func (v *visitor) talk(n int, stop <-chan struct{}) {
	open := ""
	for i := 0; ; {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		if open == "" {
			form := url.Values{"text": {"Write a note for me."}, "message_id": {fmt.Sprintf("m_%d_%d", n, i)}, "reasoning": {"on"}}
			if at, err := v.post("/c", form); err == nil {
				open, i = at, i+1
				v.keep(v.talks, at)
			}
			continue
		}
		if over, err := v.decide(open); err == nil && over {
			open = ""
		}
	}
}

func (v *visitor) keep(in map[string]bool, what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	in[what] = true
}

// decide answers the card of a conversation, if there is one, and reports
// whether its run is over.
func (v *visitor) decide(talk string) (over bool, err error) {
	page, err := v.page(talk)
	if err != nil {
		return false, err
	}
	if cards := page.Forms("/approvals/"); len(cards) > 0 {
		form := cards[0]
		form.Values.Set("decision", "allow")
		if _, err := v.post(form.Action, form.Values); err != nil {
			return false, err
		}
		v.keep(v.decided, form.Action[strings.LastIndex(form.Action, "/")+1:])
		return false, nil
	}
	if cards := page.Forms("/reconcile/"); len(cards) > 0 {
		form := cards[0]
		form.Values.Set("answer", "happened")
		_, err := v.post(form.Action, form.Values)
		return false, err
	}
	status := page.Text("bar-meta")
	return strings.HasSuffix(status, "ready") || strings.Contains(status, "the last run"), nil
}

// The program itself is killed at random moments while people talk to it over
// HTTP. What it acknowledged is there, whole and in order, no tool ran twice,
// and no run is stuck.
func TestProgramKilledAtRandom(t *testing.T) {
	t.Parallel()
	const kills, people = 8, 3
	s := startServer(t)
	v := newVisitor(t, s)
	chance := rand.New(rand.NewPCG(1, 2))
	stop := make(chan struct{})
	var talking sync.WaitGroup
	for n := range people {
		talking.Go(func() { v.talk(n, stop) })
	}
	for range kills {
		<-time.After(time.Duration(100+chance.IntN(2000)) * time.Millisecond)
		s.Kill()
		s.Restart()
	}
	close(stop)
	talking.Wait()

	for talk := range v.talks {
		tick := time.NewTicker(50 * time.Millisecond)
		for late := time.After(time.Minute); ; {
			if over, err := v.decide(talk); errors.Is(err, errRefused) {
				t.Errorf("%s was acknowledged: %v", talk, err)
				break
			} else if over {
				break
			}
			select {
			case <-tick.C:
				continue
			case <-late:
				t.Errorf("the run of %s is stuck", talk)
			}
			break
		}
		tick.Stop()
	}
	s.Stop()
	v.check(t)
}

// check looks at what is in the file.
func (v *visitor) check(t *testing.T) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(v.server.data, "countersign.db")+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for problem, query := range map[string]string{
		"the file is damaged":                `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
		"a journal has gaps":                 `SELECT conversation FROM events GROUP BY conversation HAVING count(*) <> max(seq) OR min(seq) <> 1`,
		"a conversation is not at its end":   `SELECT id FROM conversations c WHERE last_seq <> (SELECT max(seq) FROM events WHERE conversation = c.id)`,
		"a run is not over":                  `SELECT id FROM runs WHERE status NOT IN ('succeeded', 'failed', 'cancelled')`,
		"a run failed for another reason":    `SELECT run FROM events WHERE kind = 'run_finished' AND json_extract(data, '$.failure.code') <> 'reclaimed'`,
		"a run ended twice":                  `SELECT run FROM events WHERE kind = 'run_finished' GROUP BY conversation, run HAVING count(*) > 1`,
		"a tool ran twice":                   `SELECT json_extract(data, '$.call_id') AS call FROM events WHERE kind = 'tool_call_started' GROUP BY conversation, call HAVING count(*) > 1`,
		"a call has two results":             `SELECT json_extract(data, '$.call_id') AS call FROM events WHERE kind = 'tool_call_finished' GROUP BY conversation, call HAVING count(*) > 1`,
		"a call was decided twice":           `SELECT json_extract(data, '$.call_id') AS call FROM events WHERE kind = 'approval_decision' GROUP BY conversation, call HAVING count(*) > 1`,
		"a tool ran that nobody allowed":     `SELECT json_extract(s.data, '$.call_id') FROM events s WHERE s.kind = 'tool_call_started' AND NOT EXISTS (SELECT 1 FROM events d WHERE d.conversation = s.conversation AND d.kind = 'approval_decision' AND d.seq < s.seq AND json_extract(d.data, '$.call_id') = json_extract(s.data, '$.call_id') AND json_extract(d.data, '$.verdict') = 'allow')`,
		"a call of a run that ended is open": `SELECT json_extract(q.data, '$.call_id') FROM events q WHERE q.kind = 'tool_call_requested' AND NOT EXISTS (SELECT 1 FROM events f WHERE f.conversation = q.conversation AND f.kind = 'tool_call_finished' AND json_extract(f.data, '$.call_id') = json_extract(q.data, '$.call_id'))`,
	} {
		for _, found := range query1(t, db, query) {
			t.Errorf("%s: %s", problem, found)
		}
	}
	there := map[string]bool{}
	for _, id := range query1(t, db, "SELECT id FROM conversations") {
		there["/c/"+id] = true
	}
	for talk := range v.talks {
		if !there[talk] {
			t.Errorf("%s was acknowledged and is gone", talk)
		}
	}
	kept := map[string]bool{}
	for _, id := range query1(t, db, "SELECT json_extract(data, '$.interaction_id') FROM events WHERE kind = 'approval_decision'") {
		kept[id] = true
	}
	for card := range v.decided {
		if !kept[card] {
			t.Errorf("the decision on %s was acknowledged and is gone", card)
		}
	}
	if len(v.decided) == 0 {
		t.Error("the test shows nothing: no card was decided")
	}
	t.Logf("%d conversations, %d decisions, %d runs succeeded", len(v.talks), len(v.decided),
		len(query1(t, db, "SELECT id FROM runs WHERE status = 'succeeded'")))
}

// query1 returns the first column of a query.
func query1(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
