// The message box: Enter sends, the box grows, and what was typed is kept for
// each conversation until it is sent.
const form = document.querySelector("[data-composer]");

const store = {
  key: `draft:${form?.dataset.composer || "new"}`,
  // Storage may be full or forbidden; then a draft lives as long as its page.
  read() {
    try {
      return localStorage.getItem(this.key) ?? "";
    } catch {
      return "";
    }
  },
  write(text) {
    try {
      if (text.trim()) localStorage.setItem(this.key, text);
      else localStorage.removeItem(this.key);
    } catch {}
  },
};

function freshID() {
  const bytes = crypto.getRandomValues(new Uint8Array(15));
  return "m_" + Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

function attach(box) {
  const id = document.getElementById("message-id");
  const touch = matchMedia("(pointer: coarse)");
  const sized = CSS.supports("field-sizing", "content");

  const grow = () => {
    if (!sized) box.rows = Math.min(12, box.value.split("\n").length);
  };
  const hint = () => {
    const busy = form.querySelector("[data-busy]");
    const asked = form.querySelector("[data-asked]");
    box.placeholder = asked ? box.dataset.hintAsked : busy ? box.dataset.hintBusy : box.dataset.hintIdle;
  };

  if (!box.value) box.value = store.read();
  grow();
  new MutationObserver(hint).observe(form, { childList: true, subtree: true });

  box.addEventListener("input", () => {
    store.write(box.value);
    grow();
  });

  box.addEventListener("keydown", (event) => {
    const plain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    // An input method uses Enter to choose a word.
    if (event.key !== "Enter" || !plain || event.isComposing || event.keyCode === 229 || touch.matches) return;
    event.preventDefault();
    if (box.value.trim() || form.querySelector("[data-file]")) form.requestSubmit();
  });

  let sent = "";
  form.addEventListener("submit", () => {
    sent = box.value;
    // A form that leads to another page takes its text along.
    if (!form.hasAttribute("hx-post")) store.write("");
  });
  form.addEventListener("htmx:after:request", (event) => {
    if (event.target !== form || event.detail.ctx.response.status >= 400) return;
    id.value = freshID();
    if (box.value !== sent) return;
    box.value = "";
    store.write("");
    grow();
    document.getElementById("latest")?.scrollIntoView({ block: "end" });
  });
}

if (form) attach(form.querySelector("textarea"));

// The editor of a message that waits closes once it is saved: here, or when the
// message is drawn anew, whichever comes first.
const editor = (event) => event.target.closest?.(".queue__edit")?.closest("details");

document.addEventListener("submit", (event) => {
  const fold = editor(event);
  if (fold) fold.dataset.saved = "";
});
document.addEventListener("htmx:after:request", (event) => {
  const fold = editor(event);
  if (!fold) return;
  delete fold.dataset.saved;
  if (event.detail.ctx.response?.status < 400) fold.open = false;
});

// Words that were never sent do not stay behind for the next person.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-sign-out]")) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key);
  } catch {}
});
