package api_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/api"
	"countersign/web/webtest"
)

// A program uploads a file, sends it, finds it in the conversation and
// downloads it; nobody else does.
func TestAttachments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "text \"Read.\"\nfinish stop")
	p := w.runner()
	const text = "Grüße\n<script>"
	put := func(name, data string) reply {
		t.Helper()
		return p.do(http.MethodPost, "/v2/attachments?"+url.Values{"name": {name}}.Encode(), data)
	}
	var a api.Attachment
	if got := put("../a.html", text); got.status != http.StatusCreated || json.Unmarshal([]byte(got.text), &a) != nil || a.Name != "a.html" || a.Type != agent.TypeText {
		t.Fatalf("got %d %s", got.status, got.text)
	}
	put("a", "\x00\x01").refused(t, "no file of a kind", http.StatusUnprocessableEntity, "invalid_request")
	put("a", strings.Repeat("a", agent.MaxAttachment+1)).refused(t, "a large file", http.StatusRequestEntityTooLarge, "body_too_large")
	var none struct{}
	p.call(http.MethodGet, "/v2/attachments/"+string(a.ID), nil, http.StatusOK, &none)

	id := p.open()
	path := "/v2/conversations/" + id + "/messages"
	p.do(http.MethodPost, path, map[string]any{"text": "", "attachments": []string{"f_none"}}).
		refused(t, "a file that is not there", http.StatusUnprocessableEntity, "invalid_request")
	var s sent
	p.call(http.MethodPost, path, map[string]any{"text": "", "attachments": []agent.AttachmentID{a.ID}}, http.StatusAccepted, &s)
	p.await(s, agent.StatusSucceeded)
	got := p.do(http.MethodGet, "/v2/attachments/"+string(a.ID)+"/content", nil)
	if got.status != http.StatusOK || got.text != text || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") ||
		got.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("got %d %q with %v", got.status, got.text, got.header)
	}
	if read := p.do(http.MethodGet, "/v2/conversations/"+id, nil); !strings.Contains(read.text, `"attachments":[{"id":"`+string(a.ID)+`"`) {
		t.Errorf("the conversation is %s", read.text)
	}
	p.do(http.MethodDelete, "/v2/attachments/"+string(a.ID), nil).refused(t, "after it was sent", http.StatusNotFound, "attachment_not_found")
	end := w.program(webtest.AdminEmail, models.ScopeAdmin, models.ScopeRead, models.ScopeRun).serveUser("ext_1")
	for _, path := range []string{"", "/content"} {
		end.do(http.MethodGet, "/v2/attachments/"+string(a.ID)+path, nil).refused(t, "somebody else’s", http.StatusNotFound, "attachment_not_found")
	}

	image, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(put("a.png", string(image)).text), &a); err != nil || a.Type != "image/png" {
		t.Fatalf("got %+v, %v", a, err)
	}
	refused := p.do(http.MethodPost, path, map[string]any{"text": "Look", "attachments": []agent.AttachmentID{a.ID}})
	refused.refused(t, "to a model that takes no images", http.StatusUnprocessableEntity, "invalid_request")
	if !strings.Contains(refused.text, "does not take images") {
		t.Errorf("it says %s", refused.text)
	}
	p.call(http.MethodDelete, "/v2/attachments/"+string(a.ID), nil, http.StatusNoContent, nil)
}
