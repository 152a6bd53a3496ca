package views

import (
	"testing"

	"countersign/agent"
)

func TestDollars(t *testing.T) {
	t.Parallel()
	for nano, want := range map[int64]string{
		0: "$0.00", 1: "under $0.0001", 99_999: "under $0.0001", 100_000: "$0.0001", 31_200_000: "$0.0312",
		99_949_999: "$0.0999", 100_000_000: "$0.10", 1_005_000_000: "$1.01", 1_204_500_000_000: "$1,204.50",
	} {
		if got := dollars(nano); got != want {
			t.Errorf("%d: got %s, want %s", nano, got, want)
		}
	}
}

// What is not wholly known is at least so much, and never a zero.
func TestSumWords(t *testing.T) {
	t.Parallel()
	for want, sum := range map[string]agent.Sum{
		"0":              {},
		"1,204":          {Known: 1204, Counted: 3},
		"at least 1,204": {Known: 1204, Counted: 3, Unknown: 1},
		"at least 0":     {Counted: 1, Unknown: 1},
		"unknown":        {Unknown: 2},
	} {
		if got := sumWords(sum, number); got != want {
			t.Errorf("%+v: got %s, want %s", sum, got, want)
		}
	}
}
