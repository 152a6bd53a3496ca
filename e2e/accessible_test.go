package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/playwright-community/playwright-go"
)

// axeRun returns, as JSON, the rules that the document breaks and where.
const axeRun = `async () => JSON.stringify((await axe.run(document, {
	runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
})).violations.map(v => ({rule: v.id, where: v.nodes.map(n => n.target.join(' '))})))`

// A violation is a rule of axe-core and the selectors of what breaks it.
type violation struct {
	Rule  string   `json:"rule"`
	Where []string `json:"where"`
}

// violations runs axe-core on the page as it is now.
func (p *page) violations() []violation {
	p.t.Helper()
	// Evaluating the source works under a strict content security policy;
	// adding a script element to the page does not.
	if loaded, err := p.Evaluate("() => 'axe' in window"); err != nil || loaded != true {
		if _, err := p.Evaluate(axe + "\n;0"); err != nil {
			p.t.Fatalf("load axe-core: %v", err)
		}
	}
	raw, err := p.Evaluate(axeRun)
	if err != nil {
		p.t.Fatalf("run axe-core: %v", err)
	}
	var found []violation
	if err := json.Unmarshal([]byte(fmt.Sprint(raw)), &found); err != nil {
		p.t.Fatalf("read what axe-core found: %v", err)
	}
	return found
}

// wantAccessible requires that axe-core finds nothing on the page in either
// theme but breaches of some rules. It leaves the page in the light one.
func (p *page) wantAccessible(but ...string) {
	p.t.Helper()
	for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeDark, playwright.ColorSchemeLight} {
		if err := p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme}); err != nil {
			p.t.Fatal(err)
		}
		for _, v := range p.violations() {
			if slices.Contains(but, v.Rule) {
				continue
			}
			p.t.Errorf("%s, %s: axe-core: %s at %q", p.URL(), *scheme, v.Rule, v.Where)
		}
	}
}

// overflows tells whether the page is wider than its window.
func (p *page) overflows() bool {
	p.t.Helper()
	wider, err := p.Evaluate(`() => document.documentElement.scrollWidth > document.documentElement.clientWidth`)
	if err != nil {
		p.t.Fatal(err)
	}
	return wider == true
}
