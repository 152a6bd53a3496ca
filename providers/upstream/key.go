package upstream

import (
	"context"
	"errors"
	"strings"

	"countersign/providers"
)

// Key asks for the key of one request and checks that a header can carry it.
// The error is the cause of the context if that has ended, else a
// [*providers.Error] of category configuration; one that ask returns keeps its
// code.
func Key(ctx context.Context, api providers.API, ask func(context.Context) (string, error)) (string, error) {
	key, err := ask(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var known *providers.Error
	unprintable := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case errors.As(err, &known):
		return "", NewError(api, providers.CategoryConfiguration, known.Code)
	case err != nil, key == "":
		return "", NewError(api, providers.CategoryConfiguration, CodeCredentialMissing)
	case strings.ContainsFunc(key, unprintable):
		return "", NewError(api, providers.CategoryConfiguration, CodeCredentialInvalid)
	}
	return key, nil
}
