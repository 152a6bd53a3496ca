package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

const (
	// maxWords is the longest message of a page, in bytes.
	maxWords = 4 << 10
	// goodbyeWithin is how long a connection that ends has to take its last.
	goodbyeWithin = time.Second
)

var upgrader = websocket.Upgrader{
	ReadBufferSize: 1024, WriteBufferSize: 1024, WriteBufferPool: &sync.Pool{},
	// The handler has checked the origin by then.
	CheckOrigin: func(*http.Request) bool { return true },
}

// A socket is one page's connection. Two goroutines serve it, and sockets waits
// for them: one reads, one writes; the one that writes owns everything else.
type socket struct {
	session      string
	user         agent.UserID
	conversation agent.ConversationID
	conn         *websocket.Conn
	pace         Pace
	// check returns why the page may not be served any more, 0 while it may.
	check  func(context.Context) (closing, error)
	cancel context.CancelCauseFunc
	words  chan words
}

// A live is what happens, as fragments for one page. It belongs to the
// goroutine of its socket, but for begin and close it is only asked after
// begin.
type live interface {
	// begin brings the page from what it has to what is true now. Its frame is
	// never empty: it is how the page learns that it is connected.
	begin(ctx context.Context, have words) (*bytes.Buffer, error)
	// wake and moved are signalled when more and around have something to say.
	wake() <-chan struct{}
	more(ctx context.Context) (*bytes.Buffer, error)
	moved() <-chan struct{}
	around(ctx context.Context) (*bytes.Buffer, error)
	// again sends the whole draft of an attempt that the page lost track of.
	again(ctx context.Context, attempt agent.AttemptID) (*bytes.Buffer, error)
	// beat is a sign of life.
	beat(ctx context.Context) (*bytes.Buffer, error)
	close()
}

// words are what a page says: first what it has, later what it lacks.
type words struct {
	Seq       agent.Seq       `json:"seq"`
	Attempt   agent.AttemptID `json:"attempt"`
	Answer    int             `json:"answer"`
	Reasoning int             `json:"reasoning"`
	// Want names an attempt whose draft the page lost track of.
	Want agent.AttemptID `json:"want"`
}

// A closing is the cause of a socket's context that ended with a code.
type closing int

func (closing) Error() string { return "the socket was closed" }

// end closes the socket with a code. It does not wait.
func (k *socket) end(code int) { k.cancel(closing(code)) }

// follow serves the socket of a conversation's page.
func (s *Server) follow(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	return s.connect(w, r, v, id, s.newFollower(id, s.scene(v, id)))
}

// followPerson serves the socket of a page that shows no conversation.
func (s *Server) followPerson(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	section := views.Section(r.URL.Query().Get("section"))
	return s.connect(w, r, v, "", &personFollower{surround: s.newSurround(s.scene(v, ""), section)})
}

// connect upgrades the request to a socket, for a conversation or for none.
func (s *Server) connect(w http.ResponseWriter, r *http.Request, v visit, id agent.ConversationID, l live) error {
	if !s.originAllowed(r) {
		return errForeignOrigin
	}
	// The socket lives on without the request, whose memory it would hold.
	ctx, cancel := context.WithCancelCause(context.Background())
	k := &socket{
		session: v.id, user: v.user.ID, conversation: id,
		pace: s.config.Pace, cancel: cancel, words: make(chan words, 4),
		check: func(ctx context.Context) (closing, error) { return s.barred(ctx, v.signIn) },
	}
	// It is known before the page believes in it, so that whatever ends sockets
	// meanwhile ends this one too, and says why.
	if !s.sockets.add(k) {
		cancel(nil)
		return agent.ErrShutdown
	}
	var err error
	k.conn, err = upgrader.Upgrade(w, r, nil)
	if err != nil {
		cancel(nil)
		s.sockets.remove(k)
		return nil // the upgrader has answered
	}
	// A session that ended before its socket was known did not close it.
	if why, err := k.check(r.Context()); err != nil || why != 0 {
		k.end(closeSignedOut)
	}
	go func() {
		defer s.sockets.remove(k)
		defer s.closePanicked(k)
		k.run(ctx, l)
	}()
	return nil
}

// barred returns with what code a socket of a session has to close, 0 if it
// need not. A session that expires, and a person whom another program disabled,
// tell nobody: the socket asks.
func (s *Server) barred(ctx context.Context, n signIn) (closing, error) {
	alive, err := s.sessions.alive(ctx, n.token)
	if err != nil {
		return 0, err
	}
	if !alive {
		return closeSignedOut, nil
	}
	user, err := s.config.DB.Users().Get(ctx, n.user)
	switch {
	case errors.Is(err, models.ErrNotFound):
		return closeSignedOut, nil
	case err == nil && user.Disabled:
		return closeDisabled, nil
	}
	return 0, err
}

