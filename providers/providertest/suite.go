package providertest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"countersign/providers"
	"countersign/providers/upstream"
)

// A Suite is what every adapter has to do, with samples of its API. The names
// of its tests are the same for all.
type Suite struct {
	API providers.API
	// Samples is the directory of the samples, Errors that of answers that are
	// no streams, which are the same for every API. Cases are faults that
	// others had, "" for none.
	Samples, Errors, Cases string
	// Open connects to a server at an address.
	Open func(t testing.TB, url string, bounds upstream.Bounds) providers.Provider
	// Proof returns the offset after the line that proves a stream complete,
	// without its line end.
	Proof func(body []byte) int
	// Closing is an answer that ends a conversation, with text in an event
	// before that of the proof.
	Closing Answer
	// Calls returns a whole answer with a number of calls of the tool "read".
	Calls func(n int) []byte
	// CheckReplay compares what a request says of the answer before it with
	// what the sample expects, [Generated] ids aside. The request is the next
	// one after the sample: the answer, a result for each call, a message.
	CheckReplay func(t testing.TB, request []byte, want []byte)

	runs *atomic.Int64
}

// Run runs the suite and prints how much there was.
func (s Suite) Run(t *testing.T) {
	s.runs = new(atomic.Int64)
	samples, errors := LoadSamples(t, s.Samples), LoadSamples(t, s.Errors)
	cases := 0
	t.Run("all", func(t *testing.T) {
		t.Run("samples", func(t *testing.T) { s.each(t, samples, s.deliver) })
		t.Run("replay", func(t *testing.T) { s.each(t, samples, s.replay) })
		t.Run("cut before the proof", func(t *testing.T) { s.each(t, samples, s.cutBefore) })
		t.Run("cut after the proof", func(t *testing.T) { s.each(t, samples, s.cutAfter) })
		t.Run("aborts", s.aborts)
		t.Run("many calls", s.manyCalls)
		t.Run("errors", func(t *testing.T) { s.each(t, errors, s.refused) })
		if s.Cases != "" {
			cases = s.replayCases(t)
		}
	})
	t.Logf("%-17s %3d samples, %2d answers that are no streams, %2d cases: %d attempts", s.API, len(samples), len(errors), cases, s.runs.Load())
}

func (s Suite) each(t *testing.T, samples []Sample, test func(*testing.T, Sample)) {
	t.Parallel()
	for _, sample := range samples {
		t.Run(sample.Name, func(t *testing.T) {
			t.Parallel()
			test(t, sample)
		})
	}
}

// stream plays answers and performs an attempt for each.
func (s Suite) stream(t *testing.T, req providers.Request, answers ...Answer) []Outcome {
	t.Helper()
	server := NewServer(t, answers...)
	p := s.Open(t, server.URL, upstream.Bounds{})
	var list []Outcome
	for range answers {
		list = append(list, Stream(t.Context(), t, p, req))
		s.runs.Add(1)
	}
	return list
}

// deliver plays a sample in all the ways in which it can arrive.
func (s Suite) deliver(t *testing.T, sample Sample) {
	random := rand.New(rand.NewPCG(1, uint64(len(sample.Bytes))))
	deliveries := [][]int{nil, {1}}
	for range 3 {
		deliveries = append(deliveries, []int{1 + random.IntN(40), 1 + random.IntN(400), 1 + random.IntN(90)})
	}
	var script []Answer
	for _, writes := range deliveries {
		a := sample.Answer()
		a.Writes = writes
		script = append(script, a)
	}
	for _, display := range []bool{true, false} {
		for _, got := range s.stream(t, NewRequest(display, sample.ToolsDeclared...), script...) {
			sample.check(t, s.API, got, display)
		}
	}
}

// What goes back in the next request is the same whether reasoning is shown or
// not. An incomplete answer goes back only where it is to be continued.
func (s Suite) replay(t *testing.T, sample Sample) {
	if sample.Expect.Outcome == "failed" || string(sample.Expect.Replay) == "null" {
		return
	}
	for _, display := range []bool{true, false} {
		server := NewServer(t, sample.Answer(), s.Closing)
		p := s.Open(t, server.URL, upstream.Bounds{})
		req := NewRequest(display, sample.ToolsDeclared...)
		first := Stream(t.Context(), t, p, req)
		if first.Finish == nil {
			t.Fatalf("got %v", first.Failure)
		}
		if second := Stream(t.Context(), t, p, Next(req, *first.Finish)); second.Finish == nil {
			t.Fatalf("the next request: got %v", second.Failure)
		}
		s.runs.Add(2)
		s.CheckReplay(t, server.Requests()[1].Body, sample.Expect.Replay)
	}
}

