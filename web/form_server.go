package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/models"
)

// A serverForm is what the page of the server sends. "" is the default.
type serverForm struct {
	keepDays    string
	perPerson   string
	perProvider string
	queue       string
	toolCall    string
}

func parseServer(r *http.Request) (serverForm, error) {
	if err := readForm(r); err != nil {
		return serverForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	return serverForm{
		keepDays: text("keep_days"), perPerson: text("runs_per_person"), perProvider: text("runs_per_provider"),
		queue: text("queued_messages"), toolCall: text("tool_call"),
	}, nil
}

func serverFormOf(s models.Settings) serverForm {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return serverForm{
		keepDays: number(s.KeepDays), perPerson: number(s.Limits.PerPerson), perProvider: number(s.Limits.PerProvider),
		queue: number(s.Limits.Queue), toolCall: shortDuration(s.Limits.ToolCall),
	}
}

// settings reads the form and says what is wrong with it, by field.
func (f serverForm) settings() (models.Settings, map[string]string) {
	var s models.Settings
	problems := make(map[string]string)
	number := func(name, text string, most int) int {
		if text == "" {
			return 0
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			problems[name] = fmt.Sprintf("Enter a whole number from 1 to %d, or nothing.", most)
		}
		return n
	}
	s.KeepDays = number("keep_days", f.keepDays, models.MaxKeepDays)
	s.Limits.PerPerson = number("runs_per_person", f.perPerson, models.MaxPerPerson)
	s.Limits.PerProvider = number("runs_per_provider", f.perProvider, models.MaxPerProvider)
	s.Limits.Queue = number("queued_messages", f.queue, models.MaxQueue)
	if f.toolCall != "" {
		d, err := time.ParseDuration(strings.ReplaceAll(f.toolCall, " ", ""))
		if err != nil || d < models.MinToolCall || d > models.MaxToolCall {
			problems["tool_call"] = "Enter a time from 1s to 1h, such as 90s or 5m."
		}
		s.Limits.ToolCall = d
	}
	return s, problems
}
