package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/agent"
)

// Every error of the domain has a code, and no text of an unknown one gets out.
func TestErrorOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{agent.ErrNotFound, http.StatusNotFound, "not_found"},
		{agent.ErrConflict, http.StatusConflict, "conflict"},
		{agent.ErrNotWaiting, http.StatusConflict, "run_not_waiting"},
		{agent.ErrOwnRun, http.StatusForbidden, "own_run"},
		{agent.ErrBarred, http.StatusForbidden, "account_disabled"},
		{agent.ErrFull, http.StatusInsufficientStorage, "disk_full"},
		{agent.ErrShutdown, http.StatusServiceUnavailable, "stopping"},
		{&agent.InputError{Message: "Choose."}, http.StatusUnprocessableEntity, "invalid_request"},
		{errRate(1), http.StatusTooManyRequests, "rate_limited"},
		{errors.New("canary"), http.StatusInternalServerError, "internal"},
	} {
		w := httptest.NewRecorder()
		errorOf(fmt.Errorf("context: %w", c.err)).write(w)
		if w.Code != c.status || !strings.Contains(w.Body.String(), `"code":"`+c.code+`"`) || strings.Contains(w.Body.String(), "canary") {
			t.Errorf("%v: got %d %s, want %d %s", c.err, w.Code, w.Body, c.status, c.code)
		}
		if wait := c.status == http.StatusTooManyRequests || c.status == http.StatusServiceUnavailable; wait != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%v: Retry-After is %q", c.err, w.Header().Get("Retry-After"))
		}
	}
}
