package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// maxBody bounds a body: a message of 128 KiB is six times that when each of
// its characters is escaped.
const maxBody = 1 << 20

// readBody reads the whole of a body. It must say that it is JSON, unless
// there is none.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge(tooLarge.Limit)
	case err != nil:
		return nil, errJSON("it broke off")
	case len(body) > 0 && !isJSON(r.Header.Get("Content-Type")):
		return nil, errMediaType
	case !utf8.Valid(body):
		return nil, errJSON("it is not UTF-8")
	}
	return body, nil
}

func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset, said := params["charset"]
	return err == nil && kind == "application/json" && (!said || strings.EqualFold(charset, "utf-8"))
}

// decode reads the one JSON object that a body is. Fields that are not known
// are refused by name.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		return errJSON("it is empty")
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return errJSON("it can’t be read")
	case errors.As(err, &wrong) && wrong.Field == "":
		return errJSON("it is a JSON " + wrong.Value)
	case errors.As(err, &wrong):
		return invalid("The field %q can’t be a JSON %s.", short(wrong.Field), wrong.Value)
	default:
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return invalid("There is no field %s.", short(name))
		}
		return errJSON("it can’t be read")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errJSON("there is more behind it")
	}
	if trimmed := bytes.TrimSpace(body); trimmed[0] != '{' {
		return errJSON("it is a JSON null")
	}
	return nil
}

// short bounds what is repeated of a request.
func short(name string) string {
	if runes := []rune(name); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return name
}

// encode is JSON on one line, however odd the text in it. It fails for nothing
// that this package makes.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("api: an answer that is not JSON")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	if body == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the program has gone: nobody to tell
}
