package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"unicode/utf8"
)

// A wireListener writes a response as a Chat Completions stream. Every chunk
// is flushed. The headers and the chunk with the role come with the first
// thing that is sent, so that a response may still end in a status.
type wireListener struct {
	w            http.ResponseWriter
	id, model    string
	includeUsage bool

	started bool // the headers and the role are out
	calls   int
	counts  *usage
}

func (l *wireListener) say(c channel, piece string) error {
	switch c {
	case channelReasoning:
		return l.delta(delta{Reasoning: piece})
	case channelRefusal:
		return l.delta(delta{Refusal: piece})
	}
	return l.delta(delta{Content: &piece})
}

func (l *wireListener) keepalive() error {
	if err := l.start(); err != nil {
		return err
	}
	return l.write(": keep-alive\n\n")
}

// call sends a call as the services do: id and name first, then the arguments
// in pieces.
func (l *wireListener) call(c call) error {
	index := l.calls
	l.calls++
	first := callDelta{Index: index, ID: c.id, Type: "function", Function: functionDelta{Name: c.name}}
	if err := l.delta(delta{ToolCalls: []callDelta{first}}); err != nil {
		return err
	}
	for _, piece := range thirds(c.arguments) {
		more := callDelta{Index: index, Function: functionDelta{Arguments: piece}}
		if err := l.delta(delta{ToolCalls: []callDelta{more}}); err != nil {
			return err
		}
	}
	return nil
}

// thirds cuts a text into at most three pieces, between characters.
func thirds(text string) []string {
	var pieces []string
	for left := 3; text != "" && left > 0; left-- {
		n := (len(text) + left - 1) / left
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

func (l *wireListener) usage(u usage) { l.counts = &u }

func (l *wireListener) end(ev event) error {
	switch ev := ev.(type) {
	case finish:
		return l.finish(ev)
	case failure:
		return l.fail(ev)
	case reset:
		l.reset()
		return nil
	}
	return l.open() // a cut: the body just ends
}

func (l *wireListener) finish(ev finish) error {
	if err := l.start(); err != nil {
		return err
	}
	reason := rawReason(ev.reason)
	if err := l.chunk([]choice{{FinishReason: &reason}}, nil); err != nil {
		return err
	}
	if l.includeUsage && l.counts != nil {
		if err := l.chunk([]choice{}, newWireUsage(l.counts.counts)); err != nil {
			return err
		}
	}
	return l.write("data: [DONE]\n\n")
}

func (l *wireListener) fail(f failure) error {
	if f.status != 0 {
		if f.retryAfter > 0 {
			l.w.Header().Set("Retry-After", strconv.Itoa(int(f.retryAfter.Seconds())))
		}
		writeError(l.w, f.status, f.category, f.code)
		return nil
	}
	if err := l.open(); err != nil {
		return err
	}
	return l.data(errorBody(f.category, f.code))
}

// reset breaks the connection where the server lets it be taken over, and
// otherwise ends the body.
func (l *wireListener) reset() {
	conn, _, err := http.NewResponseController(l.w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // unsent data is dropped, so the peer sees a reset
	}
	_ = conn.Close()
}

// open sends the headers without any frame.
func (l *wireListener) open() error {
	if l.started {
		return nil
	}
	l.started = true
	l.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	l.w.Header().Set("Cache-Control", "no-store")
	l.w.WriteHeader(http.StatusOK)
	return http.NewResponseController(l.w).Flush()
}

// start sends the headers and the chunk with the role, once.
func (l *wireListener) start() error {
	if l.started {
		return nil
	}
	if err := l.open(); err != nil {
		return err
	}
	empty := ""
	return l.delta(delta{Role: "assistant", Content: &empty})
}

func (l *wireListener) delta(d delta) error {
	if err := l.start(); err != nil {
		return err
	}
	return l.chunk([]choice{{Delta: d}}, nil)
}

func (l *wireListener) chunk(choices []choice, u *wireUsage) error {
	return l.data(chunk{
		ID: "chatcmpl-" + l.id, Object: "chat.completion.chunk", Model: l.model,
		Choices: choices, Usage: u,
	})
}

func (l *wireListener) data(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a chunk: %w", err)
	}
	return l.write("data: " + string(body) + "\n\n")
}

func (l *wireListener) write(frame string) error {
	_, err := l.w.Write([]byte(frame))
	return errors.Join(err, http.NewResponseController(l.w).Flush())
}
