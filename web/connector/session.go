package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/agent"
	"countersign/models"
	"countersign/providers/upstream"
)

// protocol is the version that is asked for. Servers that know only earlier
// ones name theirs.
const protocol = "2025-11-25"

// aliveEvery is how often a server is asked whether it is there.
const aliveEvery = 30 * time.Second

// A session is an open connection.
type session struct {
	mcp     *mcp.ClientSession
	program *program     // nil over HTTP
	http    *http.Client // nil for a program
	done    chan struct{}
	lost    chan struct{} // a call found that it is gone
	changed chan struct{} // the list of tools is another one
	timeout time.Duration
}

// open connects. A session that comes with an error is to be ended.
func (l *link) open(ctx context.Context) (*session, error) {
	s := &session{done: make(chan struct{}), changed: make(chan struct{}, 1), lost: make(chan struct{}, 1), timeout: l.connector.Timeout}
	if s.timeout == 0 {
		s.timeout = models.DefaultConnectorTimeout
	}
	options := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case s.changed <- struct{}{}:
			default:
			}
		},
	}
	if l.connector.URL != "" {
		// The end of a program is seen; that of a server elsewhere is not.
		options.KeepAlive, options.KeepAliveFailureThreshold = aliveEvery, 3
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "countersign", Version: or(l.all.config.Version, "development")}, options)
	transport, err := s.transport(ctx, l)
	if err != nil {
		return s, err
	}
	if s.mcp, err = client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol}); err != nil {
		return s, err
	}
	go func() {
		_ = s.mcp.Wait()
		close(s.done)
	}()
	return s, nil
}

func (s *session) transport(ctx context.Context, l *link) (mcp.Transport, error) {
	c := l.connector
	if c.URL == "" {
		var err error
		if s.program, err = start(c, l.all.config.Getenv); err != nil {
			return nil, err
		}
		return &mcp.IOTransport{Reader: s.program.stdout, Writer: s.program.stdin, MaxLineLength: maxLine}, nil
	}
	headers, err := l.all.config.DB.Connectors().Headers(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	filled := make(http.Header)
	for name, value := range headers {
		text, err := fill(value.Reveal(), l.all.config.Getenv)
		if err != nil {
			return nil, err
		}
		filled.Set(name, text)
	}
	s.http = upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: c.AllowPrivateNetwork})
	s.http.Transport = &withHeaders{s.http.Transport, filled}
	return &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: s.http, MaxEventSize: maxLine}, nil
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// A missingVariable is the error for a header that names a variable which is
// not set.
type missingVariable string

func (m missingVariable) Error() string { return "The variable " + string(m) + " is not set." }

// fill puts variables of the server in the place of ${NAME}.
func fill(text string, getenv func(string) string) (string, error) {
	var missing error
	text = variable.ReplaceAllStringFunc(text, func(name string) string {
		name = name[2 : len(name)-1]
		value := getenv(name)
		if value == "" {
			missing = missingVariable(name)
		}
		return value
	})
	return text, missing
}

// end ends the connection, and the program if there is one.
func (s *session) end() {
	if s.program != nil {
		s.program.end()
	}
	if s.mcp != nil {
		_ = s.mcp.Close()
		<-s.done
	}
	if s.http != nil {
		s.http.CloseIdleConnections()
	}
}

func (s *session) stderr() string {
	if s.program == nil {
		return ""
	}
	return s.program.stderr.String()
}

// server is what the server says it is.
func (s *session) server() string {
	if i := s.mcp.InitializeResult(); i != nil && i.ServerInfo != nil {
		return clip(strings.TrimSpace(or(i.ServerInfo.Title, i.ServerInfo.Name)+" "+i.ServerInfo.Version), 100)
	}
	return ""
}

const (
	// maxTools is how many tools of a connector are taken.
	maxTools = 128
	maxPages = 50
	// What a declaration may have.
	maxSchema      = 64 << 10
	maxDescription = 8 << 10
	maxTitle       = 200
	maxToolName    = 128
)

// A listing is the tools of a server, in its order.
type listing struct {
	names    []string
	declared map[string]models.ToolDeclaration
}

