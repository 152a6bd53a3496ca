package upload_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/web/upload"
)

// picture encodes an image.
func picture(t *testing.T, kind string, w, h int) []byte {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, w, h), palette.Plan9)
	m.Pix[len(m.Pix)/2] = 7
	var b bytes.Buffer
	var err error
	switch kind {
	case "image/png":
		err = png.Encode(&b, m)
	case "image/jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "image/gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// resized says another size in the head of a PNG.
func resized(data []byte, w, h uint32) []byte {
	data = bytes.Clone(data)
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// webp is one of 1 × 1 pixels, without loss.
const webp = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// The type comes from the bytes; a picture is drawn anew.
func TestInspect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, want string }{
		{"a.txt", string(picture(t, "image/png", 9, 9)), "image/png"},
		{"a.svg", string(picture(t, "image/jpeg", 900, 90)), "image/jpeg"},
		{"a.png", string(picture(t, "image/gif", 1, 2000)), "image/gif"},
		{"a.png", webp, "image/webp"},
		{"a.html", "%PDF-1.7\n<script>alert(1)</script>", agent.TypePDF},
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, agent.TypeText},
		{"a.html", "<!doctype html><script>alert(1)</script>", agent.TypeText},
		{"a.md", "Grüße", agent.TypeText},
	} {
		got, err := upload.Inspect(t.Context(), c.name, []byte(c.data))
		if err != nil || got.Type != c.want || string(got.Data) != c.data {
			t.Errorf("%.20q: got %s, %v, want %s", c.data, got.Type, err, c.want)
		}
		if !strings.HasPrefix(c.want, "image/") {
			if got.Preview != nil {
				t.Errorf("%.20q has a preview", c.data)
			}
			continue
		}
		small, kind, err := image.Decode(bytes.NewReader(got.Preview))
		if err != nil || kind != "jpeg" || small.Bounds().Dx() > 480 || small.Bounds().Dy() > 480 {
			t.Errorf("the preview of %s is %s, %v", c.want, kind, err)
		}
	}
}

// What is neither an image, a PDF nor text is refused, and so is a picture that
// would not fit into memory: nothing of it is decoded.
func TestInspect_Refused(t *testing.T) {
	t.Parallel()
	small := picture(t, "image/png", 4, 4)
	for name, c := range map[string]struct{ data, want string }{
		"nothing":            {"", "is empty"},
		"a program":          {"\x7fELF\x02\x01\x01\x00", "can’t be attached"},
		"an archive":         {"PK\x03\x04rest\x00", "can’t be attached"},
		"text in UTF-16":     {"\xff\xfea\x00", "can’t be attached"},
		"a long text":        {strings.Repeat("ä", upload.MaxText+1), "too long"},
		"too much":           {strings.Repeat("a", agent.MaxAttachment+1), "too large"},
		"a bomb":             {string(resized(small, 16000, 16000)), "too many"},
		"a narrow bomb":      {string(resized(small, 1<<30, 1)), "too many"},
		"half a picture":     {string(small[:len(small)-20]), "can’t be read"},
		"a head and markup":  {"\x89PNG\r\n\x1a\n<svg onload=alert(1)>", "can’t be read"},
		"markup after a GIF": {"GIF89a<script>alert(1)</script>", "too many"},
	} {
		_, err := upload.Inspect(t.Context(), "evil\n.png", []byte(c.data))
		var refused *agent.InputError
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, c.want) || !strings.Contains(refused.Message, "evil.png") {
			t.Errorf("%s: got %v, want one that says %q", name, err, c.want)
		}
	}
}

func TestInspect_Name(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a b.txt": "a b.txt", "": "file", "../../etc/passwd": "passwd", `C:\x\y.txt`: "y.txt", "..": "file", "a\x00\r\nb": "ab", "a/": "a", " ": "file", "\xff": "file",
		strings.Repeat("ä", 300) + ".txt": strings.Repeat("ä", 98) + ".txt",
	} {
		got, err := upload.Inspect(t.Context(), name, []byte("x"))
		if err != nil || got.Name != want {
			t.Errorf("%q: got %q, %v, want %q", name, got.Name, err, want)
		}
	}
}
