// Package connect turns a configured connection into a provider that can be
// asked. It is the one place that knows every adapter.
package connect

import (
	"context"
	"net/http"

	"countersign/providers"
	"countersign/providers/anthropic"
	"countersign/providers/chatcompletions"
	"countersign/providers/practice"
	"countersign/providers/responses"
	"countersign/providers/upstream"
)

// A Config describes a connection as an admin configured it.
type Config struct {
	// ID identifies the connection. It survives a change of the key.
	ID      string
	API     providers.API
	BaseURL string
	// AllowPrivateNetwork admits loopback and private addresses.
	AllowPrivateNetwork bool
	// Key returns the key for one request, nil where the service wants none.
	Key func(ctx context.Context) (string, error)
	// Bearer says that Key returns tokens, which every API takes as such.
	Bearer bool

	StreamUsage      *bool               // chat-completions only
	OutputLimitField string              // chat-completions only
	PromptCaching    *bool               // anthropic only
	Thinking         *providers.Thinking // anthropic only
	MaxOutputTokens  int
	Bounds           upstream.Bounds
}

// Connections opens providers. It keeps the network connections that they
// share; Close ends the idle ones. Its methods are safe for use by multiple
// goroutines.
type Connections struct {
	public, private, practice *http.Client
}

// New returns Connections without any connection yet.
func New() *Connections {
	return &Connections{
		public:   upstream.NewClient(upstream.ClientConfig{}),
		private:  upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true}),
		practice: &http.Client{Transport: practice.Transport(nil)},
	}
}

// Open returns the provider of a connection. Nothing is sent yet. The error is
// a [*providers.Error] of category configuration.
func (c *Connections) Open(config Config) (providers.Provider, error) {
	var p providers.Provider
	var err error
	switch config.API {
	case providers.APIChatCompletions:
		p, err = chatcompletions.New(c.chatCompletions(config))
	case providers.APIAnthropic:
		p, err = anthropic.New(anthropic.Config{
			Connection: config.ID, BaseURL: config.BaseURL, Key: config.Key, Bearer: config.Bearer, HTTPClient: c.client(config),
			PromptCaching: config.PromptCaching, Thinking: config.Thinking, MaxOutputTokens: config.MaxOutputTokens, Bounds: config.Bounds,
		})
	case providers.APIResponses:
		p, err = responses.New(responses.Config{
			Connection: config.ID, BaseURL: config.BaseURL, Key: config.Key, HTTPClient: c.client(config),
			MaxOutputTokens: config.MaxOutputTokens, Bounds: config.Bounds,
		})
	default:
		return nil, upstream.NewError(config.API, providers.CategoryConfiguration, "unsupported_api")
	}
	if err != nil {
		return nil, upstream.NewError(config.API, providers.CategoryConfiguration, "unusable_base_url")
	}
	return p, nil
}

func (c *Connections) chatCompletions(config Config) chatcompletions.Config {
	cc := chatcompletions.Config{
		Connection: config.ID, BaseURL: config.BaseURL, Key: config.Key, HTTPClient: c.client(config),
		StreamUsage: config.StreamUsage, MaxOutputTokens: config.MaxOutputTokens,
		OutputLimitField: config.OutputLimitField, Bounds: config.Bounds,
	}
	if config.BaseURL == practice.Address {
		cc.BaseURL, cc.HTTPClient, cc.AttemptHeader = practice.BaseURL, c.practice, true
	}
	return cc
}

// client returns what reaches the addresses that a connection may use.
func (c *Connections) client(config Config) *http.Client {
	if config.AllowPrivateNetwork {
		return c.private
	}
	return c.public
}

// Close ends idle network connections.
func (c *Connections) Close() {
	c.public.CloseIdleConnections()
	c.private.CloseIdleConnections()
}
