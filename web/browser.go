package web

import (
	"net/http"
	"strings"
	"unicode"
)

// The parts of a User-Agent that people know, those that others also contain
// last.
var (
	browsers = []struct{ part, name string }{
		{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []struct{ part, name string }{
		{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"},
		{"CrOS", "ChromeOS"}, {"Macintosh", "macOS"}, {"Linux", "Linux"},
	}
)

// maxProgram is the longest name of a program that is no known browser.
const maxProgram = 40

// browserOf says coarsely what sent a request, for its person to recognise.
// It is a claim of the client; versions are left out.
func browserOf(r *http.Request) string {
	claim := r.UserAgent()
	find := func(list []struct{ part, name string }) string {
		for _, known := range list {
			if strings.Contains(claim, known.part) {
				return known.name
			}
		}
		return ""
	}
	browser, system := find(browsers), find(systems)
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	}
	program, _, _ := strings.Cut(claim, "/")
	program = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, program)
	if program = strings.TrimSpace(program[:min(len(program), maxProgram)]); program != "" {
		return program
	}
	return "An unknown browser"
}
