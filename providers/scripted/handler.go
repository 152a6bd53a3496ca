package scripted

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"countersign/providers"
)

// A Handler speaks Chat Completions under any base path: it lists its model
// at GET …/models and answers POST …/chat/completions with what Pick returns.
// It is safe for concurrent use as far as Pick, Reject and Wait are.
type Handler struct {
	// Model is the model that is listed.
	Model string

	// Pick chooses the response to a request. When it fails with a
	// [*providers.Error], category and code are passed on with its HTTP
	// status, or with status 400 when it has none.
	Pick func(providers.Request) (*Response, error)

	// Reject is told about requests that are answered without asking Pick,
	// because their path, method or body is wrong. It may be nil. The error
	// quotes the request and is for tests.
	Reject func(error)

	// Wait lets time pass; nil means [RealTime].
	Wait Wait
}

// Handler returns a handler that performs on the stage and reports malformed
// requests to it.
func (s *Stage) Handler() *Handler {
	return &Handler{Model: "scripted-1", Pick: s.Take, Reject: s.Reject}
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		h.listModels(w)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		h.complete(w, r)
	default:
		h.reject(w, http.StatusNotFound, errors.New(r.Method+" "+r.URL.Path+" is not served"))
	}
}

func (h *Handler) listModels(w http.ResponseWriter) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	w.Header().Set("Content-Type", "application/json")
	// The peer may be gone, and nobody else wants to know.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"object": "list",
		"data":   []model{{ID: h.Model, Object: "model", OwnedBy: "countersign"}},
	})
}

func (h *Handler) complete(w http.ResponseWriter, r *http.Request) {
	req, includeUsage, err := decodeRequest(r)
	if err != nil {
		h.reject(w, http.StatusBadRequest, err)
		return
	}
	response, err := h.Pick(req)
	if err != nil {
		refusePick(w, err)
		return
	}
	wait := h.Wait
	if wait == nil {
		wait = RealTime
	}
	w.Header().Set("X-Request-Id", response.requestID())
	l := &wireListener{w: w, id: response.requestID(), model: req.Model, includeUsage: includeUsage}
	// An error here means that the client has gone: there is nobody to tell.
	_ = response.play(r.Context(), req, wait, l)
}

func (h *Handler) reject(w http.ResponseWriter, status int, err error) {
	if h.Reject != nil {
		h.Reject(err)
	}
	writeError(w, status, providers.CategoryInvalidRequest, "invalid_request_error")
}

func refusePick(w http.ResponseWriter, err error) {
	status, category, code := http.StatusInternalServerError, providers.CategoryServer, "server_error"
	var failed *providers.Error
	if errors.As(err, &failed) {
		status, category, code = failed.HTTPStatus, failed.Category, failed.Code
		if status == 0 {
			status = http.StatusBadRequest
		}
	}
	writeError(w, status, category, code)
}
