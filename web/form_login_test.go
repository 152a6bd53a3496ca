package web

import "testing"

func TestLocalAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"/":                     true,
		"/c/c_1?before=4":       true,
		"/settings/providers":   true,
		"":                      false,
		"c/c_1":                 false,
		"//evil.example":        false,
		"/\\evil.example":       false,
		"\\\\evil.example":      false,
		"/\t/evil.example":      false,
		"https://evil.example/": false,
		"javascript:alert(1)":   false,
		"/%zz":                  false,
	} {
		got := localAddress(address)
		if want && got != address || !want && got != "" {
			t.Errorf("%q: got %q, want it kept: %v", address, got, want)
		}
	}
}
