package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/upstream"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		key  string
		err  error
		code string
	}{
		{"a key", "sk-1_2.3", nil, ""},
		{"none", "", nil, upstream.CodeCredentialMissing},
		{"an unknown error", "", errors.New("canary"), upstream.CodeCredentialMissing},
		{"a known error", "", fmt.Errorf("canary: %w", providers.KeyError(providers.CodeKeyNeeded)), providers.CodeKeyNeeded},
		{"two lines", "canary\nX-Other: 1", nil, upstream.CodeCredentialInvalid},
		{"a space", "canary 2", nil, upstream.CodeCredentialInvalid},
		{"no ASCII", "canary-é", nil, upstream.CodeCredentialInvalid},
	} {
		got, err := upstream.Key(t.Context(), providers.APIAnthropic, func(context.Context) (string, error) { return c.key, c.err })
		if c.code == "" {
			if got != c.key || err != nil {
				t.Errorf("%s: got %q, %v", c.name, got, err)
			}
			continue
		}
		want := &providers.Error{Category: providers.CategoryConfiguration, API: providers.APIAnthropic, Code: c.code}
		if diff := cmp.Diff(error(want), err); diff != "" || got != "" || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got %q, %v: %s", c.name, got, err, diff)
		}
	}
}

func TestKey_EndOfTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	ask := func(ctx context.Context) (string, error) { return "", ctx.Err() }
	if _, err := upstream.Key(ctx, providers.APIResponses, ask); !errors.Is(err, gone) {
		t.Errorf("got %v, want the cause", err)
	}
}
