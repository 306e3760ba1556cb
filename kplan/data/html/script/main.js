// Puts the page together: the sections of the document's kind, then what the kind does not know, by its shape.

function build() {
  const layout = KINDS[DOC.kind] || UNKNOWN;
  if (layout.stories) layout.stories();
  look(layout.lens ? layout.lens() : null);
  const known = new Set([...HEAD, ...(WHAT_IF.length ? ["whatIf"] : []), ...layout.fields]);
  const rest = shapedParts(known);
  for (const one of layout.sections(rest)) if (one) section(one);
  if (layout !== UNKNOWN) for (const one of rest) section(one);
}

/** Light or dark: as the system says until the button is used. */
function theme() {
  const button = $("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
  button.hidden = false;
}

theme();
build();
addEventListener("hashchange", route);
document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href^='#']");
  if (anchor && !event.target.closest("#story")) opener = anchor;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !$("story").hidden && event.target.type !== "search") shut(true);
});
route();
document.documentElement.dataset.ready = "true";
