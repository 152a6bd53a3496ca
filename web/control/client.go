package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"countersign/agent"
	"countersign/models"
)

const (
	// dialWithin is how long Dial waits for a server that is starting, or for
	// another command to be done.
	dialWithin = 5 * time.Second
	dialEvery  = 50 * time.Millisecond
)

// ErrNoAnswer says that a process holds the data directory and takes no
// commands.
var ErrNoAnswer = errors.New("another process uses the data directory and does not answer on its socket")

// A Client asks a handler. Close it when done.
type Client struct {
	http  *http.Client
	close func() error
}

// Local is a data directory that this process has opened for a command.
type Local struct {
	Handler http.Handler
	Close   func() error
}

// Dial reaches the data directory: through the server that has it, or else by
// opening it here. open returns [models.ErrLocked] if a process has it. There
// never are two.
func Dial(ctx context.Context, dir string, open func(ctx context.Context) (*Local, error)) (*Client, error) {
	deadline := time.NewTimer(dialWithin)
	defer deadline.Stop()
	retry := time.NewTicker(dialEvery)
	defer retry.Stop()
	for {
		local, err := open(ctx)
		if err == nil {
			return local.client(), nil
		}
		if !errors.Is(err, models.ErrLocked) {
			return nil, err
		}
		if c := dialSocket(ctx, dir); c != nil {
			return c, nil
		}
		select {
		case <-retry.C:
		case <-deadline.C:
			return nil, ErrNoAnswer
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// dialSocket returns nil if nothing answers.
func dialSocket(ctx context.Context, dir string) *Client {
	path, err := socketPath(dir)
	if err != nil {
		return nil
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	probe, err := dial(ctx, "", "")
	if err != nil {
		return nil
	}
	_ = probe.Close()
	return newClient(dial, func() error { return nil })
}

func newClient(dial func(ctx context.Context, network, address string) (net.Conn, error), end func() error) *Client {
	transport := &http.Transport{DialContext: dial}
	return &Client{
		http: &http.Client{Transport: transport},
		close: func() error {
			transport.CloseIdleConnections()
			return end()
		},
	}
}

// client serves the handler to a client inside this process.
func (l *Local) client() *Client {
	listener := newPipes()
	server := &http.Server{Handler: l.Handler, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	return newClient(listener.dial, func() error {
		err := server.Close()
		<-done
		return errors.Join(err, l.Close())
	})
}

// Close lets the directory go.
func (c *Client) Close() error { return c.close() }

// send makes a request and returns its answer, which is a good one: the error
// is an [*Error] if the handler refused.
func (c *Client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://countersign"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return c.answered(ctx, r)
}

// answered makes a request and returns its answer, which is a good one.
func (c *Client) answered(ctx context.Context, r *http.Request) (*http.Response, error) {
	res, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask the server: %w", errors.Join(err, ctx.Err()))
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	var said errorBody
	if err := json.NewDecoder(io.LimitReader(res.Body, maxBody)).Decode(&said); err != nil || said.Error == nil {
		return nil, fmt.Errorf("the server answered with status %d", res.StatusCode)
	}
	return nil, said.Error
}

func call[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	var out T
	res, err := c.send(ctx, method, path, in)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return out, fmt.Errorf("read the server's answer: %w", err)
	}
	return out, nil
}

// Users returns everybody, in order of name.
func (c *Client) Users(ctx context.Context) ([]User, error) {
	return call[[]User](ctx, c, http.MethodGet, pathUsers, nil)
}

// CreateUser adds a person.
func (c *Client) CreateUser(ctx context.Context, n NewUser) (User, error) {
	return call[User](ctx, c, http.MethodPost, pathUsers, n)
}

// SetPassword gives a person a new password and signs them out everywhere.
func (c *Client) SetPassword(ctx context.Context, email, password string) (User, error) {
	return call[User](ctx, c, http.MethodPost, pathPassword, passwordRequest{email, password})
}

// SetDisabled bars a person from signing in and signs them out, or lets them
// in again.
func (c *Client) SetDisabled(ctx context.Context, email string, disabled bool) (User, error) {
	return call[User](ctx, c, http.MethodPost, pathDisabled, disabledRequest{email, disabled})
}

// Providers returns every connection, in order of name.
func (c *Client) Providers(ctx context.Context) ([]Provider, error) {
	return call[[]Provider](ctx, c, http.MethodGet, pathProviders, nil)
}

// TestProvider tries a connection. It takes about 10 seconds at most.
func (c *Client) TestProvider(ctx context.Context, name string) (ProviderTest, error) {
	return call[ProviderTest](ctx, c, http.MethodPost, pathProviderTest, providerRequest{name})
}

// Apply carries out a provisioning file, given with the texts of the files
// that it names.
func (c *Client) Apply(ctx context.Context, text string, files map[string]string) ([]Applied, error) {
	return call[[]Applied](ctx, c, http.MethodPost, pathApply, applyRequest{text, files})
}

// Runs returns the newest runs of a person's conversations, of the only admin's
// with "".
func (c *Client) Runs(ctx context.Context, user string, limit int) ([]Run, error) {
	return call[[]Run](ctx, c, http.MethodPost, pathRuns, runsRequest{user, limit})
}

// ResumeRun has whoever holds the directory go on with a run.
func (c *Client) ResumeRun(ctx context.Context, run string) error {
	_, err := call[struct{}](ctx, c, http.MethodPost, pathResume, resumeRequest{agent.RunID(run)})
	return err
}

// Export writes a conversation to a file. After an error what was written is
// no whole one.
func (c *Client) Export(ctx context.Context, w io.Writer, id string, markdown bool) error {
	res, err := c.send(ctx, http.MethodPost, pathExport, exportRequest{agent.ConversationID(id), markdown})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(w, res.Body); err != nil {
		return fmt.Errorf("receive the file: %w", err)
	}
	return nil
}

// Import opens a conversation of a person, of the only admin with "", that
// begins with what was said in another one. It is with the named agent, the
// default one with "".
func (c *Client) Import(ctx context.Context, user, agentName string, said agent.HistoryCopied) (agent.ConversationID, error) {
	out, err := call[importAnswer](ctx, c, http.MethodPost, pathImport, importRequest{user, agentName, said})
	return out.Conversation, err
}

// RotateKey replaces the sealing key.
func (c *Client) RotateKey(ctx context.Context) (Rotated, error) {
	return call[Rotated](ctx, c, http.MethodPost, pathRotateKey, nil)
}

// Backup writes a copy of the database and returns where the sealing key is,
// which is not in it, or "" if that is not in the data directory. After an
// error what was written is no backup.
func (c *Client) Backup(ctx context.Context, w io.Writer) (keyFile string, err error) {
	res, err := c.send(ctx, http.MethodGet, pathBackup, nil)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if _, err := io.Copy(w, res.Body); err != nil {
		return "", fmt.Errorf("receive the backup: %w", err)
	}
	return res.Header.Get(headerKeyFile), nil
}
