package e2e_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// A black picture of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

// carry pastes or drops files on an element, as the browser tells of it.
const carry = `(box, [event, name, type, data]) => {
	const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
	const files = new DataTransfer();
	files.items.add(new File([bytes], name, { type }));
	const how = { bubbles: true, cancelable: true };
	box.dispatchEvent(event === "paste" ? new ClipboardEvent(event, { ...how, clipboardData: files }) : new DragEvent(event, { ...how, dataTransfer: files }));
}`

func (p *page) carry(event, name, kind, data string) {
	p.t.Helper()
	_, err := p.Locator("#message").Evaluate(carry, []string{event, name, kind, data})
	p.must(err)
}

// A picture that is pasted, a file that is dropped and one that is picked go
// along with the message, byte for byte; a model that takes no pictures is not
// asked.
func TestAttachments(t *testing.T) {
	t.Parallel()
	c := newChat(t, "text \"A black pixel.\"\nfinish stop")
	c.must(c.GetByLabel("Model").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached}))
	chips := c.Locator(".composer [data-file] input")
	c.carry("paste", "black.png", "image/png", pixel)
	c.must(expect.Locator(chips).ToHaveCount(1))
	c.carry("drop", "<b>.md", "text/markdown", base64.StdEncoding.EncodeToString([]byte("# Grüße")))
	c.must(expect.Locator(chips).ToHaveCount(2))
	c.must(c.Locator(".file-btn input").SetInputFiles([]playwright.InputFile{
		{Name: "gone.txt", Buffer: []byte("gone")}, {Name: "program.exe", Buffer: []byte("MZ\x00\x00")},
	}))
	c.wantText("#toasts", "program.exe can’t be attached")
	c.must(expect.Locator(chips).ToHaveCount(3))
	c.must(c.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Remove gone.txt"}).Click())
	c.must(expect.Locator(chips).ToHaveCount(2))
	c.wantAccessible()

	// The model is not set up for pictures: nothing is sent, nothing is lost.
	c.must(c.Locator("#message").Fill("What is this?"))
	c.allow(`status of 422`)
	c.press("Send")
	c.wantText("#composer-error", "scripted-1 on Scripted does not take images. No model here is set up for that")
	c.must(expect.Locator(chips).ToHaveCount(2))
	c.must(expect.Locator(c.Locator("#message")).ToHaveValue("What is this?"))

	c.takesImages()
	c.press("Send")
	c.wantText("#runs", "A black pixel.")
	c.awaitStatus(isReady)
	c.must(expect.Locator(chips).ToHaveCount(0))
	c.must(expect.Locator(c.Locator(".slip .filechip")).ToHaveCount(2))
	sent := c.model.Sent()
	if body := string(sent[len(sent)-1].Body); len(sent) != 1 || !strings.Contains(body, `"url":"data:image/png;base64,`+pixel+`"`) ||
		!strings.Contains(body, `File \"<b>.md\":\n\n# Grüße`) {
		t.Errorf("the model was asked %d times, last with %.2000s", len(sent), body)
	}
	shown, err := c.Locator(".slip .filechip img").Evaluate(`(i) => i.decode().then(() => i.naturalWidth)`, nil)
	c.must(err)
	if shown != 1 {
		t.Errorf("the picture is %v wide", shown)
	}
	c.wantAccessible()
	c.wantReload()
}

// takesImages has an admin say so of the model, on another page.
func (c *chat) takesImages() {
	c.t.Helper()
	tab := c.another()
	tab.visit("/settings/providers", 200)
	tab.must(tab.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Scripted"}).First().Click())
	tab.must(tab.GetByText("What the models can do").Click())
	tab.must(tab.GetByLabel("Images").First().Check())
	tab.press("Save")
	tab.wantText("main", "Saved.") // a tab that is closed on its way to a page may never be
	tab.must(tab.Close())
}
