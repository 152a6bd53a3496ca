// Answers that are half given survive a reload. They are kept for each question
// until it is closed; the message box's drafts are kept in the same way, and
// both are forgotten at sign-out.
const key = (id) => `draft:answers:${id}`;

// Storage may be full or forbidden; then answers live as long as their page.
function attempt(action) {
  try {
    return action(localStorage);
  } catch {
    return null;
  }
}

const fields = (form) => form.querySelectorAll("textarea[id], input[type=radio], input[type=checkbox]");
const ticked = (field) => field.type === "radio" || field.type === "checkbox";

function save(form) {
  const given = {};
  for (const f of fields(form)) {
    if (ticked(f) ? f.checked !== f.defaultChecked : f.value !== f.defaultValue) given[f.id] = ticked(f) ? f.checked : f.value;
  }
  attempt((store) => store.setItem(key(form.dataset.answers), JSON.stringify(given)));
}

function restore(form) {
  const text = attempt((store) => store.getItem(key(form.dataset.answers)));
  const given = text ? attempt(() => JSON.parse(text)) : null;
  for (const f of given ? fields(form) : []) {
    if (!(f.id in given)) continue;
    if (ticked(f)) f.checked = given[f.id];
    else f.value = given[f.id];
  }
}

function note(root) {
  const own = (selector) => [...(root.matches?.(selector) ? [root] : []), ...root.querySelectorAll(selector)];
  own("form[data-answers]").forEach(restore);
  for (const card of own("[data-answered]")) attempt((store) => store.removeItem(key(card.dataset.answered)));
}

note(document);
new MutationObserver((list) => {
  for (const { addedNodes } of list) {
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) note(node);
  }
}).observe(document.body, { childList: true, subtree: true });

document.addEventListener("input", (event) => {
  const form = event.target.closest?.("form[data-answers]");
  if (form) save(form);
});
