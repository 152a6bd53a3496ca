package agent

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type move struct {
	status RunStatus
	kind   Kind
}

// readMoves reads the table that is kept apart from the code.
func readMoves(t *testing.T) map[move][]RunStatus {
	t.Helper()
	data, err := os.ReadFile("testdata/moves.txt")
	if err != nil {
		t.Fatal(err)
	}
	table := map[move][]RunStatus{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 3 {
			t.Fatalf("%q is no move", line)
		}
		from := RunStatus(words[0])
		if from == "none" {
			from = StatusNone
		}
		m := move{from, Kind(words[1])}
		if _, ok := kinds[m.kind]; !ok || !slices.Contains(Statuses, from) || table[m] != nil {
			t.Fatalf("%q names what is not known, or comes twice", line)
		}
		for _, w := range words[2:] {
			if w == "none" {
				w = ""
			}
			table[m] = append(table[m], RunStatus(w))
		}
	}
	return table
}

// variants returns events of a kind that differ in where they lead.
func variants(t *testing.T, k Kind) []Event {
	t.Helper()
	switch k {
	case "run_waiting":
		return []Event{RunWaiting{For: StatusWaitingApproval}, RunWaiting{For: StatusWaitingInput}}
	case "run_finished":
		return []Event{RunFinished{Status: StatusFailed}, RunFinished{Status: StatusCancelled}, RunFinished{Status: StatusSucceeded}}
	}
	e, err := DecodeEvent(k, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return []Event{e}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	table := readMoves(t)
	for _, status := range Statuses {
		for _, kind := range Kinds() {
			want, legal := table[move{status, kind}]
			if got := Legal(status, kind); got != legal {
				t.Errorf("%s in %q: legal %v, want %v", kind, status, got, legal)
			}
			if !legal {
				continue
			}
			var got []RunStatus
			for _, e := range variants(t, kind) {
				if after := status.next(e); !slices.Contains(got, after) {
					got = append(got, after)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in %q leads to (-want +got):\n%s", kind, status, diff)
			}
		}
		if Legal(status, "of_a_newer_program") {
			t.Errorf("a kind that is not known is legal in %q", status)
		}
	}
	if Legal("of_a_newer_program", "run_started") {
		t.Error("a status that is not known has moves")
	}
}

// From every status there is a way to an end, and none leads out of an end.
func TestMoves_EveryRunCanEnd(t *testing.T) {
	t.Parallel()
	for _, s := range Statuses {
		switch {
		case s.Terminal():
			for _, k := range Kinds() {
				if Legal(s, k) {
					t.Errorf("%s may follow %s", k, s)
				}
			}
		case s != StatusNone && !Legal(s, "run_finished"):
			t.Errorf("a run that is %s can't be stopped", s)
		}
		if s.Terminal() && s.Waiting() {
			t.Errorf("%s is both over and waiting", s)
		}
	}
}
