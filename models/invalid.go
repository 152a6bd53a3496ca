package models

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Invalid says which fields of a form can't be stored and why, each in one
// sentence for the person who filled it in.
type Invalid map[string]string

// Error lists the fields, without their values.
func (v Invalid) Error() string {
	return "invalid: " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
}

// check adds a problem to a field, unless it is "".
func (v Invalid) check(field, problem string) {
	if problem != "" {
		v[field] = problem
	}
}

// err returns the problems, nil if there are none.
func (v Invalid) err() error {
	if len(v) == 0 {
		return nil
	}
	return v
}

// checkName is the rule for names that people choose.
func checkName(name string) string {
	if n := utf8.RuneCountInString(name); n == 0 || n > 100 || !isLine(name) {
		return "Enter a name of at most 100 characters."
	}
	return ""
}

// isLine reports whether text is one line without control characters.
func isLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
