package e2e_test

import "testing"

// Every page and every state of a conversation is accessible in both themes.
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	c := newChat(t, tourScript)
	c.tour(func(name string) {
		t.Helper()
		t.Log(name)
		c.wantAccessible()
	})
}

func TestEveryDoorIsAccessible(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	doors(s, p, func(name string) {
		t.Helper()
		t.Log(name)
		p.wantAccessible()
	})
}
