package anthropic

import (
	"context"
	"net/http"
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
)

var _ providers.ModelLister = (*Client)(nil)

// Models implements [providers.ModelLister].
func (c *Client) Models(ctx context.Context) ([]string, error) {
	address := strings.TrimSuffix(c.dialect.endpoint, "/messages") + "/models?limit=1000"
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, configurationError(upstream.CodeRequestInvalid)
	}
	req.Header.Set("Anthropic-Version", version)
	if err := c.authorize(ctx, req); err != nil {
		return nil, err
	}
	return c.opener.ListModels(ctx, req)
}
