package views

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A codePart is a stretch of code. Its class is hc for a comment, hs for a
// string, hn for a number, hk for a keyword, "" for everything else.
type codePart struct {
	class string
	text  string
}

// A syntax is as much of a family of languages as one pass over the text can
// tell. It is little on purpose: the cost is in proportion to the length,
// whatever the code is.
type syntax struct {
	line     string // begins a comment that ends with its line
	open     string // begin and end a comment of several lines
	close    string
	quotes   string // each ends a string that it begins, on the same line
	raw      string // the same, over several lines
	keywords map[string]bool
}

func keywords(list string) map[string]bool {
	set := make(map[string]bool)
	for _, k := range strings.Fields(list) {
		set[k] = true
	}
	return set
}

var (
	braces = &syntax{line: "//", open: "/*", close: "*/", quotes: `"'`, raw: "`", keywords: keywords(
		"abstract async await break case catch class const continue default defer do else enum export extends false final finally fn for from func function go if impl implements import in instanceof interface internal let match mod mut namespace new nil null override package private protected pub public return select self static struct super switch this throw throws trait true try type typeof undefined use using var void where while yield")}
	hashes = &syntax{line: "#", quotes: `"'`, keywords: keywords(
		"and as async await begin break case class continue def do done elif else elsif end ensure esac except export false fi finally for from function if import in is lambda local module nil none None not null or pass raise require rescue return self then true True False try unless until while with yield")}
	dashes = &syntax{line: "--", open: "/*", close: "*/", quotes: `'"`, keywords: keywords(
		"all alter and as asc begin between by case check commit constraint create default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit local not null offset on or order outer primary references return right rollback select set table then true union unique update values view when where with")}
	values = &syntax{line: "//", quotes: `"`, keywords: keywords("true false null")}
)

// syntaxes are the known languages, by the word after the fence.
var syntaxes = byLanguage()

func byLanguage() map[string]*syntax {
	languages := make(map[string]*syntax)
	for s, names := range map[*syntax]string{
		braces: "c h cpp c++ cc hpp cs csharp java js javascript jsx mjs ts typescript tsx go golang rust rs swift kotlin kt scala php dart proto zig css scss",
		hashes: "py python sh bash shell zsh console yaml yml toml rb ruby perl pl r make makefile dockerfile ini conf elixir powershell ps1",
		dashes: "sql psql sqlite mysql plsql lua haskell hs",
		values: "json jsonc json5",
	} {
		for _, name := range strings.Fields(names) {
			languages[name] = s
		}
	}
	return languages
}

// highlight splits code of a language. Code of an unknown one is one part.
func highlight(language, code string) []codePart {
	s := syntaxes[strings.ToLower(language)]
	if s == nil || code == "" {
		return []codePart{{text: code}}
	}
	var parts []codePart
	plain := 0
	for at := 0; at < len(code); {
		class, n := s.token(code[at:])
		if class != "" {
			if at > plain {
				parts = append(parts, codePart{text: code[plain:at]})
			}
			parts = append(parts, codePart{class, code[at : at+n]})
			plain = at + n
		}
		at += n
	}
	if plain < len(code) {
		parts = append(parts, codePart{text: code[plain:]})
	}
	return parts
}

// token returns what the text begins with and how long that is.
func (s *syntax) token(text string) (class string, n int) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.HasPrefix(text, s.line):
		return "hc", until(text, "\n", len(text))
	case s.open != "" && strings.HasPrefix(text, s.open):
		return "hc", len(s.open) + past(text[len(s.open):], s.close)
	case strings.ContainsRune(s.raw, r):
		return "hs", size + past(text[size:], text[:size])
	case strings.ContainsRune(s.quotes, r):
		if n := quoted(text); n > 0 {
			return "hs", n
		}
		return "", size
	case unicode.IsDigit(r):
		return "hn", word(text)
	case unicode.IsLetter(r) || r == '_':
		n := word(text)
		if w := text[:n]; s.keywords[w] || s == dashes && s.keywords[strings.ToLower(w)] {
			return "hk", n
		}
		return "", n
	}
	return "", size
}

// until returns the place of a mark, or otherwise if there is none.
func until(text, mark string, otherwise int) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i
	}
	return otherwise
}

// past returns the place after a mark, or the end.
func past(text, mark string) int { return min(until(text, mark, len(text))+len(mark), len(text)) }

// maxString is the longest string that is looked for, so that quotes without
// an end cost little.
const maxString = 512

// quoted returns the length of the string that the text begins with, 0 when it
// does not end on its line or soon enough.
func quoted(text string) int {
	for i := 1; i < min(len(text), maxString) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 0
}

// word returns the length of the letters, digits and underscores at the start.
func word(text string) int {
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			return i
		}
	}
	return len(text)
}
