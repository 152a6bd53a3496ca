package livepage

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Normal is the page as text, a line for each element and each text in it, so
// that two pages can be compared. It holds structure, text and states; it
// leaves out what differs between two loads of one page:
//
//   - times of day, countdowns and durations that still run, and when the
//     server answered;
//   - whether a fold is open;
//   - the id of the next message, and what else the message box says of it: its
//     hint, which a script writes, and the choices of output, which the
//     reader may have changed;
//   - what assistive technology was told last, which pages are never loaded
//     with;
//   - white space between elements.
func (p *Page) Normal() string {
	var b strings.Builder
	normal(&b, p.document, 0)
	return b.String()
}

func normal(b *strings.Builder, n *html.Node, depth int) {
	for c := range n.ChildNodes() {
		switch c.Type {
		case html.TextNode:
			if strings.TrimSpace(c.Data) != "" {
				fmt.Fprintf(b, "%*s%q\n", depth, "", wholeText(c))
			}
		case html.ElementNode:
			fmt.Fprintf(b, "%*s%s%s\n", depth, "", c.Data, attributes(c))
			if c.DataAtom != atom.Time && attribute(c, "id") != "announce" {
				normal(b, c, depth+1)
			}
		}
	}
}

// wholeText joins a text with the ones right after it, and empties those: how
// a text was cut into nodes is not seen.
func wholeText(n *html.Node) string {
	s := n.Data
	for next := n.NextSibling; next != nil && next.Type == html.TextNode; next = next.NextSibling {
		s += next.Data
		next.Data = ""
	}
	n.Data = s
	return s
}

func attributes(n *html.Node) string {
	var list []string
	for _, a := range n.Attr {
		if !passedOver(n, a.Key) {
			list = append(list, fmt.Sprintf(" %s=%q", a.Key, a.Val))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "")
}

func passedOver(n *html.Node, name string) bool {
	switch name {
	case "datetime", "data-since", "data-until":
		return true
	case "content":
		return attribute(n, "name") == "server-time"
	case "open":
		return n.DataAtom == atom.Details
	case "value":
		return attribute(n, "id") == "message-id"
	case "placeholder":
		return attribute(n, "id") == "message"
	case "checked":
		name := attribute(n, "name")
		return name == "reasoning" || name == "buffer_attempts"
	}
	return false
}
