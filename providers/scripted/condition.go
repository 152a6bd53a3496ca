package scripted

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"countersign/providers"
)

// A condition is a statement about a request.
type condition struct {
	source  string // as written, for messages
	negated bool
	test    func(providers.Request) bool
}

func (c condition) holds(req providers.Request) bool { return c.test(req) != c.negated }

func parseCondition(source string) (condition, error) {
	c := condition{source: source}
	kind, rest := word(source)
	if kind == "not" {
		c.negated = true
		kind, rest = word(rest)
	}
	var err error
	switch kind {
	case "user":
		c.test, err = textCondition(rest, func(req providers.Request) []string {
			user, _ := lastTurn(req)
			return []string{user}
		})
	case "system":
		c.test, err = textCondition(rest, func(req providers.Request) []string {
			return []string{req.System}
		})
	case "result":
		c.test, err = resultCondition(rest)
	case "results":
		c.test, err = numberCondition(rest, func(req providers.Request) int {
			_, results := lastTurn(req)
			return len(results)
		})
	case "attempt":
		c.test, err = numberCondition(rest, func(req providers.Request) int { return req.Attempt })
	case "tool":
		c.test, err = nameCondition(rest, declares)
	case "model":
		c.test, err = nameCondition(rest, func(req providers.Request, name string) bool {
			return req.Model == name
		})
	default:
		err = fmt.Errorf("unknown condition %q", kind)
	}
	return c, err
}

// textCondition holds when one of the candidates contains one of the quoted
// texts.
func textCondition(rest string, candidates func(providers.Request) []string) (func(providers.Request) bool, error) {
	var texts []string
	for rest != "" {
		text, after, err := quoted(rest)
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.ToLower(text))
		rest = after
	}
	if len(texts) == 0 {
		return nil, errNoText
	}
	return func(req providers.Request) bool {
		for _, candidate := range candidates(req) {
			candidate = strings.ToLower(candidate)
			for _, text := range texts {
				if strings.Contains(candidate, text) {
					return true
				}
			}
		}
		return false
	}, nil
}

func resultCondition(rest string) (func(providers.Request) bool, error) {
	var id string
	if !strings.HasPrefix(rest, `"`) && !strings.HasPrefix(rest, "`") {
		id, rest = word(rest)
	}
	return textCondition(rest, func(req providers.Request) []string {
		_, results := lastTurn(req)
		var texts []string
		for _, r := range results {
			if id == "" || r.CallID == id {
				texts = append(texts, r.Text)
			}
		}
		return texts
	})
}

func numberCondition(rest string, count func(providers.Request) int) (func(providers.Request) bool, error) {
	want, err := strconv.Atoi(rest)
	if err != nil || want < 0 {
		return nil, fmt.Errorf("want a whole number, not %q", rest)
	}
	return func(req providers.Request) bool { return count(req) == want }, nil
}

func nameCondition(rest string, test func(providers.Request, string) bool) (func(providers.Request) bool, error) {
	if !namePattern.MatchString(rest) {
		return nil, fmt.Errorf("want a name, not %q", rest)
	}
	return func(req providers.Request) bool { return test(req, rest) }, nil
}

// namePattern is that of tools, calls, models and gates.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{1,128}$`)

func declares(req providers.Request, name string) bool {
	for _, tool := range req.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}

// lastTurn returns the last user message, "" when there is none, and the tool
// results after it.
func lastTurn(req providers.Request) (user string, results []providers.ToolResult) {
	for _, m := range req.Messages {
		switch m := m.(type) {
		case providers.UserMessage:
			user, results = m.Text, nil
		case providers.ToolResult:
			results = append(results, m)
		}
	}
	return user, results
}
