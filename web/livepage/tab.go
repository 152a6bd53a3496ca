package livepage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// A Tab is a page and the connection that keeps it. It is not safe for
// concurrent use. Close it.
type Tab struct {
	*Page
	Conn *websocket.Conn
	// Frames counts what was applied.
	Frames int

	frames chan string
	ended  error // why the connection ended, once frames is closed
	wanted int
}

// Connect opens the page's socket at a server, http://HOST:PORT, and says what
// the page has. The header holds the cookies of whoever looks.
func Connect(ctx context.Context, server string, header http.Header, page *Page) (*Tab, error) {
	t, err := Dial(ctx, server, header, page)
	if err != nil {
		return nil, err
	}
	if err := t.Say(page.Hello()); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Dial is Connect for a page that says nothing yet.
func Dial(ctx context.Context, server string, header http.Header, page *Page) (*Tab, error) {
	header = header.Clone()
	if header.Get("Origin") == "" {
		header.Set("Origin", server)
	}
	address := strings.Replace(server, "http", "ws", 1) + page.Live()
	conn, res, err := websocket.DefaultDialer.DialContext(ctx, address, header)
	if err != nil {
		if res != nil {
			return nil, &RefusedError{res.StatusCode}
		}
		return nil, fmt.Errorf("connect: %w", err)
	}
	t := &Tab{Page: page, Conn: conn, frames: make(chan string, 1024)}
	go t.read()
	return t, nil
}

// A RefusedError is an answer that opens no socket.
type RefusedError struct{ Status int }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the socket was refused with status %d", e.Status)
}

// Say sends a message.
func (t *Tab) Say(message string) error {
	return t.Conn.WriteMessage(websocket.TextMessage, []byte(message))
}

// Close ends the connection and waits for what serves it here. The page keeps
// what it has.
func (t *Tab) Close() {
	_ = t.Conn.Close()
	for range t.frames {
	}
}

func (t *Tab) read() {
	defer close(t.frames)
	for {
		_, data, err := t.Conn.ReadMessage()
		if err != nil {
			t.ended = err
			return
		}
		t.frames <- string(data)
	}
}

// Next applies the next frame, and asks for the drafts that the page lost
// track of. The error is a [*websocket.CloseError] when the server closed the
// connection.
func (t *Tab) Next(ctx context.Context) error {
	select {
	case frame, ok := <-t.frames:
		if !ok {
			return t.ended
		}
		t.Frames++
		if err := t.Apply(frame); err != nil {
			return fmt.Errorf("frame %d: %w\n%s", t.Frames, err, frame)
		}
		for ; t.wanted < len(t.Wanted); t.wanted++ {
			if err := t.Say(fmt.Sprintf(`{"want":%q}`, t.Wanted[t.wanted])); err != nil {
				return err
			}
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ErrNotYet says that Until gave up.
var ErrNotYet = errors.New("the page did not come to that")

// Until applies frames until the page is as wanted.
func (t *Tab) Until(within time.Duration, wanted func(*Page) bool) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), within, ErrNotYet)
	defer cancel()
	for !wanted(t.Page) {
		if err := t.Next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Closed reads until the server closes the connection and returns its code.
func (t *Tab) Closed(within time.Duration) (int, error) {
	err := t.Until(within, func(*Page) bool { return false })
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		return closed.Code, nil
	}
	return 0, err
}
