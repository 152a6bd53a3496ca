package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/providers/upstream"
	"countersign/views"
)

const (
	maxKey        = 16 << 10 // bytes; the longest keys are tokens with claims
	maxModels     = 200
	maxModelName  = 200
	maxOutputCeil = 1 << 20
)

// A providerForm is what the page of a provider sends.
type providerForm struct {
	name        string
	baseURL     string
	private     bool
	credential  string // one of views.Credential*
	key         string // "" keeps the saved one
	env         string
	models      []string
	streamUsage bool
	maxOutput   string
	test        bool // test once saved
}

func parseProvider(r *http.Request) (providerForm, error) {
	if err := readForm(r); err != nil {
		return providerForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	form := providerForm{
		name:        text("name"),
		baseURL:     text("base_url"),
		private:     r.PostFormValue("private") == "on",
		credential:  text("credential"),
		key:         text("key"),
		env:         text("env"),
		streamUsage: r.PostFormValue("stream_usage") == "on",
		maxOutput:   text("max_output"),
		test:        r.PostFormValue("do") == "test",
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(r.PostFormValue("models")) {
		if model := strings.TrimSpace(line); model != "" && !seen[model] {
			seen[model] = true
			form.models = append(form.models, model)
		}
	}
	return form, nil
}

// problems says what is wrong, by field. keySaved tells that an empty key
// stands for one.
func (f providerForm) problems(keySaved bool) map[string]string {
	found := make(map[string]string)
	note := func(field, problem string) {
		if problem != "" {
			found[field] = problem
		}
	}
	note("name", nameProblem(f.name))
	note("base_url", baseURLProblem(f.baseURL, f.private))
	note("models", modelsProblem(f.models))
	if _, ok := f.outputTokens(); !ok {
		note("max_output", fmt.Sprintf("Enter a whole number from 1 to %d, or nothing.", maxOutputCeil))
	}
	switch f.credential {
	case views.CredentialSealed:
		note("key", keyProblem(f.key, keySaved))
	case views.CredentialEnv:
		if !envName.MatchString(f.env) {
			note("env", "Enter the name of a variable: letters, digits and underscores.")
		}
	case views.CredentialNone:
	default:
		note("key", "Choose where the credential is kept.")
	}
	return found
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// outputTokens reads the limit on output, 0 if there is none.
func (f providerForm) outputTokens() (int, bool) {
	if f.maxOutput == "" {
		return 0, true
	}
	n, err := strconv.Atoi(f.maxOutput)
	return n, err == nil && n >= 1 && n <= maxOutputCeil
}

func nameProblem(name string) string {
	switch {
	case name == "":
		return "Enter a name."
	case !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName:
		return fmt.Sprintf("A name has at most %d characters.", maxName)
	}
	return ""
}

func keyProblem(key string, saved bool) string {
	switch {
	case key == "" && !saved:
		return "Enter the key, or choose another way to keep it."
	case len(key) > maxKey:
		return "That is too long for a key."
	case strings.ContainsFunc(key, func(c rune) bool { return c <= 0x20 || c >= 0x7f }):
		return "A key is one line of plain characters without spaces."
	}
	return ""
}

func modelsProblem(models []string) string {
	if len(models) == 0 {
		return "Enter at least one model id."
	}
	if len(models) > maxModels {
		return fmt.Sprintf("There can be %d models at most.", maxModels)
	}
	for _, model := range models {
		if len(model) > maxModelName || !utf8.ValidString(model) {
			return fmt.Sprintf("A model id has at most %d bytes.", maxModelName)
		}
	}
	return ""
}

// baseURLReasons are the words for a base URL that can't be used.
var baseURLReasons = map[upstream.BaseURLReason]string{
	upstream.BaseURLMalformed: "Enter a whole address, such as https://api.example/v1.",
	upstream.BaseURLScheme:    "The address must start with http:// or https://.",
	upstream.BaseURLUserinfo:  "Leave user and password out of the address. A key goes into its own field.",
	upstream.BaseURLQuery:     "Leave out the question mark and what follows it.",
	upstream.BaseURLFragment:  "Leave out the # and what follows it.",
	upstream.BaseURLBlocked:   "Countersign never connects to this address.",
}

func baseURLProblem(raw string, private bool) string {
	var refused *upstream.BaseURLError
	if err := upstream.ValidateBaseURL(raw); errors.As(err, &refused) {
		return baseURLReasons[refused.Reason]
	}
	if !private && namesPrivate(raw) {
		return "This address is on this machine or in a private network. Tick the box below if that is meant."
	}
	return ""
}

// namesPrivate reports whether the address can be seen to be private. Where a
// name leads is judged at each connection.
func namesPrivate(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && !upstream.AddressAllowed(addr, false)
}
