package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/views"
	"countersign/web/connector/connectortest"
	"countersign/web/webtest"
)

// addShop adds a connector as an admin does and waits until it is connected.
func addShop(t *testing.T, s *webtest.Server, behaviour string) (address string) {
	t.Helper()
	res := s.Admin.Post(views.ConnectorsURL, url.Values{
		"name": {"Jobs"}, "kind": {"stdio"}, "command": {strings.Join(connectortest.Command(behaviour), "\n")}, "on": {"on"},
	})
	if res.Status != http.StatusSeeOther {
		t.Fatalf("add a connector: %d\n%s", res.Status, res.Body)
	}
	if got := s.Admin.Post(res.Location+"/test", nil); got.Status != http.StatusSeeOther {
		t.Fatalf("test it: %d\n%s", got.Status, got.Body)
	}
	return res.Location
}

func TestConnectorsAreEdited(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Admin.Post(views.ProvidersURL, providerForm("Local", "http://127.0.0.1:1/v1"))
	if page := s.Admin.Get(views.ConnectorsURL); !strings.Contains(page.Body, "No connectors yet") {
		t.Error("an empty list says nothing")
	}
	typed := url.Values{"name": {"Far"}, "kind": {"http"}, "url": {"https://far.invalid/mcp"}, "headers": {"Authorization: Bearer hush-hush"}}
	for name, c := range map[string]struct{ field, value, says string }{
		"no name":          {"name", " ", "Enter a name"},
		"only signs":       {"name", "!?", "Enter a name"},
		"no address":       {"url", "", "Enter the address"},
		"another address":  {"url", "ftp://far.invalid", "Enter a whole address"},
		"a header of ours": {"headers", "Host: a", "is set by the protocol"},
		"no header":        {"headers", "one two", "A header is a name"},
		"an odd time":      {"timeout", "soon", "Enter a time"},
		"a short time":     {"timeout", "1ms", "Enter a time"},
		"no command":       {"kind", "stdio", "Enter the command"},
	} {
		got := s.Admin.Post(views.ConnectorsURL, changed(typed, c.field, c.value))
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, c.says) || strings.Contains(got.Body, "hush-hush") {
			t.Errorf("%s: got %d\n%s", name, got.Status, got.Body)
		}
	}
	far := s.Admin.Post(views.ConnectorsURL, typed).Location
	page := s.Admin.Get(far)
	if !strings.Contains(page.Body, "Saved: Authorization.") || strings.Contains(page.Body, "hush-hush") {
		t.Errorf("got %s", page.Body)
	}
	if got := s.Admin.Post(views.ConnectorsURL, changed(typed, "name", "far")); !strings.Contains(got.Body, "There is a connector of this name") {
		t.Errorf("a name that is taken: %d", got.Status)
	}
	moved := changed(changed(typed, "url", "https://other.invalid/mcp"), "headers", "")
	if got := s.Admin.Post(far, moved); !strings.Contains(got.Body, "entered for another host") {
		t.Errorf("headers went to another host: %d", got.Status)
	}
	if got := s.Member.Get(far); got.Status != http.StatusForbidden {
		t.Errorf("a member sees it: %d", got.Status)
	}
	if s.Admin.Post(far+"/delete", nil); s.Admin.Get(far).Status != http.StatusNotFound {
		t.Error("it is still there")
	}

	jobs := addShop(t, s, "shop")
	page = s.Admin.Get(jobs)
	for _, part := range []string{"Connected", "shop 1.2", "mcp__Jobs__order", "says that it destroys", "U+202E"} {
		if !strings.Contains(page.Body, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if strings.Contains(page.Body, "<script>window") {
		t.Error("a title became markup")
	}
	if got := s.Admin.Post(jobs+"/tools", url.Values{"tool": {"order"}, "verb0": {"maybe"}}); got.Status != http.StatusUnprocessableEntity && got.Status != http.StatusBadRequest {
		t.Errorf("an odd choice: %d", got.Status)
	}
	s.Admin.Post(jobs+"/tools", url.Values{"tool": {"order", "wipe"}, "verb0": {"never"}, "verb1": {"blocked"}})
	for _, tool := range s.Engine.Tools() {
		if d := tool.Definition(); d.Original == "wipe" || d.Original == "order" && !d.ReadOnly {
			t.Errorf("after the choice there is %+v", d)
		}
	}
	if page := s.Admin.Get(string(views.AgentURL(onlyAgent(t, s).ID))); !strings.Contains(page.Body, `value="mcp__Jobs__*"`) {
		t.Error("an agent can't have its tools")
	}
}

// A call of a connector's tool waits for a person, under the name that its
// server gives it; when the server dies in it, a person says what became of it.
func TestACallOfAConnector(t *testing.T) {
	t.Parallel()
	for answer, told := range map[string]string{"happened": "confirmed that it happened", "not_happened": "did not happen", "run_again": ""} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			script := "call c1 mcp__Jobs__look {}\ncall c2 mcp__Jobs__die {\"sku\":\"A-1\"}\nfinish tool_calls\n---\nexpect result \"" + told + "\"\ntext \"Fine.\"\nfinish stop\n"
			d := newDialogue(t, script, setting{})
			addShop(t, d.s, "shop")
			in := onlyAgent(t, d.s)
			in.Tools = []string{"mcp__Jobs__*"}
			if _, err := d.s.DB.Agents().Save(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			d.send("Start the job.")
			d.until(agent.StatusWaitingApproval)
			if page := d.s.Admin.Get(d.url()); !strings.Contains(page.Body, "on Jobs") || strings.Contains(page.Body, "Allow for this conversation") {
				t.Errorf("the card is %s", page.Body)
			}
			d.decide("allow", "")
			d.until(agent.StatusWaitingInput)
			reconcile := func(answer string) {
				t.Helper()
				forms := load(t, d.s.Admin, d.url()).Forms("/reconcile/")
				if len(forms) != 1 {
					t.Fatalf("there are %d cards", len(forms))
				}
				forms[0].Values.Set("answer", answer)
				d.post(forms[0].Action, forms[0].Values)
			}
			if page := d.s.Admin.Get(d.url()); !strings.Contains(page.Body, "The connection to the tool was lost while it ran.") {
				t.Errorf("the card is %s", page.Body)
			}
			reconcile(answer)
			if answer == "run_again" {
				// It dies once more, and is asked about once more.
				d.await("another card", func() bool {
					h, err := d.s.DB.Journal().Head(t.Context(), d.id)
					return err == nil && h.Run != nil && h.Run.Status == agent.StatusWaitingInput && len(load(t, d.s.Admin, d.url()).Forms("/reconcile/")) == 1
				})
				reconcile("happened")
			}
			d.until(agent.StatusSucceeded)
		})
	}
}
