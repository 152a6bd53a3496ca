package control

import "net/http"

func (h handler) rotateKey(r *http.Request) (any, error) {
	count, err := h.DB.RotateKey(r.Context())
	if err != nil {
		return nil, err
	}
	h.Log.InfoContext(r.Context(), "sealing key rotated", "resealed", count)
	return Rotated{Resealed: count, KeyFile: h.DB.KeyFile()}, nil
}

// backup streams the copy, so that the command writes it with its own rights.
// One that breaks off is no whole answer of HTTP, which the command notices.
func (h handler) backup(w http.ResponseWriter, r *http.Request) {
	out := &startedWriter{ResponseWriter: w}
	w.Header().Set("Content-Type", "application/vnd.sqlite3")
	if file := h.DB.KeyFile(); file != "" {
		w.Header().Set(headerKeyFile, file)
	}
	err := h.DB.Backup(r.Context(), out)
	switch {
	case err == nil:
		h.Log.InfoContext(r.Context(), "backed up")
	case !out.started:
		h.fail(w, r, err)
	default:
		if r.Context().Err() == nil {
			h.Log.ErrorContext(r.Context(), "backup broke off", "error", err)
		}
		panic(http.ErrAbortHandler)
	}
}

// A startedWriter knows whether anything was written.
type startedWriter struct {
	http.ResponseWriter
	started bool
}

func (w *startedWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}
