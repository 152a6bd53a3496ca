// Package upload looks at files that people attach: what they are is found in
// their bytes and in nothing else, and what is no image, PDF or plain text is
// refused.
package upload

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/agent"
	"countersign/models"
)

// MaxText is how long a text file may be, in characters.
const MaxText = 200_000

// maxName bounds the name of a file, in bytes.
const maxName = 200

// Inspect returns a file as it is to be stored. An [*agent.InputError] says why
// it is refused.
func Inspect(ctx context.Context, name string, data []byte) (models.Upload, error) {
	u := models.Upload{Name: cleanName(name), Type: http.DetectContentType(data), Data: data}
	switch {
	case len(data) == 0:
		return u, refuse("%s is empty.", u.Name)
	case len(data) > agent.MaxAttachment:
		return u, TooLarge(u.Name)
	case decoders[u.Type] != nil:
		var err error
		u.Preview, err = preview(ctx, u)
		return u, err
	case u.Type == agent.TypePDF:
		return u, nil
	}
	// Markup is text here, whatever its name says: nothing ever renders it.
	u.Type = agent.TypeText
	switch {
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return u, refuse("%s can’t be attached: files are PNG, JPEG, WebP or GIF images, PDF files, or plain text in UTF-8.", u.Name)
	case utf8.RuneCount(data) > MaxText:
		return u, refuse("%s is too long: a text file can have %d characters.", u.Name, MaxText)
	}
	return u, nil
}

// TooLarge refuses a file before it has arrived.
func TooLarge(name string) error {
	return refuse("%s is too large: a file can have %d MB.", cleanName(name), agent.MaxAttachment>>20)
}

func refuse(format string, args ...any) error {
	return &agent.InputError{Message: fmt.Sprintf(format, args...)}
}

// cleanName returns the last part of a name, on one line. Names come from
// other people's computers.
func cleanName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, name))
	if name == "" || name == "." || name == ".." || name == "/" {
		return "file"
	}
	if len(name) <= maxName {
		return name
	}
	// The end says what it is.
	ext := path.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	name = name[:maxName-len(ext)]
	for !utf8.ValidString(name) {
		name = name[:len(name)-1]
	}
	return name + ext
}
