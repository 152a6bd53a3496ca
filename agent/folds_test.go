package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/agent"
	"countersign/agent/agenttest"
)

// A fold is a projection that can be looked at.
type fold interface {
	Apply(agent.Record)
	String() string
}

type headFold struct{ agent.Head }

func (f *headFold) String() string {
	data, err := json.MarshalIndent(f.Head, "", " ")
	return fmt.Sprint(string(data), err)
}

type timelineFold struct{ agent.Timeline }

func (f *timelineFold) String() string {
	return fmt.Sprint(f.Seq, "\n", agenttest.OutlineText(&f.Timeline))
}

type historyFold struct{ agent.History }

func (f *historyFold) String() string {
	var b strings.Builder
	for _, m := range f.Messages(nil, nil) {
		fmt.Fprintf(&b, "%T %+v\n", m, m)
	}
	return b.String()
}

type outputFold struct{ agent.AttemptOutput }

func (f *outputFold) String() string { return f.Text() + "\n---\n" + f.Reasoning() }

type runFold struct{ agent.RunState }

func (f *runFold) String() string {
	data, err := json.MarshalIndent(f.RunState, "", " ")
	return fmt.Sprint(string(data), err)
}

// folds are the projections of a conversation; the last two are of its first
// run.
var folds = map[string]func() fold{
	"Head":          func() fold { return &headFold{} },
	"Timeline":      func() fold { return &timelineFold{} },
	"History":       func() fold { return &historyFold{} },
	"AttemptOutput": func() fold { return &outputFold{} },
	"RunState":      func() fold { return &runFold{} },
}

func folded(make func() fold, parts ...[]agent.Record) string {
	f := make()
	for _, records := range parts {
		for _, r := range records {
			f.Apply(r)
		}
	}
	return f.String()
}

// eachJournal plays every scenario and hands over its records.
func eachJournal(t *testing.T, check func(t *testing.T, p *agenttest.Played, records []agent.Record)) {
	t.Helper()
	for name, s := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *agenttest.Played
			synctest.Test(t, func(t *testing.T) { p = agenttest.Play(t, s) })
			if p != nil {
				check(t, p, p.Memory.Records(agenttest.Conversation))
			}
		})
	}
}

// Seeing a record again changes nothing, and neither does reading the journal
// in two parts that overlap.
func TestFolds_TwiceAndInHalves(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, _ *agenttest.Played, records []agent.Record) {
		for name, make := range folds {
			once := folded(make, records)
			if diff := cmp.Diff(once, folded(make, records, records)); diff != "" {
				t.Errorf("%s, twice (-once +twice):\n%s", name, diff)
			}
			for cut := range len(records) {
				if diff := cmp.Diff(once, folded(make, records[:cut], records[max(0, cut-5):])); diff != "" {
					t.Errorf("%s, in halves at %d (-once +halves):\n%s", name, cut, diff)
				}
			}
		}
	})
}

// A head that was stored and read again goes on as if it had not been.
func TestHead_Stored(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, p *agenttest.Played, records []agent.Record) {
		want, err := p.Memory.Head(context.Background(), agenttest.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		for cut := range len(records) {
			var first, second agent.Head
			for _, r := range records[:cut] {
				first.Apply(r)
			}
			data, err := json.Marshal(first)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &second); err != nil {
				t.Fatal(err)
			}
			for _, r := range records[cut:] {
				second.Apply(r)
			}
			if diff := cmp.Diff(want, second, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("stored at %d (-want +got):\n%s", cut, diff)
			}
		}
	})
}

// A head that was handed out does not change when the conversation goes on.
func TestHead_IsAValue(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, _ *agenttest.Played, records []agent.Record) {
		var head agent.Head
		var copies []agent.Head
		var want []string
		for _, r := range records {
			head.Apply(r)
			copies, want = append(copies, head), append(want, (&headFold{head}).String())
		}
		for i := range copies {
			if diff := cmp.Diff(want[i], (&headFold{copies[i]}).String()); diff != "" {
				t.Errorf("the head at %d changed later:\n%s", i+1, diff)
			}
		}
	})
}

