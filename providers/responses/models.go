package responses

import (
	"context"
	"net/http"

	"countersign/providers"
	"countersign/providers/upstream"
)

var _ providers.ModelLister = (*Client)(nil)

// Models implements [providers.ModelLister].
func (c *Client) Models(ctx context.Context) ([]string, error) {
	req, err := http.NewRequest(http.MethodGet, c.base+"/models", nil)
	if err != nil {
		return nil, configurationError(upstream.CodeRequestInvalid)
	}
	if err := c.authorize(ctx, req); err != nil {
		return nil, err
	}
	return c.opener.ListModels(ctx, req)
}
