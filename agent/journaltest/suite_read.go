package journaltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/providers"
)

func readWhatWasAppended(t *testing.T, open Open) {
	s, reopen := open(t)
	zone := time.FixedZone("somewhere", 5*60*60)
	want := appendAfter(t, s, "c_1", 0, t0.In(zone), "", created)
	want = append(want, appendAfter(t, s, "c_1", 1, time.Now(), "r_1",
		agent.UserMessage{Message: "m_1", Text: "hello", Author: agent.Actor{User: "u_1", Name: "Ada"}},
		agent.RunCreated{Message: "m_1", AgentName: "Assistant"},
		agent.ApprovalRequested{Interaction: "i_1", ExpiresAt: t0.Add(time.Minute)})...)
	for _, r := range want {
		if r.At.Location() != time.UTC {
			t.Errorf("record %d has a time in %v", r.Seq, r.At.Location())
		}
	}
	equal(t, "records", want, read(t, s, "c_1", 0))
	equal(t, "records after a restart", want, read(t, reopen(), "c_1", 0))
}

func readAfter(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	startRun(t, s, "c_1", "r_1")
	all := read(t, s, "c_1", 0)
	for after := range agent.Seq(len(all) + 2) {
		want := all[min(int(after), len(all)):]
		got := read(t, s, "c_1", after)
		if len(got) != len(want) {
			t.Errorf("%d records after %d, want %d", len(got), after, len(want))
		}
		equal(t, fmt.Sprintf("records after %d", after), append([]agent.Record(nil), want...), got)
	}
	if got := read(t, s, "c_none", 0); len(got) != 0 {
		t.Errorf("%d records of nothing", len(got))
	}
}

func readManyPages(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	text := strings.Repeat("long ", 2000)
	for range 5 {
		var events []agent.Event
		for range 150 {
			events = append(events, agent.AssistantMessage{Attempt: "a_1", Text: text})
		}
		appendTo(t, s, "c_1", "r_1", events...)
	}
	for name, got := range map[string]int{"Read": len(read(t, s, "c_1", 1)), "ReadRun": len(runOf(t, s, "c_1", "r_1"))} {
		if got != 750 {
			t.Errorf("%s: %d records, want 750", name, got)
		}
	}
}

func readEarlyBreak(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	startRun(t, s, "c_1", "r_1")
	// More ranges than any pool has connections: none may be kept.
	for range 40 {
		for r, err := range s.Read(t.Context(), "c_1", 0) {
			if err != nil || r.Seq != 1 {
				t.Fatalf("got record %d, %v", r.Seq, err)
			}
			appendTo(t, s, "c_1", "", agent.ConversationTitled{Title: "while reading"})
			break
		}
	}
}

func readEndedContext(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs []error
	for _, err := range s.Read(ctx, "c_1", 0) {
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("got %v, want context.Canceled once", errs)
	}
	if _, err := s.Head(ctx, "c_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("head: got %v, want context.Canceled", err)
	}
	if _, err := s.Replays(ctx, "c_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("replays: got %v, want context.Canceled", err)
	}
}

func readRun(t *testing.T, open Open) {
	s, _ := open(t)
	for id, runs := range map[agent.ConversationID][2]agent.RunID{"c_1": {"r_1", "r_2"}, "c_2": {"r_3", "r_4"}} {
		create(t, s, id)
		startRun(t, s, id, runs[0])
		appendTo(t, s, id, "", agent.ConversationTitled{Title: "between"})
		finish(t, s, id, runs[0])
		startRun(t, s, id, runs[1])
	}
	var seqs []agent.Seq
	for _, r := range runOf(t, s, "c_1", "r_1") {
		if r.Run != "r_1" || r.Conversation != "c_1" {
			t.Errorf("got a record of %s in %s", r.Run, r.Conversation)
		}
		seqs = append(seqs, r.Seq)
	}
	equal(t, "places of the run", []agent.Seq{2, 3, 5}, seqs)
	for _, run := range []agent.RunID{"r_none", "r_3"} {
		if got := runOf(t, s, "c_1", run); len(got) != 0 {
			t.Errorf("%d records of %s, which the conversation does not have", len(got), run)
		}
	}
}

func runOf(t *testing.T, s Store, id agent.ConversationID, run agent.RunID) []agent.Record {
	t.Helper()
	var list []agent.Record
	for r, err := range s.ReadRun(t.Context(), id, run) {
		if err != nil {
			t.Fatalf("read run %s: %v", run, err)
		}
		list = append(list, r)
	}
	return list
}

