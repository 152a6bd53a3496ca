// Files of the next message: picked, dropped or pasted, sent to the server at
// once, and named by the message when it is sent. A message waits for them.
const form = document.querySelector("[data-composer]");

function attach(list) {
  const box = form.querySelector("textarea");
  const pending = form.querySelector("[data-file-pending]");
  const picker = form.querySelector("[data-file-button]");
  const limit = 8;
  const uploads = new Map(); // the requests under way, by what stands for them
  let waiting = false; // the message goes once they are through

  const settle = () => {
    box.required = !list.querySelector("[data-file]");
    if (waiting && uploads.size === 0) {
      waiting = false;
      form.requestSubmit();
    }
  };

  // What the server says is HTML of ours, a toast where it refuses.
  const toast = (html) => {
    waiting = false;
    document.getElementById("toasts").append(parsed(html));
  };

  const parsed = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content;
  };

  const said = (what) => form.querySelector(`[data-files-said=${what}]`).innerHTML;

  const drop = (chip) => {
    uploads.get(chip)?.abort();
    uploads.delete(chip);
    if (chip.dataset.file) fetch(chip.dataset.file, { method: "POST" }).catch(() => {}); // it is erased in a day
    chip.remove();
    settle();
    box.focus();
  };

  const upload = (file) => {
    const chip = pending.content.firstElementChild.cloneNode(true);
    chip.querySelector("[data-file-name]").textContent = file.name;
    chip.querySelector(".sr").textContent += `: ${file.name}`;
    const bar = chip.querySelector("progress");
    bar.ariaLabel = `Sending ${file.name}`;
    list.append(chip);
    const request = new XMLHttpRequest();
    uploads.set(chip, request);
    request.open("POST", `${list.dataset.upload}?${new URLSearchParams({ name: file.name })}`);
    request.setRequestHeader("HX-Request", "true");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded, total }) => (bar.value = loaded / total));
    request.addEventListener("loadend", () => {
      if (!uploads.delete(chip)) return; // taken back
      if (request.status === 201) chip.replaceWith(parsed(request.responseText));
      else {
        chip.remove();
        toast(request.responseText || said("lost"));
      }
      settle();
    });
    request.send(file);
    settle();
  };

  const add = (files) => {
    const room = limit - list.querySelectorAll("[data-file]").length;
    for (const file of [...files].slice(0, Math.max(0, room))) upload(file);
    if (files.length > room) toast(said("full"));
  };

  picker.hidden = false;
  picker.querySelector("input").addEventListener("change", ({ target }) => {
    add(target.files);
    target.value = "";
  });
  box.addEventListener("paste", (event) => {
    const { files, types } = event.clipboardData;
    if (files.length === 0 || types.includes("text/plain")) return; // a table comes as both
    event.preventDefault();
    add(files);
  });
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  const over = (is) => form.classList.toggle("is-drop", is);
  document.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget || over(false));
  document.addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    over(false);
    add(event.dataTransfer.files);
  });
  list.addEventListener("click", (event) => {
    if (event.target.closest("[data-file-drop]")) drop(event.target.closest("[data-file]"));
  });

  let sent = [];
  form.addEventListener(
    "submit",
    (event) => {
      if (uploads.size > 0) {
        waiting = true;
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      sent = [...list.querySelectorAll("[data-file]")];
    },
    { capture: true },
  );
  form.addEventListener("htmx:after:request", (event) => {
    if (event.target !== form || event.detail.ctx.response.status >= 400) return;
    for (const chip of sent) chip.remove();
    settle();
  });
  settle();
}

const list = form?.querySelector("[data-files]");
if (list) attach(list);
