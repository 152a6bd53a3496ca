// A card that has just appeared takes no decision: a click or a key that was
// meant for something else must not sign it. It is marked until it does.
const PAUSE = 500;

function arrive(card) {
  card.dataset.fresh = "";
  setTimeout(() => delete card.dataset.fresh, PAUSE);
}

function note(root) {
  if (root.matches?.("[data-card]")) arrive(root);
  root.querySelectorAll("[data-card]").forEach(arrive);
}

function guard(event) {
  if (!event.target.closest?.("[data-card][data-fresh]")) return;
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
