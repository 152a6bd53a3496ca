package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/web/webtest"
)

const threeNotes = `
call call_1 notes_write {"title":"A","text":"one"}
call call_2 notes_write {"title":"B","text":"two"}
call call_3 notes_write {"title":"C","text":"three"}
finish tool_calls
---
text "Done."
finish stop
`

// One form decides on all calls that are left, or on none of them.
func TestDecideOnAllCalls(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, threeNotes, setting{})
	d.send("Write.")
	d.until(agent.StatusWaitingApproval)
	tab := d.open()
	forms := load(t, d.s.Admin, d.url()).Forms("/approvals/")
	if len(forms) != 4 {
		t.Fatalf("got %d forms on a card of three calls, want one a call and one for all", len(forms))
	}
	all := forms[3]
	d.post(forms[0].Action, changed(forms[0].Values, "decision", "deny"))
	if late := d.s.Admin.Post(all.Action, changed(all.Values, "decision", "allow")); late.Status != http.StatusConflict || !strings.Contains(late.Body, "You decided this before: denied. Your signature was not used.") {
		t.Errorf("all calls of which one is denied: got %d\n%s", late.Status, late.Body)
	}
	page := load(t, d.s.Admin, d.url())
	if !strings.Contains(page.Normal(), "1 of 3 decided") {
		t.Error("the card does not say how much of it is decided")
	}
	rest := page.Forms("/approvals/")
	if len(rest) != 3 {
		t.Fatalf("got %d forms on a card of two open calls, want 3", len(rest))
	}
	d.agree(tab)
	d.post(rest[2].Action, changed(rest[2].Values, "decision", "allow"))
	d.until(agent.StatusSucceeded)
	d.agree(tab)
	attempts(t, "half a form", d.s.Admin, rest[2].Action, changed(rest[2].Values, "binding", "one of two"), http.StatusBadRequest)
}

// Who comes too late is told who or what was first.
func TestLateDecisionSaysWhoWasFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first func(d *dialogue, member agent.UserID)
		want  string
	}{
		"another person": {func(d *dialogue, member agent.UserID) {
			d.decideAs(agent.Actor{User: member, Name: "Ines"}, agent.VerdictDeny)
		}, "Ines decided this first: denied."},
		"a key": {func(d *dialogue, member agent.UserID) {
			d.decideAs(agent.Actor{User: member, Key: "k_1", KeyName: "Night shift"}, agent.VerdictAllow)
		}, "A program with the key Night shift decided this first: approved."},
		"stop": {func(d *dialogue, _ agent.UserID) { d.stop() }, "The run was stopped first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := writeNote + "finish tool_calls\n"
			if name != "stop" {
				script += "---\ntext \"Done.\"\nfinish stop\n"
			}
			d := newDialogue(t, script, setting{})
			d.send("Write.")
			d.until(agent.StatusWaitingApproval)
			form := load(t, d.s.Admin, d.url()).Forms("/approvals/")[0]
			c.first(d, userID(t, d.s, webtest.MemberEmail))
			late := d.s.Admin.Post(form.Action, changed(form.Values, "decision", "allow"))
			if late.Status != http.StatusConflict || !strings.Contains(late.Body, c.want) || !strings.Contains(late.Body, "Your signature was not used.") {
				t.Errorf("got %d, want 409 and %q:\n%s", late.Status, c.want, late.Body)
			}
			if name != "stop" {
				d.until(agent.StatusSucceeded)
			}
		})
	}
}

// decideAs decides on the only call of the open card.
func (d *dialogue) decideAs(by agent.Actor, v agent.Verdict) {
	d.t.Helper()
	form := load(d.t, d.s.Admin, d.url()).Forms("/approvals/")[0]
	card := form.Action[strings.LastIndex(form.Action, "/")+1:]
	err := d.s.Engine.Decide(d.t.Context(), d.run(), agent.InteractionID(card), by, []agent.CallDecision{{
		Call: agent.CallID(form.Values.Get("call")), Binding: form.Values.Get("binding"), Verdict: v,
	}})
	if err != nil {
		d.t.Fatal(err)
	}
}

// What a person wrote in place of the arguments runs, and the record shows
// both. What the tool would not take is refused with the reason.
func TestEditAndApprove(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, `
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
expect result "A person changed the arguments"
text "Done."
finish stop
`, setting{})
	d.send("Write.")
	d.until(agent.StatusWaitingApproval)
	tab := d.open()
	form := load(t, d.s.Admin, d.url()).Forms("/approvals/")[0]
	edit := changed(form.Values, "decision", "edit")
	for name, arguments := range map[string]string{
		"nothing": "", "no JSON": "title: A", "a list": `["A"]`, "an unknown name": `{"title":"A","text":"one","to":"B"}`,
		"hidden text": "{\"title\":\"A\u202e\",\"text\":\"one\"}",
	} {
		attempts(t, name, d.s.Admin, form.Action, changed(edit, "arguments", arguments), http.StatusUnprocessableEntity)
	}
	d.post(form.Action, changed(edit, "arguments", "{\r\n\"title\":\"B\", \"text\":\"two\"}"))
	d.until(agent.StatusSucceeded)
	d.agree(tab)
	page := load(t, d.s.Admin, d.url()).Normal()
	for _, want := range []string{"Approved with changes", "Arguments as changed", "Arguments as shown"} {
		if !strings.Contains(page, want) {
			t.Errorf("the record lacks %q", want)
		}
	}
	notes, err := d.s.DB.Notes().List(t.Context(), d.id)
	if err != nil || len(notes) != 1 || notes[0] != "B" {
		t.Errorf("got the notes %v, %v; want B alone", notes, err)
	}
}
