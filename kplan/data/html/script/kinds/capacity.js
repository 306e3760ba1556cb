// capacity: where more fit, what stops the next one, and what more nodes would do.

kind("CapacityReport", {
  fields: [
    "sets",
    "bounded",
    "nodes",
    "workloads",
    "places",
    "refusing",
    "nextPod",
    "group",
    "groups",
    "moreGroups",
    "nearest",
    "growth",
    "shapes",
  ],
  stand() {
    const room = new Map((DOC.places || []).flatMap((place) => Object.entries(place.nodes || {})));
    if (!DOC.workloads) return;
    STATES.quiet.text = "no more fits";
    for (const [name, more] of room) stand(name, "good", { note: `takes ${int(more)} more`, rank: -more });
  },
  sections: () => [
    whatIfPart(),
    part("where", "Where", workloadsTable(DOC.workloads), placesTable(DOC.places)),
    part("next", "What stops the next one", stopLines(), refusingTable(DOC.refusing)),
    refusalPart(),
    part("growth", "More nodes", DOC.growth ? growthContent(DOC.growth) : null),
    part("shapes", "Shapes", (DOC.shapes || []).length ? shapesTable(DOC.shapes) : null),
    packingPart(),
    nodesPart(),
  ],
});

/** The groups of nodes that refuse the next pod, nearest first. */
function refusalPart() {
  if (!DOC.group) return null;
  const groups = [DOC.group, ...(DOC.moreGroups || [])];
  return part("why", "Nearest nodes", nearestLine(DOC.nearest), groupList(groups, null), untoldGroups(groups, DOC.groups));
}

/** Pods that run, those that fit beside them, and those that were asked for and do not; ``whole`` is a full bar. */
function roomBar(run, more, asked, whole) {
  const rest = Math.max(0, asked - more);
  return split(
    [
      [run, "ran", "run"],
      [more, "more", "more fit"],
      [rest, "rest", "do not fit"],
    ],
    whole,
  );
}

function workloadsTable(workloads) {
  if (!workloads || !workloads.length) return null;
  const most = Math.max(...workloads.map((one) => one.running + Math.max(one.more, one.asked || 0)));
  const columns = [
    { label: "workload", value: (one) => one.workload, cell: (one) => plainName(one.workload) },
    ...(workloads.length > 1 ? [{ label: "in each set", num: true, value: (one) => one.ratio }] : []),
    { label: "run", num: true, value: (one) => one.running },
    { label: "more fit", num: true, value: (one) => one.more },
    ...columnIf(workloads, (one) => one.asked !== undefined && one.asked !== null, {
      label: "asked for beside",
      num: true,
      value: (one) => (one.asked === undefined ? "-" : one.asked),
    }),
    {
      label: "run, more, too many",
      scale: int(most),
      parts: true,
      fixed: true,
      value: () => "",
      cell: (one) => roomBar(one.running, one.more, one.asked || 0, most),
    },
  ];
  return table(columns, workloads, {
    caption: "Workloads and how many more fit",
    unit: "workload",
    units: "workloads",
  });
}

function placesTable(places) {
  if (!places || !places.length) return null;
  const most = Math.max(1, ...places.map((place) => place.running + place.more));
  const columns = [
    {
      label: "zone",
      value: (place) => place.place || "-",
      cell: (place) => (place.place ? plainName(place.place) : "none"),
    },
    { label: "run", num: true, value: (place) => place.running },
    { label: "more fit", num: true, value: (place) => place.more },
    { label: "run, more", scale: int(most), parts: true, fixed: true, value: () => "", cell: (place) => roomBar(place.running, place.more, 0, most) },
    {
      label: "on",
      wide: true,
      value: (place) => Object.keys(place.nodes || {}).join(" "),
      cell: (place) => (Object.keys(place.nodes || {}).length ? counted(place.nodes) : "-"),
    },
  ];
  return table(columns, places, {
    caption: "Zones and how many more fit there",
    page: 20,
    unit: "zone",
    units: "zones",
  });
}

