package web_test

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/views"
	"countersign/web"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

// within is how long a page may take to show what is true.
const within = 20 * time.Second

// Whatever the journal comes to hold, however it is cut, and wherever a page
// joins: the page and the fragments that it got are the page as it would be
// loaded then. Nobody tells the pages of the records; they find them out.
func TestFragmentsOfFactsMakeThePage(t *testing.T) {
	t.Parallel()
	for name, records := range scenarioRecords(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t, webtest.Pace(web.Pace{Beat: 20 * time.Millisecond}))
			r := rand.New(rand.NewPCG(uint64(len(records)), 7))
			j := replayed{t: t, s: s, records: records}
			j.append(1 + r.IntN(5))
			tabs := []*livepage.Tab{open(t, s, s.Admin, j.url())}
			for !j.done() {
				j.append(1 + r.IntN(4))
				switch r.IntN(4) {
				case 0: // another one joins
					if len(tabs) == 3 {
						tabs[0].Close()
						tabs = tabs[1:]
					}
					tabs = append(tabs, open(t, s, s.Admin, j.url()))
				case 1: // one is cut off for a while and comes back
					i := r.IntN(len(tabs))
					tabs[i].Close()
					j.append(r.IntN(4))
					tabs[i] = connect(t, s, s.Admin, tabs[i].Page)
				}
				j.compare(tabs)
			}
		})
	}
}

// scenarioRecords plays every scenario of the engine and returns its records.
func scenarioRecords(t *testing.T) map[string][]agent.Record {
	t.Helper()
	files, err := filepath.Glob("../agent/testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	played := map[string][]agent.Record{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scenario, err := agenttest.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		synctest.Test(t, func(t *testing.T) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			played[name] = agenttest.Play(t, scenario).Memory.Records(agenttest.Conversation)
		})
	}
	return played
}

// A replayed conversation is written to a server's journal bit by bit, as the
// admin's.
type replayed struct {
	t       *testing.T
	s       *webtest.Server
	records []agent.Record
	at      int
}

func (j *replayed) done() bool { return j.at == len(j.records) }

func (j *replayed) url() string { return views.ConversationURL(j.records[0].Conversation) }

// append writes the next n records at once. A message and its run come
// together.
func (j *replayed) append(n int) {
	j.t.Helper()
	b := agent.Batch{Conversation: j.records[0].Conversation, After: agent.Seq(j.at)}
	for ; !j.done() && (n > 0 || j.records[j.at].Event.Kind() == agent.RunCreated{}.Kind()); n-- {
		r := j.records[j.at]
		if created, ok := r.Event.(agent.ConversationCreated); ok {
			created.Owner = userID(j.t, j.s, webtest.AdminEmail)
			r.Event = created
		}
		b.At, b.Entries = r.At, append(b.Entries, agent.Entry{Run: r.Run, Event: r.Event})
		j.at++
	}
	if len(b.Entries) == 0 {
		return
	}
	if _, err := j.s.DB.Journal().Append(j.t.Context(), b); err != nil {
		j.t.Fatalf("append records up to %d: %v", j.at, err)
	}
}

// compare waits until the pages have every record, then compares them with the
// page as it is loaded now.
func (j *replayed) compare(tabs []*livepage.Tab) {
	j.t.Helper()
	want := load(j.t, j.s.Admin, j.url()).Normal()
	for _, tab := range tabs {
		err := tab.Until(within, func(p *livepage.Page) bool { return p.Seq() >= int64(j.at) })
		if err != nil {
			j.t.Fatalf("at record %d of %d: %v", tab.Seq(), j.at, err)
		}
		if diff := cmp.Diff(want, tab.Normal()); diff != "" {
			j.t.Fatalf("after record %d, %s (-loaded +followed):\n%s", j.at, j.records[j.at-1].Event.Kind(), diff)
		}
		if tab.Behind {
			j.t.Fatalf("after record %d a beat made the page connect anew", j.at)
		}
	}
}

func userID(t testing.TB, s *webtest.Server, email string) agent.UserID {
	t.Helper()
	list, err := s.DB.Users().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range list {
		if u.Email == email {
			return u.ID
		}
	}
	t.Fatalf("there is no %s", email)
	return ""
}

// load returns a page as it is now.
func load(t testing.TB, c *webtest.Client, address string) *livepage.Page {
	t.Helper()
	res := c.Get(address)
	if res.Status != http.StatusOK {
		t.Fatalf("GET %s: %d", address, res.Status)
	}
	p, err := livepage.Parse(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// open loads a page and has it follow its conversation.
func open(t testing.TB, s *webtest.Server, c *webtest.Client, address string) *livepage.Tab {
	t.Helper()
	return connect(t, s, c, load(t, c, address))
}

func connect(t testing.TB, s *webtest.Server, c *webtest.Client, p *livepage.Page) *livepage.Tab {
	t.Helper()
	tab, err := livepage.Connect(t.Context(), s.URL, cookies(c), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return tab
}

// cookies is the header that a browser sends them in.
func cookies(c *webtest.Client) http.Header {
	r := &http.Request{Header: http.Header{}, URL: &url.URL{}}
	for _, cookie := range c.Cookies() {
		r.AddCookie(cookie)
	}
	return r.Header
}
