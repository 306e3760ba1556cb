// Names of nodes and pods: links where the page has a story for them, and short where there are many.

/** Stories of pods: by name, the function that makes the content. */
const STORIES = new Map();

const SHORT = 44;
const nameClass = (name) => (name.length <= SHORT ? "name short" : "name");

/** A link that opens the story of a node or a pod. */
function link(kind, name, text) {
  return h("a", { class: nameClass(name), href: `#${kind}=${encodeURIComponent(name)}` }, text || name);
}

/** A name that is no link; a short one is not broken over lines. */
const plainName = (name) => h("span", { class: nameClass(name) }, name);

const nodeName = (name) => (NODES.has(name) ? link("node", name) : plainName(name));
const podName = (name) => (STORIES.has(name) ? link("pod", name) : plainName(name));

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
    add(list, [items.slice(from, to).map(make)]);
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
