package web

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"countersign/views"
)

// A handlerFunc answers a request, or returns an error before it has written
// anything.
type handlerFunc func(w http.ResponseWriter, r *http.Request) error

// handle adapts a route to net/http: it checks the access that the route asks
// for and answers errors.
func (s *Server) handle(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requestOf(r.Context()).route = rt.pattern
		err := s.allow(rt.access, r)
		if err == nil {
			err = rt.handle(w, r)
		}
		if err != nil {
			s.serveError(w, r, err)
		}
	})
}

// render writes a view, whole or not at all.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, view templ.Component) error {
	var page bytes.Buffer
	if err := view.Render(r.Context(), &page); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // the browser has gone: nobody to tell
	return nil
}

// renderError writes the page for an error, or a toast for a form that was sent
// in the background: its page stays. If even that can't be rendered,
// its sentence goes out as plain text.
func (s *Server) renderError(w http.ResponseWriter, r *http.Request, said answer, known bool) {
	if inBackground(r) {
		notice := views.Notice{Tone: views.ToneBad, Title: said.title + ".", Text: said.text}
		if err := s.render(w, r, said.status, views.Toast(notice)); err == nil {
			return
		}
	}
	props := views.ErrorProps{Title: said.title, Text: said.text}
	if !known {
		props.Request = requestOf(r.Context()).id
	}
	_, props.SignedIn = currentUser(r.Context())
	if err := s.render(w, r, said.status, views.ErrorPage(props)); err != nil {
		if r.Context().Err() == nil { // else the client has gone, or never sent its request
			s.log.ErrorContext(r.Context(), "render the error page", "request", requestOf(r.Context()).id, "error", err)
		}
		http.Error(w, said.title+". "+said.text, said.status)
	}
}

// redirect ends a POST: the browser fetches the address, whose page shows the
// notice once. An empty notice shows none.
func (s *Server) redirect(w http.ResponseWriter, r *http.Request, address, notice string) error {
	if v, ok := r.Context().Value(visitKey).(visit); ok && notice != "" {
		if err := s.sessions.setNotice(r.Context(), v.token, notice); err != nil {
			return err
		}
	}
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// readForm parses the body of a POST, within the limit on bodies.
func readForm(r *http.Request) error {
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	if err == nil || errors.As(err, &tooLarge) {
		return err
	}
	return errBadForm
}
