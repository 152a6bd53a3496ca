package e2e_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// artifacts is where pictures go; git ignores it.
const artifacts = "artifacts"

// unsafeInPath is what a test's name may hold and a file's should not.
var unsafeInPath = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// A page is one tab. What goes wrong in it fails its test when that ends,
// unless [page.allow] named it: an uncaught error, an error on the console, a
// breach of the content security policy, a request to another host.
type page struct {
	playwright.Page
	t     *testing.T
	watch *watch
}

// A watch collects what went wrong in one browser context.
type watch struct {
	mu       sync.Mutex
	problems []string
	allowed  []*regexp.Regexp
}

func (w *watch) add(problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, problem)
}

// found returns the problems since it was last called that are not allowed.
func (w *watch) found() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []string
	for _, problem := range w.problems {
		allowed := false
		for _, pattern := range w.allowed {
			allowed = allowed || pattern.MatchString(problem)
		}
		if !allowed {
			found = append(found, problem)
		}
	}
	w.problems = nil
	return found
}

func (w *watch) report(t *testing.T) {
	t.Helper()
	for _, problem := range w.found() {
		t.Error(problem)
	}
}

// A look changes how a page is opened.
type look func(*playwright.BrowserNewContextOptions)

// Looks. Without one a page is 1280 × 800, light and keeps still.
var (
	dark look = func(o *playwright.BrowserNewContextOptions) {
		o.ColorScheme = playwright.ColorSchemeDark
	}
	narrow look = func(o *playwright.BrowserNewContextOptions) {
		o.Viewport = &playwright.Size{Width: 320, Height: 640}
	}
	noScript look = func(o *playwright.BrowserNewContextOptions) {
		o.JavaScriptEnabled = playwright.Bool(false)
	}
)

// newPage opens an empty page in a browser context of its own: a new browser,
// as far as the server can tell. Paths given to its Goto are relative to base.
func newPage(t *testing.T, base string, looks ...look) *page {
	t.Helper()
	options := playwright.BrowserNewContextOptions{
		BaseURL:       &base,
		ColorScheme:   playwright.ColorSchemeLight,
		Locale:        playwright.String("en-GB"),
		ReducedMotion: playwright.ReducedMotionReduce,
		Viewport:      &playwright.Size{Width: 1280, Height: 800},
	}
	for _, apply := range looks {
		apply(&options)
	}
	context, err := browser.NewContext(options)
	if err != nil {
		t.Fatalf("open a browser context: %v", err)
	}
	w := &watch{}
	t.Cleanup(func() {
		w.report(t)
		pictures(t, context)
		if err := context.Close(); err != nil {
			t.Errorf("close the browser context: %v", err)
		}
		w.report(t) // what was on its way
	})
	w.observe(t, context, base)
	return w.open(t, context)
}

// observe hears of everything that goes wrong in the context's pages.
func (w *watch) observe(t *testing.T, context playwright.BrowserContext, base string) {
	t.Helper()
	err := context.AddInitScript(playwright.Script{Content: playwright.String(
		`document.addEventListener('securitypolicyviolation', e =>
			console.error('content security policy: ' + e.violatedDirective + ' blocked ' + e.blockedURI))`)})
	if err != nil {
		t.Fatal(err)
	}
	context.OnWebError(func(e playwright.WebError) { w.add("uncaught: " + e.Error().Error()) })
	context.OnConsole(func(m playwright.ConsoleMessage) {
		if m.Type() == "error" {
			w.add("console: " + m.Text())
		}
	})
	home, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	context.OnRequest(func(r playwright.Request) {
		to, err := url.Parse(r.URL())
		if err != nil || (to.Host != home.Host && to.Scheme != "data" && to.Scheme != "blob") {
			w.add("request to another host: " + r.URL())
		}
	})
}

// open opens a tab in the observed context.
func (w *watch) open(t *testing.T, context playwright.BrowserContext) *page {
	t.Helper()
	tab, err := context.NewPage()
	if err != nil {
		t.Fatalf("open a page: %v", err)
	}
	return &page{Page: tab, t: t, watch: w}
}

// another opens a second tab in the same browser, signed in as the first is.
func (p *page) another() *page {
	p.t.Helper()
	return p.watch.open(p.t, p.Context())
}

// visit opens a path and fails the test at once if the answer is not wanted.
func (p *page) visit(path string, status int) {
	p.t.Helper()
	response, err := p.Goto(path)
	if err != nil {
		p.t.Fatalf("open %s: %v", path, err)
	}
	if response.Status() != status {
		p.t.Fatalf("open %s: got status %d, want %d", path, response.Status(), status)
	}
}

// allow names problems that the test brings about on purpose, such as the
// console's line about a server that was killed.
func (p *page) allow(pattern string) {
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	p.watch.allowed = append(p.watch.allowed, regexp.MustCompile(pattern))
}

// pictures leaves a picture of every open page of a failed test.
func pictures(t *testing.T, context playwright.BrowserContext) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for i, tab := range context.Pages() {
		screenshot(t, tab, fmt.Sprintf("failed-%d", i+1))
	}
}

// screenshot writes a picture of the whole page to artifacts/TEST/NAME.png.
func screenshot(t *testing.T, tab playwright.Page, name string) {
	t.Helper()
	path := filepath.Join(artifacts, unsafeInPath.ReplaceAllString(t.Name(), "_"), name+".png")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Error(err)
		return
	}
	_, err := tab.Screenshot(playwright.PageScreenshotOptions{Path: &path, FullPage: playwright.Bool(true)})
	if err != nil {
		t.Errorf("take a picture of %s: %v", tab.URL(), err)
		return
	}
	t.Logf("a picture of %s is in e2e/%s", tab.URL(), path)
}
