// The nodes: a map of tiles (or cards, where they are few) and a table; searched, filtered, grouped and ordered.

const FEW = 48;
const GROUPINGS = [
  ["", "nothing"],
  ["state", "verdict"],
  ["zone", "zone"],
  ["pool", "pool"],
  ["type", "instance type"],
];
const ORDERS = [
  ["near", "nearest to fitting"],
  ["full", "fullest first"],
  ["free", "emptiest first"],
  ["name", "name"],
];

function nodesSection() {
  if (!NODE_LIST.length) return;
  const view = {
    typed: "",
    states: new Set(),
    resource: firstResource(),
    group: firstGrouping(),
    order: "near",
    mode: "map",
    focus: null,
  };
  const shown = h("div", { class: "shown" });
  const counted = h("span", { class: "dim count" });
  const legend = h("div", { class: "legend", role: "group", "aria-label": "Show only nodes that" });
  const options = [...(USED.length > 1 ? [["most", "fullest resource"]] : []), ...USED.map((name) => [name, name])];
  const redraw = (change) => {
    Object.assign(view, change);
    draw();
  };
  const groupings = GROUPINGS.filter(([key]) => !key || key === "state" || NODE_LIST.some((node) => node[key]));
  const orders = ANSWER ? ORDERS : ORDERS.filter(([key]) => key !== "near").concat([["near", "what changes first"]]);
  const tools = h(
    "div",
    { class: "tools" },
    search("Search nodes, labels, taints", (typed) => {
      redraw({ typed });
      tell(counted.textContent);
    }),
    choice("Fullness of", options, view.resource, (resource) => redraw({ resource })),
    choice("Group by", groupings, view.group, (group) => redraw({ group })),
    choice("Order", orders, view.order, (order) => redraw({ order })),
    tabs("Show nodes as", [["map", "Map"], ["table", "Table"]], view.mode, (mode) => redraw({ mode })),
    counted,
  );

  const matching = () => {
    const matches = matcher(view.typed);
    return NODE_LIST.filter(
      (node) =>
        (!view.states.size || view.states.has(stateKey(node))) && (!view.typed || matches(nodeText(node))),
    );
  };

  function drawLegend() {
    const counts = new Map();
    for (const node of [...NODE_LIST].sort(byNearness)) {
      const key = stateKey(node);
      counts.set(key, { node, count: ((counts.get(key) || {}).count || 0) + 1 });
    }
    const press = (key) => {
      if (!view.states.delete(key)) view.states.add(key);
      drawLegend();
      draw();
      const again = legend.querySelector(`[data-key="${key}"]`);
      if (again) again.focus();
      tell(counted.textContent);
    };
    clear(
      legend,
      [...counts].map(([key, { node, count }]) => {
        const { tone, mark, text } = standing(node);
        return h(
          "button",
          { type: "button", class: "chip", "data-key": key, "aria-pressed": String(view.states.has(key)), onclick: () => press(key) },
          h("span", { class: `mark ${tone}`, "aria-hidden": "true" }, mark),
          h("span", { class: "val" }, int(count)),
          h("span", { class: "chip-text" }, text),
        );
      }),
    );
  }

  function draw() {
    const found = matching().sort(orderOf(view));
    const all = found.length === NODE_LIST.length ? "" : ` of ${int(NODE_LIST.length)}`;
    counted.textContent = `${int(found.length)}${all} ${NODE_LIST.length === 1 ? "node" : "nodes"}`;
    if (!found.length) clear(shown, h("p", { class: "note" }, "No node matches."));
    else if (view.mode === "table") clear(shown, nodeTable(found));
    else clear(shown, nodeMap(found, view));
    markOpen();
  }

  const made = section("nodes", "Nodes", tools, legend, shown);
  made.addEventListener("show-group", (event) => {
    view.states = new Set([event.detail]);
    drawLegend();
    draw();
  });
  drawLegend();
  draw();
}

/** What is short decides what is looked at first. */
function firstResource() {
  const code = (ANSWER && ANSWER.because && ANSWER.because.code) || "";
  const short = code.startsWith("insufficient-") ? code.slice("insufficient-".length) : "";
  return USED.find((name) => name === short || name.replace(/[^a-z0-9]+/gi, "-") === short) || USED[0];
}

function firstGrouping() {
  if (NODE_LIST.length <= FEW) return "";
  if (ANSWER) return new Set(NODE_LIST.map(stateKey)).size > 1 ? "state" : "";
  const zones = new Set(NODE_LIST.map((node) => node.zone));
  return zones.size > 1 ? "zone" : "";
}

function orderOf({ order, resource }) {
  const full = (node) => fullness(node, resource);
  if (order === "full") return (a, b) => full(b) - full(a) || a.place - b.place;
  if (order === "free") return (a, b) => full(a) - full(b) || a.place - b.place;
  if (order === "name") return (a, b) => a.place - b.place;
  return byNearness;
}

/** Nodes by what they are grouped by, in order of first appearance; zones and the like by name. */
function grouped(nodes, by) {
  const groups = new Map();
  for (const node of nodes) {
    const key = by === "state" ? stateKey(node) : by ? node[by] : "";
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(node);
  }
  const found = [...groups];
  if (by && by !== "state") found.sort(([a], [b]) => !a - !b || a.localeCompare(b, "en", { numeric: true }));
  return found;
}

