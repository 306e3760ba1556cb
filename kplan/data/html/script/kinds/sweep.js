// sweep: a row for each of many scenarios, by the points of two axes where numbers were asked for, and what is in the way.

kind("SweepReport", {
  fields: ["axes", "outcomes", "fits"],
  sections: () => [
    whatIfPart(),
    part("matrix", "By axis", matrix(DOC.axes || [], DOC.outcomes || [])),
    part("outcomes", "Scenarios", (DOC.outcomes || []).length ? outcomesTable(DOC.outcomes) : null),
    part("causes", "In the way", sweepCauses(DOC.outcomes || [])),
    nodesPart(),
  ],
});

const BADNESS = ["FAILED", "BLOCKED", "PARTLY", "FITS"];
const badness = (one) => (one.pending || 0) + (one.held || 0) + (one.gone || 0);
const worse = (a, b) =>
  BADNESS.indexOf(a.verdict) - BADNESS.indexOf(b.verdict) || badness(b) - badness(a) || a.number - b.number;

const CROSSED = 12;

/** What came of every pair of points, where there are two axes. */
function matrix(axes, outcomes) {
  if (axes.length !== 2 || axes[1].points.length > CROSSED) return null;
  const [down, across] = axes;
  const at = new Map(outcomes.map((one) => [(one.at || []).join("\n"), one]));
  const rows = down.points.map((point) => ({
    point,
    cells: across.points.map((other) => at.get(`${point}\n${other}`)),
  }));
  const columns = [
    { label: down.name, value: (row) => row.point },
    ...across.points.map((point, i) => ({
      label: point,
      value: (row) => (row.cells[i] ? crossText(row.cells[i]) : ""),
      cell: (row) => (row.cells[i] ? ended(row.cells[i].verdict, crossText(row.cells[i])) : "-"),
    })),
  ];
  return [
    h("p", { class: "dim" }, `${down.name} down, ${across.name} across.`),
    table(columns, rows, { caption: `${down.name} by ${across.name}` }),
  ];
}

/** The number that was asked for, or the verdict. */
function crossText(one) {
  if (one.nodes !== undefined && one.nodes !== null) return plural(one.nodes, "node");
  if (one.fits !== undefined && one.fits !== null)
    return one.pending ? `${int(one.fits)} of ${int(one.pods || 0)} fit` : `${int(one.fits)} fit`;
  return one.pending ? `${one.verdict}, ${int(one.pending)} Pending` : one.verdict;
}

const REST = true;
/** Numbers of a scenario, and whether a phone shows them by a tap alone. */
const SWEPT = [
  ["pods", "pods", REST],
  ["placed", "placed", REST],
  ["fits", "fit"],
  ["nodes", "nodes"],
  ["pending", "Pending"],
  ["held", "held"],
  ["gone", "GONE"],
  ["evicted", "evicts", REST],
  ["used", "nodes in use", REST],
];

function outcomesTable(outcomes) {
  const filled = (one) => (one.fullest ? one.fullest.percent : -1);
  const columns = [
    { label: "#", num: true, value: (one) => one.number },
    { label: "scenario", wide: true, value: (one) => one.name },
    { label: "verdict", value: (one) => one.verdict, cell: (one) => ended(one.verdict) },
    ...SWEPT.flatMap(([key, label, rest]) =>
      columnIf(outcomes, (one) => one[key], {
        label,
        rest,
        num: true,
        value: (one) => one[key] || 0,
        cell: (one) => (one[key] ? int(one[key]) : "-"),
      }),
    ),
    ...columnIf(outcomes, (one) => one.fullest, {
      label: "fullest",
      rest: true,
      num: true,
      value: filled,
      cell: (one) =>
        one.fullest ? bar(one.fullest.percent / 100, `${one.fullest.resource} ${one.fullest.percent}%`) : "-",
    }),
    ...columnIf(outcomes, (one) => one.because, {
      label: "because",
      wide: true,
      value: (one) => (one.because ? one.because.text : ""),
    }),
  ];
  const filters = filtersBy(outcomes, (one) => one.verdict, BADNESS);
  const options = {
    caption: "Scenarios, the worst first",
    page: 25,
    head: 1,
    unit: "scenario",
    units: "scenarios",
    filters,
  };
  return table(columns, [...outcomes].sort(worse), options);
}

/** What is in the way, the most common first, as in the worst scenario of each. */
function sweepCauses(outcomes) {
  const causes = new Map();
  for (const one of [...outcomes].sort(worse)) {
    if (one.verdict === "FITS" || !one.because) continue;
    if (!causes.has(one.because.code)) causes.set(one.because.code, []);
    causes.get(one.because.code).push(one);
  }
  // where another pod, or another number, is in the way of each scenario, each is told with its own
  const item = (some) => {
    const [first] = some;
    const alike = some.every((one) => one.because.text === first.because.text);
    const scenario = (one) => (alike ? one.name : `${one.name}: ${one.because.text}`);
    const told = (alike ? some : some.slice(1)).map(scenario);
    const head = causeHead(ENDS.bad, some.length, alike ? first.because.text : scenario(first));
    return h("li", {}, head, h("p", { class: "dim" }, names(told, 3, plainName)));
  };
  const sorted = [...causes.values()].sort((a, b) => b.length - a.length);
  return sorted.length ? longList(sorted, item) : null;
}
