// Follows one conversation over a WebSocket.
//
// The server sends HTML: <template> elements, each with an operation and the
// markup that the page itself is made of. Nothing here makes HTML from data.
// The page says what it has (the newest record, and how far the draft got);
// the server sends what is missing and then what is new, so a first
// connection, a lost one and a second tab are the same thing.

const SILENCE = 40_000; // the server is heard every 15 s

const region = document.querySelector("[data-live]");
const banner = document.getElementById("connection");
const ended = new Set([4401, 4403, 4404]); // signed out, disabled, gone

let socket, silence, retry, tries = 0, wasLost = false;
let needs = /^\([\d,]+\) /.exec(document.title)?.[0] ?? "";

const drafts = () => region.querySelectorAll("[data-attempt][data-channel]");

function hello() {
  const have = { seq: Number(region.dataset.seq) };
  for (const d of drafts()) {
    have.attempt = d.dataset.attempt;
    have[d.dataset.channel] = Number(d.dataset.end);
  }
  return have;
}

function connect() {
  clearTimeout(retry);
  listen();
  const url = new URL(region.dataset.live, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const s = (socket = new WebSocket(url));
  s.onopen = () => s.send(JSON.stringify(hello()));
  s.onmessage = (event) => {
    heard();
    apply(event.data);
  };
  s.onclose = (event) => s === socket && lost(event.code);
}

// listen gives the server its time to say something.
function listen() {
  clearTimeout(silence);
  silence = setTimeout(drop, SILENCE);
}

function heard() {
  listen();
  tries = 0;
  if (!wasLost) return;
  wasLost = false;
  say("is-back");
  setTimeout(() => wasLost || say(""), 4000);
}

// drop gives a connection up that may still believe it is open.
function drop() {
  const s = socket;
  socket = undefined;
  s?.close();
  lost(1006);
}

function lost(code) {
  clearTimeout(silence);
  if (ended.has(code)) {
    say("is-ended");
    return;
  }
  wasLost = true;
  const wait = Math.min(30, 2 ** Math.min(tries++, 5)) * (0.8 + 0.4 * Math.random());
  countdown(Date.now() + 1000 * wait);
}

function countdown(at) {
  const left = Math.ceil((at - Date.now()) / 1000);
  if (left <= 0) return connect();
  say("is-lost", left);
  retry = setTimeout(() => countdown(at), Math.min(1000, at - Date.now()));
}

// say shows one of the sentences that the page holds for the connection.
function say(state, seconds) {
  if (!banner) return;
  for (const line of banner.children) line.hidden = line.dataset.state !== state;
  banner.hidden = state === "";
  banner.classList.toggle("is-lost", state === "is-lost" || state === "is-ended");
  banner.classList.toggle("is-back", state === "is-back");
  for (const n of banner.querySelectorAll("[data-seconds]")) n.textContent = seconds;
}

const operations = {
  // put replaces the element with the same id, or adds it to its parent.
  put(t) {
    const fresh = t.content.firstElementChild;
    const old = document.getElementById(fresh.id);
    if (old) {
      const focus = keep(old, fresh);
      old.replaceWith(fresh);
      focus?.();
    } else {
      const parent = document.getElementById(t.dataset.in);
      if (!parent) return;
      if (t.dataset.first !== undefined) parent.prepend(fresh);
      else parent.append(fresh);
    }
    window.htmx?.process(fresh);
  },
  remove(t) {
    document.getElementById(t.dataset.id)?.remove();
  },
  text(t) {
    const { attempt, channel } = t.dataset;
    const [start, end] = [Number(t.dataset.start), Number(t.dataset.end)];
    for (const box of drafts()) {
      if (box.dataset.attempt !== attempt || box.dataset.channel !== channel) continue;
      const have = Number(box.dataset.end);
      if (end <= have) return;
      if (start !== have) return socket.send(JSON.stringify({ want: attempt }));
      grow(box, t.content);
      box.dataset.end = end;
    }
  },
  title(t) {
    document.title = needs + t.content.textContent;
  },
  // needs says before the title how much waits for the person.
  needs(t) {
    const title = document.title.slice(needs.length);
    needs = t.content.textContent;
    document.title = needs + title;
  },
  announce(t) {
    document.getElementById("announce").textContent = t.content.textContent;
  },
  // beat names the newest record: one that never came means a fault on the
  // way, and a new connection heals it.
  beat(t) {
    if (Number(t.dataset.seq) > Number(region.dataset.seq)) drop();
  },
};

function apply(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  for (const t of holder.content.children) {
    operations[t.dataset.op]?.(t);
    if (t.dataset.op !== "beat" && t.dataset.seq) region.dataset.seq = t.dataset.seq;
  }
}

// keep carries over what the reader did to an element: open folds, typed text
// and, after the replacement, the focus. An editor that was saved closes.
function keep(old, fresh) {
  const after = folds(fresh);
  for (const [key, fold] of folds(old)) if (after.has(key)) after.get(key).open = fold.open && !("saved" in fold.dataset);
  for (const field of old.querySelectorAll("textarea[id], input[id]")) {
    const same = fresh.querySelector("#" + CSS.escape(field.id));
    if (!same) continue;
    if (field.value !== field.defaultValue) same.value = field.value;
    if (field.checked !== field.defaultChecked) same.checked = field.checked;
  }
  const active = document.activeElement;
  if (!old.contains(active)) return undefined;
  return () => {
    const again = active.id && document.getElementById(active.id);
    (again || fresh.querySelector("[tabindex]") || fresh).focus({ preventScroll: true });
  };
}

// folds finds the folds of an element by what they belong to.
function folds(root) {
  const list = new Map();
  for (const fold of root.querySelectorAll("details")) {
    let key = fold.closest("[id]").id;
    while (list.has(key)) key += "+";
    list.set(key, fold);
  }
  return list;
}

// grow adds a piece of text to a draft: text continues its last block, and
// elements are new ones. One growing text node would cost layout time in
// proportion to its length.
function grow(box, piece) {
  for (const node of [...piece.childNodes]) {
    const last = box.lastElementChild;
    if (node.nodeType !== Node.TEXT_NODE || !last) box.append(node);
    else if (last.firstChild) last.firstChild.appendData(node.data);
    else last.append(node);
  }
}

if (region) {
  connect();
  addEventListener("online", () => wasLost && connect());
  document.addEventListener("visibilitychange", () => document.hidden || !wasLost || connect());
}
