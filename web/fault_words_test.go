package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"countersign/providers"
)

func TestEveryCategoryHasWords(t *testing.T) {
	t.Parallel()
	for _, category := range []providers.Category{
		providers.CategoryAuthentication, providers.CategoryPermission, providers.CategoryRateLimit,
		providers.CategoryOverloaded, providers.CategoryQuota, providers.CategoryContextLength,
		providers.CategoryInvalidRequest, providers.CategoryModelNotFound, providers.CategoryNotFound,
		providers.CategoryContentFilter, providers.CategoryTimeout, providers.CategoryNetwork,
		providers.CategoryServer, providers.CategoryParser, providers.CategoryBlocked, providers.CategoryConfiguration,
	} {
		got := faultOf(&providers.Error{Category: category})
		if got.OK || got.Title == "" || got.Text == "" || got.Facts[0].Value != string(category) {
			t.Errorf("%s: got %q, %q, %v", category, got.Title, got.Text, got.Facts)
		}
	}
}

func TestFaultsThatAreNoProviderErrors(t *testing.T) {
	t.Parallel()
	late := faultOf(fmt.Errorf("probe: %w", context.DeadlineExceeded))
	if late.Title != faultWords[providers.CategoryTimeout].title {
		t.Errorf("the time limit: got %q", late.Title)
	}
	odd := faultOf(errors.New("canary"))
	if odd.Title != faultWords[providers.CategoryServer].title || strings.Contains(fmt.Sprint(odd), "canary") {
		t.Errorf("an unknown error: got %v", odd)
	}
}
