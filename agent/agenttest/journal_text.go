package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/agent"
)

// JournalText writes records one a line: when, of which run, the kind and the
// fields that are not zero.
func JournalText(records []agent.Record) string {
	var b strings.Builder
	n := normaliser{names: map[string]string{}, counts: map[string]int{}}
	for _, r := range records {
		if r.Seq == 1 {
			n.start = r.At
		}
		run := "-"
		if r.Run != "" {
			run = n.name("run", string(r.Run))
		}
		fmt.Fprintf(&b, "%-7s %-5s %s%s\n", n.since(r.At), run, r.Event.Kind(), n.fields(r.Event))
	}
	return b.String()
}

// A normaliser gives names and times that are the same in every run of a test.
type normaliser struct {
	start  time.Time
	names  map[string]string
	counts map[string]int
}

func (n *normaliser) since(t time.Time) string { return "+" + t.Sub(n.start).String() }

func (n *normaliser) name(prefix, id string) string {
	if _, ok := n.names[id]; !ok {
		n.counts[prefix]++
		n.names[id] = prefix + "-" + strconv.Itoa(n.counts[prefix])
	}
	return n.names[id]
}

func (n *normaliser) fields(e agent.Event) string {
	data, err := agent.EncodeEvent(e)
	if err != nil {
		return " " + err.Error()
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var b strings.Builder
	n.value(&b, d, "")
	return b.String()
}

// value writes the next value of the decoder: an object field by field, in the
// order in which they are stored.
func (n *normaliser) value(b *strings.Builder, d *json.Decoder, path string) {
	token, err := d.Token()
	if err != nil {
		fmt.Fprintf(b, " %v", err)
		return
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			key, _ := d.Token()
			n.value(b, d, strings.TrimPrefix(fmt.Sprintf("%s.%v", path, key), "."))
		}
		_, _ = d.Token()
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			n.value(b, d, fmt.Sprintf("%s[%d]", path, i))
		}
		_, _ = d.Token()
	default:
		if text := n.scalar(token); !slices.Contains([]string{"", "0", "false", "<nil>"}, text) {
			fmt.Fprintf(b, " %s=%s", path, text)
		}
	}
}

var (
	hash = regexp.MustCompile(`^[0-9a-f]{64}$`)
	bare = regexp.MustCompile(`^[A-Za-z0-9_.:+-]+$`)
)

func (n *normaliser) scalar(token json.Token) string {
	text, ok := token.(string)
	if !ok {
		return fmt.Sprint(token)
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return n.since(t)
	}
	switch {
	case text == "" || bare.MatchString(text) && !hash.MatchString(text):
		return text
	case hash.MatchString(text):
		return n.name("hash", text)
	}
	return quote(text)
}
