// A card that has just appeared or moved takes no decision: a click or a key
// that was meant for something else must not sign it. It is marked until it
// does.
const PAUSE = 500;

// How long a change of layout may follow from what somebody did on the card
// itself: unfold it, or write a reason.
const OWN = 150;

const waiting = "[data-card]";
const ends = new WeakMap(); // when a card takes decisions again
const tops = new WeakMap(); // where a card was last seen
let touched = -OWN;

function arrive(card) {
  card.dataset.fresh = "";
  clearTimeout(ends.get(card));
  ends.set(card, setTimeout(() => delete card.dataset.fresh, PAUSE));
}

function look() {
  for (const card of document.querySelectorAll(waiting)) tops.set(card, card.getBoundingClientRect().top);
}

// moved marks the cards that are somewhere else than before. A reader who
// scrolls moves them too, and is not in the way of anybody.
function moved() {
  const own = performance.now() - touched < OWN;
  for (const card of document.querySelectorAll(waiting)) {
    const before = tops.get(card);
    const top = card.getBoundingClientRect().top;
    tops.set(card, top);
    if (!own && before !== undefined && Math.abs(top - before) > 1) arrive(card);
  }
}

const sizes = new ResizeObserver(moved);

function note(root) {
  const cards = [...(root.matches?.(waiting) ? [root] : []), ...root.querySelectorAll(waiting)];
  cards.forEach(arrive);
  for (const card of cards) for (let box = card; box; box = box.parentElement) sizes.observe(box);
}

function guard(event) {
  if (!event.target.closest?.("[data-card][data-fresh]")) return;
  if (event.type === "click" && !event.target.closest("button[type=submit]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function touch(event) {
  if (event.target.closest?.(waiting)) touched = performance.now();
}

note(document);
new MutationObserver((list) => {
  for (const { addedNodes } of list) {
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) note(node);
  }
}).observe(document.body, { childList: true, subtree: true });

document.addEventListener("click", guard, true);
document.addEventListener("submit", guard, true);
document.addEventListener("click", touch, true);
document.addEventListener("input", touch, true);
document.addEventListener("scroll", look, { capture: true, passive: true });
