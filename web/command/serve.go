package command

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

// ServeOptions say how to serve.
type ServeOptions struct {
	Addr         string // to listen on
	Data         string // the data directory
	Config       string // a provisioning file to apply first, or ""
	PublicURL    string
	TrustedProxy bool
}

func (p *Program) serve(ctx context.Context, l *line) error {
	var o ServeOptions
	var level, format string
	p.text(l, &o.Addr, "addr", "COUNTERSIGN_ADDR", "127.0.0.1:8080", "address to listen on; port 0 chooses one")
	p.text(l, &o.Config, "config", "COUNTERSIGN_CONFIG", "", "provisioning file to apply at the start")
	p.text(l, &o.PublicURL, "public-url", "COUNTERSIGN_PUBLIC_URL", "", "where browsers reach the server, if not at its address")
	p.text(l, &level, "log-level", "COUNTERSIGN_LOG_LEVEL", "info", "debug, info, warn or error")
	p.text(l, &format, "log-format", "COUNTERSIGN_LOG_FORMAT", "text", "text or json")
	l.flags.BoolVar(&o.TrustedProxy, "trusted-proxy", p.Getenv("COUNTERSIGN_TRUSTED_PROXY") == "true",
		"every request comes through a reverse proxy that sets X-Forwarded-For and X-Forwarded-Proto (COUNTERSIGN_TRUSTED_PROXY=true)")
	if _, err := l.parse(0); err != nil {
		return err
	}
	o.Data = l.data
	log, err := p.logger(level, format)
	if err != nil {
		return err
	}
	return p.Serve(ctx, o, log)
}

func (p *Program) logger(name, format string) (*slog.Logger, error) {
	if !slices.Contains([]string{"text", "json"}, format) {
		return nil, Usage(fmt.Errorf("--log-format is text or json, not %q", format))
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return nil, Usage(fmt.Errorf("--log-level is debug, info, warn or error, not %q", name))
	}
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(p.Stderr, options)), nil
	}
	return slog.New(slog.NewTextHandler(p.Stderr, options)), nil
}
