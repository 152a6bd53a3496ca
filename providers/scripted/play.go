package scripted

import (
	"context"
	"iter"
	"strings"
	"time"
	"unicode"

	"countersign/providers"
)

// A Wait lets time pass. It returns early with the context's cause when the
// context ends.
type Wait func(ctx context.Context, d time.Duration) error

// RealTime waits on a timer, and so obeys the fake clock of testing/synctest.
func RealTime(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// NoTime does not wait. It only looks whether the context has ended.
func NoTime(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }

// A listener hears a response: an iterator or a connection does. Each
// method fails when the listener has gone.
type listener interface {
	say(c channel, piece string) error
	keepalive() error
	call(call) error
	usage(usage)
	// end is told the last event of the response, but never a hang.
	end(event) error
}

// play performs the response for a listener. It fails when the context ends
// or the listener has gone, and returns nil after the end was told.
func (r *Response) play(ctx context.Context, req providers.Request, wait Wait, to listener) error {
	var interval time.Duration
	for _, ev := range r.events {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		switch ev := ev.(type) {
		case rate:
			interval = 0
			if ev.perSecond > 0 {
				interval = time.Second / time.Duration(ev.perSecond)
			}
		case say:
			err = speak(ctx, ev, interval, wait, to)
		case quote:
			text := quotation(req, ev.of)
			err = speak(ctx, say{channel: channelText, text: text, times: 1}, interval, wait, to)
		case pause:
			err = wait(ctx, ev.length)
		case gate:
			err = r.gates.pass(ctx, ev.name)
		case keepalive:
			err = to.keepalive()
		case call:
			err = to.call(ev)
		case usage:
			to.usage(ev)
		case hang:
			<-ctx.Done()
			err = context.Cause(ctx)
		default:
			err = to.end(ev)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// speak tells a text: whole, or word by word when there is an interval.
func speak(ctx context.Context, ev say, interval time.Duration, wait Wait, to listener) error {
	for range ev.times {
		if interval == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := to.say(ev.channel, ev.text); err != nil {
				return err
			}
			continue
		}
		for piece := range words(ev.text) {
			if err := wait(ctx, interval); err != nil {
				return err
			}
			if err := to.say(ev.channel, piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// words cuts a text into words, each with the white space after it. The
// pieces joined are the text.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, inSpace := 0, false
		for i, r := range text {
			space := unicode.IsSpace(r)
			if inSpace && !space && i > start {
				if !yield(text[start:i]) {
					return
				}
				start = i
			}
			inSpace = space
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// maxQuotation bounds what a response repeats of a request, in characters.
const maxQuotation = 500

// quotation is the last user message or tool result as a Markdown quotation,
// and says so when there is nothing to quote.
func quotation(req providers.Request, of string) string {
	text, results := lastTurn(req)
	if of == "result" {
		text = ""
		if n := len(results); n > 0 {
			text = results[n-1].Text
		}
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if text == "" {
		return "> (empty)"
	}
	if runes := []rune(text); len(runes) > maxQuotation {
		text = string(runes[:maxQuotation]) + "…"
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
