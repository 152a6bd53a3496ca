package scripted

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"countersign/providers"
)

// A Stage performs a script once: it hands out each response to one request,
// remembers what was asked and what went wrong, and holds streams at gates.
// Its methods are safe for use by multiple goroutines.
type Stage struct {
	script *Script
	gates  *gates

	mu       sync.Mutex
	read     []bool // by position in the script
	requests []providers.Request
	problems []string
}

// NewStage returns a stage on which nothing of the script has been read.
func NewStage(script *Script) *Stage {
	return &Stage{
		script: script,
		gates:  newGates(script.gates),
		read:   make([]bool, len(script.responses)),
	}
}

// Take uses up the response for a request: the first unread one that matches.
// A request that nothing fits, or that fails what the response expects, is
// recorded as a problem and answered with a [*providers.Error] of category
// invalid_request and code script_exhausted or expectation_failed.
func (s *Stage) Take(req providers.Request) (*Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	for i, r := range s.script.responses {
		if s.read[i] || !r.matches(req) {
			continue
		}
		s.read[i] = true
		for _, c := range r.expect {
			if !c.holds(req) {
				s.problems = append(s.problems, fmt.Sprintf("request %d got the response of line %d, which expects %s", len(s.requests), r.line, c.source))
				return nil, refuse("expectation_failed")
			}
		}
		staged := *r
		staged.gates = s.gates
		return &staged, nil
	}
	s.problems = append(s.problems, fmt.Sprintf("request %d is unexpected: no unread response fits it", len(s.requests)))
	return nil, refuse("script_exhausted")
}

func refuse(code string) error {
	return &providers.Error{Category: providers.CategoryInvalidRequest, API: providers.APIChatCompletions, Code: code}
}

// Reject records a request that could not be read at all.
func (s *Stage) Reject(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, "a request is malformed: "+err.Error())
}

// Requests returns the requests so far, in the order they came.
func (s *Stage) Requests() []providers.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Remaining counts the responses that nobody asked for yet.
func (s *Stage) Remaining() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, read := range s.read {
		if !read {
			n++
		}
	}
	return n
}

// Problems returns what a strict test must not forgive: unexpected requests,
// malformed ones and failed expectations.
func (s *Stage) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Reached waits until a stream stands at the gate or has passed it. It fails
// when the context ends first or the script has no such gate.
func (s *Stage) Reached(ctx context.Context, gate string) error {
	return s.gates.awaitReached(ctx, gate)
}

// Release opens a gate for good, also before anything reached it. It fails
// when the script has no such gate.
func (s *Stage) Release(gate string) error { return s.gates.release(gate) }