// A stream that ends before its proof fails, however it ends and however whole
// its calls look, and nothing in it may run.
func (s Suite) cutBefore(t *testing.T, sample Sample) {
	if sample.Expect.Outcome == "failed" {
		return
	}
	proof := s.Proof(sample.Bytes)
	random := rand.New(rand.NewPCG(2, uint64(len(sample.Bytes))))
	points := []int{0, 1, proof - 1, bytes.LastIndexByte(sample.Bytes[:proof], '\n') + 1}
	for range 8 {
		points = append(points, random.IntN(proof))
	}
	for _, at := range points {
		s.cutAt(t, sample, at, Close)
		s.cutAt(t, sample, at, Cut)
		s.cutAt(t, sample, at, Reset)
	}
	// The proof itself arrived, but nobody says that it is whole.
	s.cutAt(t, sample, proof, Cut)
}

func (s Suite) cutAt(t *testing.T, sample Sample, at int, ending Ending) {
	t.Helper()
	a := sample.Answer()
	a.Body, a.Then = sample.Bytes[:at], ending
	got := s.stream(t, NewRequest(true, sample.ToolsDeclared...), a)[0]
	if got.Finish != nil || got.Failure == nil {
		t.Fatalf("cut at %d: got %+v, want a failure", at, got)
	}
	known := false
	switch got.Failure.Code {
	case upstream.CodeStreamEndedEarly:
		known = true
	case upstream.CodeEmptyStream:
		known = ending == Close
	case upstream.CodeConnectionLost: // a reset may overtake the head
		known = ending == Reset
	}
	if got.Failure.Category != providers.CategoryNetwork || !got.Failure.Retryable || !known {
		t.Errorf("cut at %d: got %v", at, got.Failure)
	}
	sample.checkSecrets(t, got)
}

// After the proof a broken connection loses usage at most, and a clean end in
// its place needs no blank line.
func (s Suite) cutAfter(t *testing.T, sample Sample) {
	if sample.Expect.Outcome == "failed" {
		return
	}
	proof := s.Proof(sample.Bytes)
	whole := append(bytes.Clone(sample.Bytes[:proof]), "\n\n"...)
	for _, a := range []Answer{
		{Body: sample.Bytes[:proof], Then: Close},
		{Body: whole, Then: Cut},
		{Body: whole, Then: Reset},
	} {
		a.Header = sample.HTTP.Headers
		got := s.stream(t, NewRequest(true, sample.ToolsDeclared...), a)[0]
		if got.Finish == nil {
			t.Fatalf("got %v", got.Failure)
		}
		if got.Finish.Text != sample.Expect.Text || got.Finish.Reason != sample.Expect.Finish.Normalized {
			t.Errorf("got %+v", got.Finish)
		}
	}
}

// refused plays an answer that is no stream.
func (s Suite) refused(t *testing.T, sample Sample) {
	for _, got := range s.stream(t, NewRequest(true), sample.Answer()) {
		sample.check(t, s.API, got, true)
	}
}

// Fuzz checks that whatever a service sends, an attempt ends with a finish or
// an error, and that a call may run only after a proof. open returns a provider
// that is answered with the bytes.
func Fuzz(f *testing.F, samples string, open func(t testing.TB, body []byte) providers.Provider) {
	list := LoadSamples(f, samples)
	var names []string
	for _, s := range list {
		f.Add(s.Bytes, len(s.Bytes)/2)
		for _, name := range s.ToolsDeclared {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		got := Stream(t.Context(), t, open(t, body), NewRequest(true, names...))
		if (got.Finish == nil) == (got.Failure == nil) {
			t.Fatalf("got %+v", got)
		}
		got.CheckExecutable(t)
		if at >= 0 && at < len(body) {
			Stream(t.Context(), t, open(t, body[:at]), NewRequest(false, names...)).CheckExecutable(t)
		}
	})
}
