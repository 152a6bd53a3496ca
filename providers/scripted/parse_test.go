package scripted_test

import (
	"strings"
	"testing"

	"countersign/providers/scripted"
)

func TestParseErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script, want string
	}{
		{"unknown event", "# a comment\n\nshout \"a\"\n", `line 3: unknown event "shout"`},
		{"text without quotes", "text hello\nfinish stop", "line 1: want a quoted text"},
		{"text in single quotes", "text 'h'\nfinish stop", "line 1: want a quoted text"},
		{"words after text", "text \"a\" b\nfinish stop", `line 1: unexpected "b" after the text`},
		{"empty text", "text \"\"\nfinish stop", "line 1: the text is empty"},
		{"text that is no UTF-8", "text \"\\xff\"\nfinish stop", "line 1: the text is not valid UTF-8"},
		{"line that is no UTF-8", "text \"\xff\"\nfinish stop", "line 1: the line is not valid UTF-8"},
		{"missing block", "text\nfinish stop", "line 2: the text of line 1 is missing"},
		{"stray bar", "finish stop\n| a", "line 2: a bar line belongs below"},
		{"bar below quoted text", "text \"a\"\n| b\nfinish stop", "line 2: a bar line belongs below"},
		{"no end", "text \"a\"", "line 1: the response of line 1 has no end"},
		{"no end before the next", "text \"a\"\n---\nfinish stop", "line 2: the response of line 1 has no end"},
		{"event after the end", "finish stop\ntext \"a\"", "line 2: the response has already ended"},
		{"empty response", "finish stop\n---\n---\nfinish stop", "line 3: the response is empty"},
		{"nothing after dashes", "finish stop\n---\n# end\n", "line 3: the response is empty"},
		{"late expectation", "text \"a\"\nexpect user \"b\"\nfinish stop", "line 2: expect belongs before the first event"},
		{"unknown condition", "match mood \"good\"\nfinish stop", `line 1: unknown condition "mood"`},
		{"condition without text", "match user\nfinish stop", "line 1: want a quoted text"},
		{"condition without number", "match attempt two\nfinish stop", `line 1: want a whole number, not "two"`},
		{"condition without name", "expect tool\nfinish stop", `line 1: want a name, not ""`},
		{"unknown reason", "finish soon", `line 1: unknown finish reason "soon"`},
		{"refusal without its text", "text \"a\"\nfinish refusal", "line 2: finish refusal needs a refusal text"},
		{"call without name", "call call_1\nfinish stop", "line 1: want call ID NAME ARGUMENTS"},
		{"words after arguments", "call c n \"{}\" x\nfinish stop", `line 1: unexpected "x" after the arguments`},
		{"pause without unit", "pause 3\nfinish stop", "line 1: want a length"},
		{"pause backwards", "pause -3s\nfinish stop", "line 1: want a length"},
		{"rate without unit", "rate 40\nfinish stop", "line 1: want a rate"},
		{"repeat without count", "repeat text \"a\"\nfinish stop", "line 1: want a count"},
		{"repeat of a call", "repeat 2 call c n {}\nfinish stop", "line 1: repeat takes text"},
		{"quote of the system", "quote system\nfinish stop", "line 1: quote takes user or result"},
		{"usage of nothing", "usage\nfinish stop", "line 1: want counts"},
		{"usage below zero", "usage in=-1\nfinish stop", `line 1: want counts such as in=12, not "in=-1"`},
		{"usage unknown", "usage total=1\nfinish stop", `line 1: want counts such as in=12, not "total=1"`},
		{"gate twice", "gate a\nfinish stop\n---\ngate a\nfinish stop", "line 4: gate a is there already"},
		{"gate without name", "gate\nfinish stop", `line 1: want a name, not ""`},
		{"status after text", "text \"a\"\nstatus 503 overloaded", "line 2: a status comes instead of a stream"},
		{"status of success", "status 200 server", "line 1: want a status from 400 to 599"},
		{"unknown category", "error mood", `line 1: unknown category "mood"`},
		{"unknown option", "error server colour=red", `line 1: unknown option "colour=red"`},
		{"delay of a part", "status 503 overloaded retry-after=1500ms", "line 1: want whole seconds"},
		{"delay in a stream", "error overloaded retry-after=2s", "line 1: want whole seconds"},
		{"word after a cut", "cut here", `line 1: cut stands alone, without "here"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := scripted.Parse(tt.script)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestParseCountsResponses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         int
	}{
		{"none", "# nobody calls\n", 0},
		{"one", "finish stop", 1},
		{"comment before", "# first\nfinish stop\n---\r\n  # second\r\n  cut\r\n", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script, err := scripted.Parse(tt.script)
			if err != nil {
				t.Fatal(err)
			}
			if got := scripted.NewStage(script).Remaining(); got != tt.want {
				t.Errorf("got %d responses, want %d", got, tt.want)
			}
		})
	}
}
