package web_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/views"
	"countersign/web"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

// A play is what a model does, and what people do about it, a verb a line:
//
//	send TEXT      as a new message
//	gate NAME      wait until the model's stream stands there
//	release NAME   let it go on
//	until STATUS   wait for that of the newest run
//	approve        the first undecided call
//	deny REASON
//	stop           the newest run
//	edit TEXT      the first message in the queue
//	unqueue        the same
type play struct {
	name   string
	script string
	setting
	drive string
}

// Wherever a page joins, and however often it is cut off, it shows what a page
// loaded at that moment shows: each time the model stands at a gate, each time
// something was decided, and at the end.
func TestFragmentsOfStreamsMakeThePage(t *testing.T) {
	t.Parallel()
	for _, p := range plays {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s/%d", p.name, seed), func(t *testing.T) {
				t.Parallel()
				d := newDialogue(t, p.script, p.setting)
				hash := fnv.New64()
				_, _ = hash.Write([]byte(p.name))
				r := rand.New(rand.NewPCG(seed, hash.Sum64()))
				var tabs []*livepage.Tab
				for line := range strings.Lines(p.drive) {
					verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
					if verb == "" {
						continue
					}
					if d.perform(verb, rest) {
						d.agree(tabs...)
					}
					tabs = shuffle(d, r, tabs)
				}
				d.agree(tabs...)
			})
		}
	}
}

// shuffle has a page join, leave or come back, or does nothing.
func shuffle(d *dialogue, r *rand.Rand, tabs []*livepage.Tab) []*livepage.Tab {
	i := r.IntN(len(tabs) + 1)
	switch {
	case i == len(tabs) && i < 4:
		return append(tabs, d.open())
	case i < len(tabs) && r.IntN(2) == 0: // comes back with what it has
		tabs[i].Close()
		tabs[i] = connect(d.t, d.s, d.s.Admin, tabs[i].Page)
	}
	return tabs
}

// perform does what a line of a drive says and reports whether everything then
// stands still.
func (d *dialogue) perform(verb, rest string) bool {
	d.t.Helper()
	switch verb {
	case "send":
		d.send(rest)
		return false
	case "gate":
		d.up.Reached(rest)
	case "release":
		d.up.Release(rest)
		return false
	case "until":
		d.until(agent.RunStatus(rest))
	case "approve":
		d.decide("allow", "")
		return false
	case "deny":
		d.decide("deny", rest)
		return false
	case "stop":
		d.stop()
	case "edit", "unqueue":
		h, err := d.s.DB.Journal().Head(d.t.Context(), d.id)
		if err != nil || len(h.Queue) == 0 {
			d.t.Fatalf("the queue is empty: %v", err)
		}
		form := url.Values{"text": {rest}}
		if verb == "unqueue" {
			form.Set("do", "remove")
		}
		d.post(views.QueuedURL(d.id, h.Queue[0].Message), form)
	default:
		d.t.Fatalf("there is no verb %q", verb)
	}
	return true
}

const writeNote = `call c1 notes_write {"title":"Milk","text":"Two litres."}` + "\n"

var longThought = `
reasoning "Hm.\n"
gate thought
repeat 700 reasoning "a hundred bytes of reasoning, which is a lot of it when it comes seven hundred times in a row, é é é\n"
repeat 300 text "a kilobyte ` + kilobyte + `\n"
gate said
finish stop`

var kilobyte = strings.Repeat("kilobyte ", 112)

