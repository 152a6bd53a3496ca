package anthropic

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
)

// DefaultMaxOutputTokens is sent where no limit is configured, because the API
// insists on one. Thinking counts toward it, so a small limit would be used up
// before the answer; every model that can think takes twice as much.
const DefaultMaxOutputTokens = 16384

// version is the one version of the API that there is.
const version = "2023-06-01"

// Config describes one connection.
type Config struct {
	// Connection identifies the configured connection. It survives a change
	// of the key, and private replay state is bound to it.
	Connection string

	// BaseURL is the address without "/messages"; "/v1" at its end is added
	// where it is missing.
	BaseURL string

	// Key returns the key for one request. Nil means that the service wants
	// none. An error or an empty key fails the attempt before anything is
	// sent.
	Key func(ctx context.Context) (string, error)
	// Bearer says that Key returns tokens, which go into another header.
	Bearer bool

	// HTTPClient sends the requests; nil means one that goes to public
	// addresses only. Redirects are not followed in any case.
	HTTPClient *http.Client

	// PromptCaching says whether to ask for automatic caching (contract P24,
	// P25). Nil means yes.
	PromptCaching *bool

	// Thinking is sent as it is configured and never another mode in its
	// place (contract R7 to R17). Nil leaves it to the model.
	Thinking *providers.Thinking

	// MaxOutputTokens bounds the answer where a request does not. Zero means
	// [DefaultMaxOutputTokens].
	MaxOutputTokens int

	// Bounds limit each attempt.
	Bounds upstream.Bounds
}

// A Client is a [providers.Provider] for one connection.
// Its methods are safe for use by multiple goroutines.
type Client struct {
	key     func(context.Context) (string, error)
	bearer  bool
	opener  upstream.Opener
	dialect dialect
}

var _ providers.Provider = (*Client)(nil)

// New returns a client. It refuses a base URL that
// [upstream.ValidateBaseURL] refuses, and thinking that the API does not know.
func New(c Config) (*Client, error) {
	if err := upstream.ValidateBaseURL(c.BaseURL); err != nil {
		return nil, err
	}
	d := dialect{
		connection: c.Connection, endpoint: endpoint(c.BaseURL),
		caching: c.PromptCaching == nil || *c.PromptCaching, maxOutputTokens: c.MaxOutputTokens,
	}
	if d.maxOutputTokens == 0 {
		d.maxOutputTokens = DefaultMaxOutputTokens
	}
	if c.Thinking != nil {
		thinking := *c.Thinking
		if err := validate(thinking); err != nil {
			return nil, err
		}
		d.thinking = &thinking
	}
	client := c.HTTPClient
	if client == nil {
		client = upstream.NewClient(upstream.ClientConfig{})
	}
	return &Client{
		key: c.Key, bearer: c.Bearer, dialect: d,
		opener: upstream.Opener{Client: client, API: providers.APIAnthropic, Bounds: c.Bounds},
	}, nil
}

func validate(t providers.Thinking) error {
	switch t.Type {
	case providers.ThinkingAdaptive, providers.ThinkingDisabled:
		if t.BudgetTokens != 0 {
			return fmt.Errorf("thinking of type %s takes no budget", t.Type)
		}
	case providers.ThinkingEnabled:
		if t.BudgetTokens < providers.MinThinkingBudget {
			return fmt.Errorf("a thinking budget of %d tokens is below %d", t.BudgetTokens, providers.MinThinkingBudget)
		}
	default:
		return fmt.Errorf("thinking of type %q is not known", t.Type)
	}
	return nil
}

func endpoint(base string) string {
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	return base + "/messages"
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
	out, err := http.NewRequest(http.MethodPost, c.dialect.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, configurationError(upstream.CodeRequestInvalid)
	}
	out.Header.Set("Content-Type", "application/json")
	out.Header.Set("Accept", "text/event-stream")
	out.Header.Set("Anthropic-Version", version)
	if err := c.authorize(ctx, out); err != nil {
		return nil, err
	}
	return c.opener.Open(ctx, out)
}

func (c *Client) authorize(ctx context.Context, out *http.Request) error {
	if c.key == nil {
		return nil
	}
	key, err := upstream.Key(ctx, providers.APIAnthropic, c.key)
	if err != nil {
		return err
	}
	if c.bearer {
		out.Header.Set("Authorization", "Bearer "+key)
	} else {
		out.Header.Set("X-Api-Key", key)
	}
	return nil
}
