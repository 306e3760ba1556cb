// Devices that the claims of a pod do not get: by request and node, with selectors and values side by side.

function devicesFacts(found) {
  return [
    h("h3", {}, "Devices"),
    (found.requests || []).map(requestFacts),
    (found.constraints || []).map((one) => h("p", {}, constraintText(one))),
    (found.allocated || []).map((one) => h("p", {}, allocatedText(one))),
  ];
}

/** One row for each set of devices that the same thing refuses. */
const deviceRows = (request) =>
  (request.nodes || []).flatMap((node) =>
    (node.sets || []).length
      ? node.sets.map((set) => ({ ...set, nodes: node.nodes }))
      : [{ nodes: node.nodes, devices: [], text: (node.notes || []).join("; ") || "no devices" }],
  );

function requestFacts(request) {
  const rows = deviceRows(request);
  const broken = rows.find((row) => (row.errors || []).length);
  const columns = [
    { label: "node", wide: true, value: (row) => row.nodes.join(" "), cell: (row) => names(row.nodes, 3) },
    { label: "device", wide: true, value: (row) => row.devices.join(", ") || "-" },
    { label: "what refuses it", wide: true, value: (row) => row.text },
    ...columnIf(rows, (row) => row.expression, {
      label: "selector",
      wide: true,
      value: (row) => row.expression || "",
      cell: (row) => (row.expression ? h("code", {}, row.expression) : ""),
    }),
    ...columnIf(rows, (row) => row.values && Object.keys(row.values).length, {
      label: "values",
      wide: true,
      value: (row) => valuesText(row.values),
    }),
  ];
  const number = request.count ? int(request.count) : "all";
  return [
    h("p", {}, `claim ${request.claim}, request ${request.request}: ${number} of class ${request.class}`),
    broken ? verbatim(withCaret(broken), "The selector that does not compile") : null,
    table(columns, rows, { caption: `Devices for ${request.request}`, unit: "row", units: "rows" }),
  ];
}

/** Devices of a list of nodes: a row a class, a row a pool. */
function deviceList(found) {
  const classes = Object.entries(found.classes || {}).map(([name, total]) => ({ name, ...total }));
  const number = (label, key) => ({ label, num: true, value: (row) => row[key], cell: (row) => int(row[key]) });
  const pieces = (row) =>
    Object.entries(row.pieces || {})
      .map(([free, nodes]) => `${int(nodes)} with ${int(Number(free))}`)
      .join(", ");
  const byClass = [
    { label: "class", key: "name" },
    number(HEADS.devices, "devices"),
    number(HEADS.used, "used"),
    number(HEADS.free, "free"),
    ...columnIf(classes, (row) => row.tainted, number(HEADS.tainted, "tainted")),
    ...columnIf(classes, (row) => row.blocked, number(HEADS.blocked, "blocked")),
    number(HEADS.largest, "largest"),
    nodeColumn("on", (row) => row.largestNode),
    { label: HEADS.pieces, wide: true, value: (row) => pieces(row) || "-" },
    {
      label: HEADS.fragmented,
      num: true,
      value: (row) => (row.fragmented === null || row.fragmented === undefined ? -1 : row.fragmented),
      cell: (row) => (row.fragmented === null || row.fragmented === undefined ? "-" : `${row.fragmented}%`),
    },
  ];
  const users = (row) => [
    ...new Set(row.devices.flatMap((device) => device.pods || (device.claims || []).map((claim) => `claim ${claim}`))),
  ];
  const byPool = [
    nodeColumn("node", (row) => row.node),
    { label: "pool", key: "pool" },
    { label: "driver", key: "driver" },
    { label: "free", num: true, value: (row) => row.free },
    { label: "of", num: true, value: (row) => row.devices.length },
    { label: "used by", wide: true, value: (row) => users(row).join(", ") || row.problem || "-" },
  ];
  return [
    h("p", {}, found.sentence),
    table(byClass, classes, { caption: "Devices by class", unit: "class", units: "classes" }),
    table(byPool, found.pools || [], { caption: "Devices by pool", unit: "pool", units: "pools" }),
    lines(found.notes),
  ];
}

const valuesText = (values) =>
  Object.entries(values || {})
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** Lines of an expression, under each line that is wrong a caret and what is wrong there. */
function withCaret(row) {
  return row.expression
    .split("\n")
    .flatMap((line, at) => [
      line,
      ...row.errors
        .filter((error) => error.line === at + 1)
        .map((error) => `${" ".repeat(error.column - 1)}^ ${error.text}`),
    ])
    .join("\n");
}

function constraintText(one) {
  const values = Object.entries(one.values || {}).map(([value, number]) => `${value || "without it"}: ${int(number)}`);
  const verb = one.rule === "distinctAttribute" ? "differ in" : "share";
  return `claim ${one.claim}: devices ${verb} ${one.attribute}; ${one.node} has free ${values.join(", ") || "none"}`;
}

function allocatedText(one) {
  const pods = (one.pods || []).length ? `used by ${one.pods.join(", ")}` : "used by no pod";
  const where = one.failed ? "its devices could not be attached" : `to be had on ${(one.nodes || []).join(", ") || "no node"}`;
  return `claim ${one.claim} has ${(one.devices || []).join(", ")}, ${pods}: ${where}`;
}
