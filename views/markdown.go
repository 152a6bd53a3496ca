package views

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A finished answer is shown formatted. goldmark only parses it; its tree is
// turned into mdNodes, and markdown.templ has one element for each kind of
// them. There is no kind for raw HTML, a script, an attribute or a remote
// image, so none can appear.

// mdKind is one of the elements that an answer may have.
type mdKind int

const (
	mdText  mdKind = iota
	mdPlain        // a text that was not parsed
	mdParagraph
	mdHeading // h3 to h6
	mdBullets
	mdNumbers
	mdItem
	mdQuote
	mdCode // a block
	mdCodeSpan
	mdEmphasis
	mdStrong
	mdDeleted
	mdLink
	mdBreak
	mdRule
	mdTable
	mdHead
	mdRow
	mdCell
	mdNumberCell // aligned to the right
)

type mdNode struct {
	kind     mdKind
	text     string // of mdText, mdPlain, mdCode and mdCodeSpan
	url      string // of mdLink: http, https or mailto
	language string // of mdCode, as the model named it
	level    int    // of mdHeading; of mdNumbers, the first number
	children []mdNode
}

const (
	// maxParsed is the longest stretch that is parsed at once: some inputs
	// cost the square of their length.
	maxParsed = 8 << 10
	// maxFormatted is how much of an answer is formatted at all.
	maxFormatted = 64 << 10
	// maxNesting is how deep elements stand in each other.
	maxNesting = 24
)

var mdParser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()

// parseMarkdown returns what an answer is shown as.
func parseMarkdown(answer string) []mdNode {
	answer = Printable(answer)
	var nodes []mdNode
	formatted := 0
	for _, part := range sections(answer) {
		formatted += len(part)
		if len(part) > maxParsed || formatted > maxFormatted || costly(part) {
			nodes = append(nodes, mdNode{kind: mdPlain, text: part})
			continue
		}
		c := converter{source: []byte(part)}
		tree := mdParser.Parse(text.NewReader(c.source), parser.WithContext(parser.NewContext()))
		nodes = append(nodes, c.children(tree, 0)...)
	}
	levelHeadings(nodes)
	return nodes
}

// levelHeadings makes an answer's headings go from h3 down without a gap,
// because h1 is the title of the page and h2 the name of the speaker.
func levelHeadings(nodes []mdNode) {
	var used [7]bool
	eachHeading(nodes, func(h *mdNode) { used[h.level] = true })
	var shown [7]int
	next := 3
	for level := range used {
		if used[level] {
			shown[level], next = min(next, 6), next+1
		}
	}
	before := 2
	eachHeading(nodes, func(h *mdNode) {
		h.level = min(shown[h.level], before+1)
		before = h.level
	})
}

func eachHeading(nodes []mdNode, do func(*mdNode)) {
	for i := range nodes {
		if nodes[i].kind == mdHeading {
			do(&nodes[i])
		}
		eachHeading(nodes[i].children, do)
	}
}

// sections cuts an answer at blank lines outside fences into stretches that
// are short enough to parse, where it has such lines.
func sections(answer string) []string {
	var parts []string
	var fence string
	start, at := 0, 0
	for line := range strings.Lines(answer) {
		blank := strings.TrimSpace(line) == ""
		if blank && fence == "" && at+len(line)-start > maxParsed/2 {
			parts = append(parts, answer[start:at+len(line)])
			start = at + len(line)
		}
		fence = nextFence(fence, line)
		at += len(line)
	}
	if start < len(answer) {
		parts = append(parts, answer[start:])
	}
	return parts
}

// nextFence returns the fence that is open after a line, "" for none.
func nextFence(open, line string) string {
	s := strings.TrimLeft(line, " ")
	if s == "" || s[0] != '`' && s[0] != '~' {
		return open
	}
	run := s[:len(s)-len(strings.TrimLeft(s, s[:1]))]
	switch {
	case len(run) < 3:
		return open
	case open == "":
		return run
	case strings.HasPrefix(run, open) && strings.TrimSpace(s[len(run):]) == "":
		return ""
	}
	return open
}

// webURL returns a link's address if it may be followed: http, https, mailto.
func webURL(raw string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "http", "https":
		return u.String(), u.Host != "" && !strings.ContainsAny(u.Host, "\"'<>`\\ ")
	case "mailto":
		return u.String(), u.Opaque != ""
	}
	return "", false
}

// container reports whether a kind of node of goldmark holds blocks or inlines
// that are shown inside an element of ours.
func container(n ast.Node) (mdNode, bool) {
	switch n := n.(type) {
	case *ast.Paragraph:
		return mdNode{kind: mdParagraph}, true
	case *ast.Heading:
		return mdNode{kind: mdHeading, level: n.Level}, true
	case *ast.Blockquote:
		return mdNode{kind: mdQuote}, true
	case *ast.ListItem:
		return mdNode{kind: mdItem}, true
	case *ast.List:
		if n.IsOrdered() {
			return mdNode{kind: mdNumbers, level: n.Start}, true
		}
		return mdNode{kind: mdBullets}, true
	case *ast.Emphasis:
		if n.Level == 1 {
			return mdNode{kind: mdEmphasis}, true
		}
		return mdNode{kind: mdStrong}, true
	}
	return mdNode{}, false
}
