// The transcript opens at its newest entry and stays there by its layout; see
// .scroller in css/shell.css. What is left is the way back for a reader who
// has scrolled up.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-to-latest]")) return;
  event.preventDefault();
  document.getElementById("latest").scrollIntoView({ block: "end" });
});
