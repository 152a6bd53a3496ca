package agent_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The manifest has a line for every rule and for the traps of streams, answers
// and approvals, and each test it names exists. A rule or a trap of approvals is
// shown by a test or does not apply; it can't be left for later.
func TestContract(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/contract.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := make(map[string][]string)
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		id, shown, found := strings.Cut(scanner.Text(), "\t")
		switch {
		case strings.HasPrefix(id, "#"):
		case !found || lines[id] != nil:
			t.Errorf("%q is not a line of its own with something behind the id", scanner.Text())
		default:
			lines[id] = strings.Split(shown, "\t")
		}
	}
	tests := testNames(t)
	for _, series := range []struct {
		name        string
		first, last int
		settled     bool // what it says can't be for later alone
	}{
		{"A", 1, 28, false}, {"R", 1, 20, false}, {"D", 1, 8, false}, {"P", 1, 34, false},
		{"V", 1, 25, true}, {"H", 1, 35, false}, {"C", 1, 20, false},
		{"trap ", 3, 8, true}, {"trap ", 13, 28, true},
	} {
		for i := series.first; i <= series.last; i++ {
			id := fmt.Sprintf("%s%d", series.name, i)
			if lines[id] == nil {
				t.Errorf("there is no line for %s", id)
				continue
			}
			settled := false
			for _, shown := range lines[id] {
				later := strings.HasPrefix(shown, "later: ")
				if !later && !strings.HasPrefix(shown, "not applicable, because ") && !tests[shown] {
					t.Errorf("%s: there is no test %s", id, shown)
				}
				settled = settled || !later
			}
			if series.settled && !settled {
				t.Errorf("%s is shown by nothing yet", id)
			}
			delete(lines, id)
		}
	}
	for id := range lines {
		t.Errorf("%s is no rule and no trap", id)
	}
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// testNames lists the tests of the module as package/TestName, and the
// scenarios.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, pattern := range []string{"*/*_test.go", "*/*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
			for _, m := range testFunction.FindAllStringSubmatch(string(data), -1) {
				names[dir+"/"+m[1]] = true
			}
		}
	}
	scenarios, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range scenarios {
		names["scenarios/"+strings.TrimSuffix(filepath.Base(path), ".txtar")] = true
	}
	return names
}
