package e2e_test

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

const threeNotes = `
call call_1 notes_write {"title":"A","text":"one"}
call call_2 notes_delete {"title":"B"}
call call_3 notes_write {"title":"C","text":"three"}
finish tool_calls
---
expect results 3
expect result "decided against"
text "Two of three."
finish stop
`

// A card that is put off waits on, also through a change of it. What is left of
// it is decided with one press, and then runs in the order of the calls.
func TestCardOfSeveralCalls(t *testing.T) {
	t.Parallel()
	c := newChat(t, threeNotes)
	c.start("Tidy up")
	c.awaitStatus(isWaiting)
	c.wantText("[data-card]", "0 of 3 decided", "Nothing of this card runs before every call is decided")
	c.wantAccessible()
	other := c.join()

	c.must(c.Locator("[data-card] summary", playwright.PageLocatorOptions{HasText: "Not now"}).Click())
	c.must(expect.Locator(c.callForm("Delete a note")).ToBeHidden())
	c.wantAccessible()
	other.decide("Delete a note", "Deny")
	for _, tab := range []*page{c.page, other} {
		tab.wantText("[data-card]", "1 of 3 decided")
	}
	c.must(expect.Locator(c.callForm("Delete a note")).ToBeHidden())
	c.must(c.Locator("[data-card] summary", playwright.PageLocatorOptions{HasText: "Read and decide"}).Click())
	c.must(c.Locator("[data-card]:not([data-fresh])").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Approve the other 2"}).Click())
	for _, tab := range []*page{c.page, other} {
		tab.awaitStatus(isReady)
		tab.must(expect.Locator(tab.decided()).ToHaveCount(3))
	}
	c.must(expect.Locator(c.ran("notes_write")).ToHaveCount(2))
	c.must(expect.Locator(c.ran("notes_delete")).ToHaveCount(0))
	c.wantReload()
}

// A card that moves under the pointer takes no decision until it has been where
// it is for a while.
func TestMovedCardTakesNoDecision(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
text "Signed."
finish stop
`)
	c.start("Write")
	c.awaitStatus(isWaiting)
	c.must(c.callForm("Write a note").WaitFor())
	_, err := c.Evaluate(`async () => {
		const card = document.querySelector("[data-card]");
		const above = document.createElement("div");
		above.style.setProperty("block-size", "90px");
		card.closest("li").before(above);
		const below = above.cloneNode();
		card.closest("li").after(below);
		while (!("fresh" in card.dataset)) await new Promise(requestAnimationFrame);
		card.querySelector("[value=allow]").click();
	}`, nil)
	c.must(err)
	c.must(c.callForm("Write a note").WaitFor())
	c.server.wantFacts(map[string]int{"approval_decision": 0})
	c.decide("Write a note", "Approve once")
	c.awaitStatus(isReady)
}

// A call runs with the arguments that a person wrote in place of the model's.
func TestEditAndApprove(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
expect result "A person changed the arguments"
text "Written."
finish stop
`)
	c.allow("422") // the console names a refused form
	c.start("Write")
	c.awaitStatus(isWaiting)
	c.must(c.callForm("Write a note").Locator(".edit > summary").Click())
	box := c.callForm("Write a note").GetByLabel("Arguments, as JSON")
	c.must(expect.Locator(box).ToHaveValue(`{"title":"A","text":"one"}`))
	c.wantAccessible()
	c.must(box.Fill(`{"title":"B"}`))
	c.decide("Write a note", "Approve as edited")
	c.wantText("#toasts", `the argument "text" is missing`)
	c.must(expect.Locator(box).ToHaveValue(`{"title":"B"}`))
	c.must(box.Fill(`{"title":"B","text":"two"}`))
	c.decide("Write a note", "Approve as edited")
	c.awaitStatus(isReady)
	c.wantText(".card.is-decided", "Approved with changes", adminName, "Arguments as changed", `"two"`)
	c.wantAccessible()
	c.wantReload()
}
