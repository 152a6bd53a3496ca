package livepage

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// reached has no operation: it carries the sequence number alone.
const reached = "reached"

// Operations returns the names of the operations, sorted.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }

var operations = map[string]func(*Page, *html.Node) error{
	"put": func(p *Page, t *html.Node) error {
		fresh := firstElement(t)
		if fresh == nil || attribute(fresh, "id") == "" {
			return errors.New("there is nothing with an id in it")
		}
		t.RemoveChild(fresh)
		if old := p.byID(attribute(fresh, "id")); old != nil {
			old.Parent.InsertBefore(fresh, old)
			old.Parent.RemoveChild(old)
			return nil
		}
		parent := p.byID(attribute(t, "data-in"))
		switch {
		case parent == nil:
			return fmt.Errorf("neither %q nor its parent %q is on the page", attribute(fresh, "id"), attribute(t, "data-in"))
		case has("data-first")(t):
			parent.InsertBefore(fresh, parent.FirstChild)
		default:
			parent.AppendChild(fresh)
		}
		return nil
	},
	"remove": func(p *Page, t *html.Node) error {
		if gone := p.byID(attribute(t, "data-id")); gone != nil {
			gone.Parent.RemoveChild(gone)
		}
		return nil
	},
	"text": func(p *Page, t *html.Node) error {
		start, end := integer(t, "data-start"), integer(t, "data-end")
		for _, box := range p.drafts() {
			if attribute(box, "data-attempt") != attribute(t, "data-attempt") || attribute(box, "data-channel") != attribute(t, "data-channel") {
				continue
			}
			have := integer(box, "data-end")
			switch {
			case end <= have:
				return nil
			case start != have:
				p.Wanted = append(p.Wanted, attribute(t, "data-attempt"))
				return nil
			}
			grow(box, t)
			setAttribute(box, "data-end", attribute(t, "data-end"))
		}
		return nil
	},
	"title": func(p *Page, t *html.Node) error {
		setText(find(p.document, is(atom.Title)), p.needs()+text(t))
		return nil
	},
	"needs": func(p *Page, t *html.Node) error {
		title := strings.TrimPrefix(p.Title(), p.needs())
		setText(find(p.document, is(atom.Title)), text(t)+title)
		return nil
	},
	"announce": func(p *Page, t *html.Node) error {
		p.Announced = append(p.Announced, text(t))
		setText(p.byID("announce"), text(t))
		return nil
	},
	"beat": func(p *Page, t *html.Node) error {
		p.Behind = p.Behind || integer(t, "data-seq") > p.Seq()
		return nil
	},
}

var needsPrefix = regexp.MustCompile(`^\([\d,]+\) `)

// needs is what the title says first of how much waits.
func (p *Page) needs() string { return needsPrefix.FindString(p.Title()) }

// grow adds a piece to a draft: text continues its last block, elements are
// new ones.
func grow(box, piece *html.Node) {
	for node := piece.FirstChild; node != nil; node = piece.FirstChild {
		piece.RemoveChild(node)
		last := lastElement(box)
		switch {
		case node.Type != html.TextNode || last == nil:
			box.AppendChild(node)
		case last.FirstChild != nil:
			last.FirstChild.Data += node.Data
		default:
			last.AppendChild(node)
		}
	}
}
