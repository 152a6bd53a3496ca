package connector

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"countersign/models"
)

// maxName is the longest name of a tool that every provider takes.
const maxName = 64

// Names returns what models call the tools of a connector, by what its server
// calls them: at most 64 of [A-Za-z0-9_-], each one different. A name that has
// to be changed gets a mark that depends on nothing else, so that it stays the
// same whatever other tools there are.
func Names(c models.Connector, list []models.ConnectorTool) map[string]string {
	names := make(map[string]string, len(list))
	for _, t := range list {
		plain := strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
				return r
			}
			return '_'
		}, t.Name)
		name := c.Prefix() + plain
		if plain != t.Name || len(name) > maxName {
			sum := sha256.Sum256([]byte(t.Name))
			mark := "_" + hex.EncodeToString(sum[:4])
			name = name[:min(len(name), maxName-len(mark))] + mark
		}
		names[t.Name] = name
	}
	return names
}
