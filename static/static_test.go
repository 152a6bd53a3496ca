package static_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"countersign/static"
)

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

func TestAssetsAreServedForEver(t *testing.T) {
	t.Parallel()
	for name, contentType := range map[string]string{
		static.Stylesheet:         "text/css; charset=utf-8",
		"js/app.js":               "text/javascript; charset=utf-8",
		"img/icons.svg":           "image/svg+xml",
		"img/favicon.svg":         "image/svg+xml",
		"vendor/htmx/htmx.min.js": "text/javascript; charset=utf-8",
	} {
		res, body := get(t, static.URL(name))
		if res.StatusCode != http.StatusOK || body == "" {
			t.Errorf("%s: status %d, %d bytes", name, res.StatusCode, len(body))
		}
		for header, want := range map[string]string{
			"Content-Type":           contentType,
			"X-Content-Type-Options": "nosniff",
			"Cache-Control":          "public, max-age=31536000, immutable",
		} {
			if got := res.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
	}
}

func TestOtherAddressesAreNotFound(t *testing.T) {
	t.Parallel()
	base := path.Dir(static.URL(static.Stylesheet))
	for _, url := range []string{
		"/static/", "/static/app.css", "/static/0000000000000000/app.css",
		base, base + "/", base + "/css/tokens.css", base + "/vendor/htmx/LICENSE", base + "/js/", base + "/nothing.js",
	} {
		res, _ := get(t, url)
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", url, res.StatusCode)
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q, want no-store", url, got)
		}
	}
}

// Every sheet in css/ is in the joined stylesheet, and nothing in it needs
// what the content security policy forbids.
func TestStylesheetIsWhole(t *testing.T) {
	t.Parallel()
	_, sheet := get(t, static.URL(static.Stylesheet))
	if !strings.HasPrefix(sheet, "@layer base, shell, parts, util;") {
		t.Error("the order of layers is not stated first")
	}
	list, err := os.ReadDir("css")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		body, err := os.ReadFile("css/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(sheet, string(body)) {
			t.Errorf("css/%s is not in the stylesheet", e.Name())
		}
	}
	if m := regexp.MustCompile(`@import|url\(|https?:`).FindString(sheet); m != "" {
		t.Errorf("the stylesheet fetches something: %q", m)
	}
}

// Modules import each other by relative paths that exist, and never make HTML
// or code from text.
func TestModulesStayInsideThePolicy(t *testing.T) {
	t.Parallel()
	list, err := os.ReadDir("js")
	if err != nil {
		t.Fatal(err)
	}
	imports := regexp.MustCompile(`(?:import|from) "([^"]+)"`)
	banned := regexp.MustCompile(`\beval\b|new Function|document\.write|\.outerHTML|insertAdjacentHTML|https?://`)
	for _, e := range list {
		body, err := os.ReadFile("js/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range imports.FindAllStringSubmatch(string(body), -1) {
			name := path.Join("js", m[1])
			if res, _ := get(t, static.URL(name)); !strings.HasPrefix(m[1], "./") || res.StatusCode != http.StatusOK {
				t.Errorf("js/%s imports %q", e.Name(), m[1])
			}
		}
		if m := banned.Find(body); m != nil {
			t.Errorf("js/%s uses %q", e.Name(), m)
		}
	}
}
