// The cells of the map: cards where nodes are few, tiles where they are many; moved among by the arrow keys.

/** Cells that were made, by node: a search shows those that it leaves again, and makes none. */
const CELLS = { of: "", made: new Map() };

/** Forget the cells, as nodes stand otherwise now. */
function forgetCells() {
  CELLS.made.clear();
}

/** The cell of a node, coloured by a resource. */
function cellOfNode(node, resource) {
  if (CELLS.of !== resource) {
    forgetCells();
    CELLS.of = resource;
  }
  const former = CELLS.made.get(node);
  if (former) {
    if (former.tabIndex === 0) former.tabIndex = -1;
    return former;
  }
  const made = (NODE_LIST.length <= FEW ? card : tile)(node, resource);
  CELLS.made.set(node, made);
  return made;
}

function nodeMap(nodes, view) {
  const map = h("div", {
    class: NODE_LIST.length <= FEW ? "map cards" : "map tiles",
    role: "group",
    "aria-label": "Nodes; arrow keys move, Enter opens the story of a node",
  });
  const more = drawnInTurn(map, grouped(nodes, view.group), view);
  more(view.paper ? nodes.length : BATCH);
  const first = map.querySelector("button[data-node]");
  if (first) first.tabIndex = 0;
  const cellOf = (event) => event.target.closest("button[data-node]");
  map.addEventListener("keydown", (event) => {
    if (event.key === "End") more(nodes.length);
    moveFocus(event, map);
  });
  map.addEventListener("focusin", (event) => {
    if (!cellOf(event)) return;
    for (const former of map.querySelectorAll('button[tabindex="0"]')) former.tabIndex = -1;
    cellOf(event).tabIndex = 0;
  });
  map.addEventListener("click", (event) => cellOf(event) && go("node", cellOf(event).dataset.node));
  return map;
}

/** Cells that are drawn at once; what is farther down is drawn when it comes near the screen, or is asked for. */
const BATCH = 1_000;

/** Give the function that draws the next cells of the groups. */
function drawnInTurn(map, groups, view) {
  const rest = groups.map(([key, some]) => ({ key, some, from: 0, cells: h("div", { class: "cells" }) }));
  const told = act("", () => more(BATCH));
  const later = h("p", { class: "later" }, told);
  const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(BATCH), {
    rootMargin: "200px",
  });
  const more = (number) => {
    let left = number;
    while (rest.length && left > 0) {
      const [group] = rest;
      const some = group.some.slice(group.from, group.from + left);
      if (!group.from) map.append(...groupedHead(group, view), group.cells);
      group.cells.append(...some.map((node) => cellOfNode(node, view.resource)));
      group.from += some.length;
      left -= some.length;
      if (group.from === group.some.length) rest.shift();
    }
    near.unobserve(later); // and observed anew: it is told of once more where it stays in sight
    later.remove();
    if (!rest.length) return;
    told.textContent = plural(rest.reduce((sum, group) => sum + group.some.length - group.from, 0), "more node");
    map.append(later);
    near.observe(later);
    markOpen();
  };
  return more;
}

/** What stands over the cells of a group; nothing where nodes are not grouped. */
function groupedHead({ key, some }, view) {
  if (!view.group) return [];
  const title = view.group === "state" ? standing(some[0]).text : key || "without this label";
  const mark = view.group === "state" ? standMark(some[0]) : null;
  return [h("h3", {}, mark, title, h("span", { class: "dim val" }, ` ${int(some.length)}`))];
}

const standMark = (node) => signOf(standing(node));

/** How full a node is, in words; of one that changed on both sides. */
function resourceText(node, resource) {
  const now = percent(fullness(node, resource));
  const was = node.before ? percent(fullness(node, resource, node.before)) : now;
  return `${resource === "most" ? "fullest" : resource} ${was === now ? now : `${was} \u2192 ${now}`}`;
}

/** Bars of a card: both sides of a node that changed. */
function cardBar(node, resource) {
  const now = fullness(node, resource);
  if (!node.before) return bar(now);
  const half = (share, side) => h("span", { class: `bar ${side}`, vars: { "--f": percent(Math.min(1, share)) } });
  const halves = [half(fullness(node, resource, node.before), "before"), half(now, "after")];
  return h("span", { class: "meter" }, h("span", { class: "two" }, halves), h("span", { class: "val" }, percent(now)));
}

