package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A RuleID names a policy rule.
type RuleID string

// PolicyVerb is what a rule does with the calls that it covers.
type PolicyVerb string

const (
	PolicyAllow PolicyVerb = "allow" // they run without a card
	PolicyAsk   PolicyVerb = "ask"   // a person decides each time, whatever stands later in the order
	PolicyDeny  PolicyVerb = "deny"
)

// PolicyVerbs lists every verb.
var PolicyVerbs = []PolicyVerb{PolicyAllow, PolicyAsk, PolicyDeny}

// A PolicyRule says what happens with calls. It covers those that all of its
// parts fit; an empty part fits any.
type PolicyRule struct {
	ID RuleID
	// Name is unique in its server. Decisions are recorded with it.
	Name string
	Do   PolicyVerb
	// Hard makes a denial one that nothing overrides, read-only tools and
	// questions included; it is asked again right before a call runs.
	Hard      bool
	Agent     AgentID
	Role      Role            // of the owner of the conversation
	Connector string          // a name
	Tool      string          // a name in which * stands for any text
	Match     []ArgumentMatch // all have to fit
}

// An ArgumentMatch is a place in the arguments of a call and what is there.
type ArgumentMatch struct {
	Path    string `json:"path"`    // as in $.items[*].sku
	Pattern string `json:"pattern"` // a value in which * stands for any text
}

// MatchAt is a match of a place in the arguments: a path, or the bare name of a
// member.
func MatchAt(place, pattern string) ArgumentMatch {
	if !strings.HasPrefix(place, "$") {
		place = "$." + place
	}
	return ArgumentMatch{Path: place, Pattern: pattern}
}

const (
	// MaxRules is how many rules a policy may have, and MaxRuleName how long the
	// name of one may be, in characters.
	MaxRules    = 200
	MaxRuleName = 200
	// MaxMatches is how many places in the arguments a rule may look at.
	MaxMatches = 10
	// MaxPattern is the longest path or value of a rule, in bytes.
	MaxPattern = 1000
)

var toolPattern = regexp.MustCompile(`^[A-Za-z0-9_*-]{1,64}$`)

// covers reports whether the rule is about a case.
func (r PolicyRule) covers(c Case) bool {
	switch {
	case r.Agent != "" && r.Agent != c.Agent,
		r.Role != "" && r.Role != c.Role,
		r.Connector != "" && r.Connector != c.Call.Connector,
		r.Tool != "" && !glob(r.Tool, c.Call.Tool):
		return false
	}
	return !slices.ContainsFunc(r.Match, func(m ArgumentMatch) bool { return !m.fits(c.Call.Arguments, r.Do) })
}

// fits reports whether arguments have what the match is about. Where that can
// be read in more than one way, it is read against the caller: leave needs
// every reading to fit, a denial or a question only one. Nobody knows how a
// tool reads a name that comes twice or in other letters, a number that is
// written otherwise, or what is no JSON at all.
func (m ArgumentMatch) fits(arguments string, do PolicyVerb) bool {
	if arguments == "" {
		arguments = "{}"
	}
	path, err := parsePath(m.Path)
	if err != nil || !json.Valid([]byte(arguments)) {
		return do != PolicyAllow
	}
	for _, s := range path.find(arguments, true) {
		if fit := m.fitsValue(arguments[s.start:s.end], do); fit != (do == PolicyAllow) {
			return fit
		}
	}
	return do == PolicyAllow && len(path.find(arguments, false)) > 0
}

// fitsValue reports whether a value in JSON is what the match is about.
func (m ArgumentMatch) fitsValue(value string, do PolicyVerb) bool {
	if glob(m.Pattern, plain(value)) {
		return true
	}
	number, err := strconv.ParseFloat(value, 64)
	return do != PolicyAllow && err == nil && glob(m.Pattern, strconv.FormatFloat(number, 'f', -1, 64))
}

// Problems says what is wrong with a rule, by field: name, do, hard, role, tool
// or match. Whether the agent and the connector are there is for the caller to
// check.
func (r PolicyRule) Problems() map[string]string {
	p := make(map[string]string)
	if n := utf8.RuneCountInString(r.Name); n == 0 || n > MaxRuleName || !utf8.ValidString(r.Name) || HasHidden(r.Name) {
		p["name"] = fmt.Sprintf("Enter a name of up to %d characters, without hidden ones.", MaxRuleName)
	}
	if !slices.Contains(PolicyVerbs, r.Do) {
		p["do"] = "Choose what the rule does: allow, ask or deny."
	}
	if r.Hard && r.Do != PolicyDeny {
		p["hard"] = "Only a denial can be one that nothing overrides."
	}
	if r.Role != "" && !slices.Contains(Roles, r.Role) {
		p["role"] = "Choose from admin, member and end_user."
	}
	if r.Tool != "" && !toolPattern.MatchString(r.Tool) {
		p["tool"] = "Enter the name of a tool; * stands for any text."
	}
	if len(r.Match) > MaxMatches {
		p["match"] = fmt.Sprintf("A rule may look at %d places.", MaxMatches)
	}
	for _, m := range r.Match {
		if _, err := parsePath(m.Path); err != nil {
			p["match"] = "Enter a path such as $.title or $.items[*].sku."
		}
		if m.Pattern == "" || len(m.Pattern) > MaxPattern || !utf8.ValidString(m.Pattern) {
			p["match"] = fmt.Sprintf("Enter a value of up to %d characters; * stands for any text.", MaxPattern)
		}
	}
	return p
}

// Summary says what the rule does, without its name.
func (r PolicyRule) Summary() string {
	var b strings.Builder
	b.WriteString(string(r.Do))
	if r.Hard {
		b.WriteString(" always")
	}
	b.WriteString(" " + cmp.Or(r.Tool, "*"))
	for _, part := range []struct{ lead, what string }{
		{" of ", r.Connector}, {" for ", string(r.Role)}, {" in ", string(r.Agent)},
	} {
		if part.what != "" {
			b.WriteString(part.lead + part.what)
		}
	}
	for _, m := range r.Match {
		b.WriteString(" where " + m.Path + " is " + m.Pattern)
	}
	return b.String()
}
