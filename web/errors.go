package web

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/agent"
	"countersign/models"
)

var (
	errSignInNeeded  = errors.New("nobody is signed in")
	errAdminOnly     = errors.New("only an admin may do this")
	errForeignOrigin = errors.New("the request came from another site")
	errBadForm       = errors.New("the form can't be read")
	errSetupCode     = errors.New("the setup code is not the one that was printed")
	errInvitation    = errors.New("the invitation is not open")
	errWrongMethod   = errors.New("the address does not take this method")
)

// A throttledError refuses for a while.
type throttledError struct{ wait time.Duration }

func (e *throttledError) Error() string { return "too many attempts" }

// seconds is the wait, rounded up.
func (e *throttledError) seconds() int { return int(math.Ceil(e.wait.Seconds())) }

// An answer is what a person is told about an error.
type answer struct {
	status int
	title  string
	text   string
}

// answers is the only table from errors to statuses and sentences. Whatever is
// not in it is a fault of ours.
var answers = []struct {
	err error
	answer
}{
	{agent.ErrNotFound, answer{http.StatusNotFound, "Not found",
		"There is nothing here, or it belongs to somebody else."}},
	{agent.ErrNotWaiting, answer{http.StatusConflict, "Nothing waits for this any more",
		"It was decided otherwise, it expired, or the run was stopped. The conversation shows what happened."}},
	{agent.ErrConflict, answer{http.StatusConflict, "The conversation has moved on",
		"Something else was recorded first. Nothing was changed; load the conversation again to see it."}},
	{agent.ErrBarred, answer{http.StatusForbidden, "This account is disabled",
		"Nothing was started. Ask somebody who runs this server."}},
	{agent.ErrFull, answer{http.StatusInsufficientStorage, "The disk is full",
		"Nothing was changed, and nothing is lost. Do it again once whoever runs this server has made room."}},
	{agent.ErrShutdown, answer{http.StatusServiceUnavailable, "The server is stopping",
		"Nothing was changed. Try again once it has started."}},
	{errSignInNeeded, answer{http.StatusUnauthorized, "You are not signed in",
		"Your session has ended. Sign in and do it again; nothing was changed."}},
	{errAdminOnly, answer{http.StatusForbidden, "Only an admin can do this",
		"Ask somebody who runs this server."}},
	{agent.ErrNotAdmin, answer{http.StatusForbidden, "Only an admin can do this",
		"Ask somebody who runs this server."}},
	{errForeignOrigin, answer{http.StatusForbidden, "Refused",
		"The request came from a page of another site. Nothing was changed."}},
	{errSetupCode, answer{http.StatusForbidden, "This setup link is not valid",
		"The server prints a new link each time it starts. Only the newest one works."}},
	{models.ErrNotFirst, answer{http.StatusNotFound, "This server is set up",
		"The setup link has done its work. Sign in instead."}},
	{errInvitation, answer{http.StatusNotFound, "This invitation is not valid",
		"It was accepted, withdrawn or is older than a week. Ask whoever invited you for a new link."}},
	{models.ErrLastAdmin, answer{http.StatusConflict, "This is the last admin",
		"Somebody else has to be an admin first. Nothing was changed."}},
	{models.ErrLastAgent, answer{http.StatusConflict, "This is the last agent",
		"Somebody has to answer: add another agent first. Nothing was changed."}},
	{errBadForm, answer{http.StatusBadRequest, "The form could not be read",
		"Nothing was changed. Go back, load the page again and repeat."}},
	{errWrongMethod, answer{http.StatusMethodNotAllowed, "This address does not take that",
		"Nothing was changed."}},
}

// answerTo finds what to say about an error, and whether it is known.
func answerTo(err error) (answer, bool) {
	var late *lateError
	if errors.As(err, &late) {
		return answer{http.StatusConflict, "Nothing waits for this any more", late.text}, true
	}
	for _, known := range answers {
		if errors.Is(err, known.err) {
			return known.answer, true
		}
	}
	var input *agent.InputError
	var invalid models.Invalid
	var throttled *throttledError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &input):
		return answer{http.StatusUnprocessableEntity, "That can't be done", input.Message}, true
	case errors.As(err, &invalid):
		problems := slices.Sorted(maps.Values(invalid))
		return answer{http.StatusUnprocessableEntity, "That can't be done", strings.Join(problems, " ")}, true
	case errors.As(err, &throttled):
		return answer{http.StatusTooManyRequests, "Too many attempts",
			fmt.Sprintf("Try again in %s.", waitWords(throttled.seconds()))}, true
	case errors.As(err, &tooLarge):
		return answer{http.StatusRequestEntityTooLarge, "That is too large",
			fmt.Sprintf("A form may hold %d KiB. Nothing was changed.", tooLarge.Limit/1024)}, true
	}
	return answer{http.StatusInternalServerError, "Something went wrong here",
		"This is a fault of the server, not of what you did. Its log says more under the request named below."}, false
}

// waitWords says a number of seconds as a person would.
func waitWords(seconds int) string {
	if seconds < 2 {
		return "a second"
	}
	if seconds < 90 {
		return strconv.Itoa(seconds) + " seconds"
	}
	return strconv.Itoa((seconds+59)/60) + " minutes"
}

// serveError answers a request whose handler returned err. Only what is
// unknown is logged as an error; its text reaches the log and nobody else.
func (s *Server) serveError(w http.ResponseWriter, r *http.Request, err error) {
	said, known := answerTo(err)
	if !known && r.Context().Err() != nil {
		w.WriteHeader(statusClientGone)
		return
	}
	if !known {
		s.log.ErrorContext(r.Context(), "request failed",
			"request", requestOf(r.Context()).id, "route", requestOf(r.Context()).route, "error", err)
	}
	var throttled *throttledError
	if errors.As(err, &throttled) {
		w.Header().Set("Retry-After", strconv.Itoa(throttled.seconds()))
	}
	if errors.Is(err, errSignInNeeded) && wantsPage(r) {
		http.Redirect(w, r, loginURL(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	s.renderError(w, r, said, known)
}

// statusClientGone stands in the log for a browser that left before its answer
// was ready. It is not one of HTTP's; proxies log the same.
const statusClientGone = 499

// wantsPage reports whether the request is a browser's navigation, which can
// follow a redirect to the sign-in page and come back.
func wantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		r.Header.Get("Upgrade") == "" && r.Header.Get("HX-Request") == ""
}
