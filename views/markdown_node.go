package views

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// A converter turns goldmark's tree into ours. What it does not know gives its
// children only, never its source.
type converter struct{ source []byte }

func (c converter) children(n ast.Node, depth int) []mdNode {
	var nodes []mdNode
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		nodes = append(nodes, c.node(child, depth+1)...)
	}
	return nodes
}

func (c converter) node(n ast.Node, depth int) []mdNode {
	if depth > maxNesting && n.Type() != ast.TypeInline {
		return c.children(n, depth)
	}
	if out, ok := container(n); ok && depth <= maxNesting {
		out.children = c.children(n, depth)
		return []mdNode{out}
	}
	switch n := n.(type) {
	case *ast.ThematicBreak:
		return []mdNode{{kind: mdRule}}
	case *ast.CodeBlock:
		return []mdNode{{kind: mdCode, text: c.lines(n)}}
	case *ast.FencedCodeBlock:
		return []mdNode{{kind: mdCode, text: c.lines(n), language: string(n.Language(c.source))}}
	case *ast.HTMLBlock:
		raw := c.lines(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(c.source))
		}
		return []mdNode{{kind: mdPlain, text: raw}}
	case *ast.Text:
		return c.text(n)
	case *ast.String:
		return []mdNode{{text: string(n.Value)}}
	case *ast.CodeSpan:
		return []mdNode{{kind: mdCodeSpan, text: c.code(n)}}
	case *ast.RawHTML:
		return []mdNode{{text: string(n.Segments.Value(c.source))}}
	case *ast.AutoLink:
		label := string(n.Label(c.source))
		address := string(n.URL(c.source))
		if n.AutoLinkType == ast.AutoLinkEmail {
			address = "mailto:" + address
		}
		return c.link(address, []mdNode{{text: label}}, "<", ">", label)
	case *ast.Link:
		return c.target(n.Destination, n, depth, "[")
	case *ast.Image:
		return c.target(n.Destination, n, depth, "![")
	case *extast.Strikethrough:
		return []mdNode{{kind: mdDeleted, children: c.children(n, depth)}}
	case *extast.Table:
		return []mdNode{{kind: mdTable, children: c.children(n, depth)}}
	case *extast.TableHeader:
		return []mdNode{{kind: mdHead, children: c.children(n, depth)}}
	case *extast.TableRow:
		return []mdNode{{kind: mdRow, children: c.children(n, depth)}}
	case *extast.TableCell:
		kind := mdCell
		if n.Alignment == extast.AlignRight {
			kind = mdNumberCell
		}
		return []mdNode{{kind: kind, children: c.children(n, depth)}}
	}
	return c.children(n, depth)
}

// target is a link or an image. An image is shown as a link to it.
func (c converter) target(destination []byte, n ast.Node, depth int, opening string) []mdNode {
	raw := string(util.URLEscape(destination, true))
	children := c.children(n, depth)
	if len(children) == 0 {
		children = []mdNode{{text: raw}}
	}
	return c.link(raw, children, opening, "]("+raw+")", "")
}

// link makes a link, or shows its source where its address may not be
// followed. whole, where given, stands for the children then.
func (c converter) link(raw string, children []mdNode, before, after, whole string) []mdNode {
	if address, ok := webURL(raw); ok {
		return []mdNode{{kind: mdLink, url: address, children: children}}
	}
	if whole != "" {
		return []mdNode{{text: before + whole + after}}
	}
	nodes := append([]mdNode{{text: before}}, children...)
	return append(nodes, mdNode{text: after})
}

func (c converter) text(n *ast.Text) []mdNode {
	value := string(n.Segment.Value(c.source))
	if !n.IsRaw() {
		value = unescape(value)
	}
	switch {
	case n.HardLineBreak():
		return []mdNode{{text: value}, {kind: mdBreak}}
	case n.SoftLineBreak():
		value += "\n"
	}
	return []mdNode{{text: value}}
}

func (c converter) lines(n ast.Node) string {
	return string(n.Lines().Value(c.source))
}

// code joins the lines of a code span.
func (c converter) code(n ast.Node) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.Write(t.Segment.Value(c.source))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// maxReference is the longest character reference, with some room.
const maxReference = 40

// unescape resolves backslash escapes and character references in one pass, so
// that neither can make the other.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case c == '&':
			end := strings.IndexByte(s[i:min(len(s), i+maxReference)], ';')
			if end < 0 {
				b.WriteByte(c)
				continue
			}
			b.WriteString(resolve(s[i : i+end+1]))
			i += end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// resolve returns what a character reference such as &amp; or &#38; stands
// for, or the reference itself where it stands for nothing.
func resolve(reference string) string {
	name := reference[1 : len(reference)-1]
	digits, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return string(e.Characters)
		}
		return reference
	}
	base := 10
	if h := strings.TrimLeft(digits, "xX"); len(h) == len(digits)-1 {
		digits, base = h, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil:
		return reference
	case n == 0 || n > unicode.MaxRune:
		return "\ufffd"
	}
	return string(rune(n))
}
