package models

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/providers"
)

// use appends attempts of a run, one after the other, each with its usage.
func (s *script) use(run agent.RunID, model string, at time.Time, used ...agent.ModelUsage) {
	s.t.Helper()
	s.start(run)
	for i, u := range used {
		u.Attempt = agent.AttemptID(string(run) + "_" + string(rune('a'+i)))
		u.Model = agent.ModelRef{Provider: "p_1", ProviderName: "Local", Model: model}
		b := s.batch(run, u)
		b.At = at
		s.append(b)
	}
	s.add(run, agent.RunFinished{Status: agent.StatusSucceeded})
}

func tokens(in, out, cost int64) agent.ModelUsage {
	return agent.ModelUsage{Usage: providers.Usage{InputTotal: &in, Output: &out}, CostNanoUSD: &cost}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	// On 8 March a day of this zone has 23 hours.
	saturday, sunday := time.Date(2026, 3, 7, 23, 59, 0, 0, zone), time.Date(2026, 3, 8, 23, 30, 0, 0, zone)
	one, two := begin(t, db, "c_1", "u_1"), begin(t, db, "c_2", "u_2")
	one.use("r_1", "small", saturday, tokens(10, 1, 100), agent.ModelUsage{})
	one.use("r_2", "large", sunday, tokens(20, 2, 200))
	two.use("r_3", "large", sunday, tokens(40, 4, 400))
	one.add("", agent.Rewound{To: 1}) // what was paid stays paid

	total := func(in, out, cost int64, counted, unknown int) agent.UsageTotal {
		n := counted + unknown
		sum := func(known int64) agent.Sum { return agent.Sum{Known: known, Counted: counted, Unknown: unknown} }
		none := agent.Sum{Unknown: n}
		return agent.UsageTotal{Attempts: n, InputTotal: sum(in), Output: sum(out), Cost: sum(cost), CacheRead: none, CacheWrite: none, Reasoning: none}
	}
	ctx := t.Context()
	for name, test := range map[string]struct {
		filter UsageFilter
		want   agent.UsageTotal
	}{
		"all":             {UsageFilter{}, total(70, 7, 700, 3, 1)},
		"of a person":     {UsageFilter{Owner: "u_1"}, total(30, 3, 300, 2, 1)},
		"since Sunday":    {UsageFilter{From: midnight(sunday, zone)}, total(60, 6, 600, 2, 0)},
		"until Sunday":    {UsageFilter{To: midnight(sunday, zone)}, total(10, 1, 100, 1, 1)},
		"of nobody there": {UsageFilter{Owner: "u_3"}, agent.UsageTotal{}},
	} {
		got, err := db.Usage().Total(ctx, test.filter)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	for by, want := range map[UsageBy][]UsageGroup{
		UsageByDay: {
			{Day: midnight(sunday, zone), Total: total(60, 6, 600, 2, 0)},
			{Day: midnight(saturday, zone), Total: total(10, 1, 100, 1, 1)},
		},
		UsageByModel: {
			{ProviderName: "Local", Model: "large", Total: total(60, 6, 600, 2, 0)},
			{ProviderName: "Local", Model: "small", Total: total(10, 1, 100, 1, 1)},
		},
		UsageByPerson: {
			{Owner: "u_2", Total: total(40, 4, 400, 1, 0)},
			{Owner: "u_1", Total: total(30, 3, 300, 2, 1)},
		},
	} {
		got, err := db.Usage().By(ctx, UsageFilter{}, by, zone)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("by %s: %v (-want +got):\n%s", by, err, diff)
		}
	}

	if err := db.Conversations().Delete(ctx, "c_2", "u_2"); err != nil {
		t.Fatal(err)
	}
	if err := db.Conversations().Erase(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Usage().Total(ctx, UsageFilter{Owner: "u_2"}); err != nil || got.Cost.Known != 400 {
		t.Errorf("after the conversation was deleted: %+v, %v", got, err)
	}
}
