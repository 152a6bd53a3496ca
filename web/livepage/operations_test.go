package livepage_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/web/livepage"
)

func TestOperationsAreThoseOfTheBrowser(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../static/js/live.js")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(source), "\nconst operations = {\n")
	body, _, closed := strings.Cut(body, "\n};\n")
	if !ok || !closed {
		t.Fatal("live.js has no table of operations")
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^  (\w+)\(`).FindAllStringSubmatch(body, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, livepage.Operations()); diff != "" {
		t.Errorf("operations (-live.js +here):\n%s", diff)
	}
}

func TestOperationsAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../views/fragment.templ")
	if err != nil {
		t.Fatal(err)
	}
	known := append(livepage.Operations(), "reached")
	found := regexp.MustCompile(`data-op="(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(found) == 0 {
		t.Fatal("fragment.templ has no operations")
	}
	for _, m := range found {
		if !slices.Contains(known, m[1]) {
			t.Errorf("the server sends %q, which is not known here", m[1])
		}
		known = append(known, m[1])
	}
	for _, name := range livepage.Operations() {
		if !strings.Contains(string(source), `data-op="`+name+`"`) {
			t.Errorf("the server never sends %q", name)
		}
	}
}
