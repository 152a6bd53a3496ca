// Countersign is a self-hosted agent chat: people talk to an agent in the
// browser, and a tool call that matters waits for their countersignature.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
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

// How long the parts of a stop may take before the process ends anyway. Each
// has its own time, so that a slow one takes nothing from those after it.
// Nothing is lost then: the next start goes on from the journal.
const (
	requestsWithin = 5 * time.Second
	socketsWithin  = 5 * time.Second
	runsWithin     = 15 * time.Second
	commandsWithin = 5 * time.Second
)

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
// it. Runs can be stopped there; none goes on.
func openForCommand(ctx context.Context, dir string, log *slog.Logger) (*control.Local, error) {
	c, err := openData(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	site, err := web.New(web.Config{DB: c.db, Engine: c.engine(log), Connect: c.open, Logger: log})
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
	engine := c.engine(log)
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
	return errors.Join(servePages(ctx, o.Addr, site, engine, log), within(ctx, commandsWithin, commands.Shutdown))
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
	server := site.HTTPServer()
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
	stopHTTP := func(ctx context.Context) error { return site.StopHTTP(ctx, server) }
	return errors.Join(err,
		within(ctx, requestsWithin, stopHTTP),
		within(ctx, socketsWithin, site.Shutdown),
		within(ctx, runsWithin, engine.Shutdown))
}

// within stops something within a time, although the context has ended.
func within(ctx context.Context, limit time.Duration, stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return stop(ctx)
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

// engine works on the runs of the directory once it is started.
func (c catalog) engine(log *slog.Logger) *agent.Engine {
	return agent.NewEngine(agent.Config{
		Journal: c.db.Journal(), Index: c.db.Journal(), Catalog: c, Tools: tools.All(c.db.Notes()), Log: log,
	})
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
