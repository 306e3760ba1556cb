// The data of the page: the document, the nodes, and how each node stands in the document.

const DATA = JSON.parse($("data").textContent);
const DOC = DATA.document;
const RESOURCES = DATA.nodes.resources;
const CHANGES = ["", "lands", "leaves", "appears"];

const pad = (amounts) => RESOURCES.map((_, i) => amounts[i] || 0);

function readNode(row, place) {
  const text = (i) => DATA.nodes.texts[i];
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
    labels: [],
    allocatable: pad(allocatable),
    requested: pad(requested),
    before: before ? pad(before) : null,
    pods,
    group: -1,
    rank: -1,
    state: "quiet",
    note: "",
  };
  for (let i = 0; i < labels.length; i += 2) node.labels.push([text(labels[i]), text(labels[i + 1])]);
  return node;
}

/** A pod of a node, read when it is shown. */
const readPod = ([pod, priority, change, ...amounts]) => ({
  pod,
  priority,
  change: CHANGES[change],
  amounts: pad(amounts),
});

const NODE_LIST = DATA.nodes.rows.map(readNode);
const NODES = new Map(NODE_LIST.map((node) => [node.name, node]));

/** How a node can stand: the tone that colours it, the mark that stands beside the colour, and words. */
const STATES = {
  asked: { tone: "none", mark: "\u203a", text: "the node asked about" },
  chosen: { tone: "good", mark: "\u2713", text: "goes here" },
  ties: { tone: "good", mark: "=", text: "ties for the highest score" },
  evicts: { tone: "warn", mark: "\u2713", text: "goes here after evictions" },
  fits: { tone: "good", mark: "+", text: "fits" },
  candidate: { tone: "warn", mark: "~", text: "fits after evictions" },
  appears: { tone: "good", mark: "\u2217", text: "new node" },
  lands: { tone: "good", mark: "+", text: "pods land here" },
  trades: { tone: "warn", mark: "\u00b1", text: "pods land, pods leave" },
  leaves: { tone: "warn", mark: "\u2212", text: "pods leave" },
  gone: { tone: "bad", mark: "\u00d7", text: "leaves the cluster" },
  cordoned: { tone: "none", mark: "\u2016", text: "cordoned" },
  quiet: { tone: "none", mark: "\u00b7", text: "nothing changes" },
};
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ANSWER = DOC.kind === "PodExplanation" ? DOC : null;
/** The plan: the document itself, or the one it rests on. */
const PLAN = [DOC, DOC.plan].find((one) => one && Array.isArray(one.steps) && one.totals) || null;

/** The state of a node in words, tone and mark; nodes refused for different reasons have letters. */
function standing(node) {
  if (node.state !== "refused") return STATES[node.state];
  return { tone: "bad", mark: LETTERS[node.group] || "\u2022", text: groupTitle(ANSWER.groups[node.group]) };
}

const groupTitle = (group) => group.text;

/** Key by which nodes that stand alike are listed together. */
const stateKey = (node) => (node.state === "refused" ? `group-${node.group}` : node.state);

/** Set how nodes stand towards the one pod of an explanation. */
function judge(answer) {
  STATES.quiet.text = answer.verdict === "GATED" ? "not looked at" : "not told";
  for (const [i, group] of (answer.groups || []).entries()) {
    const all = group.names || (group.nodes || []).map((node) => node.name);
    all.forEach((name, rank) => stand(name, "refused", { group: i, rank }));
  }
  const rows = (answer.scores && answer.scores.rows) || [];
  rows.forEach((row, rank) => stand(row.node, "fits", { rank, score: row }));
  for (const name of (answer.scores && answer.scores.tie) || []) stand(name, "ties");
  const preempt = answer.preempt || {};
  for (const name of preempt.picks || []) stand(name, "candidate");
  for (const victim of preempt.victims || []) stand(victim.node, "candidate");
  if (answer.node) stand(answer.node, answer.verdict === "PREEMPTS" ? "evicts" : "chosen");
}

/** Set how nodes stand after a plan. */
function follow() {
  const lands = new Map();
  const leaves = new Map();
  const count = (map, name) => map.set(name, (map.get(name) || 0) + 1);
  for (const step of (PLAN && PLAN.steps) || []) if (step.node) count(lands, step.node);
  for (const answer of DOC.answers || []) if (answer.node) count(lands, answer.node);
  for (const node of NODE_LIST) {
    if (!node.before) continue;
    lands.delete(node.name);
    for (const pod of node.pods) if (pod[2]) count(pod[2] === 1 ? lands : leaves, node.name);
  }
  for (const node of NODE_LIST) {
    node.lands = lands.get(node.name) || 0;
    node.leaves = leaves.get(node.name) || 0;
    if (node.change === "leaves") node.state = "gone";
    else if (node.change === "appears") node.state = "appears";
    else if (node.lands && node.leaves) node.state = "trades";
    else if (node.lands) node.state = "lands";
    else if (node.leaves) node.state = "leaves";
    else if (node.cordoned) node.state = "cordoned";
  }
  if (DOC.answers) {
    STATES.lands.text = "pods would go here, each for itself";
    STATES.quiet.text = "no waiting pod goes here";
  } else if (!NODE_LIST.some((node) => node.before || node.lands)) {
    STATES.quiet.text = "open";
  }
  if (DOC.kind === "NodeExplanation") stand(DOC.node.node, "asked");
}

function stand(name, state, about = {}) {
  const node = NODES.get(name);
  if (node) Object.assign(node, { state }, about);
}

if (ANSWER) judge(ANSWER);
else follow();

/** Stories of pods by name: answers of an explanation, steps of a plan. */
const STORIES = new Map();
for (const answer of DOC.answers || []) STORIES.set(answer.pod, { answer });
for (const [i, step] of (PLAN ? PLAN.steps : []).entries()) {
  STORIES.set(step.pod, { step, number: i + 1 });
}

/** Place of a resource in the amounts of nodes. */
const placeOf = (resource) => RESOURCES.indexOf(resource);

/** How full a node is, from 0: of one resource, or of the one it has least of. */
function fullness(node, resource, amounts = node.requested) {
  if (resource !== "most") return part(amounts[placeOf(resource)], node.allocatable[placeOf(resource)]);
  return Math.max(...RESOURCES.map((_, i) => part(amounts[i], node.allocatable[i])));
}

/** Resources some node has or some pod asks for, those of every node first. */
const USED = RESOURCES.filter((_, i) => NODE_LIST.some((node) => node.allocatable[i] || node.requested[i]));

/** Text a node is searched by. */
function nodeText(node) {
  if (node.text === undefined) {
    const labels = node.labels.map(([key, value]) => `${key}=${value}`);
    const flags = node.cordoned ? "cordoned unschedulable" : "";
    node.text = [node.name, standing(node).text, flags, ...node.taints, ...labels].join("\n").toLowerCase();
  }
  return node.text;
}

/** Nodes nearest to taking the pod first. */
const ORDER = Object.keys(STATES);
function nearness(node) {
  return node.state === "refused" ? 100 + node.group : ORDER.indexOf(node.state);
}
const byNearness = (a, b) => nearness(a) - nearness(b) || a.rank - b.rank || a.place - b.place;
