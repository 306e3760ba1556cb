// Puts the page together: the sections of the document's kind, then what the kind does not know, by its shape.

function build() {
  const layout = KINDS[DOC.kind] || UNKNOWN;
  if (layout.stories) layout.stories();
  linked($("answer"));
  look(layout.lens ? layout.lens() : null);
  const known = new Set([...HEAD, ...(WHAT_IF.length ? ["whatIf"] : []), ...layout.fields]);
  const rest = shapedParts(known);
  for (const one of layout.sections(rest)) if (one) section(one);
  if (layout !== UNKNOWN) for (const one of rest) section(one);
}

/** Read or keep the colours that were chosen; a browser that keeps nothing for files goes by the system. */
function kept(how, value) {
  try {
    return how === "set" ? localStorage.setItem("kplan-theme", value) : localStorage.getItem("kplan-theme");
  } catch {
    return null;
  }
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
    kept("set", document.documentElement.dataset.theme);
    name();
  });
  const before = kept("get");
  if (before === "dark" || before === "light") document.documentElement.dataset.theme = before;
  system.addEventListener("change", name);
  name();
  button.hidden = false;
}

/**
 * Paper has every row and what is folded; the screen has them back as they were. Paper has no links into the page: the
 * browser looks for the target of each in the whole page, which for thousands of them takes the square of their number.
 */
function paper() {
  let opened = [];
  let links = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
    for (const put of ON_PAPER) put(true);
    links = [...document.querySelectorAll("a[href^='#']")].map((one) => [one, one.getAttribute("href")]);
    for (const [one] of links) one.removeAttribute("href");
  });
  addEventListener("afterprint", () => {
    for (const [one, href] of links) one.setAttribute("href", href);
    for (const one of opened) one.open = false;
    for (const put of ON_PAPER) put(false);
  });
}

/** A page that was saved from a browser holds what the script drew: it is drawn again, not twice. */
function afresh() {
  for (const one of [...$("content").children]) if (one.id !== "answer") one.remove();
  $("sections").replaceChildren();
  $("story").replaceChildren();
  $("story").hidden = true;
}

afresh();
theme();
build();
paper();
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
