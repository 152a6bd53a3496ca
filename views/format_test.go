package views

import (
	"testing"
	"time"

	"countersign/agent"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                                 "0.0 s",
		time.Millisecond:                             "under 0.1 s",
		400 * time.Millisecond:                       "0.4 s",
		2900 * time.Millisecond:                      "2.9 s",
		3 * time.Second:                              "3 s",
		59900 * time.Millisecond:                     "59 s",
		252 * time.Second:                            "4 min 12 s",
		2*time.Hour + 5*time.Minute + 59*time.Second: "2 h 5 min",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{-time.Second: "0 s", 2900 * time.Millisecond: "2 s", 61 * time.Second: "1 min 1 s"} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 3412: "3,412", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
	if got := count(1, "line") + ", " + count(1200, "byte"); got != "1 line, 1,200 bytes" {
		t.Errorf("counts as %q", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"dana": "D", " é": "É", "\u202e東": "東", "": "?", "!!": "?"} {
		if got := initial(name); got != want {
			t.Errorf("initial(%q) = %q, want %q", name, got, want)
		}
	}
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"éééé", 3, "éé…"}} {
		if got := shorten(c.in, c.n); got != c.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestRowsAreGroupedByDay(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("there", 2*60*60)
	now := time.Date(2026, time.March, 1, 0, 30, 0, 0, zone)
	ago := func(d time.Duration) NavRow { return NavRow{UpdatedAt: now.Add(-d).UTC()} }
	rows := []NavRow{ago(0), ago(29 * time.Minute), ago(31 * time.Minute), ago(24 * time.Hour), ago(25 * time.Hour), ago(10 * 24 * time.Hour)}
	var got []string
	for _, g := range byDay(rows, now) {
		got = append(got, g.day)
		if len(g.rows) == 0 {
			t.Errorf("%s is empty", g.day)
		}
	}
	want := []string{"Today", "Yesterday", "Last 7 days", "Earlier"}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("groups %v, want %v", got, want)
	}
}

func TestDaysInWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 0, 30, 0, 0, time.FixedZone("there", 2*60*60))
	for ago, want := range map[time.Duration][2]string{
		0:                    {"Today", "today"},
		31 * time.Minute:     {"Yesterday", "yesterday"},
		25 * time.Hour:       {"27 February 2026", "on 27 February 2026"},
		365 * 24 * time.Hour: {"1 March 2025", "on 1 March 2025"},
	} {
		then := now.Add(-ago).UTC()
		if got := [2]string{dayWords(then, now), onDay(then, now)}; got != want {
			t.Errorf("%v ago: got %q, want %q", ago, got, want)
		}
	}
}

// A run that is under way says what it waits for, in one place only.
func TestRunState(t *testing.T) {
	t.Parallel()
	open := &agent.AttemptItem{State: agent.AttemptOpen}
	retrying := &agent.AttemptItem{State: agent.AttemptWithdrawn, Retry: &agent.RetryScheduled{}}
	retried := &agent.AttemptItem{State: agent.AttemptWithdrawn, Retry: &agent.RetryScheduled{}, Retried: true}
	running := inRow(&agent.CallItem{State: agent.CallFinished}, &agent.CallItem{State: agent.CallRunning})
	done := inRow(&agent.CallItem{State: agent.CallFinished})
	for _, c := range []struct {
		name   string
		status agent.RunStatus
		items  []agent.Item
		want   string
	}{
		{"new", agent.StatusNone, nil, "Waiting to start"},
		{"pending", agent.StatusPending, []agent.Item{done}, "Waiting to start"},
		{"started", agent.StatusRunning, nil, "Starting"},
		{"attempt", agent.StatusRunning, []agent.Item{open}, ""},
		{"retry", agent.StatusRunning, []agent.Item{retrying}, ""},
		{"retried", agent.StatusRunning, []agent.Item{retried}, "Working"},
		{"call", agent.StatusRunning, []agent.Item{done, running}, ""},
		{"between steps", agent.StatusRunning, []agent.Item{done}, "Working"},
		{"waiting", agent.StatusWaitingApproval, []agent.Item{done}, ""},
		{"over", agent.StatusSucceeded, nil, ""},
	} {
		if got := runState(&agent.RunItem{Status: c.status, Items: c.items}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
