package models

import (
	"bytes"
	"encoding/binary"
	"errors"

	"countersign/providers"
)

// A replay is stored as the length of its binding, the binding and the state.
// JSON would not give the state back byte for byte, and some services sign it.

func encodeReplay(r providers.Replay) ([]byte, error) {
	if len(r.Binding) > 1<<16-1 {
		return nil, errors.New("the binding of a replay is too long")
	}
	b := binary.BigEndian.AppendUint16(nil, uint16(len(r.Binding)))
	return append(append(b, r.Binding...), r.State...), nil
}

func decodeReplay(b []byte) (providers.Replay, error) {
	if len(b) < 2 || len(b)-2 < int(binary.BigEndian.Uint16(b)) {
		return providers.Replay{}, errors.New("a stored replay is cut")
	}
	n := 2 + int(binary.BigEndian.Uint16(b))
	return providers.Replay{Binding: string(b[2:n]), State: bytes.Clone(b[n:])}, nil
}
