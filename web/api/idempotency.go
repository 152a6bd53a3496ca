package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"net/url"

	"countersign/agent"
	"countersign/models"
)

// A requestID names a request that may come again: whose it is, what it asks
// for and the Idempotency-Key that it came with (contract 2.15).
type requestID [sha256.Size]byte

func hashOf(parts ...string) requestID {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return requestID(h.Sum(nil))
}

// idOf returns the id of a request that named itself.
func idOf(r *http.Request, c caller) (id requestID, named bool, err error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return id, false, nil
	}
	if len(values) > 1 || !visible(values[0]) {
		return id, false, errBadIdempotency
	}
	return hashOf(c.name(), r.Method, (&url.URL{Path: r.URL.Path}).EscapedPath(), values[0]), true, nil
}

func visible(s string) bool {
	if len(s) < 1 || len(s) > 255 {
		return false
	}
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// message is the id of the message that a request sends: the same one whenever
// the request comes, so that it is not sent twice even where its answer was
// never stored.
func (c *call) message() agent.MessageID {
	if !c.named {
		return agent.MessageID(agent.NewID("m_"))
	}
	return agent.MessageID("m_" + hex.EncodeToString(c.id[:20]))
}

// once answers a request that named itself as it was answered before, or
// answers it now. What refuses a request is not kept: it may be followed later.
func (s *Server) once(ctx context.Context, c *call, do func() (answer, error)) (answer, error) {
	if !c.named {
		return do()
	}
	if !s.begin(c.id) {
		return answer{}, errInProgress
	}
	defer s.finish(c.id)
	sum := sha256.Sum256(c.body)
	fingerprint := sum[:]
	had, ok, err := s.DB.APIAnswers().Find(ctx, c.id[:])
	switch {
	case err != nil:
		return answer{}, err
	case ok && !bytes.Equal(had.Fingerprint, fingerprint):
		return answer{}, errKeyReused
	case ok:
		return answer{status: had.Status, json: had.Body, replayed: true}, nil
	}
	a, err := do()
	if err != nil {
		return answer{}, err
	}
	a.json = a.encoded()
	// It is done, whether or not the program still waits to hear so.
	err = s.DB.APIAnswers().Put(context.WithoutCancel(ctx), c.id[:], models.APIAnswer{Fingerprint: fingerprint, Status: a.status, Body: a.json})
	if err != nil {
		s.log.ErrorContext(ctx, "keep an answer", "error", err)
	}
	return a, nil
}

// begin reports whether no request with this id is under way, and notes that
// one is.
func (s *Server) begin(id requestID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.pending[id]; ok {
		return false
	}
	s.pending[id] = struct{}{}
	return true
}

func (s *Server) finish(id requestID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}
