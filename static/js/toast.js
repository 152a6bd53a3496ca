// Toasts leave when they are dismissed, or after a while if nobody is at them.
const STAY = 12_000;
const box = document.getElementById("toasts");

function leave(toast) {
  if (toast.matches(":hover, :focus-within")) setTimeout(leave, STAY, toast);
  else toast.remove();
}

function arrive(toast) {
  setTimeout(leave, STAY, toast);
}

// lift puts the toasts above whatever is open: no z-index reaches over a
// popover.
function lift() {
  box.popover = "manual";
  box.hidePopover();
  box.showPopover();
}

if (box) {
  box.querySelectorAll("[data-toast]").forEach(arrive);
  new MutationObserver((list) => {
    if (list.some(({ addedNodes }) => addedNodes.length > 0)) lift();
    for (const { addedNodes } of list) {
      for (const node of addedNodes) if (node.matches?.("[data-toast]")) arrive(node);
    }
  }).observe(box, { childList: true });
  box.addEventListener("click", (event) => {
    if (event.target.closest("[data-dismiss]")) event.target.closest("[data-toast]").remove();
  });
}
