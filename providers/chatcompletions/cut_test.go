package chatcompletions_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

// proofEnd returns the offset just after the line that holds the finish reason
// of the first choice, without its line end.
func proofEnd(t *testing.T, body []byte) int {
	t.Helper()
	offset := 0
	for line := range bytes.Lines(body) {
		data := bytes.TrimRight(bytes.TrimPrefix(line, []byte("data:")), "\r\n")
		var c struct {
			Choices []struct {
				Index        int
				FinishReason string `json:"finish_reason"`
			}
		}
		if json.Unmarshal(data, &c) == nil {
			for _, ch := range c.Choices {
				if ch.Index == 0 && ch.FinishReason != "" {
					return offset + len(bytes.TrimRight(line, "\r\n"))
				}
			}
		}
		offset += len(line)
	}
	t.Fatal("the sample has no finish reason")
	return 0
}

// A stream that ends before its proof fails, however it ends and however whole
// its calls look, and nothing in it may run.
func TestSamplesCutBeforeTheProof(t *testing.T) {
	t.Parallel()
	for _, s := range loadSamples(t, "testdata/samples") {
		if s.Expect.Outcome == "failed" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			proof := proofEnd(t, s.body)
			random := rand.New(rand.NewPCG(2, uint64(len(s.body))))
			points := []int{0, 1, proof - 1, bytes.LastIndexByte(s.body[:proof], '\n') + 1}
			for range 8 {
				points = append(points, random.IntN(proof))
			}
			for _, at := range points {
				s.cutAt(t, at, providertest.Close)
				s.cutAt(t, at, providertest.Cut)
			}
			// The proof itself arrived, but nobody says that it is whole.
			s.cutAt(t, proof, providertest.Cut)
		})
	}
}

func (s sample) cutAt(t *testing.T, at int, ending providertest.Ending) {
	t.Helper()
	a := s.answer()
	a.Body, a.Then = s.body[:at], ending
	server := providertest.NewServer(t, a)
	client := newClient(t, chatcompletions.Config{BaseURL: server.URL})
	got := stream(t.Context(), t, client, request(true, s.ToolsDeclared...))
	if got.Finish != nil || got.Failure == nil {
		t.Fatalf("cut at %d: got %+v, want a failure", at, got)
	}
	code := got.Failure.Code
	known := code == upstream.CodeStreamEndedEarly || code == upstream.CodeEmptyStream && ending == providertest.Close
	if got.Failure.Category != providers.CategoryNetwork || !got.Failure.Retryable || !known {
		t.Errorf("cut at %d: got %v", at, got.Failure)
	}
	s.checkSecrets(t, got)
}

// After the proof a broken connection loses usage at most, and a clean end in
// its place needs no blank line.
func TestSamplesCutAfterTheProof(t *testing.T) {
	t.Parallel()
	for _, s := range loadSamples(t, "testdata/samples") {
		if s.Expect.Outcome == "failed" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			proof := proofEnd(t, s.body)
			for _, a := range []providertest.Answer{
				{Body: s.body[:proof], Then: providertest.Close},
				{Body: append(bytes.Clone(s.body[:proof]), "\n\n"...), Then: providertest.Cut},
				{Body: append(bytes.Clone(s.body[:proof]), "\n\n"...), Then: providertest.Reset},
			} {
				a.Header = s.HTTP.Headers
				server := providertest.NewServer(t, a)
				client := newClient(t, chatcompletions.Config{BaseURL: server.URL})
				got := stream(t.Context(), t, client, request(true, s.ToolsDeclared...))
				if got.Finish == nil {
					t.Fatalf("got %v", got.Failure)
				}
				if got.Finish.Text != s.Expect.Text || got.Finish.Reason != s.Expect.Finish.Normalized {
					t.Errorf("got %+v", got.Finish)
				}
			}
		})
	}
}