func readEveryKind(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	for _, k := range agent.Kinds() {
		if k == created.Kind() {
			continue
		}
		e, err := agent.DecodeEvent(k, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		want := appendTo(t, s, "c_1", "", e)
		got := read(t, s, "c_1", want[0].Seq-1)
		equal(t, string(k), want, got)
		equal(t, string(k), e, got[0].Event)
	}
}

func readUnknownKind(t *testing.T, open Open) {
	s, reopen := open(t)
	create(t, s, "c_1")
	raw := `{"b": 1.0, "a":"\u0000<é>",  "b":2}`
	e, err := agent.DecodeEvent("from_a_newer_program", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, s, "c_1", "r_1", e)
	for s := range withRestart(s, reopen) {
		got := read(t, s, "c_1", 1)[0].Event
		data, err := agent.EncodeEvent(got)
		if err != nil || got.Kind() != "from_a_newer_program" || string(data) != raw {
			t.Errorf("got %s %q, %v", got.Kind(), data, err)
		}
	}
}

func readOddText(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	for name, text := range map[string]string{
		"empty":          "",
		"nul":            "a\x00b\x00",
		"controls":       "\x01\x1b[31m\x7f\u0085\u2028\u2029",
		"bidi":           "\u202eabc\u202c\u200b\ufeff",
		"astral":         "👩‍👩‍👧 𝔘𝔫𝔦 \U0010ffff",
		"combining":      "e\u0301 é",
		"noncharacter":   "\ufffe\uffff\ufffd",
		"html":           `<script>alert("&amp;")</script>`,
		"sql":            `'; DROP TABLE events; -- ? :x $1 @y`,
		"crlf":           "a\r\nb\rc\n",
		"megabyte":       strings.Repeat("0123456789abcdé\n", 1<<16),
		"escaped by ten": strings.Repeat("\x00", 1<<16),
	} {
		appendTo(t, s, "c_1", "r_1", agent.ToolCallFinished{Call: "call", Outcome: agent.CallOK, Result: text})
		h, err := s.Head(t.Context(), "c_1")
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, s, "c_1", h.Seq-1)[0].Event.(agent.ToolCallFinished).Result
		if got != text {
			t.Errorf("%s: the text of %d bytes came back as %d bytes", name, len(text), len(got))
		}
	}
}

func headFolds(t *testing.T, open Open) {
	s, reopen := open(t)
	create(t, s, "c_1")
	startRun(t, s, "c_1", "r_1")
	appendTo(t, s, "c_1", "r_1", agent.RunStarted{Epoch: 3, Boot: "b_1"})
	appendTo(t, s, "c_1", "",
		agent.ConversationTitled{Title: "Shopping"},
		agent.MessageQueued{Message: "m_2", Text: "and then?", Output: agent.OutputOptions{Reasoning: true}},
		agent.MessageQueued{Message: "m_3", Text: "or else?"},
		agent.QueuedMessageEdited{Message: "m_3", Text: "or not?"},
		agent.BypassStarted{By: agent.Actor{User: "u_1", Name: "Ada"}})
	appendTo(t, s, "c_1", "r_1",
		agent.ApprovalDecision{Call: "t_1", Verdict: agent.VerdictUnsure, Origin: agent.OriginReviewer, Fault: agent.ReviewTimeout},
		agent.ApprovalRequested{Interaction: "i_1", ExpiresAt: t0.Add(time.Hour)},
		agent.RunWaiting{For: agent.StatusWaitingApproval})
	var want agent.Head
	for _, r := range read(t, s, "c_1", 0) {
		want.Apply(r)
	}
	if want.Run.Status != agent.StatusWaitingApproval || len(want.Queue) != 2 || want.Bypass == nil || want.Reviews.Total != 1 {
		t.Fatalf("the case itself is wrong: %+v", want)
	}
	for s := range withRestart(s, reopen) {
		got, err := s.Head(t.Context(), "c_1")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "head", want, got)
	}
}

func headNotFound(t *testing.T, open Open) {
	s, _ := open(t)
	if _, err := s.Head(t.Context(), "c_none"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if got, err := s.Replays(t.Context(), "c_none"); err != nil || len(got) != 0 {
		t.Errorf("replays: got %v, %v, want none", got, err)
	}
}

func appendAttempt(t *testing.T, s Store, id agent.ConversationID, run agent.RunID, a agent.AttemptID, withdrawn bool, replay *providers.Replay) {
	t.Helper()
	h, err := s.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	b := batch(id, h.Seq, t0, run, agent.ModelAttemptFinished{Attempt: a, Outcome: agent.AttemptCompleted})
	b.Outputs = []agent.Output{{
		Run: run, Attempt: a, Withdrawn: withdrawn, Replay: replay,
		Segments: []agent.Segment{{Channel: agent.ChannelReasoning, Text: "hm\x00"}, {Channel: agent.ChannelAnswer, Text: "yes"}},
	}}
	if _, err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func replaysCompleted(t *testing.T, open Open) {
	s, reopen := open(t)
	create(t, s, "c_1")
	create(t, s, "c_2")
	startRun(t, s, "c_1", "r_1")
	kept := providers.Replay{Binding: "p_1/m", State: []byte(`{"z": 1.50, "a": "\u0000"}`)}
	appendAttempt(t, s, "c_1", "r_1", "a_1", true, &providers.Replay{Binding: "failed", State: []byte(`1`)})
	appendAttempt(t, s, "c_1", "r_1", "a_2", false, &kept)
	appendAttempt(t, s, "c_1", "r_1", "a_3", false, nil)
	appendAttempt(t, s, "c_2", "r_2", "a_4", false, &providers.Replay{Binding: "elsewhere", State: []byte(`2`)})
	for s := range withRestart(s, reopen) {
		got, err := s.Replays(t.Context(), "c_1")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "replays", map[agent.AttemptID]providers.Replay{"a_2": kept}, got)
	}
}

func replaysRewound(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	replay := providers.Replay{Binding: "p_1/m", State: []byte(`{}`)}
	startRun(t, s, "c_1", "r_1")
	appendAttempt(t, s, "c_1", "r_1", "a_1", false, &replay)
	finish(t, s, "c_1", "r_1") // at 5
	startRun(t, s, "c_1", "r_2")
	appendAttempt(t, s, "c_1", "r_2", "a_2", false, &replay)
	finish(t, s, "c_1", "r_2")
	appendTo(t, s, "c_1", "", agent.Rewound{To: 5})
	startRun(t, s, "c_1", "r_3")
	appendAttempt(t, s, "c_1", "r_3", "a_3", false, &replay)
	got, err := s.Replays(t.Context(), "c_1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "replays", map[agent.AttemptID]providers.Replay{"a_1": replay, "a_3": replay}, got)
}
