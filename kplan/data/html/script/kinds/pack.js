// pack: which nodes could be empty, in which order, what keeps the others, and how near that is to the bound.

kind("PackPlan", {
  fields: [
    "nodes",
    "left",
    "bound",
    "boundAlone",
    "proved",
    "saves",
    "costs",
    "frees",
    "pools",
    "found",
    "moves",
    "commands",
  ],
  stand() {
    for (const one of DOC.found || []) {
      stand(one.node, one.goes ? "good" : one.because ? "bad" : "none", { note: one.goes ? "could go" : "stays" });
    }
  },
  about(node) {
    const one = (DOC.found || []).find((found) => found.node === node.name);
    return one
      ? pairs([
          ["could go", one.goes ? `yes, as number ${int(one.number)}; ${plural(one.moves || 0, "pod")} would move` : "no"],
          ["because", one.because ? one.because.text : ""],
        ])
      : null;
  },
  sections: () => [
    whatIfPart(),
    part(
      "bound",
      "How near to the bound",
      pairs([
        ["nodes", `${int(DOC.left || 0)} of ${int(DOC.nodes)} are left${DOC.proved ? ", and no more can go" : ""}`],
        ["with what is in the way", `at least ${money(DOC.bound || 0)}`],
        ["by resources alone", `at least ${money(DOC.boundAlone || 0)}`],
        ["saves a month", DOC.saves === undefined ? "" : `${money(DOC.saves)} of ${money(DOC.costs)}`],
        ["frees", amounts(DOC.frees || {})],
      ]),
    ),
    part("pools", "Pools", (DOC.pools || []).length ? packedPools(DOC.pools) : null),
    part("found", "Nodes that could go", (DOC.found || []).length ? packedNodes(DOC.found) : null),
    part("moves", "Moves", (DOC.moves || []).length ? movesTable(DOC.moves) : null),
    part(
      "commands",
      "Commands",
      (DOC.commands || []).length ? verbatim(DOC.commands.join("\n"), "The commands, step by step") : null,
    ),
    packingPart(),
    nodesPart(),
  ],
});

/** A bound or an amount of money; without prices a number of nodes. */
const money = (value) => (DOC.costs === undefined ? plural(value, "node") : `$${int(Math.round(value))}`);

function packedPools(pools) {
  const columns = [
    { label: "pool", value: (one) => one.pool || "-" },
    { label: "nodes", num: true, value: (one) => one.nodes },
    { label: "could go", num: true, value: (one) => one.going },
    ...columnIf(pools, (one) => one.saves !== undefined, {
      label: "saves a month",
      num: true,
      value: (one) => one.saves || 0,
      cell: (one) => money(one.saves || 0),
    }),
  ];
  return table(columns, pools, { caption: "Pools", page: 20, unit: "pool", units: "pools" });
}

function packedNodes(found) {
  const word = (one) => (one.goes ? "goes" : "stays");
  const columns = [
    { label: "#", num: true, value: (one) => one.number || 0, cell: (one) => one.number || "-" },
    nodeColumn("node", (one) => one.node),
    { label: "result", value: word, cell: (one) => toned(one.goes ? ENDS.good : ENDS.held, word(one)) },
    ...columnIf(found, (one) => one.pool, { label: "pool", value: (one) => one.pool || "-" }),
    { label: "pods that move", num: true, value: (one) => one.moves || 0 },
    ...columnIf(found, (one) => one.worth !== undefined, {
      label: "a month",
      num: true,
      value: (one) => one.worth || 0,
      cell: (one) => money(one.worth || 0),
    }),
    { label: "because", wide: true, value: (one) => (one.because ? one.because.text : "") },
  ];
  return table(columns, found, {
    caption: "Nodes that could go, in order, and those that stay",
    page: 25,
    head: 1,
    unit: "node",
    units: "nodes",
    filters: filtersBy(found, word),
  });
}
