package web

import (
	"context"

	"countersign/models"
)

// What a request carries besides itself. Nothing else may be put into a
// context.
type contextKey int

const (
	requestKey contextKey = iota
	visitKey
)

// A requestInfo names a request for the log. It belongs to the request's
// goroutine.
type requestInfo struct {
	id string
	// route is the pattern that answered, "" while none did.
	route string
	// user is the id of the signed-in person, "" for nobody.
	user string
}

// A visit is a request of a signed-in browser. Its id is that of the session:
// stable from sign-in to sign-out, and no secret, because it can't be turned
// into the cookie.
type visit struct {
	user models.User
	signIn
}

func withRequest(ctx context.Context, info *requestInfo) context.Context {
	return context.WithValue(ctx, requestKey, info)
}

func withVisit(ctx context.Context, v visit) context.Context {
	return context.WithValue(ctx, visitKey, v)
}

// requestOf returns the request's info, an empty one outside of a request.
func requestOf(ctx context.Context) *requestInfo {
	if info, ok := ctx.Value(requestKey).(*requestInfo); ok {
		return info
	}
	return &requestInfo{}
}

// currentUser returns who is signed in. Behind a route that needs it there
// always is somebody.
func currentUser(ctx context.Context) (models.User, bool) {
	v, ok := ctx.Value(visitKey).(visit)
	return v.user, ok
}
