// Package static holds what browsers fetch besides pages: one stylesheet, a
// few ES modules, the icons and the vendored htmx. There is no build step; the
// stylesheet is joined from css/ when the program starts.
//
// Everything is served below one directory that is named after a hash of the
// contents, so that browsers may keep it for ever and modules may import each
// other by relative paths.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed css js img vendor
var files embed.FS

// Stylesheet is the name of the joined stylesheet.
const Stylesheet = "app.css"

// sheets are the parts of the stylesheet, in the order of the cascade. Layers
// settle precedence between groups; within a group, order does.
var sheets = []string{
	"tokens", "base", "shell", "button", "field", "tag", "timeline", "prose", "code",
	"attempt", "tool", "card", "fault", "composer", "notice", "page", "door",
	"details", "gallery", "motion", "util",
}

// types are the content types of what is served, by extension. A file of
// another type is not an asset.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// assets are the served files by name; hash names them all.
var assets, hash = load()

// prefix is where assets are served.
const prefix = "/static/"

// URL returns the address of an asset, for example "js/app.js". It panics if
// there is none, because names are written in templates.
func URL(name string) string {
	if _, ok := assets[name]; !ok {
		panic("static: no asset " + name)
	}
	return prefix + hash + "/" + name
}

// Handler serves the assets below /static/. Only the current hash is known:
// everything else is 404.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, prefix+hash+"/")
		body, found := assets[name]
		if !ok || !found {
			w.Header().Set("Cache-Control", "no-store")
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", types[path.Ext(name)])
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
}

// load reads the embedded files, joins the stylesheet and hashes the result.
func load() (map[string][]byte, string) {
	loaded := make(map[string][]byte)
	sum := sha256.New()
	add := func(name string, body []byte) {
		loaded[name] = body
		fmt.Fprintf(sum, "%s %d\n%s", name, len(body), body)
	}
	add(Stylesheet, join())
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Dir(name) == "css" || types[path.Ext(name)] == "" {
			return err
		}
		body, err := files.ReadFile(name)
		add(name, body)
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("static: read the embedded files: %v", err))
	}
	return loaded, hex.EncodeToString(sum.Sum(nil)[:8])
}

func join() []byte {
	var b bytes.Buffer
	b.WriteString("@layer base, shell, parts, util;\n")
	for _, name := range sheets {
		body, err := files.ReadFile("css/" + name + ".css")
		if err != nil {
			panic(fmt.Sprintf("static: the list of sheets names %s: %v", name, err))
		}
		b.Write(body)
	}
	return b.Bytes()
}