function nodeMap(nodes, view) {
  const cards = NODE_LIST.length <= FEW;
  const make = cards ? card : tile;
  const map = h("div", {
    class: cards ? "map cards" : "map tiles",
    role: "group",
    "aria-label": "Nodes; arrow keys move, Enter opens the story of a node",
  });
  for (const [key, some] of grouped(nodes, view.group)) {
    if (view.group) {
      const title = view.group === "state" ? standing(some[0]).text : key || "without this label";
      const about = h("span", { class: "dim val" }, ` ${int(some.length)}`);
      map.append(h("h3", {}, view.group === "state" ? standMark(some[0]) : null, title, about));
    }
    map.append(h("div", { class: "cells" }, some.map((node) => make(node, view.resource))));
  }
  const first = map.querySelector("button");
  if (first) first.tabIndex = 0;
  map.addEventListener("keydown", (event) => moveFocus(event, map));
  map.addEventListener("focusin", (event) => {
    const cell = event.target.closest("button[data-node]");
    if (!cell) return;
    for (const former of map.querySelectorAll('button[tabindex="0"]')) former.tabIndex = -1;
    cell.tabIndex = 0;
  });
  map.addEventListener("click", (event) => {
    const cell = event.target.closest("button[data-node]");
    if (cell) go("node", cell.dataset.node);
  });
  return map;
}

function standMark(node) {
  const { tone, mark } = standing(node);
  return h("span", { class: `mark ${tone}`, "aria-hidden": "true" }, mark);
}

const resourceText = (node, resource) =>
  resource === "most" ? `fullest ${percent(fullness(node, "most"))}` : `${resource} ${percent(fullness(node, resource))}`;

function tile(node, resource) {
  const { tone, mark, text } = standing(node);
  const full = fullness(node, resource);
  return h(
    "button",
    {
      type: "button",
      class: `cell tile ${tone}${full > 1 ? " over" : ""}`,
      tabindex: "-1",
      "data-node": node.name,
      "aria-label": `${node.name}: ${text}; ${resourceText(node, resource)}`,
      title: `${node.name}\n${text}\n${resourceText(node, resource)}`,
      vars: { "--f": percent(Math.min(1, full)) },
    },
    mark,
  );
}

function card(node, resource) {
  const { tone, text } = standing(node);
  const resources = ["cpu", "memory", "pods"].filter((name) => USED.includes(name));
  if (resource !== "most" && !resources.includes(resource)) resources.push(resource);
  const tags = [node.zone, node.pool, node.type].filter(Boolean);
  return h(
    "button",
    { type: "button", class: `cell card ${tone}`, tabindex: "-1", "data-node": node.name },
    h("span", { class: "card-head" }, standMark(node), h("span", { class: "name" }, node.name)),
    h("span", { class: "card-text" }, changed(node) || (node.state === "refused" ? refusedText(node) : text)),
    resources.map((name) =>
      h("span", { class: `card-bar${name === resource ? " asked" : ""}` }, h("span", { class: "dim" }, name), bar(fullness(node, name))),
    ),
    tags.length ? h("span", { class: "card-tags dim" }, tags.join(" \u00b7 ")) : null,
  );
}

/** Words for the pods that come and go. */
function changed(node) {
  const told = [];
  if (node.lands) told.push(`+${plural(node.lands, "pod")}`);
  if (node.leaves) told.push(`\u2212${plural(node.leaves, "pod")}`);
  return told.join(", ");
}

/** Arrow keys, Home and End among the cells, by where they are on the screen. */
function moveFocus(event, map) {
  const cell = event.target.closest("button[data-node]");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  const cells = [...map.querySelectorAll("button[data-node]")];
  const at = cells.indexOf(cell);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: cells.length - 1 }[event.key];
  let next = to === undefined ? null : cells[to];
  if (event.key === "ArrowDown" || event.key === "ArrowUp") next = beyond(cells, at, event.key === "ArrowDown" ? 1 : -1);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function beyond(cells, at, way) {
  const here = cells[at].getBoundingClientRect();
  let best = null;
  let line = null;
  for (let i = at + way; i >= 0 && i < cells.length; i += way) {
    const box = cells[i].getBoundingClientRect();
    if ((box.top - here.top) * way <= 1) continue;
    if (line !== null && Math.abs(box.top - line) > 1) break;
    line = box.top;
    if (!best || Math.abs(box.left - here.left) < Math.abs(best.left - here.left)) best = { left: box.left, cell: cells[i] };
  }
  return best && best.cell;
}

function nodeTable(nodes) {
  const meters = USED.map((resource) => ({
    label: resource,
    num: true,
    value: (node) => fullness(node, resource),
    cell: (node) => {
      const i = placeOf(resource);
      const numbers = `${amount(resource, node.requested[i])} of ${amount(resource, node.allocatable[i])}`;
      return node.allocatable[i] || node.requested[i] ? bar(fullness(node, resource), percent(fullness(node, resource)), numbers) : "-";
    },
  }));
  const labels = [["zone", "zone"], ["pool", "pool"], ["type", "instance type"]].filter(([key]) => nodes.some((node) => node[key]));
  const columns = [
    { label: "node", value: (node) => node.name, cell: (node) => [standMark(node), link("node", node.name)] },
    { label: "verdict", wide: true, value: (node) => standing(node).text, cell: (node) => changed(node) || standing(node).text },
    ...meters,
    ...labels.map(([key, label]) => ({ key, label })),
  ];
  return table(columns, nodes, { caption: "Nodes", page: 50, unit: "node", units: "nodes", more: nodeText });
}

/** Show which node is open in the story. */
function markOpen() {
  const open = $("story").dataset.node;
  for (const cell of document.querySelectorAll("button[data-node]")) {
    if (cell.dataset.node === open) cell.setAttribute("aria-current", "true");
    else cell.removeAttribute("aria-current");
  }
}
