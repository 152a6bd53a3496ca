// Package control is how an operator's command reaches a data directory.
//
// What a command does goes over HTTP, as JSON, to a [Handler]. A running
// server serves one on a Unix socket in its data directory ([Start]); without
// a server, the command opens the directory itself and serves one to itself
// ([Dial]). Either way one process has the directory, and one piece of code
// does the work.
package control

import (
	"log/slog"
	"net/http"

	"countersign/models"
	"countersign/web"
)

// A Config is what a handler works with.
type Config struct {
	DB   *models.DB
	Site *web.Server
	// Tools are the names of the tools that agents may have.
	Tools []string
	Log   *slog.Logger
}

// maxBody is the longest request: a provisioning file with the files it names.
const maxBody = 8 << 20

// The addresses of the handler.
const (
	pathUsers        = "/users"
	pathPassword     = "/users/password"
	pathDisabled     = "/users/disabled"
	pathProviders    = "/providers"
	pathProviderTest = "/providers/test"
	pathKeys         = "/keys"
	pathKeyRevoke    = "/keys/revoke"
	pathApply        = "/apply"
	pathBackup       = "/backup"
	pathRotateKey    = "/rotate-key"
	pathRuns         = "/runs"
	pathResume       = "/runs/resume"
	pathExport       = "/export"
	pathImport       = "/import"
	pathProgram      = "/v2/" // the API, in the name of a person
)

// A handler carries out what a command asks for.
type handler struct{ Config }

// Handler serves the operations to whoever may open the socket. It asks for no
// password: the file system says who may.
func Handler(c Config) http.Handler {
	h := handler{c}
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(r *http.Request) (any, error){
		"GET " + pathUsers:         h.listUsers,
		"POST " + pathUsers:        h.createUser,
		"POST " + pathPassword:     h.setPassword,
		"POST " + pathDisabled:     h.setDisabled,
		"GET " + pathProviders:     h.listProviders,
		"POST " + pathProviderTest: h.testProvider,
		"GET " + pathKeys:          h.listKeys,
		"POST " + pathKeys:         h.createKey,
		"POST " + pathKeyRevoke:    h.revokeKey,
		"POST " + pathApply:        h.apply,
		"POST " + pathRotateKey:    h.rotateKey,
		"POST " + pathRuns:         h.listRuns,
		"POST " + pathResume:       h.resumeRun,
		"POST " + pathImport:       h.importFile,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			answer, err := do(r)
			if err != nil {
				h.fail(w, r, err)
				return
			}
			writeJSON(w, http.StatusOK, answer)
		})
	}
	mux.HandleFunc("GET "+pathBackup, h.backup)
	mux.HandleFunc("POST "+pathExport, h.export)
	mux.HandleFunc(pathProgram, h.program)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.fail(w, r, errUnknown) })
	return mux
}
