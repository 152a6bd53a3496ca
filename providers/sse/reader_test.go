package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"countersign/providers/sse"
)

// render reads src to its end and writes down what came, one item a line.
func render(src io.Reader, limits sse.Limits) string {
	var b strings.Builder
	r := sse.NewReader(src, limits)
	for {
		ev, err := r.Next()
		switch {
		case err != nil:
			fmt.Fprintf(&b, "end %v\n", err)
			return b.String()
		case ev.Comment:
			b.WriteString("comment\n")
		case ev.Unterminated:
			fmt.Fprintf(&b, "open %q %q\n", ev.Name, ev.Data)
		default:
			fmt.Fprintf(&b, "event %q %q\n", ev.Name, ev.Data)
		}
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"LF", "data: a\n\ndata: b\n\n", "event \"\" \"a\"\nevent \"\" \"b\"\nend EOF\n"},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "event \"\" \"a\"\nevent \"\" \"b\"\nend EOF\n"},
		{"CR", "data: a\r\rdata: b\r\r", "event \"\" \"a\"\nevent \"\" \"b\"\nend EOF\n"},
		{"mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", "event \"\" \"a\\nb\\nc\"\nend EOF\n"},
		{"BOM", "\ufeffdata: a\n\n", "event \"\" \"a\"\nend EOF\n"},
		{"BOM only at the start", "data: a\n\n\ufeffdata: b\n\n", "event \"\" \"a\"\nend EOF\n"},
		{"no space", "event:x\ndata:a\n\n", "event \"x\" \"a\"\nend EOF\n"},
		{"one space is removed", "data:  a\n\n", "event \"\" \" a\"\nend EOF\n"},
		{"comments", ": hi\n\n:\ndata: a\n: in between\ndata: b\n\n", "comment\ncomment\ncomment\nevent \"\" \"a\\nb\"\nend EOF\n"},
		{"name without data", "event: x\n\ndata: a\n\n", "event \"\" \"a\"\nend EOF\n"},
		{"comment after the name", "event: x\n: hi\ndata: a\n\n", "comment\nevent \"x\" \"a\"\nend EOF\n"},
		{"last name wins", "event: x\nevent: y\ndata: a\n\n", "event \"y\" \"a\"\nend EOF\n"},
		{"empty data", "data\n\ndata:\n\n", "event \"\" \"\"\nevent \"\" \"\"\nend EOF\n"},
		{"other fields", "id: 1\nretry: 5\nx\n{\"a\":1}\ndata: a\n\n", "event \"\" \"a\"\nend EOF\n"},
		{"no blank line", "data: a\n", "open \"\" \"a\"\nend EOF\n"},
		{"no line end", "data: a", "open \"\" \"a\"\nend EOF\n"},
		{"empty", "", "end EOF\n"},
		{"blank lines", "\n\r\n\r", "end EOF\n"},
		{"colon in the value", "data: a: b\n\n", "event \"\" \"a: b\"\nend EOF\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, render(strings.NewReader(tt.in), sse.Limits{})); diff != "" {
				t.Errorf("in one read (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, render(iotest.OneByteReader(strings.NewReader(tt.in)), sse.Limits{})); diff != "" {
				t.Errorf("byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

// An event that ends in CR is known to be complete before the next byte, so
// the reader must not wait for one.
func TestReaderDoesNotWaitAfterCR(t *testing.T) {
	t.Parallel()
	pr, pw := io.Pipe()
	go func() { _, _ = pw.Write([]byte("data: a\r\r")) }()
	ev, err := sse.NewReader(pr, sse.Limits{}).Next()
	if err != nil || string(ev.Data) != "a" {
		t.Errorf("got %q, %v", ev.Data, err)
	}
}

func TestReaderKeepsErrorsOfTheBody(t *testing.T) {
	t.Parallel()
	cut := errors.New("cut")
	in := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(cut))
	want := "event \"\" \"a\"\nend cut\n"
	if diff := cmp.Diff(want, render(in, sse.Limits{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReaderStaysAtItsError(t *testing.T) {
	t.Parallel()
	r := sse.NewReader(strings.NewReader("data: 0123456789\n\ndata: a\n\n"), sse.Limits{Event: 8})
	for range 3 {
		if _, err := r.Next(); !errors.Is(err, sse.ErrEventTooLarge) {
			t.Fatalf("got %v, want ErrEventTooLarge", err)
		}
	}
}

func TestReaderLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		limits   sse.Limits
		want     string
	}{
		{"event at its limit", "data: 0123\n\n", sse.Limits{Event: 10}, "event \"\" \"0123\"\nend EOF\n"},
		{"line above it", "data: 01234\n\n", sse.Limits{Event: 10}, "end sse: event too large\n"},
		{"lines above it", "data: 0\ndata: 1\ndata: 2\ndata: 3\n\n", sse.Limits{Event: 10}, "end sse: event too large\n"},
		{"endless line", strings.Repeat("x", 100_000), sse.Limits{Event: 50_000}, "end sse: event too large\n"},
		{"stream at its limit", "data: a\n\n", sse.Limits{Stream: 9}, "event \"\" \"a\"\nend EOF\n"},
		{"stream above it", "data: a\n\ndata: b\n\n", sse.Limits{Stream: 12}, "event \"\" \"a\"\nend sse: stream too large\n"},
		{"long line", "data: " + strings.Repeat("x", 300_000) + "\n\n", sse.Limits{}, fmt.Sprintf("event \"\" %q\nend EOF\n", strings.Repeat("x", 300_000))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, src := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				if diff := cmp.Diff(tt.want, render(src, tt.limits)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestReaderAllocatesNothingPerEvent(t *testing.T) {
	// AllocsPerRun counts the whole process, so this test runs alone.
	one := []byte("event: message\ndata: {\"a\":1}\n\n: ping\n\n")
	r := sse.NewReader(&endless{one: one}, sse.Limits{Stream: 1 << 40})
	got := testing.AllocsPerRun(1000, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("got %v allocations per event, want 0", got)
	}
}

type endless struct {
	one []byte
	at  int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.one[e.at:])
	e.at = (e.at + n) % len(e.one)
	return n, nil
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\n: c\ndata:b\rdata: c\n\n"), 3)
	f.Add([]byte("\xef\xbb\xbfevent: x\ndata"), 1)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		limits := sse.Limits{Event: 64, Stream: 512}
		whole := render(bytes.NewReader(in), limits)
		if diff := cmp.Diff(whole, render(iotest.OneByteReader(bytes.NewReader(in)), limits)); diff != "" {
			t.Errorf("byte by byte (-whole +got):\n%s", diff)
		}
		parts := &sliced{in: in, size: 1 + size&31}
		if diff := cmp.Diff(whole, render(iotest.DataErrReader(parts), limits)); diff != "" {
			t.Errorf("in parts of %d (-whole +got):\n%s", parts.size, diff)
		}
	})
}

type sliced struct {
	in   []byte
	size int
}

func (s *sliced) Read(p []byte) (int, error) {
	if len(s.in) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.in[:min(s.size, len(s.in))])
	s.in = s.in[n:]
	return n, nil
}

func BenchmarkReader(b *testing.B) {
	one := []byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello there\"}}]}\n\n")
	r := sse.NewReader(&endless{one: one}, sse.Limits{Stream: 1 << 60})
	b.SetBytes(int64(len(one)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
