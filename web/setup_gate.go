package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/url"
	"strings"
	"sync/atomic"

	"countersign/models"
	"countersign/views"
)

// A setupGate lets one person become the first admin: whoever can read what
// the server printed when it started. Its code lives in memory only, and is
// worth nothing once there is a user.
type setupGate struct {
	db   *models.DB
	code string
	done atomic.Bool // there is a user, and there always will be
}

func newSetupGate(db *models.DB) *setupGate { return &setupGate{db: db, code: rand.Text()} }

// open reports whether the server still has no user. It is asked anew each
// time, because a command may make one beside the pages.
func (g *setupGate) open(ctx context.Context) (bool, error) {
	if g.done.Load() {
		return false, nil
	}
	somebody, err := g.db.Users().Any(ctx)
	if err != nil {
		return false, err
	}
	g.done.Store(somebody)
	return !somebody, nil
}

// admits reports whether the code is the printed one.
func (g *setupGate) admits(code string) bool {
	return subtle.ConstantTimeCompare([]byte(strings.TrimSpace(code)), []byte(g.code)) == 1
}

// SetupURL returns the address where the first admin is made, below base, or
// "" if the server has a user already. It holds the setup code: print it in
// the terminal and nowhere else.
func (s *Server) SetupURL(ctx context.Context, base string) (string, error) {
	open, err := s.setup.open(ctx)
	if err != nil || !open {
		return "", err
	}
	return strings.TrimSuffix(base, "/") + views.SetupURL + "?token=" + url.QueryEscape(s.setup.code), nil
}
