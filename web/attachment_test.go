package web_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

func pngOf(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var fileID = regexp.MustCompile(`name="attachment" value="([^"]+)"`)

// upload sends a file as the message box does.
func upload(t *testing.T, c *webtest.Client, name string, data []byte) (webtest.Response, string) {
	t.Helper()
	r := c.Request(http.MethodPost, "/attachments?"+url.Values{"name": {name}}.Encode(), nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL.String(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("HX-Request", "true")
	res := c.Do(r)
	if m := fileID.FindStringSubmatch(res.Body); m != nil {
		return res, m[1]
	}
	return res, ""
}

// takes says what the models of a dialogue take, and adds one that takes
// everything.
func (d *dialogue) takes(images, pdf bool) {
	d.t.Helper()
	list := []models.ProviderModel{{Name: "scripted-1", Images: images, PDF: pdf}, {Name: "scripted-2", Images: true, PDF: true}}
	if _, err := d.s.DB.Providers().Update(d.t.Context(), d.model.Provider, models.ProviderUpdate{Models: &list}); err != nil {
		d.t.Fatal(err)
	}
}

// A file goes to the model byte for byte with its message, again with every
// later request, and again when the message is sent again. The page shows a
// picture that was drawn anew; the file is a download that nothing renders.
func TestAttachments(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Seen.\"\nfinish stop\n---\ntext \"Still.\"\nfinish stop\n---\ntext \"Again.\"\nfinish stop", setting{})
	d.takes(true, false)
	data := pngOf(t, 600)
	res, id := upload(t, d.s.Admin, `<b>"a".png`, data)
	if res.Status != http.StatusCreated || strings.Contains(res.Body, "<b>\"a") {
		t.Fatalf("upload: got %d %s", res.Status, res.Body)
	}
	_, note := upload(t, d.s.Admin, "note.svg", []byte("<svg onload=alert(1)>"))
	form := url.Values{"message_id": {"m_1"}, "text": {""}, "attachment": {id, note}, "model": {d.model.Provider + "/scripted-1"}}
	d.id = agent.ConversationID(strings.TrimPrefix(d.post("/c", form).Location, "/c/"))
	d.until(agent.StatusSucceeded)
	d.sent = 1
	d.send("And now?")
	d.until(agent.StatusSucceeded)
	d.post(d.url()+"/runs/"+string(agent.RunFor(d.id, "m_1"))+"/again", url.Values{"text": {"Look"}})
	d.until(agent.StatusSucceeded)
	want := "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
	for i, sent := range d.up.Sent() {
		if !strings.Contains(string(sent.Body), want) || !strings.Contains(string(sent.Body), `<svg onload=alert(1)>`) {
			t.Errorf("request %d lacks a file", i)
		}
	}

	page := d.s.Admin.Get(d.url()).Body
	if !strings.Contains(page, `src="/attachments/`+id+`/preview"`) || !strings.Contains(page, `href="/attachments/`+note+`" download`) {
		t.Error("the page does not show the files")
	}
	for path, kind := range map[string]string{
		"/attachments/" + id: "image/png", "/attachments/" + note: "text/plain", "/attachments/" + id + "/preview": "image/jpeg",
	} {
		got := d.s.Admin.Get(path)
		h := got.Header
		if got.Status != http.StatusOK || h.Get("Content-Type") != kind || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%s: got %d with %v", path, got.Status, h)
		}
		if shown := strings.HasSuffix(path, "preview"); strings.HasPrefix(h.Get("Content-Disposition"), "attachment") == shown {
			t.Errorf("%s: got %q", path, h.Get("Content-Disposition"))
		}
		if got := d.s.Member.Get(path); got.Status != http.StatusNotFound {
			t.Errorf("%s of somebody else: got %d", path, got.Status)
		}
	}
	if got := d.s.Admin.Get("/attachments/" + id); got.Body != string(data) {
		t.Error("the download is not what was uploaded")
	}
	if got := d.s.Admin.Get("/attachments/" + note + "/preview"); got.Status != http.StatusNotFound {
		t.Errorf("the preview of a text: got %d", got.Status)
	}
	if got := d.s.Admin.Post("/attachments/"+id+"/remove", url.Values{}); got.Status != http.StatusNotFound {
		t.Errorf("taken back after it was sent: got %d", got.Status)
	}
}

// A model that does not take a kind of file is not asked: the person is told
// which one could be, and what they wrote and attached is still there (contract
// P18).
func TestAttachments_NotTaken(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Hello.\"\nfinish stop", setting{})
	d.takes(false, false)
	_, id := upload(t, d.s.Admin, "a.png", pngOf(t, 1))
	_, pdf := upload(t, d.s.Admin, "a.pdf", []byte("%PDF-1.7"))
	for id, what := range map[string]string{id: "images", pdf: "PDF files"} {
		form := url.Values{"message_id": {"m_0"}, "text": {"Look"}, "attachment": {id}, "model": {d.model.Provider + "/scripted-1"}}
		res := d.s.Admin.Post("/c", form)
		for _, want := range []string{"scripted-1 on Scripted does not take " + what + ". scripted-2 on Scripted does", "Look</textarea>", `value="` + id + `"`} {
			if res.Status != http.StatusUnprocessableEntity || !strings.Contains(res.Body, want) {
				t.Errorf("%s: got %d without %q", what, res.Status, want)
			}
		}
	}
	d.send("Hello")
	d.until(agent.StatusSucceeded)
	form := url.Values{"message_id": {"m_9"}, "text": {"Look"}, "attachment": {id}}
	if res := d.s.Admin.Post(d.url()+"/messages", form); res.Status != http.StatusUnprocessableEntity || !strings.Contains(res.Body, "does not take images") {
		t.Errorf("got %d", res.Status)
	}
	if n := len(d.up.Sent()); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
}

