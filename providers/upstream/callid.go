package upstream

import (
	"crypto/rand"
	"regexp"
	"strings"
)

var callIDPattern = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// CallID returns a provider's id of a tool call if it can stand for the call in
// the open and was not given out before, otherwise an id made here. Some
// proxies hide a signature in theirs. It notes in seen what it returns.
func CallID(id string, seen map[string]bool) string {
	if !callIDPattern.MatchString(id) || strings.Contains(id, "__thought__") || seen[id] {
		id = "call_" + rand.Text()
	}
	seen[id] = true
	return id
}
