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

// The manifest has a line for every rule, and each test it names exists.
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
	for series, n := range map[string]int{"A": 28, "R": 20, "D": 8, "P": 34, "V": 25, "H": 35, "C": 20} {
		for i := range n {
			id := fmt.Sprintf("%s%d", series, i+1)
			if lines[id] == nil {
				t.Errorf("there is no line for %s", id)
			}
			for _, shown := range lines[id] {
				reason := strings.HasPrefix(shown, "later: ") || strings.HasPrefix(shown, "not applicable, because ")
				if !reason && !tests[shown] {
					t.Errorf("%s: there is no test %s", id, shown)
				}
			}
			delete(lines, id)
		}
	}
	for id := range lines {
		t.Errorf("%s is no rule", id)
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
