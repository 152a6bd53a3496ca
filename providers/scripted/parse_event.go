package scripted

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/providers"
)

const maxRepeat = 1_000_000

var errNoText = errors.New("want a quoted text")

// parseEvent reads one event from its verb and the rest of its line.
func parseEvent(verb, rest string) (event, error) {
	switch verb {
	case "text", "reasoning", "refusal":
		return parseSay(verb, rest, 1)
	case "repeat":
		return parseRepeat(rest)
	case "quote":
		if rest != "user" && rest != "result" {
			return nil, fmt.Errorf("quote takes user or result, not %q", rest)
		}
		return quote{of: rest}, nil
	case "rate":
		return parseRate(rest)
	case "pause":
		d, err := time.ParseDuration(rest)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("want a length such as 800ms, not %q", rest)
		}
		return pause{length: d}, nil
	case "gate":
		if !namePattern.MatchString(rest) {
			return nil, fmt.Errorf("want a name, not %q", rest)
		}
		return gate{name: rest}, nil
	case "call":
		return parseCall(rest)
	case "usage":
		return parseUsage(rest)
	case "finish":
		return parseFinish(rest)
	case "status", "error":
		return parseFailure(verb, rest)
	}
	return parseBare(verb, rest)
}

func parseBare(verb, rest string) (event, error) {
	bare := map[string]event{"keepalive": keepalive{}, "cut": cut{}, "reset": reset{}, "hang": hang{}}
	ev, ok := bare[verb]
	if !ok {
		return nil, fmt.Errorf("unknown event %q", verb)
	}
	if rest != "" {
		return nil, fmt.Errorf("%s stands alone, without %q", verb, rest)
	}
	return ev, nil
}

func parseSay(verb, rest string, times int) (event, error) {
	text, after, err := quoted(rest)
	if err != nil {
		return nil, err
	}
	if after != "" {
		return nil, fmt.Errorf("unexpected %q after the text", after)
	}
	return newSay(channel(verb), text, times)
}

func newSay(c channel, text string, times int) (event, error) {
	if text == "" {
		return nil, errors.New("the text is empty")
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not valid UTF-8")
	}
	return say{channel: c, text: text, times: times}, nil
}

func parseRepeat(rest string) (event, error) {
	count, rest := word(rest)
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxRepeat {
		return nil, fmt.Errorf("want a count from 1 to %d, not %q", maxRepeat, count)
	}
	verb, rest := word(rest)
	switch verb {
	case "text", "reasoning", "refusal":
		return parseSay(verb, rest, n)
	}
	return nil, fmt.Errorf("repeat takes text, reasoning or refusal, not %q", verb)
}

func parseRate(rest string) (event, error) {
	if rest == "off" {
		return rate{}, nil
	}
	count, ok := strings.CutSuffix(rest, "/s")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || n < 1 || n > 100_000 {
		return nil, fmt.Errorf("want a rate such as 40/s, or off, not %q", rest)
	}
	return rate{perSecond: n}, nil
}

func parseCall(rest string) (event, error) {
	id, rest := word(rest)
	name, arguments := word(rest)
	if strings.HasPrefix(arguments, `"`) || strings.HasPrefix(arguments, "`") {
		text, after, err := quoted(arguments)
		if err != nil {
			return nil, err
		}
		if after != "" {
			return nil, fmt.Errorf("unexpected %q after the arguments", after)
		}
		arguments = text
	}
	return newCall(id, name, arguments)
}

func newCall(id, name, arguments string) (event, error) {
	if !namePattern.MatchString(id) || !namePattern.MatchString(name) {
		return nil, errors.New("want call ID NAME ARGUMENTS")
	}
	if !utf8.ValidString(arguments) {
		return nil, errors.New("the arguments are not valid UTF-8")
	}
	return call{id: id, name: name, arguments: arguments}, nil
}

func parseUsage(rest string) (event, error) {
	var u usage
	counts := map[string]**int64{
		"in":          &u.counts.InputTotal,
		"out":         &u.counts.Output,
		"cached":      &u.counts.CacheRead,
		"cache_write": &u.counts.CacheWrite,
		"reasoning":   &u.counts.Reasoning,
	}
	for _, field := range strings.Fields(rest) {
		key, value, _ := strings.Cut(field, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if counts[key] == nil || err != nil || n < 0 {
			return nil, fmt.Errorf("want counts such as in=12, not %q", field)
		}
		*counts[key] = &n
	}
	if !u.counts.Known() {
		return nil, errors.New("want counts such as in=12 out=34")
	}
	return u, nil
}

func parseFinish(rest string) (event, error) {
	reason := providers.FinishReason(rest)
	switch reason {
	case providers.FinishStop, providers.FinishToolCalls, providers.FinishLength,
		providers.FinishContentFilter, providers.FinishRefusal, providers.FinishPause,
		providers.FinishContextLength, providers.FinishOther:
		return finish{reason: reason}, nil
	}
	return nil, fmt.Errorf("unknown finish reason %q", rest)
}

// word cuts the first word off a line.
func word(line string) (first, rest string) {
	first, rest, _ = strings.Cut(line, " ")
	return first, strings.TrimLeft(rest, " \t")
}

// quoted cuts a Go string off the start of a line.
func quoted(line string) (text, rest string, err error) {
	prefix, err := strconv.QuotedPrefix(line)
	if err != nil || prefix[0] == '\'' {
		return "", "", errNoText
	}
	text, err = strconv.Unquote(prefix)
	if err != nil {
		return "", "", errNoText
	}
	return text, strings.TrimLeft(line[len(prefix):], " \t"), nil
}
