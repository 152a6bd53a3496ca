package upstream

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"countersign/providers"
)

// An Answer is what an upstream sent: the head, and in place of a stream also
// the body.
type Answer struct {
	API    providers.API
	Status int
	Header http.Header
	Body   []byte    // its first 64 KiB are enough
	Now    time.Time // for delays given as a date
}

// Error describes a failure that Countersign found in the answer.
func (a Answer) Error(category providers.Category, code string) *providers.Error {
	e := NewError(a.API, category, code)
	e.HTTPStatus, e.RequestID = a.Status, RequestID(a.Header)
	return e
}

// Classify turns an answer into the error it stands for. The order of decision
// is: a specific code, a known message, the status, a general code. An answer
// with a status of success that holds no error object is a parser error,
// because a stream was due.
func Classify(a Answer) *providers.Error {
	r := readReport(a.Body)
	if !r.found && a.Status >= 200 && a.Status <= 299 {
		return a.Error(providers.CategoryParser, CodeUnexpectedContentType)
	}
	return a.decide(r)
}

// ClassifyFrame looks for an error in the data of a stream's event and reports
// whether there is one. A numeric code counts as the status would have, while
// the error keeps the status of the stream. Data above [MaxErrorBody] is not looked
// at.
func (a Answer) ClassifyFrame(data []byte) (*providers.Error, bool) {
	if len(data) > MaxErrorBody {
		return nil, false
	}
	r := readReport(data)
	if !r.found {
		return nil, false
	}
	return a.decide(r), true
}

func (a Answer) decide(r report) *providers.Error {
	status := a.Status
	if status >= 200 && status <= 299 {
		status = r.status
	}
	e := &providers.Error{API: a.API, HTTPStatus: a.Status, Code: firstAllowed(r.codes)}
	var fixed string
	e.Category, fixed = categorise(r, status)
	if fixed != "" {
		e.Code = fixed
	}
	if e.RequestID = RequestID(a.Header); e.RequestID == "" {
		e.RequestID = CleanID(r.requestID)
	}
	e.RetryAfter = retryAfter(a.Header, r, a.Now)
	e.Retryable = a.retryable(e.Category, status)
	return e
}

// retryable applies the exceptions among the statuses and the upstream's own
// word, which can't make an exhausted quota or a full context worth a retry.
func (a Answer) retryable(category providers.Category, status int) bool {
	switch a.Header.Get("X-Should-Retry") {
	case "true":
		return category != providers.CategoryQuota && category != providers.CategoryContextLength
	case "false":
		return false
	}
	switch {
	case status == http.StatusConflict && category == providers.CategoryInvalidRequest:
		return true
	case status == http.StatusHTTPVersionNotSupported:
		return false
	}
	return retryable(category, "")
}

// categorise returns the category and, if a message gave it away, a fixed code
// of ours that is more precise than the upstream's.
func categorise(r report, status int) (providers.Category, string) {
	switch {
	case r.daily:
		return providers.CategoryQuota, ""
	case r.reasons && (status == http.StatusForbidden || status == 0):
		return providers.CategoryContentFilter, ""
	}
	if c, ok := firstCategory(specific, r.codes); ok {
		return c, ""
	}
	if c, fixed := categoriseMessage(r, status); c != "" {
		return c, fixed
	}
	if status == http.StatusNotFound && strings.HasPrefix(r.param, "input") {
		return providers.CategoryInvalidRequest, ""
	}
	if status != 0 {
		return categoriseStatus(status), ""
	}
	if c, ok := firstCategory(general, r.codes); ok {
		return c, ""
	}
	return providers.CategoryServer, ""
}

func categoriseStatus(status int) providers.Category {
	switch status {
	case 401:
		return providers.CategoryAuthentication
	case 402:
		return providers.CategoryQuota
	case 403:
		return providers.CategoryPermission
	case 404, 410:
		return providers.CategoryNotFound
	case 408, 504, 524:
		return providers.CategoryTimeout
	case 429:
		return providers.CategoryRateLimit
	case 501:
		return providers.CategoryInvalidRequest
	case 503, 529:
		return providers.CategoryOverloaded
	}
	switch {
	case status >= 500:
		return providers.CategoryServer
	case status >= 400:
		return providers.CategoryInvalidRequest
	}
	// A redirect is not followed with a key in hand: the address is wrong.
	return providers.CategoryNotFound
}

var (
	thinkingSignature = regexp.MustCompile(`invalid\W+signature\W+in\W+thinking\W+block`)
	thoughtSignature  = regexp.MustCompile(`missing a\W+thought_signature`)
	unknownModel      = regexp.MustCompile(`\bmodels?\b.*(not found|does not exist|not supported for)|is not a valid model`)
	policy            = regexp.MustCompile(`policy|policies|safety`)

	contextLength = []string{
		"prompt is too long", "maximum context length", "context window", "exceeds the available context size",
		"input length should be", "input is too long", "context length of only", "too many tokens",
		"exceed_context_size", "maximum number of tokens allowed",
	}
	quota = []string{"specified api usage limits", "credit balance is too low", "insufficient balance"}
)

// categoriseMessage matches the messages that alone tell what happened. It
// returns "" when none does.
func categoriseMessage(r report, status int) (providers.Category, string) {
	switch {
	case thinkingSignature.MatchString(r.message):
		return providers.CategoryInvalidRequest, CodeThinkingSignatureInvalid
	case thoughtSignature.MatchString(r.message):
		return providers.CategoryInvalidRequest, CodeThoughtSignatureMissing
	case containsAny(r.message, quota):
		return providers.CategoryQuota, ""
	case firstAllowed(r.codes) == "invalid_prompt" && policy.MatchString(r.message):
		return providers.CategoryContentFilter, ""
	}
	switch status {
	case 401, 402, 403, 429:
		// The words of a rate limit on tokens resemble those of a full context.
		return "", ""
	case 400, 404:
		ofModel := r.param == "" || r.param == "model"
		if ofModel && (unknownModel.MatchString(r.message) || status == 404 && strings.HasPrefix(r.message, "model:")) {
			return providers.CategoryModelNotFound, ""
		}
	}
	if containsAny(r.message, contextLength) {
		return providers.CategoryContextLength, ""
	}
	return "", ""
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

func firstAllowed(codes []string) string {
	for _, c := range codes {
		if allowed(c) {
			return c
		}
	}
	return ""
}

func firstCategory(table map[string]providers.Category, codes []string) (providers.Category, bool) {
	for _, code := range codes {
		if c, ok := table[code]; ok {
			return c, true
		}
	}
	return "", false
}
