package control

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"countersign/models"
	"countersign/web/provision"
)

// An Error is what an operator is told.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	status  int
}

func (e *Error) Error() string { return e.Message }

type errorBody struct {
	Error *Error `json:"error"`
}

var (
	errUnknown    = &Error{"unknown_operation", "The server does not know this command; it may be of another version.", http.StatusNotFound}
	errBadRequest = &Error{"bad_request", "The server did not understand this command; it may be of another version.", http.StatusBadRequest}
	errNoUser     = &Error{"user_not_found", "There is nobody with this email address.", http.StatusNotFound}
	errWho        = &Error{"which_user", "Say in whose name with --user EMAIL: there is not exactly one admin who may sign in.", http.StatusUnprocessableEntity}
	errNoRun      = &Error{"run_not_found", "There is no such run.", http.StatusNotFound}
	errNoTalk     = &Error{"conversation_not_found", "There is no such conversation.", http.StatusNotFound}
	errNoAgent    = &Error{"agent_not_found", "There is no agent of this name.", http.StatusNotFound}
	errBarred     = &Error{"user_disabled", "This person is disabled, so nothing runs in their name.", http.StatusForbidden}
	errNoProvider = &Error{"provider_not_found", "There is no provider of this name.", http.StatusNotFound}
	errLastAdmin  = &Error{"last_admin", "This is the last admin who may sign in.", http.StatusConflict}
	errKey        = &Error{"key_elsewhere", "The sealing key was given by COUNTERSIGN_KEY or COUNTERSIGN_KEY_FILE, so it is not this program's to change. " +
		"To rotate it, put it into the data directory as countersign.key, start without the variable, and repeat.", http.StatusConflict}
	errInternal = &Error{"internal", "The command failed; the log of the server says why.", http.StatusInternalServerError}
)

// errorOf says what an operator is told of an error. Whatever is not known is
// a fault of ours.
func errorOf(err error) *Error {
	var said *Error
	var invalid models.Invalid
	var problems provision.Problems
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &invalid):
		texts := slices.Sorted(maps.Values(invalid))
		return &Error{"invalid", strings.Join(texts, " "), http.StatusUnprocessableEntity}
	case errors.As(err, &problems):
		return &Error{"invalid_file", problems.Error(), http.StatusUnprocessableEntity}
	case errors.Is(err, models.ErrLastAdmin):
		return errLastAdmin
	case errors.Is(err, models.ErrKeyElsewhere):
		return errKey
	}
	return errInternal
}

func (h handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	said := errorOf(err)
	if said == errInternal && r.Context().Err() == nil {
		h.Log.ErrorContext(r.Context(), "command failed", "command", r.URL.Path, "error", err)
	}
	writeJSON(w, said.status, errorBody{said})
}
