package agenttest

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Scenario is a scenario file taken apart.
type Scenario struct {
	Comment  string
	Tools    string
	Options  string
	Script   string
	Drive    string
	Journal  string
	Timeline string
}

// sections lists the sections in the order of a file.
func (s *Scenario) sections() []section {
	return []section{
		{"tools", &s.Tools, false}, {"options", &s.Options, false}, {"script", &s.Script, true}, {"drive", &s.Drive, true},
		{"journal", &s.Journal, false}, {"timeline", &s.Timeline, false},
	}
}

type section struct {
	name     string
	text     *string
	required bool
}

// Parse reads a scenario file. It refuses sections that it does not know.
func Parse(data []byte) (*Scenario, error) {
	archive := txtar.Parse(data)
	s := &Scenario{Comment: string(archive.Comment)}
	if strings.TrimSpace(s.Comment) == "" {
		return nil, fmt.Errorf("the scenario does not say what it shows")
	}
	seen := map[string]bool{}
	for _, f := range archive.Files {
		list := s.sections()
		i := slices.IndexFunc(list, func(known section) bool { return known.name == f.Name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no section %q", f.Name)
		case seen[f.Name]:
			return nil, fmt.Errorf("section %s comes twice", f.Name)
		}
		seen[f.Name] = true
		*list[i].text = string(f.Data)
	}
	for _, known := range s.sections() {
		if known.required && !seen[known.name] {
			return nil, fmt.Errorf("section %s is missing", known.name)
		}
	}
	return s, nil
}

// Format returns the file of the scenario.
func (s *Scenario) Format() []byte {
	archive := &txtar.Archive{Comment: []byte(s.Comment)}
	for _, known := range s.sections() {
		if known.required || *known.text != "" {
			archive.Files = append(archive.Files, txtar.File{Name: known.name, Data: []byte(*known.text)})
		}
	}
	return txtar.Format(archive)
}

// lines yields the lines of a section that say something.
func lines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}
