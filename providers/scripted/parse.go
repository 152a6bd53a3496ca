package scripted

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"countersign/providers"
)

// Parse reads a script. An error names the line it is about, counted from 1.
// A text without any response is a script that expects no request.
func Parse(text string) (*Script, error) {
	p := parser{script: &Script{gates: map[string]bool{}}}
	for line := range strings.Lines(text) {
		p.line++
		if err := p.read(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if len(p.script.responses) == 0 && p.current == nil {
		return p.script, nil
	}
	if err := p.close(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line, err)
	}
	return p.script, nil
}

// A parser holds what is known after a line.
type parser struct {
	script  *Script
	line    int
	current *Response // nil before its first line

	// block is the line that the bar lines below belong to, with what they
	// said so far; nil when there is none.
	block *block
}

type block struct {
	line  int
	lines []string
	event func(text string) (event, error)
}

func (p *parser) read(line string) error {
	if !utf8.ValidString(line) {
		return fmt.Errorf("the line is not valid UTF-8")
	}
	line = strings.TrimLeft(line, " \t")
	if rest, ok := strings.CutPrefix(line, "|"); ok {
		if p.block == nil {
			return fmt.Errorf("a bar line belongs below text, reasoning, refusal or call")
		}
		p.block.lines = append(p.block.lines, strings.TrimPrefix(rest, " "))
		return nil
	}
	line = strings.TrimRight(line, " \t")
	if line == "" || line[0] == '#' {
		return nil
	}
	if line == "---" {
		return p.close()
	}
	if err := p.endBlock(); err != nil {
		return err
	}
	if p.current == nil {
		p.current = &Response{number: len(p.script.responses) + 1, line: p.line}
	}
	return p.directive(line)
}

func (p *parser) directive(line string) error {
	if n := len(p.current.events); n > 0 && ends(p.current.events[n-1]) {
		return fmt.Errorf("the response has already ended; start the next one with ---")
	}
	verb, rest := word(line)
	switch verb {
	case "match", "expect":
		return p.condition(verb, rest)
	case "text", "reasoning", "refusal", "call":
		if ok := p.openBlock(verb, rest); ok {
			return nil
		}
	}
	ev, err := parseEvent(verb, rest)
	if err != nil {
		return err
	}
	return p.add(ev)
}

func (p *parser) condition(verb, rest string) error {
	if len(p.current.events) > 0 {
		return fmt.Errorf("%s belongs before the first event", verb)
	}
	c, err := parseCondition(rest)
	if err != nil {
		return err
	}
	if verb == "match" {
		p.current.match = append(p.current.match, c)
	} else {
		p.current.expect = append(p.current.expect, c)
	}
	return nil
}

// openBlock reports whether the line leaves its text to bar lines.
func (p *parser) openBlock(verb, rest string) bool {
	build := func(text string) (event, error) { return newSay(channel(verb), text, 1) }
	if verb == "call" {
		id, after := word(rest)
		name, arguments := word(after)
		if name == "" {
			return false
		}
		rest = arguments
		build = func(text string) (event, error) { return newCall(id, name, text) }
	}
	if rest != "" {
		return false
	}
	p.block = &block{line: p.line, event: build}
	return true
}

func (p *parser) endBlock() error {
	b := p.block
	if b == nil {
		return nil
	}
	p.block = nil
	if len(b.lines) == 0 {
		return fmt.Errorf("the text of line %d is missing: quote it, or put bar lines below", b.line)
	}
	ev, err := b.event(strings.Join(b.lines, "\n"))
	if err != nil {
		return err
	}
	return p.add(ev)
}

// add appends an event and checks what one line alone cannot know.
func (p *parser) add(ev event) error {
	switch ev := ev.(type) {
	case gate:
		if p.script.gates[ev.name] {
			return fmt.Errorf("gate %s is there already", ev.name)
		}
		p.script.gates[ev.name] = true
	case failure:
		if ev.status != 0 && p.speaks() {
			return fmt.Errorf("a status comes instead of a stream, so nothing may be sent before it")
		}
	case finish:
		if ev.reason == providers.FinishRefusal && !p.refuses() {
			return fmt.Errorf("finish refusal needs a refusal text before it")
		}
	}
	p.current.events = append(p.current.events, ev)
	return nil
}

// speaks reports whether the response so far sends anything.
func (p *parser) speaks() bool {
	for _, ev := range p.current.events {
		switch ev.(type) {
		case say, quote, keepalive, call:
			return true
		}
	}
	return false
}

// refuses reports whether the response so far has refusal text.
func (p *parser) refuses() bool {
	for _, ev := range p.current.events {
		if s, ok := ev.(say); ok && s.channel == channelRefusal {
			return true
		}
	}
	return false
}

// close ends the current response.
func (p *parser) close() error {
	if err := p.endBlock(); err != nil {
		return err
	}
	if p.current == nil {
		return fmt.Errorf("the response is empty")
	}
	if n := len(p.current.events); n == 0 || !ends(p.current.events[n-1]) {
		return fmt.Errorf("the response of line %d has no end: finish, cut, reset, hang, status or error", p.current.line)
	}
	p.script.responses = append(p.script.responses, p.current)
	p.current = nil
	return nil
}
