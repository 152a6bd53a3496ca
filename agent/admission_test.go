package agent

import (
	"slices"
	"testing"
)

// A line is an admission with the tickets that were given out, by name.
type line struct {
	*admission
	tickets map[string]*ticket
	names   []string
}

func (l *line) come(name string, person UserID, provider string) {
	l.tickets[name] = l.enter(person, provider)
	l.names = append(l.names, name)
}

func (l *line) done(name string) {
	l.leave(l.tickets[name])
	l.names = slices.DeleteFunc(l.names, func(n string) bool { return n == name })
}

// in returns who is in, in the order in which they came.
func (l *line) in() string {
	text := ""
	for _, name := range l.names {
		select {
		case <-l.tickets[name].admitted:
			text += name
		default:
		}
	}
	return text
}

func TestAdmission(t *testing.T) {
	t.Parallel()
	l := &line{admission: newAdmission(2, 3), tickets: map[string]*ticket{}}
	check := func(step, want string) {
		t.Helper()
		if got := l.in(); got != want {
			t.Errorf("%s: %q are in, want %q", step, got, want)
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		l.come(name, "ann", "local")
	}
	check("two of a person", "ab")
	l.come("e", "bob", "local")
	l.come("f", "bob", "local")
	check("three on a provider", "abe")
	l.come("g", "bob", "other")
	check("another provider has room", "abeg")
	l.done("d")
	check("one that waited goes", "abeg")
	l.done("a")
	check("the oldest that fits follows", "bceg")
	l.done("e")
	check("the next one fits", "bcfg")
	for _, name := range []string{"b", "c", "f", "g"} {
		l.done(name)
	}
	if len(l.people)+len(l.providers)+len(l.waiting) > 0 {
		t.Errorf("an empty house remembers %v, %v and %v", l.people, l.providers, l.waiting)
	}
}