// closePanicked closes a socket whose goroutine panicked, and keeps the server
// running: the page comes back and is drawn anew.
func (s *Server) closePanicked(k *socket) {
	if value := recover(); value != nil {
		s.log.Error("panic", "route", "socket", "value", describePanic(value), "stack", string(debug.Stack()))
		k.cancel(nil)
		k.conn.Close()
	}
}

// run serves the connection to its end.
func (k *socket) run(ctx context.Context, l live) {
	defer k.cancel(nil)
	// A connection that takes or gives nothing does not hold up its end.
	defer context.AfterFunc(ctx, func() { _ = k.conn.NetConn().SetDeadline(time.Now().Add(goodbyeWithin)) })()
	var reading sync.WaitGroup
	reading.Go(func() { k.read(ctx) })
	k.serve(ctx, l)
	k.cancel(nil)
	if !k.goodbye(ctx) {
		k.conn.Close()
	}
	reading.Wait()
	k.conn.Close()
}

// read takes the page's words until the connection ends. Once the socket is to
// close they are read and dropped: closing with something unread would reset
// the connection, and the page would not learn why.
func (k *socket) read(ctx context.Context) {
	defer k.cancel(nil)
	k.conn.SetReadLimit(maxWords)
	hear := func() {
		if ctx.Err() != nil {
			return
		}
		_ = k.conn.SetReadDeadline(time.Now().Add(k.pace.Silence))
		if ctx.Err() != nil {
			_ = k.conn.SetReadDeadline(time.Now().Add(goodbyeWithin))
		}
	}
	_ = k.conn.SetReadDeadline(time.Now().Add(k.pace.Hello))
	k.conn.SetPongHandler(func(string) error { hear(); return nil })
	for {
		kind, data, err := k.conn.ReadMessage()
		if err != nil {
			return
		}
		if ctx.Err() != nil {
			continue
		}
		var said words
		if kind != websocket.TextMessage || json.Unmarshal(data, &said) != nil {
			k.end(websocket.CloseUnsupportedData)
			continue
		}
		hear()
		select {
		case k.words <- said:
		case <-ctx.Done():
		}
	}
}

// serve writes what there is to say until the connection ends.
func (k *socket) serve(ctx context.Context, l live) {
	send := func(frame *bytes.Buffer, err error) bool { return k.send(ctx, frame, err) }
	select {
	case have := <-k.words:
		defer l.close()
		if !send(l.begin(ctx, have)) {
			return
		}
	case <-ctx.Done():
		return
	}
	beat := time.NewTicker(k.pace.Beat)
	defer beat.Stop()
	for {
		var ok bool
		select {
		case <-l.wake():
			ok = send(l.more(ctx)) && k.breathe(ctx)
		case <-l.moved():
			ok = send(l.around(ctx)) && k.breathe(ctx)
		case said := <-k.words:
			ok = send(l.again(ctx, said.Want)) && k.breathe(ctx)
		case <-beat.C:
			ok = k.mayStay(ctx) && send(l.beat(ctx)) &&
				k.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(k.pace.Write)) == nil
		case <-ctx.Done():
		}
		if !ok {
			return
		}
	}
}

// mayStay ends a socket that may not be served any more.
func (k *socket) mayStay(ctx context.Context) bool {
	why, err := k.check(ctx)
	if err != nil {
		why = websocket.CloseInternalServerErr // the page comes back and finds out
	}
	if why != 0 {
		k.end(int(why))
	}
	return why == 0
}

// breathe leaves time for deltas to gather into one frame.
func (k *socket) breathe(ctx context.Context) bool {
	t := time.NewTimer(k.pace.Frame)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send writes a frame, unless there is nothing in it. An error of the follower
// ends the connection: the page comes back and is given what it lacks.
func (k *socket) send(ctx context.Context, frame *bytes.Buffer, err error) bool {
	if err != nil {
		if errors.Is(err, agent.ErrNotFound) {
			k.end(closeGone)
		} else {
			k.end(websocket.CloseInternalServerErr)
		}
		return false
	}
	if frame.Len() == 0 {
		return ctx.Err() == nil
	}
	_ = k.conn.SetWriteDeadline(time.Now().Add(k.pace.Write))
	return k.conn.WriteMessage(websocket.TextMessage, frame.Bytes()) == nil
}

// goodbye tells the page why the connection ends, and reports whether it has to
// be heard out.
func (k *socket) goodbye(ctx context.Context) bool {
	var code closing
	if !errors.As(context.Cause(ctx), &code) {
		return false
	}
	message := websocket.FormatCloseMessage(int(code), "")
	return k.conn.WriteControl(websocket.CloseMessage, message, time.Now().Add(goodbyeWithin)) == nil
}
