package sse

import (
	"bytes"
	"errors"
	"io"
)

var (
	// ErrEventTooLarge reports a line or an event above [Limits.Event].
	ErrEventTooLarge = errors.New("sse: event too large")
	// ErrStreamTooLarge reports a body above [Limits.Stream].
	ErrStreamTooLarge = errors.New("sse: stream too large")
)

// Limits bound what a [Reader] accepts, in bytes. A limit of zero or less is
// replaced by its default.
type Limits struct {
	Event  int64 // one event with its field names: 4 MiB
	Stream int64 // the whole body: 32 MiB
}

const (
	defaultEvent  = 4 << 20
	defaultStream = 32 << 20
	firstBuffer   = 16 << 10
	maxEmptyReads = 100
)

// An Event is one dispatched event, or one comment. Its slices are valid until
// the next call of [Reader.Next].
type Event struct {
	Name []byte // of the event field, empty when there was none
	Data []byte // the data lines joined by LF

	// Comment reports a comment line; Name and Data are empty then. A comment
	// inside an event is returned before that event.
	Comment bool

	// Unterminated reports that the body ended, cleanly, before the blank
	// line that closes an event. The data may be a part of what was meant.
	Unterminated bool
}

// A Reader splits a body into events. It is for one goroutine.
type Reader struct {
	src    io.Reader
	limits Limits

	buf     []byte // buf[start:end] is read and not yet consumed
	start   int
	end     int
	scanned int // buf[start:scanned] holds no line end
	read    int64
	err     error // sticky, after the buffered bytes
	skipLF  bool  // the last line ended in CR, a LF belongs to it
	begun   bool  // the first line is past, a BOM is data now

	name    []byte
	data    []byte
	hasData bool
}

// NewReader returns a reader of src. It reads ahead, but never waits for bytes
// that the next event does not need. Who must see every byte arrive, comments
// too, wraps src.
func NewReader(src io.Reader, limits Limits) *Reader {
	if limits.Event <= 0 {
		limits.Event = defaultEvent
	}
	if limits.Stream <= 0 {
		limits.Stream = defaultStream
	}
	return &Reader{src: src, limits: limits, buf: make([]byte, firstBuffer)}
}

// Next returns the next event or comment. At a clean end of the body it
// returns [io.EOF]; an event that the end left open comes before that, marked
// as such. An error of the body, [ErrEventTooLarge] and [ErrStreamTooLarge]
// discard the open event and stay for all further calls.
//
// Events without a data line are skipped, as are unknown fields, id and retry.
func (r *Reader) Next() (Event, error) {
	for {
		line, err := r.line()
		if err == io.EOF && r.hasData {
			return r.dispatch(true), nil
		}
		if err != nil {
			return Event{}, err
		}
		switch {
		case len(line) == 0 && r.hasData:
			return r.dispatch(false), nil
		case len(line) == 0:
			r.name = r.name[:0]
		case line[0] == ':':
			return Event{Comment: true}, nil
		default:
			r.field(line)
		}
	}
}

func (r *Reader) dispatch(unterminated bool) Event {
	ev := Event{Name: r.name, Data: r.data, Unterminated: unterminated}
	r.name, r.data, r.hasData = r.name[:0], r.data[:0], false
	return ev
}

func (r *Reader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "event":
		r.name = append(r.name[:0], value...)
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.hasData = true
	}
}

// line returns the next line without its end. The last line may lack an end.
func (r *Reader) line() ([]byte, error) {
	for {
		if r.skipLF && r.start < r.end {
			r.skipLF = false
			if r.buf[r.start] == '\n' {
				r.start++
			}
			r.scanned = r.start
		}
		at := r.scanned + lineLength(r.buf[r.scanned:r.end])
		r.scanned = at
		if int64(len(r.name)+len(r.data)+at-r.start) > r.limits.Event {
			r.fail(ErrEventTooLarge)
			return nil, r.err
		}
		if at < r.end {
			line := r.buf[r.start:at]
			r.skipLF = r.buf[at] == '\r'
			r.start, r.scanned = at+1, at+1
			return r.first(line), nil
		}
		if r.err == nil {
			r.fill()
			continue
		}
		if r.err == io.EOF && r.start < r.end {
			line := r.buf[r.start:r.end]
			r.start, r.scanned = r.end, r.end
			return r.first(line), nil
		}
		return nil, r.err
	}
}

// lineLength returns how much of b comes before the first line end.
func lineLength(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	if i := bytes.IndexByte(b, '\r'); i >= 0 {
		return i
	}
	return len(b)
}

func (r *Reader) first(line []byte) []byte {
	if !r.begun {
		r.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// fail ends the stream: nothing buffered and no open event survives.
func (r *Reader) fail(err error) {
	r.err = err
	r.buf, r.start, r.end, r.scanned = nil, 0, 0, 0
	r.name, r.data, r.hasData = nil, nil, false
}

func (r *Reader) fill() {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.end, r.scanned, r.start = r.end-r.start, r.scanned-r.start, 0
	}
	if r.end == len(r.buf) {
		larger := make([]byte, min(2*len(r.buf), max(len(r.buf), int(r.limits.Event))+firstBuffer))
		copy(larger, r.buf)
		r.buf = larger
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[r.end:])
		if over := r.read + int64(n) - r.limits.Stream; over > 0 {
			n, err = n-int(over), ErrStreamTooLarge
		}
		r.read += int64(n)
		r.end += n
		if err != nil {
			r.err = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
