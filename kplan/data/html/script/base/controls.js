// Controls: a choice, a search field, buttons of which one is pressed.

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

/** A button that reads like a link. */
const act = (text, onclick) => h("button", { type: "button", class: "more", onclick }, text);

/** Tell whether a text holds every word that was typed. */
function matcher(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}