// list asks for the tools. The notes say what was left out, and why.
func (s *session) list(ctx context.Context) (listing, []string, error) {
	all := listing{declared: make(map[string]models.ToolDeclaration)}
	var notes []string
	seen := map[string]bool{"": true}
	params := &mcp.ListToolsParams{}
	for range maxPages {
		page, err := s.mcp.ListTools(ctx, params)
		if err != nil {
			return listing{}, nil, err
		}
		for _, t := range page.Tools {
			d, problem := declaration(t)
			_, twice := all.declared[t.Name]
			switch {
			case problem == "" && twice:
				problem = "it is listed twice"
			case problem == "" && len(all.names) == maxTools:
				return all, append(notes, fmt.Sprintf("It lists more than %d tools; the others are left out.", maxTools)), nil
			}
			if problem != "" {
				notes = append(notes, clip(fmt.Sprintf("The tool %q is left out: %s.", clip(t.Name, 64), problem), 200))
				continue
			}
			all.names = append(all.names, t.Name)
			all.declared[t.Name] = d
		}
		if page.NextCursor == "" {
			return all, clipNotes(notes), nil
		}
		if seen[page.NextCursor] {
			return all, append(clipNotes(notes), "Its list of tools comes back to a page that was there before; the rest is left out."), nil
		}
		seen[page.NextCursor] = true
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
	return all, append(clipNotes(notes), "Its list of tools does not end; the rest is left out."), nil
}

func clipNotes(notes []string) []string {
	if more := len(notes) - 10; more > 0 {
		return append(notes[:10:10], fmt.Sprintf("So are %d others.", more))
	}
	return notes
}

// declaration reads what a server says of a tool, or says why it can't be
// offered to a model.
func declaration(t *mcp.Tool) (models.ToolDeclaration, string) {
	if t.Name == "" || len(t.Name) > maxToolName {
		return models.ToolDeclaration{}, "its name is empty or too long"
	}
	if agent.HasHidden(t.Name) {
		return models.ToolDeclaration{}, "its name has hidden characters"
	}
	schema, ok := t.InputSchema.(map[string]any)
	if kind, named := schema["type"]; !ok || named && kind != "object" {
		return models.ToolDeclaration{}, "its arguments are not described by a schema of an object"
	}
	if _, named := schema["type"]; !named {
		schema["type"] = "object"
	}
	text, err := json.Marshal(schema)
	switch {
	case err != nil || len(text) > maxSchema:
		return models.ToolDeclaration{}, "the schema of its arguments is too long"
	case len(t.Description) > maxDescription:
		return models.ToolDeclaration{}, "its description is too long"
	}
	d := models.ToolDeclaration{Title: t.Title, Description: t.Description, Schema: string(text)}
	if a := t.Annotations; a != nil {
		d.Title = or(d.Title, a.Title)
		d.ReadOnly, d.Destructive, d.Idempotent, d.OpenWorld = a.ReadOnlyHint, a.DestructiveHint, a.IdempotentHint, a.OpenWorldHint
	}
	d.Title = clip(strings.TrimSpace(d.Title), maxTitle)
	return d, ""
}

// withHeaders sends headers with each request.
type withHeaders struct {
	next    http.RoundTripper
	headers http.Header
}

func (t *withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range t.headers {
		r.Header[name] = values
	}
	answer, err := t.next.RoundTrip(r)
	if err == nil && !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		answer.Body = http.MaxBytesReader(nil, answer.Body, maxLine)
	}
	return answer, err
}

// words says in a sentence why a connection could not be made or ended,
// without what a server wrote.
func words(err error) string {
	var missing missingVariable
	var dial *os.PathError
	switch {
	case errors.Is(err, errSlow), errors.Is(err, context.DeadlineExceeded):
		return "It did not answer in time."
	case errors.As(err, &missing):
		return missing.Error()
	case errors.Is(err, models.ErrWrongKey), errors.Is(err, models.ErrDamaged):
		return "The saved headers can’t be read with this server’s sealing key. Enter them again."
	case errors.Is(err, errEnded):
		return "The connection ended."
	case errors.As(err, &dial), isNotFound(err):
		return "The program could not be started. Check the command and the directory."
	case isRefused(err) && upstream.IsBlocked(err):
		return "This address is on this machine or in a private network, which is not allowed for this connector."
	case isRefused(err):
		return "Nothing answers at this address."
	}
	return "The server does not speak MCP here, or refused the connection."
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// clip cuts a text to a number of bytes.
func clip(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
