package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/agent"
	"countersign/views"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

// writing is a model that asks for a call which waits for a person.
const writing = `call t1 notes_write "{\"title\":\"plan\",\"text\":\"milk\"}"
finish tool_calls`

// tireless answers whatever it is asked with a call that waits for a person.
func tireless(t *testing.T) *dialogue {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, chunk := range []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"notes_write","arguments":"{\"title\":\"plan\",\"text\":\"milk\"}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`,
		} {
			_, _ = io.WriteString(w, "data: "+chunk+"\n\n") // the caller may have gone
		}
	}))
	t.Cleanup(up.Close)
	d := &dialogue{t: t, s: webtest.New(t)}
	d.model = addModel(t, d.s, up.URL, agent.RetryPolicy{Base: time.Millisecond})
	if _, err := d.s.DB.Agents().Save(t.Context(), agent.Agent{Name: "Assistant", Model: d.model, Tools: everyTool}); err != nil {
		t.Fatal(err)
	}
	return d
}

// Own conversations are found, those of others look as if they did not exist.
func TestHousekeepingIsForTheOwner(t *testing.T) {
	t.Parallel()
	d := answered(t)
	before, err := d.s.DB.Journal().Head(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	for address, form := range map[string]url.Values{
		views.TitleURL(d.id): {"title": {"Mine now"}}, views.ArchiveURL(d.id): {"archived": {"true"}}, views.DeleteURL(d.id): {},
	} {
		if got := d.s.Member.Post(address, form); got.Status != http.StatusNotFound {
			t.Errorf("%s by somebody else: got %d, want 404", address, got.Status)
		}
		foreign := d.s.Admin.Request(http.MethodPost, address, form)
		foreign.Header.Set("Sec-Fetch-Site", "cross-site")
		if got := d.s.Admin.Do(foreign); got.Status != http.StatusForbidden {
			t.Errorf("%s from another site: got %d, want 403", address, got.Status)
		}
	}
	if got := d.s.Member.Get(views.DeleteURL(d.id)); got.Status != http.StatusNotFound || strings.Contains(got.Body, "Say hello") {
		t.Errorf("the question by somebody else: got %d, want 404", got.Status)
	}
	if after, err := d.s.DB.Journal().Head(t.Context(), d.id); err != nil || after.Seq != before.Seq {
		t.Errorf("record %d became %d, %v", before.Seq, after.Seq, err)
	}
}

func TestConversationIsRenamed(t *testing.T) {
	t.Parallel()
	d := answered(t)
	tab := d.open()
	d.post(views.TitleURL(d.id), url.Values{"title": {" A <b>bold</b>  plan "}})
	d.agree(tab)
	page := load(t, d.s.Admin, d.url())
	if got := page.Text(views.IDBarTitle); got != "A <b>bold</b> plan" || !strings.HasPrefix(page.Title(), got) {
		t.Errorf("got %q in the bar and %q as the title", got, page.Title())
	}
	background := d.s.Admin.Request(http.MethodPost, views.TitleURL(d.id), url.Values{"title": {strings.Repeat("x", agent.MaxTitle+1)}})
	background.Header.Set("HX-Request", "true")
	background.Header.Set("Sec-Fetch-Site", "same-origin")
	if got := d.s.Admin.Do(background); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "80 characters") || !strings.Contains(got.Body, "data-toast") {
		t.Errorf("a title that is too long: got %d\n%s", got.Status, got.Body)
	}
}

func TestConversationIsArchived(t *testing.T) {
	t.Parallel()
	d := answered(t)
	tab := d.open()
	row := `id="` + views.NavRowID(d.id) + `"`
	d.post(views.ArchiveURL(d.id), url.Values{"archived": {"true"}})
	d.agree(tab)
	page := d.s.Admin.Get(d.url()).Body
	if strings.Contains(page, row) || !strings.Contains(page, "Bring back") {
		t.Error("the archived conversation is in the sidebar, or can't be brought back")
	}
	if got := d.s.Admin.Get(views.ArchivedURL).Body; !strings.Contains(got, d.url()) {
		t.Error("the archive does not list it")
	}
	if got := d.s.Member.Get(views.ArchivedURL).Body; strings.Contains(got, d.url()) {
		t.Error("it is in the archive of somebody else")
	}
	d.post(views.ArchiveURL(d.id), url.Values{"archived": {"false"}})
	d.agree(tab)
	if got := d.s.Admin.Get(d.url()).Body; !strings.Contains(got, row) {
		t.Error("it is not back in the sidebar")
	}
	if got := d.s.Admin.Get(views.ArchivedURL).Body; !strings.Contains(got, "Nothing is archived") {
		t.Error("it is still in the archive")
	}
}

func TestBusyConversationIsNotArchived(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, writing, setting{})
	d.send("Write it down.")
	d.until(agent.StatusWaitingApproval)
	got := d.s.Admin.Post(views.ArchiveURL(d.id), url.Values{"archived": {"true"}})
	if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "A run is under way") {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
	d.stop()
}

