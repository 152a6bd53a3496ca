package views_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"countersign/static"
	"countersign/views"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tags begins a line before each element, so that a difference is one line.
var tags = regexp.MustCompile(`<[a-zA-Z!]`)

// readable prepares HTML for a golden file. Addresses of assets lose their
// hash, which changes with every asset.
func readable(html string) string {
	base := strings.TrimSuffix(static.URL(static.Stylesheet), static.Stylesheet)
	html = strings.ReplaceAll(html, base, "/static/HASH/")
	return strings.TrimSpace(tags.ReplaceAllString(html, "\n$0")) + "\n"
}

func TestGolden(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, s := range views.Samples() {
		name := filepath.Join("testdata", "golden", s.Component, s.State+".html")
		if seen[name] {
			t.Fatalf("two samples are called %s", name)
		}
		seen[name] = true
		got := readable(render(t, s.HTML))
		if *update {
			write(t, name, got)
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%v; run the test with -update", err)
			continue
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	files, err := filepath.Glob("testdata/golden/*/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f] {
			t.Errorf("%s has no sample", f)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The policy of the pages forbids styles and scripts in the markup.
func TestMarkupHoldsNoStyleAndNoScript(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile(`\sstyle=|\son[a-z]+=|<style|<script[^>]*>[^<]|javascript:[^)]*"`)
	for _, s := range views.Samples() {
		if m := inline.FindString(render(t, s.HTML)); m != "" {
			t.Errorf("%s %s: %q", s.Component, s.State, m)
		}
	}
}

var idAttribute = regexp.MustCompile(`\sid="([^"]*)"`)

// A fragment finds its place by id, so an id is in a page once.
func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	for _, s := range views.Samples() {
		seen := make(map[string]bool)
		for _, m := range idAttribute.FindAllStringSubmatch(render(t, s.HTML), -1) {
			if seen[m[1]] {
				t.Errorf("%s %s: the id %q is there twice", s.Component, s.State, m[1])
			}
			seen[m[1]] = true
		}
	}
}

// What names another element names one that is there.
func TestReferencesLeadSomewhere(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`\s(?:for|aria-labelledby|aria-describedby|popovertarget|form|href="#)="?([^"]*)"`)
	for _, s := range views.Samples() {
		if s.Frame != "page" {
			continue
		}
		html := render(t, s.HTML)
		ids := make(map[string]bool)
		for _, m := range idAttribute.FindAllStringSubmatch(html, -1) {
			ids[m[1]] = true
		}
		for _, m := range reference.FindAllStringSubmatch(html, -1) {
			for _, id := range strings.Fields(m[1]) {
				if !ids[id] {
					t.Errorf("%s: nothing has the id %q", s.State, id)
				}
			}
		}
	}
}
