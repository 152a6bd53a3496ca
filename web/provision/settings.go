package provision

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/models"
)

// set adds a change of the server's settings.
func (r *reader) set(change func(*models.Settings)) {
	before := r.file.Setup.Settings
	r.file.Setup.Settings = func(s *models.Settings) {
		if before != nil {
			before(s)
		}
		change(s)
	}
}

// settingsAt notes where the settings stand.
func (r *reader) settingsAt(at place) {
	if len(r.file.places[models.SectionSettings]) == 0 {
		r.file.places[models.SectionSettings] = []place{at}
	}
}

// retention reads how long things are kept.
func (r *reader) retention(n *yaml.Node) {
	r.settingsAt(r.mapping(n, "retention",
		field{"conversations", func(n *yaml.Node) {
			days := r.days(n, "conversations")
			r.set(func(s *models.Settings) { s.KeepDays = days })
		}},
	))
}

// days reads a number of days, such as 90d, or never, which is 0.
func (r *reader) days(n *yaml.Node, what string) int {
	if n.Kind == yaml.ScalarNode {
		if n.Value == "never" {
			return 0
		}
		number, ok := strings.CutSuffix(n.Value, "d")
		if days, err := strconv.Atoi(number); ok && err == nil && days >= 1 && days <= models.MaxKeepDays {
			return days
		}
	}
	r.problem(n, "%s must be a number of days from 1d to %dd, such as 90d, or never", what, models.MaxKeepDays)
	return 0
}

// limits reads the limits of the server.
func (r *reader) limits(n *yaml.Node) {
	number := func(name string, most int, in func(*models.Settings) *int) field {
		return field{name, func(n *yaml.Node) {
			v := r.integer(n, name, 1, most)
			r.set(func(s *models.Settings) { *in(s) = v })
		}}
	}
	r.settingsAt(r.mapping(n, "limits",
		number("runs_per_person", models.MaxPerPerson, func(s *models.Settings) *int { return &s.Limits.PerPerson }),
		number("runs_per_provider", models.MaxPerProvider, func(s *models.Settings) *int { return &s.Limits.PerProvider }),
		number("queued_messages", models.MaxQueue, func(s *models.Settings) *int { return &s.Limits.Queue }),
		field{"tool_call", func(n *yaml.Node) {
			d := r.duration(n, "tool_call", models.MinToolCall, models.MaxToolCall)
			r.set(func(s *models.Settings) { s.Limits.ToolCall = d })
		}},
	))
}
