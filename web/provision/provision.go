// Package provision reads the file that sets a server up.
//
// The file is strict: a field that is not known, a value of another kind, an
// option of another API and a name that comes twice are refused, each by name
// and line. A field that is left out keeps what is stored; null is refused,
// because it could mean either.
package provision

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/models"
)

// MaxFile is how long a file may be, in bytes.
const MaxFile = 1 << 20

// A Context is what a file is read with.
type Context struct {
	// Tools are the names of the tools that agents may have.
	Tools []string
	// Secret returns the text of a file that the file names, as it was named.
	Secret func(path string) (models.Secret, error)
}

// A Problem is what is wrong in one line.
type Problem struct {
	Line int // from 1
	Text string
}

// Problems is the error for a file that can't be applied, in order of line.
// It holds none of the file's secrets.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = fmt.Sprintf("line %d: %s", one.Line, one.Text)
	}
	return strings.Join(lines, "\n")
}

// A File is a valid file: what it asks for, and where.
type File struct {
	Setup models.Setup
	// places are the lines of the items, by section.
	places map[string][]place
}

// A place is where an item stands, with the lines of its fields.
type place struct {
	line   int
	fields map[string]int
}

// Parse reads a file. The error is [Problems].
func Parse(text []byte, c Context) (*File, error) {
	if len(text) > MaxFile {
		return nil, Problems{{1, fmt.Sprintf("the file is longer than %d KiB", MaxFile>>10)}}
	}
	root, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	r := &reader{context: c, file: &File{places: make(map[string][]place)}, names: make(map[string]bool)}
	r.mapping(root, "the file",
		field{models.SectionProviders, func(n *yaml.Node) { r.list(n, r.provider) }},
		field{models.SectionConnectors, func(n *yaml.Node) { r.list(n, r.connector) }},
		field{models.SectionAgents, func(n *yaml.Node) { r.list(n, r.agent) }},
		field{models.SectionUsers, func(n *yaml.Node) { r.list(n, r.user) }},
		field{models.SectionPolicy, func(n *yaml.Node) { r.list(n, r.rule) }},
		field{"retention", r.retention},
		field{"limits", r.limits},
	)
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
		return nil, r.problems
	}
	return r.file, nil
}

// parseYAML returns the one document that the text holds.
func parseYAML(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, another yaml.Node
	err := decoder.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return nil, Problems{{1, "the file is empty"}}
	case err != nil:
		return nil, syntaxProblem(err)
	}
	switch err := decoder.Decode(&another); {
	case err == nil:
		return nil, Problems{{another.Line, "a second document begins here; there is one to a file"}}
	case !errors.Is(err, io.EOF):
		return nil, syntaxProblem(err)
	}
	return document.Content[0], nil
}

var syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxProblem says where a text is no YAML. The parser's own words name
// characters and marks, not values.
func syntaxProblem(err error) Problems {
	found := syntaxError.FindStringSubmatch(err.Error())
	if found == nil {
		return Problems{{1, "this is not YAML"}}
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		line = 1
	}
	return Problems{{line, "this is not YAML: " + found[2]}}
}

// fieldNames are the file's words for the fields of models.
var fieldNames = map[string]string{
	"max_output": "max_output_tokens", "env": "credentials", "key": "credentials", "credential": "credentials", "command": "credentials",
	"model_calls": "limits", "approval": "limits", "question": "limits", "review": "limits", "password": "password_file", "do": "verdict",
	"url": "http", "headers": "http", "dir": "stdio",
}

// Explain says which lines storage refused, and why.
func (f *File) Explain(refused *models.SetupError) Problems {
	at := f.places[refused.Section][refused.Index]
	var problems Problems
	for _, name := range slices.Sorted(maps.Keys(refused.Invalid)) {
		shown := name
		if n, ok := fieldNames[name]; ok {
			shown = n
		}
		line, ok := at.fields[shown]
		if !ok {
			line = at.line
		}
		problems = append(problems, Problem{line, shown + ": " + refused.Invalid[name]})
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return problems
}
