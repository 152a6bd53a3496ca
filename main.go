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
	"sync"
	"syscall"
	"time"

	"countersign/agent"
	"countersign/agent/tools"
	"countersign/models"
	"countersign/web"
	"countersign/web/catalog"
	"countersign/web/command"
	"countersign/web/connector"
	"countersign/web/control"
	"countersign/web/inspect"
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

// openData opens the data directory and what connects from it.
func openData(ctx context.Context, dir string, log *slog.Logger) (data, error) {
	key, err := sealingKey(os.Getenv)
	if err != nil {
		return data{}, err
	}
	db, err := models.Open(ctx, models.Config{Dir: dir, Key: key, Keychain: models.SystemKeychain(), Logger: log})
	if err != nil {
		return data{}, err
	}
	return data{db, catalog.New(db, log), connector.New(connector.Config{DB: db, Version: version, Log: log}), inspect.New()}, nil
}

// openForCommand opens the data directory for a command while no server has
// it. Without work no run goes on there, whatever is recorded: the next server
// goes on with it. With work those do that the command starts or resumes.
func openForCommand(ctx context.Context, dir string, work bool, log *slog.Logger) (*control.Local, error) {
	d, err := openData(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	engine := d.engine(log)
	config := web.Config{DB: d.db, Engine: engine, Connect: d.catalog.Open, Logger: log}
	if work {
		config.Connectors = d.connectors
	}
	site, err := web.New(config)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	if err := site.SettingsChanged(ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	if !work {
		if err := engine.Shutdown(ctx); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	end := func() error { return errors.Join(within(ctx, runsWithin, engine.Shutdown), d.close()) }
	return &control.Local{Handler: control.Handler(d.control(site, log)), Close: end}, nil
}

// serve opens the data directory and serves it until the context ends.
func serve(ctx context.Context, o command.ServeOptions, log *slog.Logger) (err error) {
	d, err := openData(ctx, o.Data, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	engine := d.engine(log)
	site, err := web.New(web.Config{
		DB: d.db, Engine: engine, Connect: d.catalog.Open, Connectors: d.connectors,
		PublicURL: o.PublicURL, TrustedProxy: o.TrustedProxy, Logger: log,
	})
	if err != nil {
		return command.Usage(err)
	}
	d.catalog.Hear(site.ProviderUsed)
	if err := applyConfig(ctx, o.Config, d.control(site, log)); err != nil {
		return err
	}
	if err := site.SettingsChanged(ctx); err != nil {
		return err
	}
	commands, err := control.Start(o.Data, control.Handler(d.control(site, log)), log)
	if err != nil {
		return err
	}
	retaining, stop := context.WithCancel(ctx)
	var sweeper sync.WaitGroup
	defer sweeper.Wait()
	defer stop()
	sweeper.Go(func() { d.db.Conversations().RetainUntil(retaining) })
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
		text, err := os.ReadFile(path)
		if err != nil {
			return models.Secret{}, fmt.Errorf("read COUNTERSIGN_KEY_FILE: %w", err)
		}
		return models.NewSecret(string(text)), nil
	}
	return models.NewSecret(getenv("COUNTERSIGN_KEY")), nil
}

// data is an open data directory and what connects to its providers and to the
// servers of its connectors.
type data struct {
	db      *models.DB
	catalog *catalog.Catalog
	// connectors are connected once the settings are read.
	connectors *connector.Connectors
	inspector  *inspect.Inspector
}

func (d data) close() error {
	d.connectors.Close()
	d.catalog.Close()
	d.inspector.Close()
	return d.db.Close()
}

// engine works on the runs of the directory once it is started.
func (d data) engine(log *slog.Logger) *agent.Engine {
	return agent.NewEngine(agent.Config{
		Journal: d.db.Journal(), Index: d.db.Journal(), Catalog: d.catalog, People: d.db.Users(), Rulebook: d.db.Rules(), Inspector: d.inspector,
		Attachments: d.db.Attachments(), Models: d.catalog,
		Tools: tools.All(d.db.Notes()), Connectors: d.connectors, Log: log,
	})
}

func (d data) control(site *web.Server, log *slog.Logger) control.Config {
	return control.Config{DB: d.db, Site: site, Tools: toolNames(tools.All(d.db.Notes())), Log: log}
}