function tile(node, resource) {
  const { tone, mark, text } = standing(node);
  const full = fullness(node, resource);
  const told = changed(node) ? `${text}, ${changed(node)}` : text;
  return h(
    "button",
    {
      type: "button",
      class: `cell tile ${tone}${full > 1 ? " over" : ""}`,
      tabindex: "-1",
      "data-node": node.name,
      "aria-label": `${node.name}: ${told}; ${resourceText(node, resource)}`,
      title: `${node.name}\n${told}\n${resourceText(node, resource)}`,
      vars: { "--f": percent(Math.min(1, full)) },
    },
    mark,
  );
}

function card(node, resource) {
  const resources = ["cpu", "memory", "pods"].filter((name) => USED.includes(name));
  if (resource !== "most" && !resources.includes(resource)) resources.push(resource);
  const tags = [node.zone, node.pool, node.type].filter(Boolean);
  const line = (name) =>
    h("span", { class: `card-bar${name === resource ? " asked" : ""}` }, dim(name), cardBar(node, name));
  return h(
    "button",
    { type: "button", class: `cell card ${standing(node).tone}`, tabindex: "-1", "data-node": node.name },
    h("span", { class: "card-head" }, standMark(node), h("span", { class: "name" }, node.name)),
    h("span", { class: "card-text" }, cardText(node)),
    resources.map(line),
    tags.length ? h("span", { class: "card-tags dim" }, tags.join(" \u00b7 ")) : null,
  );
}

/** What a card says: why the node refuses the pod; else what comes and goes, or how it stands. */
function cardText(node) {
  if (LENS.answer) return node.state === "refused" ? refusedText(node) : standing(node).text;
  if (!changed(node)) return standing(node).text;
  return ["lands", "leaves", "trades"].includes(node.state)
    ? changed(node)
    : `${standing(node).text}: ${changed(node)}`;
}

/** Arrow keys, Home and End among the cells, by where they are on the screen. */
function moveFocus(event, map) {
  const cell = event.target.closest("button[data-node]");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowRight" || event.key === "ArrowDown") drawBelow(map, cell);
  const cells = [...map.querySelectorAll("button[data-node]")];
  const at = cells.indexOf(cell);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: cells.length - 1 }[event.key];
  let next = to === undefined ? null : cells[to];
  if (event.key === "ArrowDown" || event.key === "ArrowUp")
    next = beyond(cells, at, event.key === "ArrowDown" ? 1 : -1);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Draw more cells where the focus is at the end of those that are drawn. */
function drawBelow(map, cell) {
  const later = map.querySelector(".later button");
  if (later && later.getBoundingClientRect().top - cell.getBoundingClientRect().bottom < 100) later.click();
}

/** The cell of the next line that is nearest to this one. */
function beyond(cells, at, way) {
  const here = cells[at].getBoundingClientRect();
  let best = null;
  let line = null;
  for (let i = at + way; i >= 0 && i < cells.length; i += way) {
    const box = cells[i].getBoundingClientRect();
    if ((box.top - here.top) * way <= 1) continue;
    if (line !== null && Math.abs(box.top - line) > 1) break;
    line = box.top;
    if (!best || Math.abs(box.left - here.left) < Math.abs(best.left - here.left))
      best = { left: box.left, cell: cells[i] };
  }
  return best && best.cell;
}

/** The nodes as a table, how full they are by every resource. */
function nodeTable(nodes) {
  const meters = USED.map((resource) => ({
    label: resource,
    scale: "100%",
    num: true,
    value: (node) => fullness(node, resource),
    cell: (node) => {
      const i = placeOf(resource);
      const numbers = `${amount(resource, node.requested[i])} of ${amount(resource, node.allocatable[i])}`;
      const some = node.allocatable[i] || node.requested[i];
      return some ? bar(fullness(node, resource), percent(fullness(node, resource)), numbers) : "-";
    },
  }));
  const labels = [
    ["zone", "zone"],
    ["pool", "pool"],
    ["type", "instance type"],
  ].filter(([key]) => nodes.some((node) => node[key]));
  const columns = [
    { label: "node", value: (node) => node.name, cell: (node) => [standMark(node), link("node", node.name)] },
    { label: "verdict", wide: true, value: (node) => standing(node).text, cell: cardText },
    ...meters,
    ...labels.map(([key, label]) => ({ key, label })),
  ];
  return table(columns, nodes, { caption: "Nodes", page: 50, unit: "node", units: "nodes", more: nodeText });
}
