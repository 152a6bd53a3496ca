package webtest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/tools"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/web"
	"countersign/web/api"
	"countersign/web/catalog"
	"countersign/web/connector"
	"countersign/web/inspect"
)

// Who exists on a new server.
const (
	AdminEmail  = "admin@example.com"
	MemberEmail = "member@example.com"
	Password    = "correct horse battery" // of both
)

// A Server is a running server with an admin and a member.
type Server struct {
	URL    string
	Data   string // the data directory
	DB     *models.DB
	Engine *agent.Engine
	Clock  *Clock
	// Admin and Member are signed in. They are nil on an empty server.
	Admin  *Client
	Member *Client

	// Connectors are connected when what is stored of them changes.
	Connectors *connector.Connectors

	// Site is what serves the pages.
	Site *web.Server

	tb      testing.TB
	log     *logBuffer
	catalog *catalog.Catalog
}

type options struct {
	web   web.Config
	empty bool
	env   map[string]string
}

// An Option changes how a server is set up.
type Option func(*options)

// Empty leaves the server without any user.
func Empty() Option { return func(o *options) { o.empty = true } }

// PublicURL declares where browsers reach the server.
func PublicURL(u string) Option { return func(o *options) { o.web.PublicURL = u } }

// TrustedProxy declares a reverse proxy.
func TrustedProxy() Option { return func(o *options) { o.web.TrustedProxy = true } }

// Env sets an environment variable of the server.
func Env(name, value string) Option { return func(o *options) { o.env[name] = value } }

// Pace has the sockets keep another pace.
func Pace(p web.Pace) Option { return func(o *options) { o.web.Pace = p } }

// API bounds what programs may ask for.
func API(l api.Limits) Option { return func(o *options) { o.web.API = l } }

// New starts a server. It stops when the test ends.
func New(tb testing.TB, list ...Option) *Server {
	tb.Helper()
	o := options{env: make(map[string]string)}
	for _, apply := range list {
		apply(&o)
	}
	s := &Server{tb: tb, Data: tb.TempDir(), Clock: &Clock{now: time.Now()}, log: &logBuffer{}}
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.DB = modelstest.OpenConfig(tb, models.Config{
		Dir: s.Data, Now: s.Clock.Now, Logger: log, Getenv: func(name string) string { return o.env[name] },
	})
	s.catalog = catalog.New(s.DB, log)
	tb.Cleanup(s.catalog.Close)
	s.Connectors = connector.New(connector.Config{DB: s.DB, Log: log, Getenv: func(name string) string {
		if value, set := o.env[name]; set || name != "PATH" {
			return value
		}
		return os.Getenv(name)
	}})
	tb.Cleanup(s.Connectors.Close)
	s.startEngine(log)

	o.web.DB, o.web.Engine, o.web.Logger, o.web.Now = s.DB, s.Engine, log, s.Clock.Now
	o.web.Connect, o.web.Connectors = s.catalog.Open, s.Connectors
	var err error
	if s.Site, err = web.New(o.web); err != nil {
		tb.Fatal(err)
	}
	s.catalog.Hear(s.Site.ProviderUsed)
	server := httptest.NewServer(s.Site.Handler())
	s.URL = server.URL
	tb.Cleanup(func() {
		if err := s.Site.Shutdown(context.Background()); err != nil {
			tb.Errorf("stop the site: %v", err)
		}
		server.Close()
	})
	if !o.empty {
		s.addPeople(o.web.PublicURL == "" && !o.web.TrustedProxy)
	}
	return s
}

func (s *Server) startEngine(log *slog.Logger) {
	s.tb.Helper()
	inspector := inspect.New()
	s.tb.Cleanup(inspector.Close)
	s.Engine = agent.NewEngine(agent.Config{
		Journal: s.DB.Journal(), Index: s.DB.Journal(), Catalog: s.catalog,
		People: s.DB.Users(), Rulebook: s.DB.Rules(), Inspector: inspector, Attachments: s.DB.Attachments(), Models: s.catalog,
		Tools: tools.All(s.DB.Notes()), Connectors: s.Connectors, Log: log,
	})
	if err := s.Engine.Start(s.tb.Context()); err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() {
		if err := s.Engine.Shutdown(context.Background()); err != nil {
			s.tb.Errorf("stop the engine: %v", err)
		}
	})
}

// addPeople creates the admin and the member, and signs them in unless the
// server gives its cookie over TLS only.
func (s *Server) addPeople(signIn bool) {
	s.tb.Helper()
	for _, n := range []models.NewUser{
		{Email: AdminEmail, Name: "Ada Admin", Role: models.RoleAdmin},
		{Email: MemberEmail, Name: "Max Member", Role: models.RoleMember},
	} {
		n.Password = models.NewSecret(Password)
		if _, err := s.DB.Users().Create(s.tb.Context(), n); err != nil {
			s.tb.Fatal(err)
		}
	}
	if signIn {
		s.Admin, s.Member = s.SignIn(AdminEmail), s.SignIn(MemberEmail)
	}
}

// Browser returns a browser that is not signed in.
func (s *Server) Browser() *Client { return newClient(s.tb, s.URL) }

// SignIn returns a browser in which that person has signed in.
func (s *Server) SignIn(email string) *Client {
	s.tb.Helper()
	c := s.Browser()
	if got := c.Post("/login", url.Values{"email": {email}, "password": {Password}}); got.Status != http.StatusSeeOther {
		s.tb.Fatalf("sign in as %s: got %d\n%s", email, got.Status, got.Body)
	}
	return c
}

// SetupURL returns the path of the link that the server would print.
func (s *Server) SetupURL() string {
	s.tb.Helper()
	link, err := s.Site.SetupURL(s.tb.Context(), "")
	if err != nil {
		s.tb.Fatal(err)
	}
	return link
}

// Disable bars a person from signing in.
func (s *Server) Disable(email string) {
	s.tb.Helper()
	list, err := s.DB.Users().List(s.tb.Context())
	if err != nil {
		s.tb.Fatal(err)
	}
	for _, u := range list {
		if u.Email == email {
			err = s.DB.Users().SetDisabled(s.tb.Context(), u.ID, true)
		}
	}
	if err != nil {
		s.tb.Fatal(err)
	}
}

// Log returns what the server has logged, as JSON lines.
func (s *Server) Log() string { return s.log.text() }

// A logBuffer collects lines from many goroutines.
type logBuffer struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes.Write(p)
}

func (b *logBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes.String()
}
