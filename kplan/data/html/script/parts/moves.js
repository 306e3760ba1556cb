// What-ifs and what follows from an eviction: pods that left one node and were placed on another, or nowhere.

/** What was changed before the question was asked: the steps as typed, and what each of them moved. */
const whatIfPart = () =>
  part("what-if", "What if", WHAT_IF.length ? h("ol", { class: "causes" }, WHAT_IF.map(whatIfItem)) : null);

function whatIfItem(step, i) {
  const moves = step.moves || [];
  const placed = moves.filter((move) => move.node).length;
  const landed = moves.length
    ? `${int(placed)} placed${moves.length > placed ? `, ${int(moves.length - placed)} pending` : ""}`
    : "";
  const bad = (text) => h("p", {}, ended("failed", `not as expected: ${text}`));
  const good = (step.expected || []).length && !(step.unmet || []).length;
  return h(
    "li",
    {},
    h(
      "p",
      { class: "group-head" },
      h("span", { class: "val" }, `${i + 1} `),
      h("code", {}, step.step),
      step.name ? dim(` ${step.name}`) : null,
    ),
    h(
      "div",
      { class: "nearest" },
      h("p", {}, [step.text, landed].filter(Boolean).join("; ")),
      (step.lost || []).length ? h("p", {}, harm("gone for good: "), names(step.lost, 5, podName)) : null,
      (step.notes || []).map((text) => h("p", { class: "note" }, text)),
      (step.unmet || []).map(bad),
      good ? h("p", {}, ended("placed", `as expected: ${step.expected.join(", ")}`)) : null,
      movesTable(moves, `Moves of step ${i + 1}`),
    ),
  );
}

const moveNote = (move) =>
  [
    move.back ? "back where it was" : "",
    (move.evicts || []).length ? `evicts ${move.evicts.join(", ")}` : "",
    move.because ? move.because.text : "",
  ]
    .filter(Boolean)
    .join("; ");

/** Where pods went, those that found no node first. */
function movesTable(moves, caption = "Moves") {
  if (!moves || !moves.length) return null;
  const columns = [
    podColumn("pod", (move) => move.insteadOf || move.pod),
    nodeColumn("was on", (move) => move.was),
    {
      label: "now on",
      value: (move) => move.node || move.result,
      cell: (move) => (move.node ? nodeName(move.node) : ended(move.result)),
    },
    ...columnIf(moves, moveNote, { label: "note", wide: true, value: moveNote }),
  ];
  const waiting = [...moves].sort((a, b) => Boolean(a.node) - Boolean(b.node));
  return table(columns, waiting, { caption, page: 10, unit: "move", units: "moves" });
}

/** Pods on other nodes that are evicted for those that come. */
function cascadePart(moves) {
  return part(
    "cascade",
    "Evicted on other nodes",
    moves && moves.length
      ? h("p", { class: "dim" }, `${plural(moves.length, "pod")} of lower priority make room for those that come.`)
      : null,
    movesTable(moves, "Pods evicted on other nodes"),
  );
}
