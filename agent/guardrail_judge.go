package agent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
)

// A judgement is what a guardrail says of a candidate by itself.
type judgement struct {
	blocked bool
	subject Subject
}

// judge has a guardrail that needs nobody else look at a candidate. It may
// rewrite the arguments of its calls. A rule that can't be read blocks.
func (g Guardrail) judge(c *Candidate) judgement {
	switch {
	case g.Pattern != nil:
		return g.Pattern.judge(c)
	case g.Arguments != nil:
		for i := range c.Calls {
			if !g.Arguments.allows(&c.Calls[i], g.Name) {
				return judgement{true, SubjectArguments}
			}
		}
	}
	return judgement{}
}

func (r PatternRule) judge(c *Candidate) judgement {
	pattern, err := regexp.Compile(r.Pattern)
	for _, s := range Subjects {
		if over(r.Over, s) && (err != nil || slices.ContainsFunc(c.texts(s), pattern.MatchString)) {
			return judgement{true, s}
		}
	}
	return judgement{}
}

// allows reports whether a call may pass, and changes its arguments if that is
// what the rule does. Where arguments can be read in more than one way, they
// are read against the caller, as policy does: nobody knows how a tool reads a
// name that comes twice or in other letters.
func (r ArgumentRule) allows(c *CandidateCall, name string) bool {
	if !glob(r.Tool, c.Tool) {
		return true
	}
	arguments := c.Arguments
	if arguments == "" {
		arguments = "{}"
	}
	path, err := parsePath(r.Path)
	match, bad := regexp.Compile(r.Match)
	if err != nil || bad != nil || !json.Valid([]byte(arguments)) {
		return false
	}
	loose, _ := path.search(arguments, true)
	strict, lacking := path.search(arguments, false)
	switch r.Do {
	case ArgumentForbid:
		return !slices.ContainsFunc(loose, func(s spot) bool { return mayMatch(match, arguments[s.start:s.end]) })
	case ArgumentRequire:
		return len(strict) > 0 && len(lacking) == 0 &&
			!slices.ContainsFunc(loose, func(s spot) bool { return !match.MatchString(plain(arguments[s.start:s.end])) })
	case ArgumentRewrite:
		loose = slices.DeleteFunc(loose, func(s spot) bool { return !mayMatch(match, arguments[s.start:s.end]) })
		if r.Match == "" {
			_, missing := path.search(arguments, true)
			loose = append(loose, missing...)
		}
		if after := path.put(arguments, loose, r.Value); after != arguments {
			c.Arguments, c.rewritten = after, append(c.rewritten, name)
		}
		return true
	}
	return false
}

// mayMatch reports whether a pattern is found in a value in JSON, however the
// value is written.
func mayMatch(pattern *regexp.Regexp, value string) bool {
	if pattern.MatchString(plain(value)) || pattern.MatchString(meant(value)) {
		return true
	}
	number, err := strconv.ParseFloat(value, 64)
	return err == nil && pattern.MatchString(strconv.FormatFloat(number, 'f', -1, 64))
}

// Try returns what the guardrail makes of the arguments of a call, and whether
// it lets it pass. A webhook is not asked.
func (g Guardrail) Try(tool, arguments string) (string, bool) {
	c := Candidate{Calls: []CandidateCall{{Tool: tool, Arguments: arguments}}}
	blocked := g.judge(&c).blocked
	return c.Calls[0].Arguments, !blocked
}
