// Times in the reader's zone, and counters: up from data-since, down to
// data-until. They count by the server's clock, which may differ from this
// one.
const server = Date.parse(document.querySelector('meta[name="server-time"]')?.content ?? "");
const loaded = performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.responseStart ?? 0);
const skew = Number.isNaN(server) ? 0 : server - loaded;
const now = () => Date.now() + skew;

const clocks = {
  minute: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }),
  second: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
};

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

// clock is a time of day, with the date where the minute says when a run was
// and that was on another day.
function clock(node) {
  const at = new Date(node.dateTime);
  const text = clocks[node.dataset.clock].format(at);
  const today = at.toDateString() === new Date(now()).toDateString();
  return today || node.dataset.clock !== "minute" ? text : `${day.format(at)} ${text}`;
}

// The same form as seconds in views/format.go.
function seconds(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function count(node, all) {
  if (node.dataset.since) return write(node, seconds(now() - Date.parse(node.dataset.since)));
  const left = Date.parse(node.dataset.until) - now();
  const soon = left < 60_000;
  node.closest("[data-expiry]")?.classList.toggle("is-soon", soon);
  // A long wait changes every ten seconds, the last minute every second.
  if (all || soon || Math.floor(left / 1000) % 10 === 0) write(node, seconds(left));
}

function start(root) {
  for (const node of root.querySelectorAll("[data-clock]")) {
    write(node, clock(node));
  }
  for (const node of root.querySelectorAll("[data-since], [data-until]")) count(node, true);
}

start(document);
new MutationObserver((list) => {
  for (const { addedNodes } of list) {
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) start(node);
  }
}).observe(document.body, { childList: true, subtree: true });

setInterval(() => {
  for (const node of document.querySelectorAll("[data-since], [data-until]")) count(node, false);
}, 1000);