var plays = []play{
	{name: "plain", script: `
text "Hel"
gate half
text "lo."
usage in=12 out=3
finish stop`, drive: `
send Say hello.
gate half
release half
until succeeded`},

	{name: "reasoning", setting: setting{reasoning: true}, script: `
reasoning "Let me think.\n\n"
gate thought
reasoning "Yes."
text "It is "
gate said
text "so."
finish stop`, drive: `
send Is it so?
gate thought
release thought
gate said
release said
until succeeded`},

	{name: "blocks", script: `
repeat 40 text "one line\r\n\r\nand é another 😀 "
gate early
repeat 300 text "a line of a long block\n"
text "\x00\u202e<b>&amp;\n\n\n"
gate late
text "end"
finish stop`, drive: `
send Write much.
gate early
release early
gate late
release late
until succeeded`},

	{name: "no gate", script: `
repeat 2000 text "word by word\n"
finish stop`, drive: `
send Write.
until succeeded`},

	{name: "longer than is shown", setting: setting{reasoning: true}, script: longThought, drive: `
send Think hard.
gate thought
release thought
gate said
release said
until succeeded`},

	// More comes between two frames than is kept for a page.
	{name: "lost", setting: setting{reasoning: true, server: []webtest.Option{webtest.Pace(web.Pace{Frame: time.Second})}}, script: longThought, drive: `
send Think hard.
gate thought
release thought
gate said
release said
until succeeded`},

	{name: "retry", setting: setting{reasoning: true}, script: `
reasoning "Wrong thought."
text "Wrong"
gate wrong
cut
---
text "Ri"
gate right
text "ght"
finish stop`, drive: `
send Answer.
gate wrong
release wrong
gate right
release right
until succeeded`},

	{name: "failed", script: `
text "Almo"
gate half
error authentication code=invalid_api_key`, drive: `
send Answer.
gate half
release half
until failed`},

	{name: "approved", script: `
text "I will write it down."
` + writeNote + `finish tool_calls
---
text "Do"
gate half
text "ne."
finish stop`, drive: `
send Note it.
until waiting_approval
approve
gate half
release half
until succeeded`},

	{name: "denied", script: writeNote + `finish tool_calls
---
text "Not written."
finish stop`, drive: `
send Note it.
until waiting_approval
deny Not today.
until succeeded`},

	{name: "expired", setting: setting{approval: 50 * time.Millisecond}, script: writeNote + `finish tool_calls
---
text "Nobody came."
finish stop`, drive: `
send Note it.
until succeeded`},

	{name: "partly approved", setting: setting{reasoning: true}, script: `
reasoning "Two of them."
` + writeNote + `call c2 notes_write {"title":"Bread","text":"One loaf."}
finish tool_calls
---
text "One of two."
finish stop`, drive: `
send Note both.
until waiting_approval
approve
deny No bread.
until succeeded`},

	{name: "read only", script: `
call c1 current_time {}
finish tool_calls
---
gate half
text "It is late."
finish stop`, drive: `
send What time is it?
gate half
release half
until succeeded`},

	{name: "stopped while it streams", setting: setting{reasoning: true}, script: `
reasoning "Hm."
text "Hel"
gate half
text "lo"
finish stop`, drive: `
send Say hello.
gate half
stop
until cancelled`},

	{name: "stopped while it waits for a person", script: writeNote + `finish tool_calls`, drive: `
send Note it.
until waiting_approval
stop
until cancelled`},

	{name: "stopped before another try", setting: setting{retry: time.Minute}, script: `
text "Wrong"
gate wrong
cut`, drive: `
send Answer.
gate wrong
release wrong
stop
until cancelled`},

	{name: "queue", script: `
match user "one"
text "First"
gate half
finish stop
---
match user "three"
text "Third."
finish stop`, drive: `
send one
gate half
send two
send four
unqueue
edit three
release half
until succeeded`},

	{name: "queue after a stop", script: `
match user "one"
text "First"
gate half
finish stop
---
match user "two"
text "Second."
finish stop
---
match user "three"
text "Third."
finish stop`, drive: `
send one
gate half
send zero
send two
stop
unqueue
send three
until succeeded`},

	{name: "refusal", script: `
refusal "I will "
gate half
refusal "not."
finish stop`, drive: `
send Do it.
gate half
release half
until succeeded`},

	{name: "length", script: `
text "Cut he"
finish length`, drive: `
send Write much.
until succeeded`},
}
