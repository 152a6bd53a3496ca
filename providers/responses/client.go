package responses

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"strings"

	"countersign/providers"
	"countersign/providers/replay"
	"countersign/providers/upstream"
)

// Config describes one connection.
type Config struct {
	// Connection identifies the configured connection. It survives a change
	// of the key, and private replay state is bound to it.
	Connection string

	// BaseURL is the address without "/responses".
	BaseURL string

	// Key returns the key for one request. Nil means that the service wants
	// none. An error or an empty key fails the attempt before anything is
	// sent.
	Key func(ctx context.Context) (string, error)

	// HTTPClient sends the requests; nil means one that goes to public
	// addresses only. Redirects are not followed in any case.
	HTTPClient *http.Client

	// MaxOutputTokens bounds the answer where a request does not. Zero leaves
	// it to the service.
	MaxOutputTokens int

	// Bounds limit each attempt.
	Bounds upstream.Bounds
}

// A Client is a [providers.Provider] for one connection.
// Its methods are safe for use by multiple goroutines.
type Client struct {
	config Config
	base   string
	opener upstream.Opener
}

var _ providers.Provider = (*Client)(nil)

// New returns a client. It refuses a base URL that
// [upstream.ValidateBaseURL] refuses.
func New(c Config) (*Client, error) {
	if err := upstream.ValidateBaseURL(c.BaseURL); err != nil {
		return nil, err
	}
	if c.HTTPClient == nil {
		c.HTTPClient = upstream.NewClient(upstream.ClientConfig{})
	}
	return &Client{
		config: c,
		base:   strings.TrimRight(c.BaseURL, "/"),
		opener: upstream.Opener{Client: c.HTTPClient, API: providers.APIResponses, Bounds: c.Bounds},
	}, nil
}

// Stream performs one attempt, as [providers.Provider] says.
func (c *Client) Stream(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
	return func(yield func(providers.Event, error) bool) {
		binding := replay.Binding(c.config.Connection, providers.APIResponses, c.base, req.Model)
		x, err := c.open(ctx, req, binding)
		if err != nil {
			yield(nil, err)
			return
		}
		defer x.Close()
		upstream.Play(ctx, x, newTranslator(req, binding, x.Head()), yield)
	}
}

func (c *Client) open(ctx context.Context, req providers.Request, binding string) (*upstream.Exchange, error) {
	if req.MaxOutputTokens == 0 {
		req.MaxOutputTokens = c.config.MaxOutputTokens
	}
	body, failure := buildRequest(req, binding)
	if failure != nil {
		return nil, failure
	}
	out, err := http.NewRequest(http.MethodPost, c.base+"/responses", bytes.NewReader(body))
	if err != nil {
		return nil, configurationError(upstream.CodeRequestInvalid)
	}
	out.Header.Set("Content-Type", "application/json")
	out.Header.Set("Accept", "text/event-stream")
	if err := c.authorize(ctx, out); err != nil {
		return nil, err
	}
	return c.opener.Open(ctx, out)
}

func (c *Client) authorize(ctx context.Context, out *http.Request) error {
	if c.config.Key == nil {
		return nil
	}
	key, err := upstream.Key(ctx, providers.APIResponses, c.config.Key)
	if err == nil {
		out.Header.Set("Authorization", "Bearer "+key)
	}
	return err
}

func configurationError(code string) *providers.Error {
	return upstream.NewError(providers.APIResponses, providers.CategoryConfiguration, code)
}
