package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	socketFile = "countersign.sock"
	// pathFile holds the socket's path where the data directory's is too long
	// for one: systems allow about a hundred bytes.
	pathFile = "countersign.sock.path"
	// maxSocketPath is what every system allows.
	maxSocketPath = 103
)

// A Server serves a handler on the socket of a data directory.
type Server struct {
	http  *http.Server
	files []string // to remove
	done  chan error
}

// Start serves on the socket. The caller holds the lock of the directory, so a
// socket that is there is one that a killed server left.
func Start(dir string, h http.Handler, log *slog.Logger) (*Server, error) {
	listener, files, err := listen(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the command socket: %w", err), removeAll(files))
	}
	s := &Server{
		http: &http.Server{
			Handler: h, ReadHeaderTimeout: 10 * time.Second,
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
		files: files, done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

// Shutdown lets commands that are under way end, within the context, and
// removes the socket.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.done
	return errors.Join(err, removeAll(s.files))
}

// listen opens the socket for its owner alone, and returns what to remove
// later, also with an error.
func listen(dir string) (listener net.Listener, files []string, err error) {
	path, err := filepath.Abs(filepath.Join(dir, socketFile))
	if err != nil {
		return nil, nil, err
	}
	note := filepath.Join(dir, pathFile)
	if old, err := os.ReadFile(note); err == nil {
		_ = removeAll([]string{string(old), filepath.Dir(string(old)), note}) // of a killed server
	}
	if len(path) > maxSocketPath {
		private, err := os.MkdirTemp("", "countersign-") // 0700
		if err != nil {
			return nil, nil, err
		}
		path = filepath.Join(private, "sock")
		files = []string{path, private, note}
		if err := os.WriteFile(note, []byte(path), 0o600); err != nil {
			return nil, files, err
		}
	} else {
		files = []string{path}
		if err := removeAll(files); err != nil {
			return nil, nil, err
		}
	}
	if listener, err = net.Listen("unix", path); err != nil {
		return nil, files, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, files, errors.Join(err, listener.Close())
	}
	return listener, files, nil
}

// removeAll removes files and empty directories, those that are there.
func removeAll(files []string) error {
	var errs []error
	for _, f := range files {
		if err := os.Remove(f); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// socketPath is where the socket of a directory is, if there is one.
func socketPath(dir string) (string, error) {
	noted, err := os.ReadFile(filepath.Join(dir, pathFile))
	if err == nil {
		return strings.TrimSpace(string(noted)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return filepath.Abs(filepath.Join(dir, socketFile))
}
