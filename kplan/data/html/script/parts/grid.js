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
  ["near", "what stands out first"],
  ["full", "fullest first"],
  ["free", "emptiest first"],
  ["name", "name"],
];

/** What others may ask of the map: colour it by a pod, show only nodes that stand alike. Set when it is made. */
const GRID = { look: () => {}, only: () => {} };

function nodesPart() {
  if (!NODE_LIST.length) return null;
  const view = {
    typed: "",
    states: new Set(),
    resource: firstResource(),
    group: firstGrouping(),
    order: "near",
    mode: "map",
  };
  const shown = h("div", { class: "shown" });
  const count = dim();
  count.classList.add("count");
  const legend = h("div", { class: "legend", role: "group", "aria-label": "Show only nodes that" });
  const lens = h("div", { class: "lens" });
  const redraw = (change) => {
    Object.assign(view, change);
    draw();
  };

  function draw() {
    const matches = matcher(view.typed);
    const found = NODE_LIST.filter(
      (node) => (!view.states.size || view.states.has(stateKey(node))) && (!view.typed || matches(nodeText(node))),
    ).sort(orderOf(view));
    if (sameNodes(found, view)) return;
    const all = found.length === NODE_LIST.length ? "" : ` of ${int(NODE_LIST.length)}`;
    count.textContent = `${int(found.length)}${all} ${NODE_LIST.length === 1 ? "node" : "nodes"}`;
    if (!found.length) clear(shown, h("p", { class: "note" }, "No node matches."));
    else if (view.mode === "table") clear(shown, nodeTable(found));
    else clear(shown, [nodeMap(found, view), ...(view.paper ? [nodeTable(found)] : [])]);
    markOpen();
  }

  function drawLegend() {
    const press = (key) => {
      if (!view.states.delete(key)) view.states.add(key);
      drawLegend();
      draw();
      focusChip(key);
      tell(count.textContent);
    };
    clear(legend, chips(view.states, press));
  }

  GRID.look = (answer) => {
    look(answer);
    Object.assign(view, {
      states: new Set(),
      group: NODE_LIST.length <= FEW ? "" : answer ? "state" : firstGrouping(),
    });
    clear(lens, lensTools());
    grouping.querySelector("select").value = view.group;
    drawLegend();
    draw();
  };
  GRID.only = (key) => {
    view.states = new Set([key]);
    drawLegend();
    draw();
    $("nodes").scrollIntoView({ block: "start" });
    focusChip(key);
  };
  const focusChip = (key) => {
    const chip = legend.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (chip) chip.focus({ preventScroll: true });
  };

  const resources = [...(USED.length > 1 ? [["most", "fullest resource"]] : []), ...USED.map((name) => [name, name])];
  const groupings = GROUPINGS.filter(([key]) => !key || key === "state" || NODE_LIST.some((node) => node[key]));
  const grouping = choice("Group by", groupings, view.group, (group) => redraw({ group }));
  const tools = h(
    "div",
    { class: "tools" },
    search("Search nodes, labels, taints", (typed) => {
      redraw({ typed });
      tell(count.textContent);
    }),
    choice("Fullness of", resources, view.resource, (resource) => redraw({ resource })),
    grouping,
    choice("Order", ORDERS, view.order, (order) => redraw({ order })),
    tabs(
      "Show nodes as",
      [
        ["map", "Map"],
        ["table", "Table"],
      ],
      view.mode,
      (mode) => redraw({ mode }),
    ),
    count,
  );
  ON_PAPER.push((whole) => {
    if (view.mode !== "table") {
      Object.assign(view, { paper: whole });
      draw();
    }
  });
  clear(lens, lensTools());
  drawLegend();
  draw();
  return part("nodes", "Nodes", lens, tools, legend, shown);
}

/** Tell whether these nodes are shown already, in the same way: then nothing is drawn. */
function sameNodes(found, view) {
  const { typed, ...way } = view;
  const key = JSON.stringify([{ ...way, states: [...view.states] }, LENS.answer && LENS.answer.pod]);
  const same = SHOWN.key === key && SHOWN.nodes.length === found.length && found.every((node, i) => node === SHOWN.nodes[i]);
  Object.assign(SHOWN, { key, nodes: found });
  return same;
}

const SHOWN = { key: "", nodes: [] };

/** Buttons that show only the nodes that stand alike, with their numbers. */
function chips(pressed, press) {
  const counts = new Map();
  for (const node of [...NODE_LIST].sort(byNearness)) {
    const key = stateKey(node);
    counts.set(key, { node, count: ((counts.get(key) || {}).count || 0) + 1 });
  }
  return [...counts].map(([key, { node, count }]) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "data-key": key,
        "aria-pressed": String(pressed.has(key)),
        onclick: () => press(key),
      },
      standMark(node),
      h("span", { class: "val" }, int(count)),
      h("span", { class: "chip-text" }, standing(node).text),
    ),
  );
}

/** What is short decides what is looked at first. */
function firstResource() {
  const code = (DOC.because && DOC.because.code) || "";
  const short = code.startsWith("insufficient-") ? code.slice("insufficient-".length) : "";
  return USED.find((name) => name === short || name.replace(/[^a-z0-9]+/gi, "-") === short) || USED[0];
}

/** Many nodes are grouped by how they stand, or where they stand alike by zone. */
function firstGrouping() {
  if (NODE_LIST.length <= FEW) return "";
  if (new Set(NODE_LIST.map(stateKey)).size > 1) return "state";
  return new Set(NODE_LIST.map((node) => node.zone)).size > 1 ? "zone" : "";
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

/** Show which node is open in the story. */
function markOpen() {
  const open = $("story").dataset.node;
  for (const cell of document.querySelectorAll("button[data-node]")) {
    if (cell.dataset.node === open) cell.setAttribute("aria-current", "true");
    else cell.removeAttribute("aria-current");
  }
}
