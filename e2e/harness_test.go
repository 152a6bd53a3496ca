package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHarness plants one fault a page and requires that the harness sees it.
func TestHarness(t *testing.T) {
	t.Parallel()
	const strict = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:"
	tests := []struct {
		name   string
		policy string
		body   string
		want   string // part of a problem; "" for none at all
	}{
		{"sound", strict, `<p>Nothing wrong</p>`, ""},
		{"script error", "", `<script>throw new Error('planted')</script>`, "planted"},
		{"console error", "", `<script>console.error('planted')</script>`, "console: planted"},
		{"missing file", strict, `<img alt="" src="/missing.png">`, "404"},
		{"other host", "", `<img alt="" src="http://other.invalid/a.png">`, "request to another host: http://other.invalid/a.png"},
		{"inline style", strict, `<p style="color: red">Red</p>`, "content security policy: style-src-attr blocked inline"},
		{"inline script", strict, `<script>document.title = 'ran'</script>`, "content security policy: script-src-elem blocked inline"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPage(t, serve(t, test.policy, test.body))
			p.visit("/", http.StatusOK)
			if _, err := p.Evaluate(`() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))`); err != nil {
				t.Fatal(err)
			}
			found := p.watch.found()
			p.allow("") // planted, so not this test's failure
			if test.want == "" {
				if diff := cmp.Diff([]string(nil), found); diff != "" {
					t.Errorf("problems (-want +got):\n%s", diff)
				}
				return
			}
			if !strings.Contains(strings.Join(found, "\n"), test.want) {
				t.Errorf("got problems %q, want one with %q", found, test.want)
			}
		})
	}
}

func TestHarnessAccessibility(t *testing.T) {
	t.Parallel()
	p := newPage(t, serve(t, "", `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><p>A picture without words</p>`), narrow)
	p.visit("/", http.StatusOK)
	want := []violation{{Rule: "image-alt", Where: []string{"img"}}}
	if diff := cmp.Diff(want, p.violations()); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if p.overflows() {
		t.Error("a short page overflows")
	}
	if _, err := p.Evaluate(`() => { document.querySelector('p').textContent = 'x'.repeat(500) }`); err != nil {
		t.Fatal(err)
	}
	if !p.overflows() {
		t.Error("a line of 500 characters does not overflow 320 pixels")
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	const body = `<script>document.title = [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches,
			matchMedia('(prefers-reduced-motion: reduce)').matches]</script>`
	tests := []struct {
		name  string
		looks []look
		want  string
	}{
		{"usual", nil, "1280,false,true"},
		{"dark and narrow", []look{dark, narrow}, "320,true,true"},
		{"without script", []look{noScript}, "Planted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPage(t, serve(t, "", body), test.looks...)
			p.visit("/", http.StatusOK)
			if err := expect.Page(p).ToHaveTitle(test.want); err != nil {
				t.Error(err)
			}
		})
	}
}

// serve serves one page with the body inside a sound document.
func serve(t *testing.T, policy, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		io.WriteString(w, `<!doctype html><html lang="en"><title>Planted</title>`+
			`<link rel="icon" href="data:,"><main><h1>Planted</h1>`+body+`</main></html>`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
