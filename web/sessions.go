package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"

	"countersign/agent"
	"countersign/models"
)

const (
	// sessionLifetime ends a session however much it is used.
	sessionLifetime = 30 * 24 * time.Hour
	// sessionIdle ends a session that nobody used.
	sessionIdle = 7 * 24 * time.Hour
	// sessionTouch is how exactly the last use is known.
	sessionTouch = 5 * time.Minute
)

// The values of a stored session.
const (
	sessionUser    = "user"    // agent.UserID
	sessionID      = "id"      // what the rest of the server calls the session
	sessionBrowser = "browser" // what signed in, in words
	sessionStarted = "started" // Unix seconds of the sign-in
	sessionSeen    = "seen"    // Unix seconds of its last use
	sessionNotice  = "notice"  // shown by the next page
)

// sessions keeps who is signed in. A session starts at sign-in with a token
// made here, so a token that was planted in a browser never becomes one.
//
// The session manager is used without its own middleware. That saves what a
// request loaded when the request ends, which for a socket is hours later, and
// would bring a session back that was signed out in between. Here every change
// is read, made and saved in one step.
type sessions struct {
	manager *scs.SessionManager
	stored  models.Sessions
	now     func() time.Time
	// ended is told the id of each session that ends.
	ended func(id string)
	// change makes one step of reading, changing and saving a session, storage
	// included: that is rare and takes well under a millisecond.
	change sync.Mutex
}

// A signIn is what a stored session says.
type signIn struct {
	token string
	user  agent.UserID
	id    string
	seen  time.Time
	// notice is a sentence for the next page.
	notice string
}

func newSessions(stored models.Sessions, secure bool, now func() time.Time, ended func(id string)) *sessions {
	// The prefix makes browsers refuse the cookie from anything but this very
	// host over TLS.
	name := "countersign"
	if secure {
		name = "__Host-countersign"
	}
	// Not scs.New: that starts a goroutine for a store in memory.
	manager := &scs.SessionManager{
		Store: sessionStore{stored, scs.GobCodec{}}, HashTokenInStore: true, Codec: scs.GobCodec{}, Lifetime: sessionLifetime,
		Cookie: scs.SessionCookie{
			Name: name, Path: "/", Persist: true, Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		},
	}
	return &sessions{manager: manager, stored: stored, now: now, ended: ended}
}

// find returns the session that the request's cookie names, if it is alive.
// From time to time that notes its use.
func (s *sessions) find(r *http.Request) (signIn, bool, error) {
	cookie, err := r.Cookie(s.manager.Cookie.Name)
	if err != nil {
		return signIn{}, false, nil
	}
	found, ok, err := s.read(r.Context(), cookie.Value)
	if err != nil || !ok {
		return signIn{}, false, err
	}
	unused := s.now().Sub(found.seen)
	if unused > sessionIdle {
		return signIn{}, false, s.end(r.Context(), found)
	}
	if unused > sessionTouch {
		err = s.update(r.Context(), found.token, func(stored context.Context) {
			s.manager.Put(stored, sessionSeen, s.now().Unix())
		})
		// On a full disk the pages can still be read.
		if errors.Is(err, agent.ErrFull) {
			err = nil
		}
	}
	return found, err == nil, err
}

// alive reports whether a session still is. Asking is no use of it.
func (s *sessions) alive(ctx context.Context, token string) (bool, error) {
	found, ok, err := s.read(ctx, token)
	return ok && s.now().Sub(found.seen) <= sessionIdle, err
}

// read returns what is stored for a token, if it has not expired.
func (s *sessions) read(ctx context.Context, token string) (signIn, bool, error) {
	stored, err := s.manager.Load(ctx, token)
	if err != nil || s.manager.Token(stored) == "" {
		return signIn{}, false, err
	}
	return signIn{
		token: token,
		user:  agent.UserID(s.manager.GetString(stored, sessionUser)),
		id:    s.manager.GetString(stored, sessionID),
		seen:  time.Unix(s.manager.GetInt64(stored, sessionSeen), 0),

		notice: s.manager.GetString(stored, sessionNotice),
	}, true, nil
}

// start signs a person in and sets the cookie.
func (s *sessions) start(w http.ResponseWriter, r *http.Request, user agent.UserID) error {
	fresh, err := s.manager.Load(r.Context(), "")
	if err != nil {
		return err
	}
	s.manager.Put(fresh, sessionUser, string(user))
	s.manager.Put(fresh, sessionID, agent.NewID("s_"))
	s.manager.Put(fresh, sessionBrowser, browserOf(r))
	s.manager.Put(fresh, sessionStarted, s.now().Unix())
	s.manager.Put(fresh, sessionSeen, s.now().Unix())
	token, expiry, err := s.manager.Commit(fresh)
	if err != nil {
		return err
	}
	s.manager.WriteSessionCookie(fresh, w, token, expiry)
	return nil
}

// end forgets a session and tells whoever serves it.
func (s *sessions) end(ctx context.Context, gone signIn) error {
	s.change.Lock()
	stored, err := s.manager.Load(ctx, gone.token)
	if err == nil {
		err = s.manager.Destroy(stored)
	}
	s.change.Unlock()
	s.ended(gone.id)
	return err
}

// list returns the sessions of a person that are alive, the one used last
// first.
func (s *sessions) list(ctx context.Context, user agent.UserID) ([]models.Session, error) {
	list, err := s.stored.List(ctx, user)
	return slices.DeleteFunc(list, func(n models.Session) bool { return s.now().Sub(n.UsedAt) > sessionIdle }), err
}

// endOne ends a session of a person, or is told that there is none.
func (s *sessions) endOne(ctx context.Context, user agent.UserID, id string) error {
	s.change.Lock()
	err := s.stored.End(ctx, user, id)
	s.change.Unlock()
	if err == nil {
		s.ended(id)
	}
	return err
}

// endAll ends every session of a person but one, which may be "".
func (s *sessions) endAll(ctx context.Context, user agent.UserID, but string) error {
	s.change.Lock()
	ended, err := s.stored.EndAll(ctx, user, but)
	s.change.Unlock()
	for _, id := range ended {
		s.ended(id)
	}
	return err
}

// clearCookie makes the browser forget its token.
func (s *sessions) clearCookie(w http.ResponseWriter, r *http.Request) {
	s.manager.WriteSessionCookie(r.Context(), w, "", time.Time{})
}

// setNotice leaves a sentence for the next page of the session.
func (s *sessions) setNotice(ctx context.Context, token, notice string) error {
	return s.update(ctx, token, func(stored context.Context) {
		s.manager.Put(stored, sessionNotice, notice)
	})
}

// dropNotice forgets the sentence, once a page shows it.
func (s *sessions) dropNotice(ctx context.Context, token string) error {
	return s.update(ctx, token, func(stored context.Context) {
		s.manager.Remove(stored, sessionNotice)
	})
}

// update changes a session that still exists. One that has ended stays so.
func (s *sessions) update(ctx context.Context, token string, change func(stored context.Context)) error {
	s.change.Lock()
	defer s.change.Unlock()
	stored, err := s.manager.Load(ctx, token)
	if err != nil || s.manager.Token(stored) == "" {
		return err
	}
	change(stored)
	if s.manager.Status(stored) != scs.Modified {
		return nil
	}
	_, _, err = s.manager.Commit(stored)
	return err
}
