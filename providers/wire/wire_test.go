package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/providers/wire"
)

func TestOddTypesAreAbsent(t *testing.T) {
	t.Parallel()
	var v struct {
		Text  wire.Text
		Count wire.Count
		Loose wire.Loose[struct{ X wire.Text }]
	}
	for _, in := range []string{
		`{}`, `{"text":null,"count":null,"loose":null}`, `{"text":5,"count":"5","loose":[]}`,
		`{"text":{},"count":1.5,"loose":"x"}`, `{"text":[],"count":-1,"loose":{"x":1}}`, `{"count":99999999999999999999}`,
	} {
		if err := json.Unmarshal([]byte(in), &v); err != nil || v.Text.Set || v.Count.N != nil || v.Loose.V.X.Set {
			t.Errorf("%s: got %+v, %v", in, v, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"text":"a\n\u00e9","count":0,"loose":{"x":""}}`), &v); err != nil {
		t.Fatal(err)
	}
	if v.Text.S != "a\né" || v.Count.N == nil || *v.Count.N != 0 || !v.Loose.V.X.Set {
		t.Errorf("got %+v", v)
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		s  string
		ok bool
	}{
		``: {"", true}, `null`: {"", true}, `"a\u00e9"`: {"aé", true}, `"\uFFFD"`: {"\ufffd", true}, "\"\ufffd\"": {"\ufffd", true},
		`"\ud83d"`: {"\ufffd", false}, "\"\xff\"": {"\ufffd", false}, `5`: {"", false}, `{}`: {"", false},
	} {
		if s, ok := wire.Exact(json.RawMessage(in)); s != want.s || ok != want.ok {
			t.Errorf("%q: got %q, %v", in, s, ok)
		}
	}
}

func TestIsObject(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		`{}`: true, " \n{\"a\":1}\t": true, ``: false, `[]`: false, `null`: false, `{}{}`: false, `{`: false, `{"a":}`: false,
	} {
		if wire.IsObject([]byte(in)) != want {
			t.Errorf("%q: want %v", in, want)
		}
	}
}

func TestEncodeKeepsBytes(t *testing.T) {
	t.Parallel()
	const raw = `{"b":1.0,"a":"<&>\u00e9` + "\u2028" + `"}`
	if got, err := wire.Encode(json.RawMessage(raw)); string(got) != raw || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := wire.Encode(json.RawMessage(`{`)); err == nil {
		t.Error("what is no JSON is written")
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 9: "aé"} {
		if got := wire.Cut("aé", n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestTooComplex(t *testing.T) {
	t.Parallel()
	many := "[" + strings.Repeat("{},", 30_000) + "{}]"
	for name, tt := range map[string]struct {
		in   string
		want bool
	}{
		"small": {strings.Repeat("[", 1000), false}, "many objects": {many, true},
		"a long string": {`"` + strings.Repeat(`{[\"`, 30_000) + `"`, false},
	} {
		if wire.TooComplex([]byte(tt.in)) != tt.want {
			t.Errorf("%s: want %v", name, tt.want)
		}
	}
}
