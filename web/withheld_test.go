package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/agent"
	"countersign/views"
	"countersign/web/webtest"
)

// A withholding is a way to keep back what holds a planted text. The rule itself
// must not hold it.
var withholdings = map[string]func(t *testing.T) agent.Guardrail{
	"pattern": func(*testing.T) agent.Guardrail {
		return agent.Guardrail{Name: "Nothing planted", Pattern: &agent.PatternRule{Pattern: "c[a]nary-"}}
	},
	"webhook": func(t *testing.T) agent.Guardrail {
		return desk(t, func(w http.ResponseWriter, body string) {
			verdict := "allow"
			if strings.Contains(body, planted) {
				verdict = "block"
			}
			_, _ = fmt.Fprintf(w, `{"verdict":%q}`, verdict)
		})
	},
	"a webhook that fails": func(t *testing.T) agent.Guardrail {
		return desk(t, func(w http.ResponseWriter, body string) {
			if strings.Contains(body, planted) {
				http.Error(w, "canary-upstream quotes "+body, http.StatusInternalServerError)
				return
			}
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		})
	},
}

func desk(t *testing.T, answer func(w http.ResponseWriter, body string)) agent.Guardrail {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer(w, string(body))
	}))
	t.Cleanup(s.Close)
	return agent.Guardrail{Name: "Desk", Webhook: &agent.Webhook{URL: s.URL, AllowPrivateNetwork: true, Timeout: time.Minute}}
}

// What a guardrail withholds is in no page, fragment, frame, log or column: while
// it is written, while it is judged, and afterwards, whatever a program or a
// person asked to see, for agents with tools and without (contract R19, R20,
// trap 17).
func TestNothingWithheldIsShown(t *testing.T) {
	t.Parallel()
	for name, guardrail := range withholdings {
		for _, tools := range [][]string{nil, everyTool} {
			t.Run(fmt.Sprintf("%s, %d tools", name, len(tools)), func(t *testing.T) {
				t.Parallel()
				withheld := "reasoning \"Hm, canary-reasoning. \"\ntext \"It is can\"\ngate %s\ntext \"ary-answer.\"\nreasoning \"More canary-reasoning.\"\n"
				if tools == nil {
					withheld += "finish stop"
				} else {
					withheld += "call c1 notes_write {\"title\":\"canary-title\",\"text\":\"canary-text\"}\nfinish tool_calls"
				}
				d := newDialogue(t, strings.Join([]string{
					"text \"Hello.\"\nfinish stop",
					fmt.Sprintf(withheld, "first"),
					"reasoning \"canary-cut\"\ntext \"can\"\ntext \"ary-cut\"\ncut",
					fmt.Sprintf(withheld, "second"),
					"expect user \"Respond again\"\nreasoning \"Plainly.\"\ntext \"It is four.\"\nfinish stop",
				}, "\n---\n"), setting{reasoning: true})
				d.guard(agent.Safety{Ask: true, Guardrails: []agent.Guardrail{guardrail(t)}}, tools)
				w := &watched{dialogue: d}

				d.send("Hi")
				d.until(agent.StatusSucceeded)
				frames, tab := recordFrames(t, d), d.open()
				w.token = createKey(t, d.s.Admin, "Reader", "read")
				d.send("Tell me")
				d.up.Reached("first")
				w.follow()
				w.look()
				d.up.Release("first")
				d.up.Reached("second")
				w.look()
				d.up.Release("second")
				d.until(agent.StatusWaitingInput)
				w.look()
				d.agree(tab)
				d.release(agent.SafetyContinue)
				d.until(agent.StatusSucceeded)
				w.following.Wait()
				w.look()
				d.agree(tab)

				if page := w.text(); strings.Contains(page, planted) || !strings.Contains(page, "It is four.") || !strings.Contains(page, "Plainly.") {
					i := max(0, strings.Index(page, planted))
					t.Errorf("what is shown: …%s…", page[max(0, i-200):min(len(page), i+200)])
				}
				for name, sink := range map[string]string{"fragments": frames(), "log": d.s.Log()} {
					if i := strings.Index(sink, planted); i >= 0 || strings.Contains(sink, "canary") {
						t.Errorf("the %s: …%s…", name, sink[max(0, i-80):])
					}
				}
				if found := plantedColumns(t, d.s.Data); len(found) > 0 {
					t.Errorf("columns that hold what is withheld: %v", found)
				}
			})
		}
	}
}

// guard gives the agent of the dialogue guardrails.
func (d *dialogue) guard(safety agent.Safety, tools []string) {
	d.t.Helper()
	list, err := d.s.DB.Agents().List(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	list[0].Safety, list[0].Tools = safety, tools
	if _, err := d.s.DB.Agents().Save(d.t.Context(), list[0]); err != nil {
		d.t.Fatal(err)
	}
}

// release answers the safety card as a press of a button would.
func (d *dialogue) release(answer agent.SafetyAnswer) {
	d.t.Helper()
	forms := load(d.t, d.s.Admin, d.url()).Forms("/safety/")
	if len(forms) != 1 {
		d.t.Fatalf("%d safety cards wait", len(forms))
	}
	forms[0].Values.Set("answer", string(answer))
	d.post(forms[0].Action, forms[0].Values)
}

// watched is a dialogue whose pages and streams are read.
type watched struct {
	*dialogue
	token     string
	following sync.WaitGroup
	mu        sync.Mutex
	seen      strings.Builder
}

func (w *watched) see(r webtest.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprint(&w.seen, r.Header, r.Body)
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}

func (w *watched) read(path string) {
	w.t.Helper()
	r := w.s.Browser().Request(http.MethodGet, path, nil)
	r.Header.Set("X-API-Key", w.token)
	w.see(w.s.Browser().Do(r))
}

// follow reads the streams of the run to their end.
func (w *watched) follow() {
	for _, stream := range []string{"/stream", "/events"} {
		path := "/v2/runs/" + string(w.run().Run) + stream
		w.following.Go(func() { w.read(path) })
	}
}

// look reads what there is to read now.
func (w *watched) look() {
	w.t.Helper()
	for _, path := range []string{w.url(), views.InboxURL, "/", "/settings/usage", views.FromURL(w.id)} {
		w.see(w.s.Admin.Get(path))
	}
	w.read("/v2/runs/" + string(w.run().Run))
	w.read("/v2/conversations/" + string(w.id))
}
