package chatcompletions

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A chunk is the data of one event. Fields that we do not need are not named,
// and those that vendors fill in odd ways are read as far as they fit.
type chunk struct {
	Choices *[]choice       `json:"choices"`
	Usage   *usage          `json:"usage"`
	Groq    loose[groq]     `json:"x_groq"`
	Error   json.RawMessage `json:"error"`
	ID      text            `json:"id"`
}

type groq struct {
	Usage *usage `json:"usage"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        delta           `json:"delta"`
	Message      json.RawMessage `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Usage        *usage          `json:"usage"`
	native
}

type delta struct {
	Content          content                  `json:"content"`
	ReasoningContent text                     `json:"reasoning_content"`
	Reasoning        text                     `json:"reasoning"`
	ReasoningDetails loose[[]json.RawMessage] `json:"reasoning_details"`
	Refusal          text                     `json:"refusal"`
	ToolCalls        []callDelta              `json:"tool_calls"`
	FunctionCall     json.RawMessage          `json:"function_call"`
	ExtraContent     json.RawMessage          `json:"extra_content"`
	native
}

// native is what a proxy's upstream said, where the proxy says it.
type native struct {
	Reason   text `json:"native_finish_reason"`
	Specific loose[struct {
		Reason text `json:"native_finish_reason"`
	}] `json:"provider_specific_fields"`
}

func (n native) reason() string {
	if n.Reason.s != "" {
		return n.Reason.s
	}
	return n.Specific.v.Reason.s
}

type callDelta struct {
	Index    json.RawMessage `json:"index"`
	ID       string          `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// arguments returns the fragment of the arguments, or false if it is no string
// or holds what no string can: half a character would silently become another.
func (d callDelta) arguments() (string, bool) {
	raw := d.Function.Arguments
	if absent(raw) {
		return "", true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	if strings.ContainsRune(s, utf8.RuneError) {
		meant := bytes.Contains(raw, []byte("\ufffd")) || bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
		return s, meant
	}
	return s, true
}

// text is a JSON string. Null and values of another type leave it unset.
type text struct {
	set bool
	s   string
}

func (t *text) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return nil
	}
	t.set = true
	if plain := b[1 : len(b)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		t.s = string(plain)
		return nil
	}
	return json.Unmarshal(b, &t.s)
}

// content is a string, or a list of parts of which the text parts count.
type content struct {
	text
	odd bool // neither of them
}

func (c *content) UnmarshalJSON(b []byte) error {
	switch {
	case absent(b):
		return nil
	case b[0] == '"':
		return c.text.UnmarshalJSON(b)
	}
	var parts []struct {
		Type text `json:"type"`
		Text text `json:"text"`
	}
	if json.Unmarshal(b, &parts) != nil {
		c.odd = true
		return nil
	}
	for _, p := range parts {
		if p.Type.s == "text" {
			c.set = true
			c.s += p.Text.s
		}
	}
	return nil
}

// loose is a T as far as the types fit; what does not fit stays unset.
type loose[T any] struct{ v T }

func (l *loose[T]) UnmarshalJSON(b []byte) error {
	_ = json.Unmarshal(b, &l.v)
	return nil
}

func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}
