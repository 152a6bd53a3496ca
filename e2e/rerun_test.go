package e2e_test

import "testing"

// A person sends a message again with other words, in its place on the page,
// and another tab follows. What came after it is gone.
func TestRerun(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
match user "Frist"
text "What is a frist?"
finish stop
---
match user "More"
text "More."
finish stop
---
match user "First"
text "The first."
finish stop
`)
	c.start("Frist")
	c.awaitStatus(isReady)
	c.send("More")
	c.wantText("#runs", "More.")
	c.awaitStatus(isReady)
	other := c.join()

	edit := c.Locator(".entry--person").First().GetByText("Edit")
	c.must(edit.Click())
	box := c.GetByLabel("Send this instead")
	c.must(expect.Locator(box).ToBeFocused())
	c.must(expect.Locator(box).ToHaveValue("Frist"))
	c.wantAccessible()
	c.must(c.Locator(".rerun").GetByText("Keep it").Click())
	c.must(expect.Locator(box).ToHaveCount(0))
	c.must(edit.Click())
	c.must(box.Fill("First"))
	c.press("Send again")
	for _, tab := range []*page{c.page, other} {
		tab.wantText("#runs", "The first.")
		tab.awaitStatus(isReady)
		tab.lacks("what was sent again", tab.normalised(), []string{"Frist", "frist", "More."})
	}
	c.wantSame(other)
	c.wantReload()
}
