package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.runner()
	messages := "/v2/conversations/" + p.open() + "/messages"
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
		says   string
	}{
		"nothing":                {"", http.StatusBadRequest, "invalid_json", "empty"},
		"no JSON":                {"text", http.StatusBadRequest, "invalid_json", ""},
		"half of it":             {`{"text":"x"`, http.StatusBadRequest, "invalid_json", ""},
		"two":                    {`{"text":"x"}{}`, http.StatusBadRequest, "invalid_json", "more"},
		"a list":                 {`[]`, http.StatusBadRequest, "invalid_json", "array"},
		"null":                   {`null`, http.StatusBadRequest, "invalid_json", "null"},
		"not UTF-8":              {"{\"text\":\"\xff\"}", http.StatusBadRequest, "invalid_json", "UTF-8"},
		"an unknown field":       {`{"text":"x","colour":"red"}`, http.StatusUnprocessableEntity, "invalid_request", `"colour"`},
		"an unknown inner field": {`{"text":"x","output":{"sound":true}}`, http.StatusUnprocessableEntity, "invalid_request", `"sound"`},
		"another type":           {`{"text":7}`, http.StatusUnprocessableEntity, "invalid_request", `"text"`},
		"no text":                {`{}`, http.StatusUnprocessableEntity, "invalid_request", "message"},
		"blank":                  {`{"text":" \n"}`, http.StatusUnprocessableEntity, "invalid_request", "message"},
		"long":                   {`{"text":"` + strings.Repeat("x", 128<<10+1) + `"}`, http.StatusUnprocessableEntity, "invalid_request", "128 KB"},
		"far too long":           {`{"text":"` + strings.Repeat("x", 1<<20) + `"}`, http.StatusRequestEntityTooLarge, "body_too_large", "1024 KiB"},
	} {
		got := p.do(http.MethodPost, messages, c.body)
		got.refused(t, name, c.status, c.code)
		if !strings.Contains(got.text, strings.ReplaceAll(c.says, `"`, `\"`)) {
			t.Errorf("%s: got %s, want it to say %s", name, got.text, c.says)
		}
	}
	for kind, status := range map[string]int{
		"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=latin-1": 415,
		"application/json; charset=UTF-8": 422, "Application/JSON": 422,
	} {
		r := p.request(t.Context(), http.MethodPost, messages, `{"text":""}`)
		r.Header.Set("Content-Type", kind)
		if kind == "" {
			r.Header.Del("Content-Type")
		}
		got := p.send(r)
		if got.status != status {
			t.Errorf("Content-Type %q: got %d, want %d", kind, got.status, status)
		}
		if status == 415 {
			got.refused(t, kind, status, "unsupported_media_type")
		}
	}
	c := p.read(strings.Split(messages, "/")[3])
	if len(c.Messages) != 0 || c.Run != nil {
		t.Errorf("something was recorded: %+v", c)
	}
}

func TestNewConversation_Refused(t *testing.T) {
	t.Parallel()
	p := newWorld(t, "").runner()
	for body, says := range map[string]string{
		`{"agent":"a_none"}`: "no agent",
		`{"model":{"provider":"p_none","name":"scripted-1"}}`: "not offered",
		`{"title":"x"}`: "no field",
	} {
		got := p.do(http.MethodPost, "/v2/conversations", body)
		got.refused(t, body, http.StatusUnprocessableEntity, "invalid_request")
		if !strings.Contains(got.text, says) {
			t.Errorf("%s: got %s", body, got.text)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=x", "?cursor=x", "?archived=maybe"} {
		p.do(http.MethodGet, "/v2/conversations"+query, nil).refused(t, query, http.StatusUnprocessableEntity, "invalid_request")
	}
	id := p.open()
	for _, query := range []string{"?before=0", "?before=-1", "?before=x", "?before=99999999999999999999"} {
		p.do(http.MethodGet, "/v2/conversations/"+id+query, nil).refused(t, query, http.StatusUnprocessableEntity, "invalid_request")
	}
}
