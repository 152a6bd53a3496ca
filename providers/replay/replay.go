// Package replay ties the private state of a model API to where it came from,
// so that it goes back to nobody else and only beside what it was given with
// (contract P27 to P29, P32).
package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"countersign/providers"
)

// Binding names what private state is bound to: the connection, the API, the
// address and the model. The key is not among them, so rotating it is free.
func Binding(connection string, api providers.API, base, model string) string {
	return digest(connection, string(api), base, model)
}

// CallDigest names a call by its name and arguments, so that a signature never
// goes out with altered ones. It leaves the id out: the caller may know the
// call by one of its own.
func CallDigest(c providers.ToolCall) string { return digest(c.Name, c.Arguments) }

// CallDigests does so for several, in order.
func CallDigests(calls []providers.ToolCall) []string {
	var list []string
	for _, c := range calls {
		list = append(list, CallDigest(c))
	}
	return list
}

// SameCalls reports whether the digests are those of exactly these calls.
func SameCalls(digests []string, calls []providers.ToolCall) bool {
	return slices.Equal(digests, CallDigests(calls))
}

// digest hashes its parts, each with its length.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Pack puts state under its binding. Raw JSON inside keeps its bytes, but for
// the space between them. It returns nil if state is no JSON.
func Pack(binding string, state any) *providers.Replay {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(state) != nil {
		return nil
	}
	return &providers.Replay{Binding: binding, State: bytes.TrimSuffix(b.Bytes(), []byte{'\n'})}
}

// Unpack reads into state what Pack put under the same binding. It reports
// false for what is bound elsewhere or is of another form.
func Unpack(r providers.Replay, binding string, state any) bool {
	return r.Binding == binding && json.Unmarshal(r.State, state) == nil
}
