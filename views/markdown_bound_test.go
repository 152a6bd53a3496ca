package views

import (
	"strings"
	"testing"
)

// costlyInputs are inputs of which a parser's work grows with the square of their
// length, or faster.
var costlyInputs = map[string]string{
	"quotes":         strings.Repeat(">", 16_000) + "\n",
	"quotes apart":   strings.Repeat("> ", 8_000) + "\n",
	"bullets":        strings.Repeat("- ", 8_000) + "\n",
	"numbers":        strings.Repeat("1. ", 5_000) + "\n",
	"quote in quote": strings.Repeat(strings.Repeat(">", 60)+"\n", 60) + "\n",
	"crossed marks":  strings.Repeat("*a_ ", 4_000) + "\n",
	"marks":          strings.Repeat("*a ", 4_000) + "\n",
	"strong":         strings.Repeat("**a ", 4_000) + "\n",
	"strike":         strings.Repeat("~~a ", 4_000) + "\n",
	"links":          strings.Repeat("[a](", 4_000) + "\n",
	"brackets":       strings.Repeat("[", 16_000) + "\n",
	"closed":         strings.Repeat("[", 4_000) + strings.Repeat("]", 4_000) + "\n",
	"images":         strings.Repeat("![", 4_000) + "\n",
	"ticks":          strings.Repeat("`a``", 4_000) + "\n",
	"angles":         strings.Repeat("<a ", 4_000) + "\n",
	"comments":       strings.Repeat("<!--", 4_000) + "\n",
	"cells":          strings.Repeat("|a", 4_000) + "\n" + strings.Repeat("|-", 4_000) + "\n",
	"rows":           strings.Repeat("|a", 60) + "\n" + strings.Repeat("|-", 60) + "\n" + strings.Repeat("|\n", 3_000),
	"references":     strings.Repeat("[a]: x\n", 2_000),
	"backslashes":    strings.Repeat("\\", 16_000) + "\n",
	"indents":        indents(100),
	"lists":          strings.Repeat("- a\n", 4_000),
	"lines":          strings.Repeat("a\n", 8_000),
	"paragraphs":     strings.Repeat("a\n\n", 5_000),
	"nearly links":   strings.Repeat(strings.Repeat("[a](", 390)+"\n\n", 10),
	"nearly quotes":  strings.Repeat(strings.Repeat("> ", 64)+"\n", 30),
	"nearly marks":   strings.Repeat("*a_ ", 390) + "\n",
	"nearly table":   strings.Repeat("|a", 60) + "\n" + strings.Repeat("|-", 60) + "\n" + strings.Repeat("|\n", 60),
	"headings":       strings.Repeat("# a\n", 4_000),
}

// indents is a list in a list, and so on.
func indents(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// pageful cuts an input at a length and repeats it as stretches of its own, up
// to the longest answer that is shown.
func pageful(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "")
	return strings.Repeat(s+"\n\n", 256<<10/(len(s)+2))
}

// hostileKinds are those that are not parsed at all where they are as long as
// a stretch can be.
var hostileKinds = []string{"quotes", "quotes apart", "bullets", "numbers", "crossed marks", "marks", "strong", "strike", "links", "brackets", "closed", "images", "ticks", "angles", "comments", "cells", "rows", "references"}

func TestCostlyMarkdownIsShownPlain(t *testing.T) {
	t.Parallel()
	for _, name := range hostileKinds {
		part := costlyInputs[name]
		part = part[:min(len(part), maxParsed)]
		if !costly(part) {
			t.Errorf("%s would be parsed", name)
		}
		for _, n := range parseMarkdown(pageful(part, len(part))) {
			if n.kind != mdPlain {
				t.Errorf("%s: got an element of kind %d", name, n.kind)
				break
			}
		}
	}
}

// What people and models write is formatted.
func TestOrdinaryMarkdownIsNotCostly(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"the sample":     sampleAnswer,
		"a ruler":        strings.Repeat("-", 120) + "\n" + strings.Repeat("*", 120) + "\n" + strings.Repeat("- ", 60) + "\n",
		"nested quotes":  strings.Repeat(">", 12) + " deep\n",
		"bold words":     strings.Repeat("A sentence with **bold** words and `code` in it.\n", 100),
		"a table":        "|a|b|c|d|e|\n|-|-|-|-|-|\n" + strings.Repeat("|1|2|3|4|5|\n", 200),
		"links":          strings.Repeat("- [a page](https://x.example/a_page)\n", 150),
		"deep lists":     indents(12),
		"lines of code":  "```c\n" + strings.Repeat("a[i] = *p++ * b_c[j];\n", 100) + "```\n",
		"numbers: 1,000": strings.Repeat("1,000.50 - 2.\n", 200),
	} {
		if costly(text) {
			t.Errorf("%s would be shown plain", name)
		}
	}
}

func BenchmarkCostlyMarkdown(b *testing.B) {
	for name, s := range costlyInputs {
		for size, n := range map[string]int{"1k": 1000, "4k": 4_000, "8k": 8_000, "16k": 16_000} {
			answer := pageful(s, n)
			b.Run(name+"/"+size, func(b *testing.B) {
				for b.Loop() {
					parseMarkdown(answer)
				}
			})
		}
	}
}
