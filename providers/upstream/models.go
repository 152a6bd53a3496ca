package upstream

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"countersign/providers"
)

const (
	maxModelList = 4 << 20 // bytes
	maxModels    = 1000
	maxModelID   = 200 // bytes
)

// ListModels asks for the models of a service. req must not carry a context of
// its own. The error is as that of [Opener.Open].
func (o Opener) ListModels(ctx context.Context, req *http.Request) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Bounds.withDefaults().FirstByte)
	defer cancel()
	x := &Exchange{head: Answer{API: o.API}, caller: func() error { return nil }, cause: func() error { return context.Cause(ctx) }}
	once := *o.Client
	once.CheckRedirect, once.Timeout = noRedirect, 0
	res, err := once.Do(req.WithContext(ctx))
	if err != nil {
		return nil, x.requestError(err)
	}
	defer res.Body.Close()
	answer := Answer{API: o.API, Status: res.StatusCode, Header: res.Header, Now: time.Now()}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModelList))
	if err != nil {
		return nil, answer.Error(providers.CategoryNetwork, CodeConnectionLost)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if res.StatusCode < 200 || res.StatusCode > 299 || json.Unmarshal(body, &list) != nil || list.Data == nil {
		answer.Body = body[:min(len(body), MaxErrorBody)]
		return nil, Classify(answer)
	}
	var ids []string
	for _, m := range list.Data {
		odd := func(r rune) bool { return !unicode.IsPrint(r) }
		if m.ID != "" && len(m.ID) <= maxModelID && !strings.ContainsFunc(m.ID, odd) && len(ids) < maxModels {
			ids = append(ids, m.ID)
		}
	}
	return ids, nil
}
