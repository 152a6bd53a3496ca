package chatcompletions

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
)

// Names of the field that bounds the output.
const (
	MaxTokens           = "max_tokens"
	MaxCompletionTokens = "max_completion_tokens"
)

// Config describes one connection.
type Config struct {
	// Connection identifies the configured connection. It survives a change
	// of the key, and private replay state is bound to it.
	Connection string

	// BaseURL is the address without "/chat/completions".
	BaseURL string

	// Key returns the key for one request. Nil means that the service wants
	// none. An error or an empty key fails the attempt before anything is
	// sent.
	Key func(ctx context.Context) (string, error)

	// HTTPClient sends the requests; nil means one that goes to public
	// addresses only. Redirects are not followed in any case.
	HTTPClient *http.Client

	// StreamUsage says whether to ask for usage (contract P20, P21). Nil
	// means yes.
	StreamUsage *bool

	// MaxOutputTokens bounds the answer where a request does not. Zero leaves
	// it to the service.
	MaxOutputTokens int

	// OutputLimitField is [MaxTokens] or [MaxCompletionTokens]; empty chooses
	// by the host.
	OutputLimitField string

	// Bounds limit each attempt.
	Bounds upstream.Bounds

	// AttemptHeader sends the number of the attempt as X-Attempt, which only
	// a scripted service wants.
	AttemptHeader bool
}

// A Client is a [providers.Provider] for one connection.
// Its methods are safe for use by multiple goroutines.
type Client struct {
	endpoint string
	key      func(context.Context) (string, error)
	opener   upstream.Opener
	dialect  dialect
	attempt  bool
}

var _ providers.Provider = (*Client)(nil)

// New returns a client. It refuses a base URL that
// [upstream.ValidateBaseURL] refuses, and an unknown field name.
func New(c Config) (*Client, error) {
	if err := upstream.ValidateBaseURL(c.BaseURL); err != nil {
		return nil, err
	}
	base := strings.TrimRight(c.BaseURL, "/")
	field, err := outputLimitField(c.OutputLimitField, base)
	if err != nil {
		return nil, err
	}
	client := c.HTTPClient
	if client == nil {
		client = upstream.NewClient(upstream.ClientConfig{})
	}
	return &Client{
		endpoint: base + "/chat/completions",
		key:      c.Key,
		opener:   upstream.Opener{Client: client, API: providers.APIChatCompletions, Bounds: c.Bounds},
		dialect: dialect{
			streamUsage:      c.StreamUsage == nil || *c.StreamUsage,
			maxOutputTokens:  c.MaxOutputTokens,
			outputLimitField: field,
			connection:       c.Connection,
			base:             base,
		},
		attempt: c.AttemptHeader,
	}, nil
}

// outputLimitField chooses the newer name where reasoning models insist on it;
// other servers ignore or refuse it.
func outputLimitField(configured, base string) (string, error) {
	switch configured {
	case MaxTokens, MaxCompletionTokens:
		return configured, nil
	case "":
	default:
		return "", fmt.Errorf("output limit field %q is neither %s nor %s", configured, MaxTokens, MaxCompletionTokens)
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("parse base URL: %w", err)
	}
	host := strings.ToLower(u.Hostname())
	if host == "api.openai.com" || strings.HasSuffix(host, ".azure.com") {
		return MaxCompletionTokens, nil
	}
	return MaxTokens, nil
}

// Stream performs one attempt, as [providers.Provider] says.
func (c *Client) Stream(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
	return func(yield func(providers.Event, error) bool) {
		x, err := c.open(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer x.Close()
		upstream.Play(ctx, x, newTranslator(req, c.dialect, x.Head()), yield)
	}
}

func (c *Client) open(ctx context.Context, req providers.Request) (*upstream.Exchange, error) {
	body, failure := buildRequest(req, c.dialect)
	if failure != nil {
		return nil, failure
	}
	out, err := http.NewRequest(http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, upstream.NewError(providers.APIChatCompletions, providers.CategoryConfiguration, upstream.CodeRequestInvalid)
	}
	out.Header.Set("Content-Type", "application/json")
	out.Header.Set("Accept", "text/event-stream")
	if c.attempt {
		out.Header.Set("X-Attempt", strconv.Itoa(req.Attempt))
	}
	if err := c.authorize(ctx, out); err != nil {
		return nil, err
	}
	return c.opener.Open(ctx, out)
}

func (c *Client) authorize(ctx context.Context, out *http.Request) error {
	if c.key == nil {
		return nil
	}
	key, err := upstream.Key(ctx, providers.APIChatCompletions, c.key)
	if err != nil {
		return err
	}
	out.Header.Set("Authorization", "Bearer "+key)
	return nil
}
