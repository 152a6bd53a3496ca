package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"countersign/static"
	"countersign/views"
)

// Every component in every state: axe-core finds nothing in either theme, and
// nothing is wider than a narrow window.
func TestGallery(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/static/", static.Handler())
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		if err := views.Gallery(views.Page{Title: "Components"}).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	p := newPage(t, server.URL, narrow)
	p.allow("WebSocket connection") // nothing happens to a component here
	p.visit("/", http.StatusOK)
	if p.overflows() {
		t.Error("wider than the window")
	}
	p.wantAccessible("landmark-unique") // what is once on a page is here in every state
}
