package models_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"countersign/models"
)

func TestSecret_IsNeverShown(t *testing.T) {
	t.Parallel()
	const text = "hunter2-hunter2"
	s := models.NewSecret(text)
	holder := struct {
		Key  models.Secret
		Ptr  *models.Secret
		List []models.Secret
		Map  map[string]models.Secret
		key  models.Secret // fmt can't call its methods
	}{s, &s, []models.Secret{s}, map[string]models.Secret{"k": s}, s}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%40s", "%-5.3v", "%p"} {
		for _, v := range []any{s, &s, holder, &holder, []any{s}} {
			shown = append(shown, fmt.Sprintf(verb, v))
		}
	}
	shown = append(shown, fmt.Sprint(s), fmt.Sprintln(&s), s.String(), s.GoString(), fmt.Errorf("x: %v", s).Error(), errors.New(s.String()).Error())

	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info(s.String(), "key", s, "ptr", &s, "holder", holder, slog.Group("g", "key", s))
	}
	shown = append(shown, log.String())

	for _, v := range []any{s, &s, holder} {
		data, err := json.Marshal(v)
		if err != nil || !strings.Contains(string(data), "[redacted]") {
			t.Errorf("JSON: %s, %v", data, err)
		}
		shown = append(shown, string(data))
	}
	data, err := xml.Marshal(s)
	shown = append(shown, string(data))
	if err != nil {
		t.Errorf("XML: %v", err)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err == nil {
		t.Error("gob took a secret")
	}
	shown = append(shown, b.String())

	for _, got := range shown {
		for _, form := range []string{text, text[:3], fmt.Sprintf("%x", text), fmt.Sprintf("%X", text)} {
			if strings.Contains(got, form) {
				t.Errorf("%q shows the secret", got)
			}
		}
	}
	if s.Reveal() != text || s.Empty() || !(models.Secret{}).Empty() {
		t.Error("the secret itself is wrong")
	}
}
