// The data of the page: the document, and the nodes beside it.

const DATA = JSON.parse($("data").textContent);
/** Names of all nodes, then of their pods, in order; lists of the document refer to their places. */
const KNOWN_NAMES = namesOf(DATA.nodes.rows);
const DOC = DATA.shared ? restored(DATA.document, DATA.shared) : DATA.document;

/** Names of nodes and of their pods. A number is the place of the same name; one below 0 of that which it replaces. */
function namesOf(rows) {
  const written = rows.flatMap((row) => row[11].filter((_, i) => i % 2 === 0));
  const name = (one) => {
    if (typeof one === "string") return one;
    return one < 0 ? `${name(written[-1 - one])}-r1` : name(written[one]);
  };
  const pods = written.map(name);
  let next = 0;
  for (const row of rows) for (let i = 0; i < row[11].length; i += 2) row[11][i] = pods[next++];
  return [...rows.map((row) => row[0]), ...pods];
}

/** Put parts that occur more than once, and are written once, back into their places. */
function restored(root, shared) {
  const done = new Array(shared.length);
  const part = (at) => {
    if (done[at] === undefined) done[at] = read(shared[at]);
    return done[at];
  };
  const read = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(read);
    if (typeof value["#"] === "number") return part(value["#"]);
    if (typeof value["#t"] === "number") return fromColumns(value, read);
    if (Array.isArray(value["#p"])) return knownNames(value["#p"]);
    for (const key of Object.keys(value)) value[key] = read(value[key]);
    return value;
  };
  return read(root);
}

function knownNames(places) {
  return places.map((at) => (typeof at === "number" ? KNOWN_NAMES[at] : at));
}

/** Objects of a table whose columns are written one by one; ``read`` reads a value in it. */
function fromColumns(table, read) {
  const rows = Array.from({ length: table["#t"] }, () => ({}));
  const values = (column) => {
    if (Array.isArray(column)) return column.map(read);
    if (typeof column["#t"] === "number") return fromColumns(column, read);
    if (Array.isArray(column["#p"])) return knownNames(column["#p"]);
    if (typeof column["#r"] === "number") return rows.map((_, i) => column["#r"] + i);
    if ("#s" in column) return new Array(rows.length).fill(read(column["#s"]));
    const known = column.d.map(read);
    return column["#i"].map((at) => known[at]);
  };
  for (const [key, column] of Object.entries(table.c))
    values(column).forEach((value, i) => {
      if (value !== undefined) rows[i][key] = value;
    });
  return rows;
}

const RESOURCES = DATA.nodes.resources;
const CHANGES = ["", "lands", "leaves", "appears"];

const LISTS = DATA.nodes.lists;
const pad = (amounts) => RESOURCES.map((_, i) => amounts[i] || 0);

function readNode(row, place) {
  const text = (i) => (i < 0 ? name : DATA.nodes.texts[i]);
  const [name, zone, pool, type, cordoned, change, taints, labels, allocatable, requested, before, pods] = row;
  const node = {
    name,
    place,
    zone: text(zone),
    pool: text(pool),
    type: text(type),
    cordoned: Boolean(cordoned),
    change: CHANGES[change],
    taints: taints.map(text),
    labelsAt: labels,
    labels: [],
    allocatable: pad(LISTS[allocatable]),
    requested: pad(requested),
    before: before ? pad(before) : null,
    pods: [],
    lands: 0,
    leaves: 0,
  };
  const places = LISTS[labels];
  for (let i = 0; i < places.length; i += 2) node.labels.push([text(places[i]), text(places[i + 1])]);
  for (let i = 0; i < pods.length; i += 2) node.pods.push([pods[i], LISTS[pods[i + 1]]]);
  return node;
}

/** Texts of lists of labels, in small letters; many nodes have the same but for their own name. */
const LABEL_TEXTS = new Map();

function labelText(node) {
  let text = LABEL_TEXTS.get(node.labelsAt);
  if (text === undefined) {
    const word = (at) => (at < 0 ? "\u0000" : DATA.nodes.texts[at].toLowerCase());
    const places = LISTS[node.labelsAt];
    const pairs = [];
    for (let i = 0; i < places.length; i += 2) pairs.push(`${word(places[i])}=${word(places[i + 1])}`);
    text = pairs.join("\n");
    LABEL_TEXTS.set(node.labelsAt, text);
  }
  return text.replaceAll("\u0000", node.name.toLowerCase());
}

/** A pod of a node, read when it is shown. */
const readPod = ([pod, [priority, change, ...amounts]]) => ({
  pod,
  priority,
  change: CHANGES[change],
  amounts: pad(amounts),
});

/** Nodes that the document is about; the others are not drawn. */
const LISTED = DOC.kind === "NodeList" ? new Set(DOC.nodes.map((row) => row.node)) : null;
const NODE_LIST = DATA.nodes.rows.map(readNode).filter((node) => !LISTED || LISTED.has(node.name));
const NODES = new Map(NODE_LIST.map((node) => [node.name, node]));

/** Place of a resource in the amounts of nodes. */
const placeOf = (resource) => RESOURCES.indexOf(resource);

/** How full a node is, from 0: of one resource, or of the one it has least of. */
function fullness(node, resource, amounts = node.requested) {
  if (resource !== "most") return shareOf(amounts[placeOf(resource)], node.allocatable[placeOf(resource)]);
  return Math.max(...RESOURCES.map((_, i) => shareOf(amounts[i], node.allocatable[i])));
}

/** Resources some node has or some pod asks for, those of every node first. */
const USED = RESOURCES.filter((_, i) => NODE_LIST.some((node) => node.allocatable[i] || node.requested[i]));

/** What was changed before the question was asked. */
const WHAT_IF = DOC.whatIf || (DOC.plan && DOC.plan.whatIf) || [];
/** The plan: the document itself, or the one it rests on. */
const PLAN = [DOC, DOC.plan].find((one) => one && Array.isArray(one.steps) && one.totals) || null;
