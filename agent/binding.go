package agent

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
)

// bind returns what a decision on a call covers: the run, the call, the tool,
// the tool's definition and the argument bytes as they are. Each part goes in
// with its length, so that no two lists of parts bind alike; there is no
// canonical form, because two spellings of the same value may be read
// differently (trap 25).
func bind(run RunID, c ToolCallRequested) string {
	return digest([]byte(run), []byte(c.Call), []byte(c.Tool), []byte(c.Definition), []byte(c.Arguments))
}

// hash returns what changes when the tool's definition does.
func (d ToolDefinition) hash() string {
	data, err := json.Marshal(d)
	if err != nil {
		panic("agent: tool " + d.Name + " has parameters that are not JSON")
	}
	return digest(data)
}

func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
