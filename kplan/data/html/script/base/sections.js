// One idea for every page: a kind of document says how nodes stand towards it, and gives its sections in order.

const KINDS = {};

/**
 * Tell how one kind of document is laid out.
 *
 * fields: its fields that the sections show; the others follow, laid out by their shape.
 * lens(): the answer whose verdicts colour the nodes from the start.
 * stand(): sets how nodes stand; without it, by what comes and goes.
 * stories(): gives stories of pods.
 * about(node): chapters of a node's story that only this kind has.
 * sections(): made with ``part``, in order.
 */
function kind(name, layout) {
  KINDS[name] = layout;
}

/** A section, or a chapter of a story; null where there is nothing to say. */
function part(id, title, ...content) {
  const some = content.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false && one !== "");
  return some.length ? { id, title, content: some } : null;
}

/** Put a section on the page, listed in the navigation. */
function section({ id, title, content }) {
  const heading = h("h2", { id: `${id}-title` }, title);
  $("content").append(linked(h("section", { id, "aria-labelledby": `${id}-title` }, heading, content)));
  $("sections").append(h("a", { href: `#${id}` }, title));
}

/** Fields of every document that the head of the page shows. */
const HEAD = [
  "apiVersion",
  "kind",
  "verdict",
  "howTo", // for tools: what is told as Try
  "sentence",
  "because",
  "try",
  "careful",
  "doubts",
  "notes",
  "from",
  "timings",
  "otherVersion",
  "turn",
  "askedNode",
];
