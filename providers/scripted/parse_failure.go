package scripted

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/providers"
)

// retryable says what a category means for another try, as the adapters
// classify it.
var retryable = map[providers.Category]bool{
	providers.CategoryAuthentication: false,
	providers.CategoryPermission:     false,
	providers.CategoryRateLimit:      true,
	providers.CategoryOverloaded:     true,
	providers.CategoryQuota:          false,
	providers.CategoryContextLength:  false,
	providers.CategoryInvalidRequest: false,
	providers.CategoryModelNotFound:  false,
	providers.CategoryNotFound:       false,
	providers.CategoryContentFilter:  false,
	providers.CategoryTimeout:        true,
	providers.CategoryNetwork:        true,
	providers.CategoryServer:         true,
	providers.CategoryParser:         false,
	providers.CategoryBlocked:        false,
	providers.CategoryConfiguration:  false,
}

// parseFailure reads "status CODE CATEGORY options" or "error CATEGORY
// options".
func parseFailure(verb, rest string) (event, error) {
	var f failure
	if verb == "status" {
		var number string
		number, rest = word(rest)
		status, err := strconv.Atoi(number)
		if err != nil || status < 400 || status > 599 {
			return nil, fmt.Errorf("want a status from 400 to 599, not %q", number)
		}
		f.status = status
	}
	category, rest := word(rest)
	f.category = providers.Category(category)
	again, ok := retryable[f.category]
	if !ok {
		return nil, fmt.Errorf("unknown category %q", category)
	}
	f.retryable = again
	for _, option := range strings.Fields(rest) {
		if err := f.set(option); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *failure) set(option string) error {
	key, value, _ := strings.Cut(option, "=")
	switch key {
	case "code":
		if !namePattern.MatchString(value) {
			return fmt.Errorf("want a code, not %q", value)
		}
		f.code = value
	case "retryable":
		again, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("want retryable=true or retryable=false, not %q", option)
		}
		f.retryable = again
	case "retry-after":
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 || d%time.Second != 0 || f.status == 0 {
			return fmt.Errorf("want whole seconds such as retry-after=2s on a status, not %q", option)
		}
		f.retryAfter = d
	default:
		return fmt.Errorf("unknown option %q", option)
	}
	return nil
}