// What is refused says why, and nothing of it stays.
func TestAttachments_Refused(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for name, data := range map[string][]byte{
		"too large": make([]byte, agent.MaxAttachment+1), "far too large": make([]byte, agent.MaxAttachment+2000), "a program": []byte("\x7fELF\x00"),
	} {
		res, _ := upload(t, s.Admin, name, data)
		if res.Status != http.StatusUnprocessableEntity || !strings.Contains(res.Body, "data-toast") || !strings.Contains(res.Body, name) {
			t.Errorf("%s: got %d %s", name, res.Status, res.Body)
		}
	}
	_, id := upload(t, s.Admin, "a.txt", []byte("a"))
	if res := s.Member.Post("/attachments/"+id+"/remove", url.Values{}); res.Status != http.StatusNotFound {
		t.Errorf("removed by somebody else: got %d", res.Status)
	}
	if res := s.Admin.Post("/attachments/"+id+"/remove", url.Values{}); res.Status != http.StatusNoContent {
		t.Errorf("removed: got %d", res.Status)
	}
	if res := s.Admin.Get("/attachments/" + id); res.Status != http.StatusNotFound {
		t.Errorf("after it was removed: got %d", res.Status)
	}
}

// Old files make room for new ones, and the model is told so.
func TestAttachments_Room(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, strings.Repeat("text \"Seen.\"\nfinish stop\n---\n", 2)+"text \"Seen.\"\nfinish stop", setting{})
	d.takes(false, true)
	for i := range 3 {
		data := append([]byte("%PDF-"), bytes.Repeat([]byte{byte('a' + i)}, agent.MaxAttachment-5)...)
		_, id := upload(t, d.s.Admin, fmt.Sprintf("%d.pdf", i), data)
		form := url.Values{"message_id": {fmt.Sprint("m_", i)}, "text": {"Read"}, "attachment": {id}, "model": {d.model.Provider + "/scripted-1"}}
		if d.id == "" {
			d.id = agent.ConversationID(strings.TrimPrefix(d.post("/c", form).Location, "/c/"))
		} else {
			d.post(d.url()+"/messages", form)
		}
		d.until(agent.StatusSucceeded)
	}
	sent := string(d.up.Sent()[2].Body)
	if !strings.Contains(sent, `[The file \"0.pdf\" was attached here and is not sent along any more.]`) {
		t.Error("the model is not told of the file that was left out")
	}
	if strings.Count(sent, `"file_data"`) != 2 {
		t.Errorf("the request has %d files, want 2", strings.Count(sent, `"file_data"`))
	}
}
