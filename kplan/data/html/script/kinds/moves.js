// moves: which pods move so that others fit, where each lands, and the nodes before and after as boxes of pods.

kind("MovesPlan", {
  fields: [
    "pods",
    "bound",
    "fewest",
    "tried",
    "moves",
    "lands",
    "steps",
    "commands",
    "ways",
    "leftAlone",
    "boxes",
  ],
  stand() {
    for (const one of DOC.boxes || []) {
      const wanted = (DOC.lands || []).some((land) => land.node === one.node);
      stand(one.node, wanted ? "good" : "warn", { note: wanted ? "wanted pods land" : "pods move" });
    }
  },
  sections: () => [
    whatIfPart(),
    part("moves", "Moves", (DOC.moves || []).length ? journeyTable(DOC.moves) : null),
    part("lands", "Where the wanted pods go", (DOC.lands || []).length ? landsTable(DOC.lands) : null),
    boxesPart(DOC.boxes),
    part("ways", "Other ways", (DOC.ways || []).length ? lines(DOC.ways.map(wayText)) : null),
    part(
      "commands",
      "Commands",
      (DOC.commands || []).length ? verbatim(DOC.commands.join("\n"), "The commands, step by step") : null,
    ),
    part(
      "bound",
      "What was tried",
      pairs([
        ["fewer than", DOC.bound ? `${plural(DOC.bound, "move")} cannot do it` : ""],
        ["up to", DOC.tried ? plural(DOC.tried, "move") : DOC.verdict === "FITS" ? "nothing: they fit as things are" : ""],
        [
          "left alone",
          Object.entries(DOC.leftAlone || {})
            .map(([why, number]) => `${int(number)} ${why.replaceAll("-", " ")}`)
            .join(", "),
        ],
      ]),
    ),
    nodesPart(),
  ],
});

function journeyTable(moves) {
  const columns = [
    { label: "#", num: true, value: (one) => one.number },
    podColumn("pod", (one) => one.pod),
    ownerColumn(),
    nodeColumn("from", (one) => one.from),
    {
      label: "to",
      value: (one) => one.to,
      cell: (one) => [nodeName(one.to), one.tie ? dim(` 1 of ${int(one.tie)} that tie`) : ""],
    },
    { label: "budget", value: (one) => one.budget || "-" },
    { label: "note", wide: true, value: (one) => (one.notes || []).join(", ") },
  ];
  return table(columns, moves, { caption: "Pods that move, in order", page: 25, head: 1, unit: "pod", units: "pods" });
}

function landsTable(lands) {
  const columns = [
    podColumn("pod", (one) => one.pod),
    nodeColumn("node", (one) => one.node),
    ...columnIf(lands, (one) => one.tie > 1, {
      label: "nodes that tie",
      num: true,
      value: (one) => one.tie || 1,
    }),
  ];
  return table(columns, lands, { caption: "Where the wanted pods go", page: 25, unit: "pod", units: "pods" });
}

function wayText(way) {
  if (!(way.moves || []).length) return `${way.text}: ${way.because ? way.because.text : "none"}`;
  const moves = way.moves.map((one) => `${one.pod} ${one.from} \u2192 ${one.to}`);
  return `${way.text}: ${plural(way.moves.length, "move")}, ${moves.join(", ")}`;
}
