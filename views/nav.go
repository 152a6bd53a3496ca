package views

import (
	"strings"
	"time"
)

type navGroup struct {
	day  string
	rows []NavRow
}

// byDay groups rows by how long ago they changed. It keeps their order.
func byDay(rows []NavRow, now time.Time) []navGroup {
	var groups []navGroup
	for _, r := range rows {
		day := dayGroup(r.UpdatedAt, now)
		if n := len(groups); n == 0 || groups[n-1].day != day {
			groups = append(groups, navGroup{day: day})
		}
		last := &groups[len(groups)-1]
		last.rows = append(last.rows, r)
	}
	return groups
}

// dayWords names the day of a time: today, yesterday, 9 October 2026.
func dayWords(t, now time.Time) string {
	switch group := dayGroup(t, now); group {
	case "Today", "Yesterday":
		return group
	}
	return t.In(now.Location()).Format("2 January 2006")
}

// onDay is dayWords inside a sentence: today, yesterday, on 9 October 2026.
func onDay(t, now time.Time) string {
	words := dayWords(t, now)
	if words == "Today" || words == "Yesterday" {
		return strings.ToLower(words)
	}
	return "on " + words
}

func dayGroup(t, now time.Time) string {
	t = t.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case !t.Before(midnight):
		return "Today"
	case !t.Before(midnight.AddDate(0, 0, -1)):
		return "Yesterday"
	case !t.Before(midnight.AddDate(0, 0, -7)):
		return "Last 7 days"
	}
	return "Earlier"
}
