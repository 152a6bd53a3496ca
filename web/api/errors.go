package api

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"countersign/agent"
)

// An Error is what a program is told.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`

	status int
	wait   time.Duration // until it may come again, 0 where that is no question
	allow  string        // the methods that the address takes
}

func (e *Error) Error() string { return e.Message }

// An ErrorBody is the body of every answer that refuses.
type ErrorBody struct {
	Error *Error `json:"error"`
}

// The codes of errors. They never change.
var (
	errNoKey          = &Error{Code: "unauthorized", status: http.StatusUnauthorized, Message: "Send a valid API key as X-API-Key, or as a Bearer token."}
	errBarred         = &Error{Code: "account_disabled", status: http.StatusForbidden, Message: "The account of this key is disabled."}
	errOwnRun         = &Error{Code: "own_run", status: http.StatusForbidden, Message: "A key can’t decide on a run that it started. Somebody else has to."}
	errNotFound       = &Error{Code: "not_found", status: http.StatusNotFound, Message: "There is nothing at this address."}
	errNoConversation = &Error{Code: "conversation_not_found", status: http.StatusNotFound, Message: "There is no such conversation."}
	errNoRun          = &Error{Code: "run_not_found", status: http.StatusNotFound, Message: "There is no such run."}
	errNoAttachment   = &Error{Code: "attachment_not_found", status: http.StatusNotFound, Message: "There is no such file, or it was sent already."}
	errNotWaiting     = &Error{Code: "run_not_waiting", status: http.StatusConflict, Message: "The run does not wait for this: it was decided otherwise, has expired, or was withdrawn."}
	errConflict       = &Error{Code: "conflict", status: http.StatusConflict, Message: "Something else was recorded first. Nothing was changed; try again."}
	errInProgress     = &Error{Code: "request_in_progress", status: http.StatusConflict, wait: time.Second, Message: "A request with this Idempotency-Key is being answered."}
	errKeyReused      = &Error{Code: "idempotency_key_reused", status: http.StatusUnprocessableEntity, Message: "This Idempotency-Key was sent with another body."}
	errBadIdempotency = &Error{Code: "invalid_idempotency_key", status: http.StatusBadRequest, Message: "An Idempotency-Key is one header of 1 to 255 visible ASCII characters."}
	errMediaType      = &Error{Code: "unsupported_media_type", status: http.StatusUnsupportedMediaType, Message: "Send JSON, with Content-Type: application/json."}
	errNoStream       = &Error{Code: "stream_unavailable", status: http.StatusServiceUnavailable, wait: 5 * time.Second, Message: "The run can’t be followed now. It goes on and is recorded; read the run or its conversation, or try again."}
	errStopping       = &Error{Code: "stopping", status: http.StatusServiceUnavailable, wait: 5 * time.Second, Message: "The server is stopping. Nothing was changed."}
	errFull           = &Error{Code: "disk_full", status: http.StatusInsufficientStorage, Message: "The disk of the server is full. Nothing was changed, and nothing is lost."}
	errInternal       = &Error{Code: "internal", status: http.StatusInternalServerError, Message: "This is a fault of the server. Its log says more under the X-Request-Id of this answer."}
)

func errScope(scope string) *Error {
	return &Error{Code: "insufficient_scope", status: http.StatusForbidden, Message: fmt.Sprintf("The key has no scope %q.", scope)}
}

func errMethod(allow string) *Error {
	return &Error{Code: "method_not_allowed", status: http.StatusMethodNotAllowed, allow: allow, Message: "This address does not take this method."}
}

func errJSON(what string) *Error {
	return &Error{Code: "invalid_json", status: http.StatusBadRequest, Message: "The body is not one JSON object: " + what + "."}
}

func errTooLarge(limit int64) *Error {
	return &Error{Code: "body_too_large", status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("A body may hold %d KiB.", limit>>10)}
}

// invalid refuses a request that can be read and not followed.
func invalid(format string, args ...any) *Error {
	return &Error{Code: "invalid_request", status: http.StatusUnprocessableEntity, Message: fmt.Sprintf(format, args...)}
}

func errRate(wait time.Duration) *Error {
	return &Error{Code: "rate_limited", status: http.StatusTooManyRequests, wait: wait, Message: "Too much in a minute. Nothing was recorded; send it again later."}
}

// errorOf says what a program is told of an error. Whatever is not known is a
// fault of ours.
func errorOf(err error) *Error {
	var said *Error
	var input *agent.InputError
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &input):
		return invalid("%s", input.Message)
	case errors.Is(err, agent.ErrNotFound):
		return errNotFound
	case errors.Is(err, agent.ErrNotWaiting):
		return errNotWaiting
	case errors.Is(err, agent.ErrOwnRun):
		return errOwnRun
	case errors.Is(err, agent.ErrConflict):
		return errConflict
	case errors.Is(err, agent.ErrBarred):
		return errBarred
	case errors.Is(err, agent.ErrShutdown):
		return errStopping
	case errors.Is(err, agent.ErrFull):
		return errFull
	}
	return errInternal
}

// orUnknown gives a thing that is not there, or not for the one who asks, its
// own name.
func orUnknown(err error, unknown *Error) error {
	if errors.Is(err, agent.ErrNotFound) {
		return unknown
	}
	return err
}

// Fail answers a request whose handler has a fault.
func Fail(w http.ResponseWriter) { errInternal.write(w) }

func (e *Error) write(w http.ResponseWriter) {
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if e.wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.wait.Seconds()))))
	}
	if e.allow != "" {
		w.Header().Set("Allow", e.allow)
	}
	writeJSON(w, e.status, encode(ErrorBody{e}))
}
