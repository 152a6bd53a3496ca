package provision

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A reader walks a document and collects what is wrong with it. Its methods
// note a problem and go on, so that one reading finds them all; what they
// return is used only if there is none.
type reader struct {
	context  Context
	file     *File
	names    map[string]bool // of items, to find one that comes twice
	problems Problems
}

// A field is a key that a mapping may have.
type field struct {
	name string
	read func(value *yaml.Node)
}

func (r *reader) problem(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{n.Line, fmt.Sprintf(format, args...)})
}

// mapping reads a mapping and returns where its fields stand.
func (r *reader) mapping(n *yaml.Node, what string, known ...field) place {
	at := place{n.Line, make(map[string]int)}
	if !r.is(n, "!!map", what, "a mapping of fields to values") {
		return at
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f := slices.IndexFunc(known, func(f field) bool { return f.name == key.Value })
		switch {
		case key.Kind != yaml.ScalarNode || f < 0:
			r.problem(key, "%s has no field %s; there are %s", what, quote(key), namesOf(known))
		case at.fields[key.Value] > 0:
			r.problem(key, "%s is there twice", key.Value)
		case value.Kind == yaml.ScalarNode && value.ShortTag() == "!!null":
			r.problem(key, "%s has no value; leave it out to keep what is stored", key.Value)
		default:
			at.fields[key.Value] = key.Line
			known[f].read(atKey(value, key))
		}
	}
	return at
}

// atKey has the problems of a value name the line of its key.
func atKey(value, key *yaml.Node) *yaml.Node {
	if value.Kind != yaml.ScalarNode {
		return value
	}
	moved := *value
	moved.Line = key.Line
	return &moved
}

func namesOf(known []field) string {
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// quote shows a key that is not known, cut and without control characters.
func quote(key *yaml.Node) string {
	if key.Kind != yaml.ScalarNode {
		return "that is not text"
	}
	shown := key.Value
	if len(shown) > 60 {
		shown = shown[:60] + "…"
	}
	return strconv.QuoteToGraphic(strings.ToValidUTF8(shown, "…"))
}

var kinds = map[string]yaml.Kind{"!!map": yaml.MappingNode, "!!seq": yaml.SequenceNode}

// is checks the kind of a value.
func (r *reader) is(n *yaml.Node, tag, what, wanted string) bool {
	kind, ok := kinds[tag]
	if !ok {
		kind = yaml.ScalarNode
	}
	switch {
	case n.Kind == yaml.AliasNode:
		r.problem(n, "aliases are not taken; write the value out")
	case n.Kind != kind || n.ShortTag() != tag:
		r.problem(n, "%s must be %s", what, wanted)
	default:
		return true
	}
	return false
}

// list reads the items of a sequence.
func (r *reader) list(n *yaml.Node, read func(item *yaml.Node)) {
	if !r.is(n, "!!seq", "this", "a list") {
		return
	}
	for _, item := range n.Content {
		read(item)
	}
}

func (r *reader) text(n *yaml.Node, what string) string {
	if !r.is(n, "!!str", what, "text; put it in quotes if it looks like something else") {
		return ""
	}
	return n.Value
}

// name reads text that names something, and refuses one that comes twice.
func (r *reader) name(n *yaml.Node, what string) string {
	return r.unique(n, what, strings.TrimSpace(r.text(n, what)))
}

// unique notes a name, and refuses one that comes twice.
func (r *reader) unique(n *yaml.Node, what, name string) string {
	if seen := what + "\x00" + strings.ToLower(name); r.names[seen] {
		r.problem(n, "%s is there twice", what)
	} else {
		r.names[seen] = true
	}
	return name
}

func (r *reader) boolean(n *yaml.Node, what string) bool {
	return r.is(n, "!!bool", what, "true or false") && strings.EqualFold(n.Value, "true")
}

// integer reads a whole number from least to most.
func (r *reader) integer(n *yaml.Node, what string, least, most int) int {
	wanted := fmt.Sprintf("a whole number from %d to %d", least, most)
	if !r.is(n, "!!int", what, wanted) {
		return least
	}
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < least || v > most {
		r.problem(n, "%s must be %s", what, wanted)
		return least
	}
	return v
}

// duration reads a time from least to most.
func (r *reader) duration(n *yaml.Node, what string, least, most time.Duration) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind == yaml.AliasNode || n.Kind != yaml.ScalarNode || err != nil || d < least || d > most {
		r.problem(n, "%s must be a time from %s to %s, such as 500ms, 90s or 5m", what, least, most)
		return least
	}
	return d
}
