package control

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	"countersign/models"
	"countersign/providers/sse"
)

// headerUser is in whose name a command asks the API, by email address; the
// only admin if it is missing.
const headerUser = "Countersign-User"

// program answers what a command asks the API for.
func (h handler) program(w http.ResponseWriter, r *http.Request) {
	as, err := h.person(r.Context(), r.Header.Get(headerUser))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.Site.Program(as).ServeHTTP(w, r)
}

func (h handler) person(ctx context.Context, email string) (models.User, error) {
	if email != "" {
		u, err := h.DB.Users().ByEmail(ctx, email)
		switch {
		case errors.Is(err, models.ErrNotFound):
			return u, errNoUser
		case err == nil && u.Disabled:
			return u, errBarred
		}
		return u, err
	}
	all, err := h.DB.Users().List(ctx)
	if err != nil {
		return models.User{}, err
	}
	var found []models.User
	for _, u := range all {
		if u.Role == models.RoleAdmin && !u.Disabled {
			found = append(found, u)
		}
	}
	if len(found) != 1 {
		return models.User{}, errWho
	}
	return found[0], nil
}

// A Person asks the API in somebody's name.
type Person struct {
	client *Client
	email  string
}

// As returns who asks in the name of a person, of the only admin with "".
func (c *Client) As(email string) Person { return Person{c, email} }

// Do asks for an operation of the API; its answer is decoded into out, unless
// that is nil. The error is an [*Error] if the API refused. A request that is
// made twice is carried out twice.
func (p Person) Do(ctx context.Context, method, path string, in, out any) error {
	res, err := p.send(ctx, method, path, in, http.Header{"Idempotency-Key": {rand.Text()}})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

func (p Person) send(ctx context.Context, method, path string, in any, header http.Header) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://countersign"+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	if p.email != "" {
		header.Set(headerUser, p.email)
	}
	r.Header = header
	return p.client.answered(ctx, r)
}

// An Event is an event of a run, as the API's /events tells of it.
type Event struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// What an event of a run takes at most, and all of them, in bytes.
const (
	maxEvent  = 16 << 20
	maxEvents = 1 << 40
)

// Events yields the events of a run to its end. It ends after the first error;
// [io.ErrUnexpectedEOF] says that the server has gone.
func (p Person) Events(ctx context.Context, run string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		res, err := p.send(ctx, http.MethodGet, "/v2/runs/"+run+"/events", nil, http.Header{})
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer res.Body.Close()
		for stream := sse.NewReader(res.Body, sse.Limits{Event: maxEvent, Stream: maxEvents}); ; {
			raw, err := stream.Next()
			var e Event
			switch {
			case errors.Is(err, io.EOF):
				err = io.ErrUnexpectedEOF
			case err == nil && (raw.Comment || raw.Unterminated):
				continue
			case err == nil:
				err = json.Unmarshal(raw.Data, &e)
			}
			if !yield(e, err) || err != nil || e.Type == "run_finished" {
				return
			}
		}
	}
}
