// nodes: what is scarce and how it lies in pieces, pools, and every node by how full it is.

const ROWS = new Map(DOC.kind === "NodeList" ? DOC.nodes.map((row) => [row.node, row]) : []);

kind("NodeList", {
  fields: ["order", "totals", "nodes", "slot", "poolLabel", "by", "pools", "counted", "balance", "devices"],
  stand() {
    STATES.quiet.text = "takes pods";
    for (const row of DOC.nodes)
      if ((row.closed || []).length) stand(row.node, "closed", { note: row.closed.join(", ") });
  },
  about(node) {
    const row = ROWS.get(node.name);
    return row ? countedHere(row) : null;
  },
  sections: () => [
    part("totals", "In all", totalsTable(DOC.totals), slotLine(DOC.slot), balanceLine(DOC.balance), lines(DOC.counted)),
    part("devices", "Devices", DOC.devices ? deviceList(DOC.devices) : null),
    part("pools", "Pools", (DOC.pools || []).length ? poolsTable(DOC.pools, DOC.poolLabel) : null),
    nodesPart(),
  ],
});

/** Numbers that differ from a plain sum, as the scheduler counts them. */
function countedHere(row) {
  const leaving = Object.entries(row.resources).filter(([, use]) => use.terminating);
  const what = leaving.map(([name, use]) => `${amount(name, use.terminating)} ${name}`).join(", ");
  const told = what ? `, with ${what} of what is requested` : "";
  return pairs([
    ["closed", (row.closed || []).join(", ")],
    ["terminating", row.terminating ? `${plural(row.terminating, "pod")}${told}` : ""],
    ["kept", row.kept ? `room for ${plural(row.kept, "nominated pod")}` : ""],
    ["for scores", nonZero(row)],
  ]);
}

/** What scores count, where it is more than what is requested. */
function nonZero(row) {
  const more = Object.entries(row.nonZeroRequested).filter(
    ([name, number]) => number !== (row.resources[name] || {}).requested,
  );
  return more.length ? `${amounts(Object.fromEntries(more))}, as containers without requests count a little there` : "";
}

function totalsTable(totals) {
  const rows = Object.entries(totals).map(([resource, total]) => ({ resource, ...total }));
  const written = (label, key) => ({
    label,
    num: true,
    value: (row) => row[key],
    cell: (row) =>
      writer(
        row.resource,
        [
          ...(key === "largest" && row.resource !== "cpu" ? [] : [row.requested, row.allocatable, row.free, row.closed]),
          ...(key === "largest" || row.resource === "cpu" ? [row.largest] : []),
        ],
      )(row[key]),
  });
  const points = (label, key, unit) => ({
    label,
    num: true,
    value: (row) => (row[key] === null ? -1 : row[key]),
    cell: (row) => (row[key] === null || row[key] === undefined ? "-" : `${row[key]}${unit}`),
  });
  const columns = [
    { label: "resource", key: "resource" },
    { label: HEADS.used, scale: "100%", fixed: true, value: () => "", cell: (row) => bar(shareOf(row.requested, row.allocatable)) },
    written(HEADS.requested, "requested"),
    written(HEADS.allocatable, "allocatable"),
    written(HEADS.free, "free"),
    ...columnIf(rows, (row) => row.closed, written(HEADS.closed, "closed")),
    written(HEADS.largest, "largest"),
    nodeColumn("on", (row) => row.largestNode),
    points(HEADS.fragmented, "fragmented", "%"),
    points(HEADS.spread, "spread", ""),
  ];
  return [
    table(columns, rows, { caption: "Resources over all nodes" }),
    h(
      "ul",
      { class: "note" },
      MEANINGS.map((text) => h("li", {}, text)),
    ),
  ];
}

const slotLine = (slot) =>
  slot
    ? h("p", {}, h("strong", {}, "Most room for one pod "), nodeName(slot.node), `, ${amounts(slot.amounts)}`)
    : null;

const balanceLine = (balance) =>
  balance === null || balance === undefined
    ? null
    : h(
        "p",
        {},
        h("strong", {}, "Balance "),
        `cpu and memory of a node are ${balance} percentage points apart in the mean`,
      );

function poolsTable(pools, label) {
  const resources = [...new Set(pools.flatMap((pool) => Object.keys(pool.full)))];
  const written = (resource) => writer(
    resource,
    pools.map((pool) => pool.largest[resource] || 0),
  );
  const largest = Object.fromEntries(resources.map((resource) => [resource, written(resource)]));
  const columns = [
    { label: label || "pool", key: "name" },
    { label: "nodes", num: true, value: (pool) => pool.nodes },
    { label: "open", num: true, value: (pool) => pool.open },
    ...resources.map((resource) => ({
      label: resource,
      scale: "100%",
      num: true,
      value: (pool) => pool.full[resource] || 0,
      cell: (pool) => (resource in pool.full ? bar(pool.full[resource] / 100) : "-"),
    })),
    ...resources.map((resource) => ({
      label: `largest ${resource}`,
      num: true,
      value: (pool) => pool.largest[resource] || 0,
      cell: (pool) => (resource in pool.largest ? largest[resource](pool.largest[resource]) : "-"),
    })),
  ];
  return table(columns, pools, { caption: "Pools of nodes", page: 20, unit: "pool", units: "pools" });
}
