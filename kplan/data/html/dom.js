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
  add(el, children);
  return el;
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

/** A section of the page with its heading, listed in the navigation. */
function section(id, title, ...children) {
  const heading = h("h2", { id: `${id}-title` }, title);
  const made = h("section", { id, "aria-labelledby": `${id}-title` }, heading, children);
  $("content").append(made);
  $("sections").append(h("a", { href: `#${id}` }, title));
  return made;
}

/** A labelled choice: the label, then a select. */
function choice(label, options, value, onchange) {
  const id = newId("choice");
  const select = h(
    "select",
    { id, onchange: () => onchange(select.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
  return h("span", { class: "choice" }, h("label", { for: id }, label), select);
}

/** A search field; what is typed is acted on when the typing pauses. */
function search(label, onsearch) {
  const id = newId("search");
  let waits = 0;
  const input = h("input", {
    id,
    type: "search",
    placeholder: label,
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => {
      clearTimeout(waits);
      waits = setTimeout(() => onsearch(input.value), 80);
    },
  });
  return h("span", { class: "search" }, h("label", { for: id, class: "unseen" }, label), input);
}

/** Buttons of which exactly one is pressed. */
function tabs(label, options, value, onchange) {
  const buttons = options.map(([key, text]) =>
    h("button", { type: "button", "aria-pressed": String(key === value), onclick: () => press(key) }, text),
  );
  function press(key) {
    options.forEach(([one], i) => buttons[i].setAttribute("aria-pressed", String(one === key)));
    onchange(key);
  }
  return h("span", { class: "tabs", role: "group", "aria-label": label }, buttons);
}

/** Tell whether a text holds every word that was typed. */
function matcher(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}

/** A link that opens the story of a node or a pod. */
function link(kind, name, text) {
  return h("a", { class: nameClass(name), href: `#${kind}=${encodeURIComponent(name)}` }, text || name);
}

/** A name that is no link; a short one is not broken over lines. */
function plainName(name) {
  return h("span", { class: nameClass(name) }, name);
}

const nameClass = (name) => (name.length <= SHORT ? "name short" : "name");
const SHORT = 44;

/** Names as links where the page has a story for them. */
const nodeName = (name) => (NODES.has(name) ? link("node", name) : plainName(name));
const podName = (name) => (STORIES.has(name) ? link("pod", name) : plainName(name));

/** Some names, and the rest behind a button. */
function names(all, most = 6, make = nodeName) {
  const list = h("span", { class: "names" });
  const show = (count) => {
    clear(list, all.slice(0, count).map((name, i) => [i ? ", " : "", make(name)]));
    const rest = all.length - count;
    if (rest > 0) {
      const next = Math.min(all.length, count + 200);
      const more = h("button", { type: "button", class: "more" }, `+${rest.toLocaleString("en")} more`);
      more.addEventListener("click", () => {
        show(next);
        const links = list.querySelectorAll("a");
        if (links[count]) links[count].focus();
      });
      list.append(" ", more);
    }
  };
  show(Math.min(most, all.length));
  return list;
}
