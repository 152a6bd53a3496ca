package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// An event is one server-sent event of a stream.
type event struct {
	id   string
	kind string
	data json.RawMessage
	raw  string // all of it
}

// field reads a field of the data.
func (e event) field(name string) string {
	var fields map[string]any
	_ = json.Unmarshal(e.data, &fields)
	switch v := fields[name].(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		text, _ := json.Marshal(v)
		return string(text)
	}
}

// A listening is an open stream.
type listening struct {
	t      *testing.T
	body   *bufio.Reader
	close  func()
	last   string // the newest id
	frames bool   // that is what comes
}

// listen opens a stream from behind an id, or from the start with "".
func (p *program) listen(path, after string) *listening {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), within)
	r := p.request(ctx, http.MethodGet, path, nil)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		cancel()
		p.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		cancel()
		p.t.Fatalf("GET %s: %d, %s", path, res.StatusCode, res.Header.Get("Content-Type"))
	}
	l := &listening{t: p.t, body: bufio.NewReader(res.Body), last: after, close: func() { cancel(); _ = res.Body.Close() }}
	p.t.Cleanup(l.close)
	return l
}

func (p *program) stream(run, after string) *listening {
	p.t.Helper()
	l := p.listen("/v2/runs/"+run+"/stream", after)
	l.frames = true
	return l
}

// next reads an event, or io.EOF at the end of the stream. It holds frames to
// the document.
func (l *listening) next() (event, error) {
	var e event
	for {
		line, err := l.body.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) && e.raw == "" {
				return e, io.EOF
			}
			return e, errors.Join(errors.New("the stream broke off"), err)
		}
		e.raw += line
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.data != nil:
			if e.id != "" {
				l.last = e.id
			}
			return e, nil
		case line == "":
			e = event{}
		case strings.HasPrefix(line, ":"):
			e.raw = ""
		case name == "id":
			e.id = value
		case name == "data" && e.data == nil:
			var frame struct {
				Type string
				Data json.RawMessage
			}
			if err := json.Unmarshal([]byte(value), &frame); err != nil {
				return e, err
			}
			e.kind, e.data = frame.Type, frame.Data
			if l.frames {
				checkJSON(l.t, "a frame", map[string]any{"$ref": "#/components/schemas/Frame"}, []byte(value))
			}
		default:
			return e, errors.New("an odd line: " + line)
		}
	}
}

// until reads up to an event of a type, and returns all.
func (l *listening) until(kind string) []event {
	l.t.Helper()
	var list []event
	for {
		e, err := l.next()
		if err != nil {
			l.t.Fatalf("wait for %q: %v; got %s", kind, err, show(list))
		}
		list = append(list, e)
		if e.kind == kind {
			return list
		}
	}
}

// rest reads to the end.
func (l *listening) rest() []event {
	l.t.Helper()
	var list []event
	for {
		e, err := l.next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			l.t.Fatalf("%v; got %s", err, show(list))
		}
		list = append(list, e)
	}
}

// show is what matters of events, in short.
func show(list []event) string {
	var words []string
	for _, e := range list {
		word := e.kind
		switch e.kind {
		case "state":
			word += ":" + e.field("state") + "/" + e.field("reason")
		case "tool":
			word += ":" + e.field("name") + "/" + e.field("phase")
			if e.field("is_error") != "" {
				word += "/error"
			}
		case "attempt":
			word += ":" + e.field("outcome")
		case "error":
			word += ":" + e.field("code")
		case "token": // how text is cut into tokens is a matter of time
			if n := len(words); n > 0 && words[n-1] == "token" {
				continue
			}
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// text is what the tokens of events say.
func text(list []event) string {
	var b strings.Builder
	for _, e := range list {
		if e.kind == "token" {
			b.WriteString(e.field("delta"))
		}
	}
	return b.String()
}
