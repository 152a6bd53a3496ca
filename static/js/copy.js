// Copies the text of data-copy or, where that is empty, of the data-source in
// the same data-copied. Where the clipboard is closed to scripts, as
// on a page without TLS, a selection is copied instead.
async function copy(text) {
  try {
    return await navigator.clipboard.writeText(text);
  } catch {}
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "sr";
  document.body.append(box);
  const back = document.activeElement;
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  back?.focus({ preventScroll: true });
  if (!done) throw new Error("not copied");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const label = button.querySelector("span");
  const word = (button.dataset.word ??= label.textContent);
  try {
    await copy(button.dataset.copy || button.closest("[data-copied]").querySelector("[data-source]").textContent);
    label.textContent = "Copied";
  } catch {
    label.textContent = "Not copied";
  }
  setTimeout(() => (label.textContent = word), 2000);
});