function stopLines() {
  if (DOC.bounded) return h("p", {}, `Counting stopped at ${int(DOC.sets)}: more may fit.`);
  return DOC.nextPod ? h("p", {}, `Number ${int(DOC.nextPod)} fits no node.`) : null;
}

/** Plugins that refuse the next pod, by how many nodes they are in the way of. */
function refusingTable(refusing) {
  if (!refusing || !refusing.length) return null;
  const columns = [
    { label: "plugin", value: (one) => one.plugin, cell: (one) => plainName(one.plugin) },
    {
      label: "refuses on",
      scale: plural(DOC.nodes, "node"),
      num: true,
      value: (one) => one.nodes,
      cell: (one) => bar(one.nodes / Math.max(1, DOC.nodes), `${int(one.nodes)} of ${plural(DOC.nodes, "node")}`),
    },
    { label: "reason", wide: true, value: (one) => one.text },
  ];
  return table(columns, refusing, { caption: "Plugins that refuse the next pod", unit: "plugin", units: "plugins" });
}

function growthContent(growth) {
  if (growth.noneHelps) {
    return h(
      "p",
      {},
      ended("blocked", `no number of nodes like ${growth.like} helps`),
      `: an empty one refuses it, ${growth.noneHelps.text}`,
    );
  }
  const waited = growth.taken || [];
  const rows = growth.nodes.map((nodes, i) => ({
    nodes,
    fits: growth.fits[i],
    waited: waited[i],
    needed: growth.needed === nodes,
  }));
  const most = Math.max(1, ...rows.map((row) => row.fits));
  const columns = [
    {
      label: "more nodes",
      num: true,
      fixed: true,
      value: (row) => row.nodes,
      cell: (row) => [taken(row.needed), int(row.nodes)],
    },
    {
      label: DOC.workloads && DOC.workloads.length > 1 ? "sets that fit" : "replicas that fit",
      scale: int(most),
      fixed: true,
      value: (row) => row.fits,
      cell: (row) => bar(row.fits / most, int(row.fits)),
    },
  ];
  if (waited.length) {
    columns.splice(1, 0, {
      label: "pods that waited, first",
      num: true,
      fixed: true,
      value: (row) => row.waited,
      cell: (row) => int(row.waited),
    });
  }
  const needed =
    growth.needed === undefined || growth.needed === null
      ? ""
      : `${plural(growth.needed, "more node")} like it take all that were asked for.`;
  return [
    h("p", {}, "Nodes like ", nodeName(growth.like), ", with what their DaemonSets take. ", needed),
    table(columns, rows, { caption: "What more nodes would do", mark: (row) => row.needed }),
    growth.flag
      ? verbatim(growth.needed > 1 ? `${growth.flag},count=${growth.needed}` : growth.flag, "The flag that adds them")
      : null,
  ];
}

function shapesTable(shapes) {
  const most = Math.max(1, ...shapes.map((shape) => shape.fits));
  const columns = [
    { label: "shape", value: (shape) => shape.name, cell: (shape) => plainName(shape.name) },
    { label: "requests", key: "requests" },
    {
      label: "fit",
      scale: int(most),
      num: true,
      value: (shape) => shape.fits,
      cell: (shape) => bar(shape.fits / most, `${int(shape.fits)}${shape.bounded ? "+" : ""}`),
    },
    {
      label: "what stops the next",
      wide: true,
      value: (shape) => (shape.stoppedBy ? shape.stoppedBy.text : shape.bounded ? "more were not tried" : "-"),
    },
  ];
  const none = [...shapes].sort((a, b) => Boolean(a.fits) - Boolean(b.fits));
  return table(columns, none, { caption: "Room for shapes of pods", page: 30, unit: "shape", units: "shapes" });
}
