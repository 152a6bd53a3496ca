package agent_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"countersign/agent/agenttest"
)

var update = flag.Bool("update", false, "rewrite the journals and timelines of the scenarios")

// scenarios returns every scenario by name.
func scenarios(t *testing.T) map[string]*agenttest.Scenario {
	t.Helper()
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	list := map[string]*agenttest.Scenario{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if list[name], err = agenttest.Parse(data); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return list
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var played *agenttest.Played
			synctest.Test(t, func(t *testing.T) { played = agenttest.Play(t, s) })
			if played == nil { // it said why
				return
			}
			if diff := cmp.Diff(strings.Split(s.Journal, "\n"), strings.Split(played.Journal, "\n")); diff != "" && !*update {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(strings.Split(s.Timeline, "\n"), strings.Split(played.Timeline, "\n")); diff != "" && !*update {
				t.Errorf("timeline (-want +got):\n%s", diff)
			}
			if *update && !t.Failed() {
				s.Journal, s.Timeline = played.Journal, played.Timeline
				if err := os.WriteFile(filepath.Join("testdata/scenarios", name+".txtar"), s.Format(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
