// Keeps the choice of colours in a cookie, so that the server can say it in
// the first byte of the next page.
document.addEventListener("change", (event) => {
  const { target } = event;
  if (target.name !== "theme" || !target.closest("[data-theme-choice]")) return;
  const theme = target.value;
  const system = theme === "system";
  if (system) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${system ? "" : theme}; path=/; samesite=lax; max-age=${system ? 0 : 31536000}`;
});
