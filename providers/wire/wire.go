// Package wire reads and writes the JSON of model APIs, which servers fill in
// their own ways: what is of another type than it should be is taken as absent
// where an adapter can do without it.
package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text is a JSON string. Null and values of another type leave it unset.
type Text struct {
	Set bool
	S   string
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return nil
	}
	t.Set = true
	if plain := b[1 : len(b)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		t.S = string(plain)
		return nil
	}
	return json.Unmarshal(b, &t.S)
}

// Count is a number of tokens, unknown unless it is a whole number from 0.
type Count struct{ N *int64 }

// UnmarshalJSON never fails: a count of another type is not known.
func (c *Count) UnmarshalJSON(b []byte) error {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil && n >= 0 {
		c.N = &n
	}
	return nil
}

// Loose is a T as far as the types fit; what does not fit stays unset.
type Loose[T any] struct{ V T }

// UnmarshalJSON never fails.
func (l *Loose[T]) UnmarshalJSON(b []byte) error {
	_ = json.Unmarshal(b, &l.V)
	return nil
}

// Exact returns a JSON string, "" where it is absent. It reports false if raw
// is none, or holds what no string can: half a character would silently become
// another one.
func Exact(raw json.RawMessage) (string, bool) {
	if Absent(raw) {
		return "", true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	if strings.ContainsRune(s, utf8.RuneError) {
		meant := bytes.Contains(raw, []byte("\ufffd")) || bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
		return s, meant
	}
	return s, true
}

// Absent reports that a member is missing or null.
func Absent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}

// IsObject reports whether b is exactly one JSON object.
func IsObject(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte{'{'}) && json.Valid(b)
}

// Encode writes JSON without the escapes that are meant for pages. Raw JSON
// inside keeps its bytes, but for the space between them.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// Cut returns the beginning of s that has at most n bytes and ends with a
// whole character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// A small frame can't hold enough objects to be a burden in memory. A large one
// is looked at first: long strings are fine, many objects are not.
const (
	plainFrame    = 64 << 10
	maxStructures = 4096
)

// TooComplex reports whether a JSON text holds more objects and arrays than
// should be decoded.
func TooComplex(data []byte) bool {
	return len(data) > plainFrame && structures(data) > maxStructures
}

// structures counts the objects and arrays of a JSON text.
func structures(data []byte) int {
	n := 0
	quoted, escaped := false, false
	for _, c := range data {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			n++
		}
	}
	return n
}