// A timeline that begins at a run shows the same as the end of one that begins
// at the start: a page needs only the newest runs.
func TestTimeline_FromAnyRun(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, _ *agenttest.Played, records []agent.Record) {
		var whole agent.Timeline
		for _, r := range records {
			whole.Apply(r)
		}
		for i, run := range whole.Runs {
			var part agent.Timeline
			for _, r := range records[run.FirstSeq-1:] {
				part.Apply(r)
			}
			want := agenttest.OutlineText(&agent.Timeline{Runs: whole.Runs[i:]})
			if diff := cmp.Diff(want, agenttest.OutlineText(&agent.Timeline{Runs: part.Runs})); diff != "" {
				t.Errorf("from %s on (-want +got):\n%s", run.ID, diff)
			}
		}
	})
}

// What a page is told of is enough: one that looks only at what changed shows
// what a page rendered at the end shows.
func TestTimeline_ChangesAreEnough(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, _ *agenttest.Played, records []agent.Record) {
		for _, step := range []int{1, 3, len(records)} {
			var timeline agent.Timeline
			page := &page{}
			for i, r := range records {
				timeline.Apply(r)
				if i%step == step-1 || i == len(records)-1 {
					page.update(&timeline)
				}
			}
			if diff := cmp.Diff(render(&timeline), page.rendered()); diff != "" {
				t.Errorf("%d records at a time (-timeline +page):\n%s", step, diff)
			}
			if left := timeline.Take(); len(left) > 0 {
				t.Errorf("changes came back: %v", left)
			}
		}
	})
}

// Rewinding to before a run leaves what there was before it.
func TestFolds_Rewound(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, _ *agenttest.Played, records []agent.Record) {
		var whole agent.Timeline
		for _, r := range records {
			whole.Apply(r)
		}
		last := records[len(records)-1]
		for i, run := range whole.Runs {
			rewound := append(records[:len(records):len(records)], agent.Record{
				Conversation: last.Conversation, Seq: last.Seq + 1, At: last.At.Add(time.Second), Event: agent.Rewound{To: run.FirstSeq - 1},
			})
			var timeline agent.Timeline
			var head agent.Head
			for _, r := range rewound {
				timeline.Apply(r)
				head.Apply(r)
			}
			want := agenttest.OutlineText(&agent.Timeline{Title: whole.Title, Runs: whole.Runs[:i], Queue: whole.Queue})
			if diff := cmp.Diff(want, agenttest.OutlineText(&timeline)); diff != "" {
				t.Errorf("timeline before %s (-want +got):\n%s", run.ID, diff)
			}
			if changes := timeline.Take(); len(changes) != 1 || changes[0].What != agent.Rebuilt {
				t.Errorf("a page is told of %v, want it rebuilt", changes)
			}
			if head.Run != nil || head.Busy() {
				t.Errorf("the head still has a run: %+v", head.Run)
			}
			before := folded(folds["History"], records[:run.FirstSeq-1])
			if diff := cmp.Diff(before, folded(folds["History"], rewound)); diff != "" {
				t.Errorf("history before %s (-want +got):\n%s", run.ID, diff)
			}
			if got := folded(folds["AttemptOutput"], rewound[run.FirstSeq-1:]); got != "\n---\n" {
				t.Errorf("output of %s: %q", run.ID, got)
			}
		}
	})
}

// Rewinding to after the newest run forgets nothing.
func TestHead_RewoundToItsEnd(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, _ *agenttest.Played, records []agent.Record) {
		var head agent.Head
		for _, r := range records {
			head.Apply(r)
		}
		before := head.Run
		last := records[len(records)-1]
		head.Apply(agent.Record{Conversation: last.Conversation, Seq: last.Seq + 1, At: last.At, Event: agent.Rewound{To: last.Seq}})
		if diff := cmp.Diff(before, head.Run); diff != "" {
			t.Error(diff)
		}
	})
}
