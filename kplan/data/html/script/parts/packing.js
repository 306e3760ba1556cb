// How nodes are packed on both sides of a change: how many are how full, then two bars for every node that changed.

const BINS = 10;
const MANY = 8;

/** Before and after, or two other sides that are compared. */
function packingPart(sides = ["before", "after"], title = "Before and after") {
  const some = NODE_LIST.filter((node) => node.before);
  if (!some.length) return null;
  const hold = h("div");
  const draw = (resource) =>
    clear(hold, packingText(resource, sides), packingBins(resource, sides), packingTable(some, resource, sides));
  const tools = h(
    "div",
    { class: "tools" },
    choice(
      "Fullness of",
      USED.map((name) => [name, name]),
      USED[0],
      draw,
    ),
  );
  draw(USED[0]);
  return part("packing", title, tools, hold);
}

/** Both sides of the nodes that are there: amounts of one resource. */
function packingSides(resource) {
  const i = placeOf(resource);
  const there = [(node) => node.change !== "appears", (node) => node.change !== "leaves"];
  const of = [(node) => (node.before || node.requested)[i], (node) => node.requested[i]];
  return there.map((keep, side) => {
    const nodes = NODE_LIST.filter(keep);
    const sum = (amount) => nodes.reduce((total, node) => total + amount(node), 0);
    const bins = Array(BINS).fill(0);
    for (const node of nodes) {
      if (node.allocatable[i])
        bins[Math.min(BINS - 1, Math.floor(shareOf(of[side](node), node.allocatable[i]) * BINS))] += 1;
    }
    return {
      share: shareOf(
        sum(of[side]),
        sum((node) => node.allocatable[i]),
      ),
      nodes: nodes.length,
      bins,
    };
  });
}

function packingText(resource, sides) {
  const both = packingSides(resource);
  const told = both.map(
    ({ share, nodes }, side) => `${sides[side]} ${percent(share)} of what ${plural(nodes, "node")} offer`,
  );
  return h("p", {}, h("strong", {}, resource), ` requested: ${told.join("; ")}.`);
}

function packingBins(resource, sides) {
  if (NODE_LIST.length < MANY) return null;
  const both = packingSides(resource);
  const most = Math.max(1, ...both.flatMap(({ bins }) => bins));
  const about = `Number of nodes by fullness of ${resource}`;
  const heads = both[0].bins.map((_, at) => (at === BINS - 1 ? "\u2265 90%" : `${at * 10}%`));
  const cell = (number, side) =>
    h(
      "td",
      { class: "num" },
      h("span", { class: `column${side ? "" : " before"}`, vars: { "--f": percent(number / most) } }),
      h("span", { class: "val" }, number ? int(number) : "-"),
    );
  const rows = both.map(({ bins }, side) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, sides[side]),
      bins.map((number) => cell(number, side)),
    ),
  );
  return h(
    "div",
    { class: "scroll", role: "group", tabindex: "0", "aria-label": about },
    h(
      "table",
      { class: "spread" },
      h("caption", { class: "unseen" }, `${about}, ${sides.join(" and ")}`),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "nodes"),
          heads.map((head) => h("th", { scope: "col", class: "num" }, head)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

function packingTable(nodes, resource, sides) {
  const i = placeOf(resource);
  const [first, second] = [(node) => node.before[i] || 0, (node) => node.requested[i]];
  const share = (node, amount) => shareOf(amount, node.allocatable[i]);
  const write = writer(
    resource,
    nodes.flatMap((node) => [first(node), second(node), node.allocatable[i]]),
  );
  const grows = (node) => share(node, second(node)) - share(node, first(node));
  const half = (node, amount, side) =>
    h("span", { class: `bar${side ? "" : " before"}`, vars: { "--f": percent(Math.min(1, share(node, amount))) } });
  const two = (node) => {
    const told = [first(node), second(node)].map((amount, side) => `${sides[side]} ${percent(share(node, amount))}`);
    const halves = [half(node, first(node), 0), half(node, second(node), 1)];
    return h("span", { class: "two", role: "img", "aria-label": told.join(", ") }, halves);
  };
  const columns = [
    { label: "node", value: (node) => node.name, cell: (node) => [standMark(node), link("node", node.name)] },
    { label: sides.join(", "), fixed: true, wide: true, value: () => "", cell: two },
    { label: sides[0], num: true, value: (node) => share(node, first(node)), cell: (node) => write(first(node)) },
    { label: sides[1], num: true, value: (node) => share(node, second(node)), cell: (node) => write(second(node)) },
    { label: "of", num: true, value: (node) => node.allocatable[i], cell: (node) => write(node.allocatable[i]) },
    {
      label: "change",
      num: true,
      value: grows,
      cell: (node) => `${grows(node) < 0 ? "\u2212" : "+"}${percent(Math.abs(grows(node)))}`,
    },
    {
      label: "pods",
      num: true,
      value: (node) => node.lands - node.leaves,
      cell: (node) => changed(node).replace(/ pods?/g, "") || "-",
    },
  ];
  const sorted = [...nodes].sort((a, b) => Math.abs(grows(b)) - Math.abs(grows(a)) || a.place - b.place);
  const key = (side) => [
    h("span", { class: `bar${side ? "" : " before"}`, "aria-hidden": "true" }),
    ` ${sides[side]} `,
  ];
  const caption = `Nodes ${sides.join(" and ")}, ${resource}`;
  return [
    h(
      "p",
      { class: "key" },
      key(0),
      key(1),
      dim(`${plural(nodes.length, "node")} of ${int(NODE_LIST.length)} changed, the greatest change first`),
    ),
    table(columns, sorted, { caption, page: 10, unit: "node", units: "nodes" }),
  ];
}
