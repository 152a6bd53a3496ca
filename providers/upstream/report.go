package upstream

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// maxMessage bounds how much of an upstream's message is matched.
const maxMessage = 4 << 10

// A report is what the shapes of error bodies have in common. It lives only
// while an error is classified.
type report struct {
	found     bool     // there is an error object
	codes     []string // candidates in order of precedence, not yet checked
	status    int      // of a numeric code, 0 when there is none
	message   string   // lower case, bounded
	param     string
	requestID string
	reasons   bool          // a moderation named its reasons
	daily     bool          // the exhausted quota is one per day
	delay     time.Duration // asked for in the details
}

// readReport reads an error body of any known shape. A body that is no JSON is
// all message, unless it is a page.
func readReport(body []byte) report {
	var r report
	body = bytes.TrimSpace(body)
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		if !bytes.HasPrefix(body, []byte("<")) {
			r.setMessage(string(body[:min(len(body), maxMessage)]))
		}
		return r
	}
	r.read(v)
	return r
}

func (r *report) read(v any) {
	if list, ok := v.([]any); ok {
		for _, item := range list {
			if _, ok := item.(map[string]any); ok {
				v = item
				break
			}
		}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	r.requestID = str(m["request_id"])
	if id := str(m["id"]); r.requestID == "" && strings.HasPrefix(id, "gen-") {
		r.requestID = id
	}
	switch e := m["error"].(type) {
	case map[string]any:
		r.object(e)
		return
	case []any:
		r.read(e)
		r.found = true
		return
	case string:
		if e != "" {
			r.object(m)
			r.setMessage(e)
			return
		}
	}
	r.flat(m)
}

// flat reads the shapes that have no error member.
func (r *report) flat(m map[string]any) {
	switch detail := m["detail"].(type) {
	case string:
		r.found = true
		r.setMessage(detail)
		return
	case []any:
		r.found = true
		return
	case map[string]any:
		if e, ok := detail["error"].(map[string]any); ok {
			detail = e
		}
		r.object(detail)
		return
	}
	_, message := m["message"].(string)
	_, kind := m["type"].(string)
	switch {
	case str(m["object"]) == "error", str(m["type"]) == "error", message && kind:
		r.object(m)
	case str(m["error_type"]) != "" || str(m["error_message"]) != "":
		r.found = true
		r.codes = append(r.codes, str(m["error_type"]))
		r.setMessage(str(m["error_message"]))
	}
}

// object reads the members of one error object.
func (r *report) object(e map[string]any) {
	r.found = true
	r.param = str(e["param"])
	r.details(e["details"])
	code := str(e["code"])
	number, _ := e["code"].(float64)
	if number == 0 {
		number = float64(statusOf(code))
	}
	metadata, _ := e["metadata"].(map[string]any)
	reasons, _ := metadata["reasons"].([]any)
	r.reasons = len(reasons) > 0
	r.codes = append(r.codes, code, str(metadata["error_type"]), str(e["status"]), str(e["type"]))
	if n := int(number); float64(n) == number && n >= 300 && n <= 599 {
		r.status = n
		r.codes = append(r.codes, strconv.Itoa(n))
	}
	message := str(e["message"])
	r.setMessage(message)
	r.quoted(message)
}

// quoted takes the codes of an error document that a proxy put into a message.
func (r *report) quoted(message string) {
	message = strings.TrimSpace(message)
	if !strings.HasPrefix(message, "{") && !strings.HasPrefix(message, "[") {
		return
	}
	var v any
	if json.Unmarshal([]byte(message), &v) != nil {
		return
	}
	var inner report
	if m, ok := v.(map[string]any); ok {
		if e, ok := m["error"].(map[string]any); ok {
			m = e
		}
		inner.codes = []string{str(m["code"]), str(m["status"]), str(m["type"])}
	}
	r.codes = append(r.codes, inner.codes...)
}

// details reads Anthropic's object and Google's list.
func (r *report) details(v any) {
	switch d := v.(type) {
	case map[string]any:
		r.codes = append(r.codes, str(d["error_code"]))
	case []any:
		for _, item := range d {
			m, _ := item.(map[string]any)
			if reason := str(m["reason"]); reason != "" {
				r.codes = append(r.codes, reason)
			}
			if delay, err := time.ParseDuration(str(m["retryDelay"])); err == nil {
				r.delay = delay
			}
			violations, _ := m["violations"].([]any)
			for _, item := range violations {
				violation, _ := item.(map[string]any)
				r.daily = r.daily || strings.Contains(str(violation["quotaId"]), "PerDay")
			}
		}
	}
}

func (r *report) setMessage(s string) {
	r.message = strings.ToLower(s[:min(len(s), maxMessage)])
}

func str(v any) string {
	s, _ := v.(string)
	return s
}
