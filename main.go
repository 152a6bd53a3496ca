// Countersign is a self-hosted agent chat: people talk to an agent in the
// browser, and a tool call that matters waits for their countersignature.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"countersign/agent"
	"countersign/agent/tools"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/upstream"
	"countersign/web"
)

// version is set by the build.
var version = "development"

// shutdownWithin is how long a stop may take before the process ends anyway.
// Nothing is lost then: the next start goes on from the journal.
const shutdownWithin = 15 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "countersign:", err)
		}
		stop()
		os.Exit(exitCode(err))
	}
}

// usageError is a command line that can't be followed.
type usageError struct{ error }

func exitCode(err error) int {
	var usage usageError
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		return 2
	}
	return 1
}

// run carries out a command line until it is done or the context ends.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	command := "serve"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	switch command {
	case "serve":
		c, err := parseConfig(args, getenv, stderr)
		if err != nil {
			return err
		}
		return serve(ctx, c, getenv, stdout, stderr)
	case "version":
		_, err := fmt.Fprintln(stdout, "countersign", version)
		return err
	}
	return usageError{fmt.Errorf("there is no command %q; the commands are serve and version", command)}
}

type config struct {
	addr, data, publicURL, logLevel, logFormat string
	trustedProxy                               bool
}

func parseConfig(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("countersign serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	text := func(to *string, name, env, otherwise, help string) {
		if v := getenv(env); v != "" {
			otherwise = v
		}
		flags.StringVar(to, name, otherwise, help+" ("+env+")")
	}
	text(&c.addr, "addr", "COUNTERSIGN_ADDR", "127.0.0.1:8080", "address to listen on; port 0 chooses one")
	text(&c.data, "data", "COUNTERSIGN_DATA", "./data", "data directory")
	text(&c.publicURL, "public-url", "COUNTERSIGN_PUBLIC_URL", "", "where browsers reach the server, if not at its address")
	text(&c.logLevel, "log-level", "COUNTERSIGN_LOG_LEVEL", "info", "debug, info, warn or error")
	text(&c.logFormat, "log-format", "COUNTERSIGN_LOG_FORMAT", "text", "text or json")
	flags.BoolVar(&c.trustedProxy, "trusted-proxy", getenv("COUNTERSIGN_TRUSTED_PROXY") == "true",
		"every request comes through a reverse proxy that sets X-Forwarded-For and X-Forwarded-Proto (COUNTERSIGN_TRUSTED_PROXY=true)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return c, err
	case err != nil:
		return c, usageError{err}
	case flags.NArg() > 0:
		return c, usageError{fmt.Errorf("unexpected %q; options begin with --", flags.Arg(0))}
	case !slices.Contains([]string{"text", "json"}, c.logFormat):
		return c, usageError{fmt.Errorf("--log-format is text or json, not %q", c.logFormat)}
	}
	return c, nil
}

func newLogger(c config, w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
		return nil, usageError{fmt.Errorf("--log-level is debug, info, warn or error, not %q", c.logLevel)}
	}
	options := &slog.HandlerOptions{Level: level}
	if c.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return slog.New(slog.NewTextHandler(w, options)), nil
}

// serve opens the data directory and serves it until the context ends.
func serve(ctx context.Context, c config, getenv func(string) string, stdout, stderr io.Writer) (err error) {
	log, err := newLogger(c, stderr)
	if err != nil {
		return err
	}
	key, err := sealingKey(getenv)
	if err != nil {
		return err
	}
	db, err := models.Open(ctx, models.Config{Dir: c.data, Key: key, Getenv: getenv, Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	connections := catalog{db, connect.New()}
	defer connections.Close()
	engine := agent.NewEngine(agent.Config{
		Journal: db.Journal(), Index: db.Journal(), Catalog: connections, Tools: tools.All(db.Notes()), Log: log,
	})
	site, err := web.New(web.Config{
		DB: db, Engine: engine, Connect: connections.open,
		PublicURL: c.publicURL, TrustedProxy: c.trustedProxy, Logger: log,
	})
	if err != nil {
		return usageError{err}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.addr, err)
	}
	if err := engine.Start(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler: site.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	base := "http://" + listener.Addr().String()
	fmt.Fprintln(stdout, "listening on", base)
	if url, err := site.SetupURL(ctx, base); err != nil {
		log.Error("prepare the first-time setup", "error", err)
	} else if url != "" {
		fmt.Fprintln(stdout, "first-time setup:", url)
	}

	select {
	case <-ctx.Done():
	case err = <-served:
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWithin)
	defer cancel()
	return errors.Join(err, server.Shutdown(within), site.Shutdown(within), engine.Shutdown(within))
}

// sealingKey is the key for stored credentials, "" to use the file beside the
// database.
func sealingKey(getenv func(string) string) (models.Secret, error) {
	if path := getenv("COUNTERSIGN_KEY_FILE"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			return models.Secret{}, fmt.Errorf("read COUNTERSIGN_KEY_FILE: %w", err)
		}
		return models.NewSecret(string(data)), nil
	}
	return models.NewSecret(getenv("COUNTERSIGN_KEY")), nil
}

// A catalog is what is configured, in the words of the agent.
type catalog struct {
	db *models.DB
	*connect.Connections
}

func (c catalog) Agent(ctx context.Context, id agent.AgentID) (agent.Agent, error) {
	return c.db.Agents().Get(ctx, id)
}

func (c catalog) Connect(ctx context.Context, ref agent.ModelRef) (agent.Connection, error) {
	row, err := c.db.Providers().Get(ctx, ref.Provider)
	if errors.Is(err, models.ErrNotFound) {
		err = upstream.NewError("", providers.CategoryConfiguration, "provider_removed")
	}
	if err != nil {
		return agent.Connection{}, err
	}
	p, err := c.open(ctx, row)
	return agent.Connection{Provider: p, Retry: row.Retry}, err
}

func (c catalog) open(_ context.Context, p models.Provider) (providers.Provider, error) {
	config := connect.Config{
		ID: p.ID, API: p.API, BaseURL: p.BaseURL, AllowPrivateNetwork: p.AllowPrivateNetwork,
		StreamUsage: p.StreamUsage, MaxOutputTokens: p.MaxOutputTokens,
		Bounds: upstream.Bounds{FirstByte: p.Timeouts.FirstByte, Idle: p.Timeouts.Idle, Attempt: p.Timeouts.Attempt},
	}
	if p.Credential != models.CredentialNone {
		config.Key = func(ctx context.Context) (string, error) {
			key, err := c.db.Providers().Key(ctx, p.ID)
			return key.Reveal(), err
		}
	}
	return c.Connections.Open(config)
}