// many gives somebody conversations that never worked.
func many(t *testing.T, s *webtest.Server, owner agent.UserID, n int) {
	t.Helper()
	for i := range n {
		_, err := s.DB.Journal().Append(context.Background(), agent.Batch{
			Conversation: agent.ConversationID(fmt.Sprintf("c_many_%03d", i)), At: s.Clock.Now(),
			Entries: []agent.Entry{{Event: agent.ConversationCreated{Owner: owner}}, {Event: agent.ConversationTitled{Title: fmt.Sprintf("Number %03d", i)}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestOlderConversationsAreAClickAway(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	many(t, s, userID(t, s, webtest.MemberEmail), 120)
	seen := map[string]bool{}
	page := s.Member.Get("/")
	for range 3 {
		for i := range 120 {
			title := fmt.Sprintf("Number %03d", i)
			if strings.Contains(page.Body, title) {
				seen[title] = true
			}
		}
		_, link, more := strings.Cut(page.Body, `href="/c?after=`)
		if rows := strings.LastIndex(page.Body, `href="/c?after=`); more && rows >= 0 {
			link = page.Body[rows+len(`href="/c?after=`):]
		}
		cursor, _, _ := strings.Cut(link, `"`)
		page = s.Member.Get("/c?after=" + cursor)
		if page.Status != http.StatusOK {
			t.Fatalf("an older part: got %d", page.Status)
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d of 120 conversations can be reached", len(seen))
	}
	if got := s.Member.Get("/c?after=nowhere"); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("a cursor that is none: got %d, want 422", got.Status)
	}
	if got := s.Admin.Get("/c").Body; strings.Contains(got, "Number 0") || !strings.Contains(got, "No conversations") {
		t.Error("the list of somebody else is not empty")
	}
}

func TestConversationIsDeleted(t *testing.T) {
	t.Parallel()
	d := answered(t)
	tab := d.open()
	d.agree(tab)
	if got := d.s.Admin.Get(views.DeleteURL(d.id)); got.Status != http.StatusOK || !strings.Contains(got.Body, "1 message of yours") {
		t.Errorf("the question: got %d\n%s", got.Status, got.Body)
	}
	got := d.s.Admin.Follow(d.post(views.DeleteURL(d.id), url.Values{}))
	if strings.Contains(got.Body, d.url()) || !strings.Contains(got.Body, "The conversation was deleted.") {
		t.Errorf("afterwards: got %d\n%s", got.Status, got.Body)
	}
	if code, err := tab.Closed(within); code != 4404 {
		t.Errorf("its page was closed with %d (%v), want 4404", code, err)
	}
	for _, address := range []string{d.url(), views.DeleteURL(d.id)} {
		if got := d.s.Admin.Get(address); got.Status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", address, got.Status)
		}
	}
	if got := d.s.Admin.Post(views.DeleteURL(d.id), url.Values{}); got.Status != http.StatusNotFound {
		t.Errorf("once more: got %d, want 404", got.Status)
	}
}

// A run that waits, and one that is being answered, are stopped by a deletion.
func TestDeletionStopsTheRun(t *testing.T) {
	t.Parallel()
	for status, script := range map[agent.RunStatus]string{
		agent.StatusWaitingApproval: writing,
		agent.StatusRunning:         "text \"Half\"\ngate never\nfinish stop",
	} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, script, setting{})
			d.send("Work.")
			d.until(status)
			if status == agent.StatusRunning {
				d.await("half an answer", func() bool { return d.s.Engine.Draft(d.id).Answer != "" })
			}
			if got := d.s.Admin.Get(views.DeleteURL(d.id)).Body; !strings.Contains(got, "A run is under way") {
				t.Error("the question does not say that a run is under way")
			}
			d.post(views.DeleteURL(d.id), url.Values{})
			if err := d.s.DB.Conversations().Erase(t.Context()); err != nil {
				t.Fatal(err)
			}
			if list, err := d.s.DB.Journal().Unfinished(t.Context()); err != nil || len(list) != 0 {
				t.Errorf("%v is unfinished, %v", list, err)
			}
		})
	}
}

// Deletions, messages and decisions at once: one deletion wins, and nothing of
// the conversation comes back.
func TestDeletionRace(t *testing.T) {
	t.Parallel()
	d := tireless(t)
	for round := range 10 {
		d.id = ""
		d.send("Work.")
		d.until(agent.StatusWaitingApproval)
		forms := load(t, d.s.Admin, d.url()).Forms("/approvals/")
		forms[0].Values.Set("decision", "allow")
		tab := d.open()
		statuses := make([]int, 3)
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() { statuses[i] = d.s.Admin.Post(views.DeleteURL(d.id), url.Values{}).Status })
		}
		wg.Go(func() { statuses[2] = d.s.Admin.Post(forms[0].Action, forms[0].Values).Status })
		wg.Go(func() {
			d.s.Admin.Post(views.MessagesURL(d.id), url.Values{"message_id": {fmt.Sprint("late_", round)}, "text": {"And this?"}})
		})
		wg.Wait()
		if statuses[0]+statuses[1] != http.StatusSeeOther+http.StatusNotFound {
			t.Fatalf("round %d: got %v, want one deletion and one 404", round, statuses[:2])
		}
		if code, err := tab.Closed(within); code != 4404 {
			t.Errorf("round %d: the page was closed with %d (%v), want 4404", round, code, err)
		}
		if err := d.s.DB.Conversations().Erase(t.Context()); err != nil {
			t.Fatal(err)
		}
		for r, err := range d.s.DB.Journal().Read(t.Context(), d.id, 0) {
			t.Fatalf("round %d: record %d is left, %v", round, r.Seq, err)
		}
	}
}

// A deletion finds the pages of its conversation and no others.
func TestDeletionLeavesOtherPages(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Hello.\"\nfinish stop\n---\ntext \"Hello again.\"\nfinish stop", setting{})
	d.send("Say hello.")
	d.until(agent.StatusSucceeded)
	gone := d.id
	d.id = ""
	d.send("Say hello again.")
	d.until(agent.StatusSucceeded)
	tab := d.open()
	d.agree(tab)
	d.post(views.DeleteURL(gone), url.Values{})
	d.post(views.TitleURL(d.id), url.Values{"title": {"Still here"}})
	if err := tab.Until(within, func(p *livepage.Page) bool { return p.Text(views.IDBarTitle) == "Still here" }); err != nil {
		t.Error(err)
	}
}
