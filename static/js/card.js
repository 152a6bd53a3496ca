// A card that has just appeared takes no decision: a click or a key that was
// meant for something else must not sign it.
const PAUSE = 500;
const since = new WeakMap();

function note(root) {
  for (const card of root.querySelectorAll("[data-card]")) {
    if (!since.has(card)) since.set(card, performance.now());
  }
}

function guard(event) {
  const card = event.target.closest?.("[data-card]");
  if (!card || performance.now() - (since.get(card) ?? 0) >= PAUSE) return;
  if (event.type === "click" && !event.target.closest("button[type=submit]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

note(document);
new MutationObserver((list) => {
  for (const { addedNodes } of list) {
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) note(node);
  }
}).observe(document.body, { childList: true, subtree: true });

document.addEventListener("click", guard, true);
document.addEventListener("submit", guard, true);
