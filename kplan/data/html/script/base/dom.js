// Elements are made, never parsed from text: what comes from the data can only become text or the value of an
// attribute that holds no code.

/** Make an element: properties, then children (elements, texts, lists of them; null is left out). */
function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, to] of Object.entries(value)) el.style.setProperty(key, to);
    else el.setAttribute(name, value === true ? "" : String(value));
  }
  return add(el, children);
}

function add(el, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    el.append(child instanceof Node ? child : String(child));
  }
  return el;
}

function clear(el, ...children) {
  el.replaceChildren();
  return add(el, children);
}

const $ = (id) => document.getElementById(id);

/** Say something to those who do not see the screen. */
function tell(text) {
  $("told").textContent = text;
}

let numbered = 0;
const newId = (stem) => `${stem}-${(numbered += 1)}`;

/** Text that only a screen reader reads. */
const unseen = (text) => h("span", { class: "unseen" }, text);

const dim = (...content) => h("span", { class: "dim" }, content);

/** Labels and texts beside each other; empty ones are left out. */
function pairs(items) {
  const shown = items.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  if (!shown.length) return null;
  return h(
    "dl",
    { class: "pairs" },
    shown.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, value))),
  );
}

/** Lines of text, one under the other. */
const lines = (texts) =>
  texts && texts.length
    ? h(
        "ul",
        { class: "plain" },
        texts.map((text) => h("li", {}, text)),
      )
    : null;

/** Something to be copied: a command, a message. */
function verbatim(text, about) {
  return h("pre", { tabindex: "0", role: "group", "aria-label": about }, text);
}

/** Something folded away behind a line. */
function fold(title, ...content) {
  return h("details", {}, h("summary", {}, title), content);
}
