package agent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// An answer is a verdict or it is none: whatever could be read in two ways is
// none. A reason is bounded, and left out if it seems to hold a key (contract
// V20, V21).
func TestParseVerdict(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", MaxReason+1)
	for text, want := range map[string]reviewVerdict{
		`{"verdict":"allow","reason":"Asked for."}`:                            {VerdictAllow, "Asked for."},
		" {\"reason\" : \" No. \", \"verdict\" : \"deny\"} \n":                 {VerdictDeny, "No."},
		`{"verdict":"unsure"}`:                                                 {VerdictUnsure, ""},
		"```json\n{\"verdict\":\"allow\"}\n```":                                {VerdictAllow, ""},
		"```\n{\"verdict\":\"deny\"}```":                                       {VerdictDeny, ""},
		`{"verdict":"allow","reason":"` + long + `"}`:                          {VerdictAllow, long[:2*(MaxReason-1)] + "…"},
		`{"verdict":"allow","reason":"` + long[2:] + `"}`:                      {VerdictAllow, long[2:]},
		`{"verdict":"deny","reason":"key sk-` + strings.Repeat("a", 20) + `"}`: {VerdictDeny, ""},
		`{"verdict":"deny","reason":"The password is hunter2."}`:               {VerdictDeny, "The password is hunter2."},
		"{\"verdict\":\"deny\",\"reason\":\"a\\u202eb\"}":                      {VerdictDeny, "a\u202eb"},
	} {
		if got, ok := parseVerdict(text); !ok || got != want {
			t.Errorf("%.60q: got %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		``, `allow`, `"allow"`, `{}`, `[]`, `null`, `{"reason":"Fine."}`, `{"verdict":"maybe"}`, `{"verdict":"Allow"}`, `{"Verdict":"allow"}`,
		`{"verdict":"allow","verdict":"deny"}`, `{"verdict":"allow"} {"verdict":"deny"}`, `{"verdict":"allow"},`, `{"verdict":"allow"`,
		`{"verdict":true}`, `{"verdict":"allow","reason":null}`, `{"verdict":"allow","reason":["x"]}`, `{"verdict":"allow","sure":"no"}`,
		`{"verdict":{"verdict":"allow"}}`, `I say {"verdict":"allow"}`, "```{\"verdict\":\"allow\"}", `{"verdict":"allow","reason":"a"b"}`,
	} {
		if got, ok := parseVerdict(text); ok {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

func FuzzParseVerdict(f *testing.F) {
	f.Add(`{"verdict":"allow","reason":"Asked for."}`)
	f.Add("```json\n{\"verdict\":\"deny\"}\n```")
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := parseVerdict(text)
		if ok && (v.Verdict != VerdictAllow && v.Verdict != VerdictDeny && v.Verdict != VerdictUnsure) {
			t.Errorf("the verdict is %q", v.Verdict)
		}
		if !utf8.ValidString(v.Reason) || utf8.RuneCountInString(v.Reason) > MaxReason || LooksLikeKey(v.Reason) {
			t.Errorf("the reason is %q", v.Reason)
		}
	})
}
