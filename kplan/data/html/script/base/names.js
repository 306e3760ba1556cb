// Names of nodes and pods: links where the page has a story for them, and short where there are many.

/** Stories of pods: by name, the function that makes the content. */
const STORIES = new Map();

const SHORT = 44;
const nameClass = (name) => (name.length <= SHORT ? "name short" : "name");

/** A link that opens the story of a node or a pod; `#/` as it leads to no element of the page. */
function link(kind, name, text) {
  return h("a", { class: nameClass(name), href: `#/${kind}=${encodeURIComponent(name)}` }, text || name);
}

/** A name that is no link; a short one is not broken over lines. */
const plainName = (name) => h("span", { class: nameClass(name) }, name);

const nodeName = (name) => (NODES.has(name) ? link("node", name) : plainName(name));
const podName = (name) => (isPod(name) ? link("pod", name) : plainName(name));

/** Fields of documents that hold names of pods. */
const POD_FIELDS = new Set([
  "pod",
  "pods",
  "podB",
  "insteadOf",
  "instead",
  "real",
  "left",
  "evicts",
  "lost",
  "clears",
  "picks",
]);

/** Give every object of the document once, with the name of the list or field that holds it. */
function everyPart(visit) {
  const seen = new Set();
  const walk = (value, field) => {
    if (value === null || typeof value !== "object" || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) for (const one of value) walk(one, field);
    else {
      visit(value, field);
      for (const key of Object.keys(value)) walk(value[key], key);
    }
  };
  walk(DOC, "");
}

/** Names of pods in one object of the document. */
const podsIn = (part) =>
  Object.keys(part)
    .filter((key) => POD_FIELDS.has(key))
    .flatMap((key) => part[key])
    .filter((name) => typeof name === "string" && name.includes("/"));

/** Pods that the page knows of: those on its nodes, and those that the document names. */
const PODS = new Set(NODE_LIST.flatMap((node) => node.pods.map((pod) => pod[0])));
/** Pods in a sentence, as ``8 waiting pods: shop/a, shop/b``. */
const TOLD_PODS = /\bpods?:? ((?:[a-z0-9.-]+\/[a-z0-9.-]+(?:, )?)+)/g;
const textsIn = (part) => Object.values(part).flat().filter((value) => typeof value === "string");
everyPart((part) => {
  for (const name of podsIn(part)) PODS.add(name);
  for (const text of textsIn(part))
    for (const [, names] of text.includes("/") ? text.matchAll(TOLD_PODS) : [])
      for (const name of names.split(", ")) if (name) PODS.add(name);
});
const isPod = (name) => STORIES.has(name) || PODS.has(name);

const WORDS = /[^\s,;:()"]+/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const NO_LINKS = "a, button, summary, select, label, caption, pre, svg, noscript, bdi, .name";

/** What a word of a text becomes: a link for the name of a node or a pod; null for any other word. */
function namedBy(word) {
  if (NODES.has(word) && /[^A-Za-z]/.test(word)) return link("node", word);
  if (isPod(word)) return link("pod", word);
  return RIGHT_TO_LEFT.test(word) ? h("bdi", {}, word) : null;
}

/** Make links of the names of nodes and pods in all texts of an element, and set right-to-left words apart. */
function linked(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (one) =>
    one.nodeType === Node.TEXT_NODE || !one.matches(NO_LINKS) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
  );
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode.nodeType === Node.TEXT_NODE) texts.push(walker.currentNode);
  for (const text of texts) {
    const pieces = withNames(text.data);
    if (pieces) text.replaceWith(...pieces);
  }
  return root;
}

/** A text as texts and links; null where there is nothing to link. */
function withNames(text) {
  const pieces = [];
  let end = 0;
  for (const found of text.matchAll(WORDS)) {
    const word = found[0].replace(/\.+$/, "");
    const made = namedBy(word);
    if (!made) continue;
    pieces.push(text.slice(end, found.index), made);
    end = found.index + word.length;
  }
  return end ? [...pieces, text.slice(end)].filter(Boolean) : null;
}

/** Some names, and the rest behind a button. */
function names(all, most = 6, make = nodeName) {
  const list = h("span", { class: "names" });
  const show = (count) => {
    clear(
      list,
      all.slice(0, count).map((name, i) => [i ? ", " : "", make(name)]),
    );
    const rest = all.length - count;
    if (rest <= 0) return;
    const more = act(`+${int(rest)} more`, () => {
      show(Math.min(all.length, count + 200));
      const links = list.querySelectorAll("a");
      if (links[count]) links[count].focus();
    });
    list.append(" ", more);
  };
  show(Math.min(most, all.length));
  return list;
}

/** A list of which the first are shown, and more at a time behind a button. */
function longList(items, make, most = 12) {
  const list = h("ul", { class: "causes" });
  const show = (from) => {
    const to = Math.min(items.length, from + most);
    add(list, [items.slice(from, to).map((item) => linked(make(item)))]);
    if (to === items.length) return;
    const next = h(
      "li",
      {},
      act(`${int(items.length - to)} more`, () => {
        next.remove();
        show(to);
      }),
    );
    list.append(next);
  };
  show(0);
  return list;
}

/** Names with numbers behind them, the greatest first, as ``node-a x2, node-b``. */
function counted(numbers, most = 4, make = nodeName) {
  const sorted = Object.entries(numbers).sort(([a, one], [b, two]) => two - one || a.localeCompare(b, "en"));
  const by = new Map(sorted);
  return names([...by.keys()], most, (name) => [
    make(name),
    by.get(name) > 1 ? dim(` \u00d7${int(by.get(name))}`) : null,
  ]);
}

/** Owners with their numbers of pods; a pod that stands for itself has none. */
function ownersOf(numbers, most = 4) {
  return names(Object.keys(numbers), most, (owner) => [
    plainName(owner),
    owner.startsWith("pod/") ? null : dim(` ${int(numbers[owner])}`),
  ]);
}
