// Countersign is a self-hosted agent chat: people talk to an agent in the
// browser, and a tool call that matters waits for their countersignature.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"countersign/agent"
	"countersign/agent/tools"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/upstream"
	"countersign/web"
	"countersign/web/command"
	"countersign/web/control"
	"countersign/web/provision"
)

// version is set by the build.
var version = "development"

// shutdownWithin is how long a stop may take before the process ends anyway.
// Nothing is lost then: the next start goes on from the journal.
const shutdownWithin = 15 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := command.Program{
		Version: version, Tools: toolNames(tools.All(nil)), Getenv: os.Getenv,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Serve: serve, Open: openForCommand,
	}
	code := p.Main(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func toolNames(list []agent.Tool) []string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Definition().Name
	}
	return names
}

// openData opens the data directory and what connects to its providers.
func openData(ctx context.Context, dir string, log *slog.Logger) (catalog, error) {
	key, err := sealingKey(os.Getenv)
	if err != nil {
		return catalog{}, err
	}
	db, err := models.Open(ctx, models.Config{Dir: dir, Key: key, Logger: log})
	return catalog{db, connect.New()}, err
}

// openForCommand opens the data directory for a command while no server has
// it. Nothing runs in it.
func openForCommand(ctx context.Context, dir string, log *slog.Logger) (*control.Local, error) {
	c, err := openData(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	site, err := web.New(web.Config{DB: c.db, Connect: c.open, Logger: log})
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return &control.Local{Handler: control.Handler(c.control(site, log)), Close: c.close}, nil
}

// serve opens the data directory and serves it until the context ends.
func serve(ctx context.Context, o command.ServeOptions, log *slog.Logger) (err error) {
	c, err := openData(ctx, o.Data, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	engine := agent.NewEngine(agent.Config{
		Journal: c.db.Journal(), Index: c.db.Journal(), Catalog: c, Tools: tools.All(c.db.Notes()), Log: log,
	})
	site, err := web.New(web.Config{
		DB: c.db, Engine: engine, Connect: c.open,
		PublicURL: o.PublicURL, TrustedProxy: o.TrustedProxy, Logger: log,
	})
	if err != nil {
		return command.Usage(err)
	}
	if err := applyConfig(ctx, o.Config, c.control(site, log)); err != nil {
		return err
	}
	commands, err := control.Start(o.Data, control.Handler(c.control(site, log)), log)
	if err != nil {
		return err
	}
	return errors.Join(servePages(ctx, o.Addr, site, engine, log), shutdown(ctx, commands.Shutdown))
}

// applyConfig applies the provisioning file that a server starts with, if any.
func applyConfig(ctx context.Context, file string, c control.Config) error {
	if file == "" {
		return nil
	}
	text, secret, err := provision.Load(file)
	if err == nil {
		_, err = control.Apply(ctx, c, text, secret)
	}
	return command.NotApplied(file, err)
}

// servePages runs the engine and serves the pages until the context ends.
func servePages(ctx context.Context, addr string, site *web.Server, engine *agent.Engine, log *slog.Logger) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
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
	fmt.Println("listening on", base)
	if url, err := site.SetupURL(ctx, base); err != nil {
		log.Error("prepare the first-time setup", "error", err)
	} else if url != "" {
		fmt.Println("first-time setup:", url)
	}

	select {
	case <-ctx.Done():
	case err = <-served:
	}
	return errors.Join(err, shutdown(ctx, server.Shutdown, site.Shutdown, engine.Shutdown))
}

// shutdown stops one thing after the other, all within one time.
func shutdown(ctx context.Context, stops ...func(context.Context) error) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWithin)
	defer cancel()
	var errs []error
	for _, stop := range stops {
		errs = append(errs, stop(within))
	}
	return errors.Join(errs...)
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

func (c catalog) close() error {
	c.Connections.Close()
	return c.db.Close()
}

func (c catalog) control(site *web.Server, log *slog.Logger) control.Config {
	return control.Config{DB: c.db, Site: site, Tools: toolNames(tools.All(c.db.Notes())), Log: log}
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
