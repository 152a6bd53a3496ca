package views

import "strings"

const maxIndent = 32 // levels; deeper ones are not indented further

// token writes the next token of valid JSON and steps over it.
func (l *layout) token() {
	switch c := l.raw[l.at]; c {
	case ' ', '\t', '\r', '\n':
		l.at++
	case '{', '[':
		l.open(c)
	case '}', ']':
		l.at++
		l.depth--
		l.object = l.object[:len(l.object)-1]
		l.feed()
		l.add("", string(c))
	case ',':
		l.at++
		l.add("", ",")
		l.feed()
		l.key = l.object[len(l.object)-1]
	case ':':
		l.at++
		l.add("", ": ")
		l.key = false
	case '"':
		l.str()
	default:
		end := l.at + 1
		for end < len(l.raw) && !strings.ContainsRune(" \t\r\n,]}", rune(l.raw[end])) {
			end++
		}
		l.add("v", l.raw[l.at:end])
		l.at = end
	}
}

// open begins an object or a list; an empty one stays on its line.
func (l *layout) open(c byte) {
	rest := strings.TrimLeft(l.raw[l.at+1:], " \t\r\n")
	if rest[0] == '}' || rest[0] == ']' {
		l.add("", string(c)+rest[:1])
		l.at = len(l.raw) - len(rest) + 1
		return
	}
	l.at++
	l.depth++
	l.object = append(l.object, c == '{')
	l.key = c == '{'
	l.add("", string(c))
	l.feed()
}

// str writes a string, or as much of it as is to be laid out.
func (l *layout) str() {
	end := l.at + 1
	for l.raw[end] != '"' {
		if l.raw[end] == '\\' {
			end++
		}
		end++
	}
	kind := "v"
	if l.key {
		kind = "k"
	}
	s, _ := firstBytes(l.raw[l.at:end+1], l.end-l.at)
	for i, line := range splitFeeds(s) {
		if i > 0 {
			l.add("nl", `\n`)
			l.at += len(`\n`)
		}
		if line != "" && !l.exact(kind, line) || l.full() {
			return
		}
	}
}

func (l *layout) feed() { l.add("", "\n"+strings.Repeat("  ", min(l.depth, maxIndent))) }

// splitFeeds splits the inside of a JSON string at the escapes that mean a
// line feed. An escaped backslash before an n is not one.
func splitFeeds(s string) []string {
	var lines []string
	start := 0
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] == 'n' {
			lines = append(lines, s[start:i])
			start = i + 2
		}
		i++
	}
	return append(lines, s[start:])
}
