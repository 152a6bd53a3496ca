package livepage

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Page is a page as a browser holds it. It is not safe for concurrent use.
type Page struct {
	// Announced are the texts that assistive technology was told, in order.
	Announced []string
	// Wanted are the attempts whose draft the page lost track of, in order.
	Wanted []string
	// Behind says that a beat named a record which the page does not have: a
	// browser connects anew.
	Behind bool

	document *html.Node
	region   *html.Node // follows the conversation; nil on any other page
}

// Parse takes a page as the server sent it.
func Parse(body string) (*Page, error) {
	document, err := html.Parse(strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("parse the page: %w", err)
	}
	return &Page{document: document, region: find(document, has("data-live"))}, nil
}

// Live is the address of the page's socket, "" if it has none.
func (p *Page) Live() string { return attribute(p.region, "data-live") }

// Seq is the newest record that the page has, zero if it follows nothing.
func (p *Page) Seq() int64 { return integer(p.region, "data-seq") }

// Hello is what the page says first: what it has.
func (p *Page) Hello() string {
	have := map[string]any{"seq": p.Seq()}
	for _, d := range p.drafts() {
		have["attempt"] = attribute(d, "data-attempt")
		have[attribute(d, "data-channel")] = integer(d, "data-end")
	}
	data, err := json.Marshal(have)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(data)
}

// Draft is the text of a channel of the open attempt, "" if there is none.
func (p *Page) Draft(channel string) string {
	for _, d := range p.drafts() {
		if attribute(d, "data-channel") == channel {
			return text(d)
		}
	}
	return ""
}

// Text is the text of the element with an id, "" if there is none.
func (p *Page) Text(id string) string {
	if n := p.byID(id); n != nil {
		return text(n)
	}
	return ""
}

// Title is the title of the browser's tab.
func (p *Page) Title() string { return text(find(p.document, is(atom.Title))) }

// Apply takes a frame. What live.js would pass over, because the server has no
// reason to send it, is an error.
func (p *Page) Apply(frame string) error {
	context := &html.Node{Type: html.ElementNode, DataAtom: atom.Template, Data: "template"}
	nodes, err := html.ParseFragment(strings.NewReader(frame), context)
	if err != nil {
		return fmt.Errorf("parse the frame: %w", err)
	}
	for _, t := range nodes {
		if t.Type == html.TextNode && strings.TrimSpace(t.Data) == "" {
			continue
		}
		if t.DataAtom != atom.Template {
			return fmt.Errorf("the frame holds %q outside of a template", t.Data)
		}
		name := attribute(t, "data-op")
		operation, ok := operations[name]
		if !ok && name != reached {
			return fmt.Errorf("there is no operation %q", name)
		}
		if ok {
			if err := operation(p, t); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if seq := attribute(t, "data-seq"); name != "beat" && seq != "" {
			setAttribute(p.region, "data-seq", seq)
		}
	}
	return nil
}

func (p *Page) byID(id string) *html.Node {
	return find(p.document, func(n *html.Node) bool { return attribute(n, "id") == id })
}

func (p *Page) drafts() []*html.Node {
	if p.region == nil {
		return nil
	}
	return all(p.region, func(n *html.Node) bool { return has("data-attempt")(n) && has("data-channel")(n) })
}

func integer(n *html.Node, name string) int64 {
	i, _ := strconv.ParseInt(attribute(n, name), 10, 64) // else it is not a page of ours
	return i
}
