// diff: what differs in rules and objects, which pods are elsewhere and why, and how both sides are packed.

kind("ClusterDiff", {
  fields: ["compared", "a", "b", "pods", "unchanged", "rules", "objects", "moves", "folds"],
  stand() {
    STATES.quiet.text = "the same on both sides";
    STATES.gone.text = "in A alone";
    STATES.appears.text = "in B alone";
    STATES.lands.text = "pods only in B";
    STATES.leaves.text = "pods only in A";
    STATES.trades.text = "other pods in A than in B";
  },
  sections: () => [
    part("differs", "What differs", differsLines("Rules", DOC.rules), differsLines("Nodes and objects", DOC.objects)),
    part("moves", "Moves", (DOC.moves || []).length ? [movedText(), foldsTable(DOC.folds || [])] : null),
    part("pods", "Every pod that is elsewhere", (DOC.moves || []).length ? elsewhereTable(DOC.moves) : null),
    part("totals", "Packing", packedTable(DOC.a.packing, DOC.b.packing), packedLine(DOC.a.packing, DOC.b.packing)),
    packingPart(["A", "B"], "Nodes in A and B"),
    nodesPart(),
  ],
});

const differsLines = (title, texts) =>
  texts && texts.length
    ? [
        h("h3", {}, title),
        h(
          "ul",
          { class: "plain" },
          texts.map((text) => h("li", {}, text)),
        ),
      ]
    : null;

const NOWHERE = { placed: ["Pending", ""], pending: ["", "Pending"], new: ["", "Pending"], gone: ["Pending", ""] };
const FLIPS = {
  score: "scores",
  filter: "a filter",
  tie: "a tie",
  room: "room",
  node: "a missing node",
  evicted: "eviction",
  state: "another state",
};

/** Where a pod is on one side. */
function sideOf(move, side) {
  const name = side ? move.b : move.a;
  if (name) return nodeName(name);
  const none = (NOWHERE[move.result] || ["", ""])[side];
  return none ? ended("pending", none) : dim("not there");
}

/** What moves pods, the most first. */
function movedText() {
  const by = new Map();
  for (const move of DOC.moves) {
    const word = move.plugin || FLIPS[move.cause] || (["gone", "new"].includes(move.result) ? "" : "not looked at");
    if (word) by.set(word, (by.get(word) || 0) + 1);
  }
  const told = [...by].sort((a, b) => b[1] - a[1]).map(([word, number]) => `${word} ${int(number)}`);
  const where = `${plural(DOC.moves.length, "pod")} elsewhere, ${int(DOC.unchanged || 0)} in the same place`;
  return h("p", {}, told.length ? `${where}; by ${told.slice(0, 6).join(", ")}.` : `${where}.`);
}

const foldWhy = (fold) => fold.text || fold.plugin || "";

function foldsTable(folds) {
  const nodes = (some, none) =>
    Object.keys(some).length ? counted(some, 2) : none ? ended("pending", none) : dim("not there");
  const none = (fold) => NOWHERE[fold.result] || ["", ""];
  const columns = [
    { label: "pods", num: true, value: (fold) => fold.count },
    ownerColumn(),
    {
      label: "in A",
      wide: true,
      value: (fold) => Object.keys(fold.a).join(" "),
      cell: (fold) => nodes(fold.a, none(fold)[0]),
    },
    {
      label: "in B",
      wide: true,
      value: (fold) => Object.keys(fold.b).join(" "),
      cell: (fold) => nodes(fold.b, none(fold)[1]),
    },
    ...columnIf(folds, foldWhy, { label: "why, of the first", wide: true, value: foldWhy }),
  ];
  return table(columns, worstFirst(folds, (fold) => fold.result), { caption: "Moves by owner", page: 10, head: 1, unit: "owner", units: "owners" });
}

const movedBy = (move) => move.plugin || FLIPS[move.cause] || "";

function elsewhereTable(moves) {
  const gap = (move) =>
    move.gapA === undefined || move.gapA === null || move.gapB === undefined || move.gapB === null
      ? ""
      : `${int(move.gapA)} \u2192 ${int(move.gapB)}`;
  const columns = [
    {
      label: "pod",
      value: (move) => move.pod,
      cell: (move) => [podName(move.pod), move.podB ? dim(` in B ${move.podB}`) : null],
    },
    ownerColumn(),
    { label: "in A", value: (move) => move.a || "", cell: (move) => sideOf(move, 0) },
    { label: "in B", value: (move) => move.b || "", cell: (move) => sideOf(move, 1) },
    ...columnIf(moves, movedBy, { label: "by", value: movedBy }),
    ...columnIf(moves, gap, { label: "score A less B", num: true, value: gap }),
    ...columnIf(moves, (move) => move.itself !== undefined && move.itself !== null, {
      label: "moved by",
      value: (move) => (move.itself === false ? "other pods" : move.itself ? "the rules" : ""),
    }),
    ...columnIf(moves, (move) => move.text, { label: "why", wide: true, value: (move) => move.text || "" }),
  ];
  const filters = filtersBy(moves, (move) => move.result, ["pending", "moves", "placed", "new", "gone"]);
  return table(columns, worstFirst(moves, (move) => move.result), { caption: "Pods that are elsewhere", page: 15, unit: "pod", units: "pods", filters });
}

function packedTable(a, b) {
  const rows = [...new Set([...Object.keys(a.resources), ...Object.keys(b.resources)])].flatMap((resource) => [
    { resource, side: "A", ...a.resources[resource] },
    { resource, side: "B", ...b.resources[resource] },
  ]);
  const write = (row, key) => {
    const sides = rows.filter((other) => other.resource === row.resource).map((other) => other[key] || 0);
    return writer(row.resource, sides)(row[key]);
  };
  const number = (label, key, unit) => ({
    label,
    num: true,
    fixed: true,
    value: (row) => row[key],
    cell: (row) =>
      row[key] === undefined || row[key] === null ? "-" : unit ? `${row[key]}${unit}` : write(row, key),
  });
  const columns = [
    {
      label: "resource",
      fixed: true,
      value: (row) => row.resource,
      cell: (row) => (row.side === "A" ? row.resource : unseen(row.resource)),
    },
    { label: "side", fixed: true, key: "side" },
    {
      label: HEADS.used,
      scale: "100%",
      fixed: true,
      value: () => "",
      cell: (row) =>
        row.fullness === undefined || row.fullness === null ? "-" : bar(row.fullness / 100, `${row.fullness}%`),
    },
    number(HEADS.free, "free"),
    number(HEADS.largest, "largest"),
    number(HEADS.fragmented, "fragmented", "%"),
    number(HEADS.spread, "spread", " "),
  ];
  return rows.length ? table(columns, rows, { caption: "How pods are packed on both sides" }) : null;
}

function packedLine(a, b) {
  const both = (label, key) => `${label} ${int(a[key] || 0)} \u2192 ${int(b[key] || 0)}`;
  const within = a.within !== undefined && a.within !== null && b.within !== undefined && b.within !== null;
  const apart = within
    ? `; cpu and memory of a node are ${a.within} \u2192 ${b.within} percentage points apart in the mean`
    : "";
  return h("p", { class: "note" }, `${both("Nodes in use", "usedNodes")}; ${both("waiting", "waiting")}${apart}.`);
}
