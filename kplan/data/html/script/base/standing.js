// How each node stands: towards one pod, or after what the document says comes and goes.

/** How a node can stand: the tone that colours it, the mark that stands beside the colour, and words. */
const STATES = {
  asked: { tone: "none", mark: "\u203a", text: "the node asked about" },
  chosen: { tone: "good", mark: "\u2713", text: "goes here" },
  ties: { tone: "good", mark: "=", text: "ties for the highest score" },
  evicts: { tone: "warn", mark: "\u2713", text: "goes here after evictions" },
  fits: { tone: "good", mark: "+", text: "fits" },
  candidate: { tone: "warn", mark: "~", text: "fits after evictions" },
  refused: { tone: "bad", mark: "\u2022", text: "refuses it" },
  gone: { tone: "bad", mark: "\u00d7", text: "leaves the cluster" },
  lost: { tone: "bad", mark: "\u00d7", text: "lost" },
  drained: { tone: "warn", mark: "\u2193", text: "drained" },
  bad: { tone: "bad", mark: "\u00d7", text: "" },
  warn: { tone: "warn", mark: "~", text: "" },
  good: { tone: "good", mark: "\u2713", text: "" },
  appears: { tone: "good", mark: "\u2217", text: "new node" },
  lands: { tone: "good", mark: "+", text: "pods land here" },
  trades: { tone: "warn", mark: "\u00b1", text: "pods land, pods leave" },
  leaves: { tone: "warn", mark: "\u2212", text: "pods leave" },
  closed: { tone: "none", mark: "\u2016", text: "cordoned" },
  quiet: { tone: "none", mark: "\u00b7", text: "nothing changes" },
};
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ORDER = Object.keys(STATES);

/** What the nodes are coloured by: an answer about one pod, or null for what comes and goes. */
const LENS = { answer: null };

/** The state of a node in words, tone and mark; nodes refused for different reasons have letters. */
function standing(node) {
  const state = STATES[node.state];
  if (node.state === "refused") return { ...state, mark: LETTERS[node.group] || state.mark, text: groupOf(node).text };
  return node.note ? { ...state, text: node.note } : state;
}

const groupOf = (node) => LENS.answer.groups[node.group];

/** Key by which nodes that stand alike are listed together. */
const stateKey = (node) => (node.state === "refused" ? `group-${node.group}` : `${node.state}-${node.note}`);

/** Say how one node stands; ``note`` in place of the words of the state. */
function stand(name, state, about = {}) {
  const node = NODES.get(name);
  if (node) Object.assign(node, { state }, about);
}

/** Judge all nodes anew. */
function standAll(judge) {
  for (const node of NODE_LIST)
    Object.assign(node, { state: "quiet", note: "", group: -1, rank: -1, score: null, text: undefined });
  judge();
}

/** Set how nodes stand towards the one pod of an answer. */
function judge(answer) {
  const unknown = answer.verdict === "GATED" ? "not looked at" : "not told";
  for (const node of NODE_LIST) node.note = unknown;
  const refused = refusalsOf(answer);
  if (refused) for (const node of NODE_LIST) judgeNode(node, refused(node));
  const rows = (answer.scores && answer.scores.rows) || [];
  rows.forEach((row, rank) => stand(row.node, "fits", { rank, score: row, note: "" }));
  for (const name of (answer.scores && answer.scores.tie) || []) stand(name, "ties", { note: "" });
  const preempt = answer.preempt || {};
  for (const name of preempt.picks || []) stand(name, "candidate", { note: "" });
  for (const victim of preempt.victims || []) stand(victim.node, "candidate", { note: "" });
  if (answer.node) stand(answer.node, answer.verdict === "PREEMPTS" ? "evicts" : "chosen", { note: "" });
}

function judgeNode(node, found) {
  if (!found) return;
  if (found.group < 0) Object.assign(node, { state: "fits", note: "" });
  else Object.assign(node, { state: "refused", note: "", group: found.group, rank: found.rank });
}

/** Which group of an answer refuses a node: a function of the node; null where the page does not hold it. */
function refusalsOf(answer) {
  if (!REFUSALS.has(answer)) REFUSALS.set(answer, namedRefusals(answer) || codedRefusals(answer));
  return REFUSALS.get(answer);
}

const REFUSALS = new Map();

/** By the names of each group, nearest first. */
function namedRefusals(answer) {
  const groups = answer.groups || [];
  if (groups.some((group) => !group.names)) return null;
  const found = new Map(groups.flatMap((group, i) => group.names.map((name, rank) => [name, { group: i, rank }])));
  return (node) => found.get(node.name);
}

/** By a letter a node, which pods that are refused alike share; a group's place, or none where the pod fits. */
function codedRefusals(answer) {
  const at = DATA.verdicts ? DATA.verdicts.pods[answer.pod] : undefined;
  if (at === undefined) return null;
  const letters = DATA.verdicts.letters[at];
  return (node) => {
    const code = letters.charCodeAt(node.place);
    const group = code >= 0x100 ? code - 0x100 : parseInt(letters[node.place], 36) - 1;
    return Number.isNaN(group) ? null : { group, rank: node.place };
  };
}

/** Set how nodes stand after what comes and goes. */
function follow() {
  const lands = new Map();
  const leaves = new Map();
  const count = (map, name) => map.set(name, (map.get(name) || 0) + 1);
  for (const step of (PLAN && PLAN.steps) || []) if (step.node) count(lands, step.node);
  for (const answer of DOC.answers || []) if (answer.node) count(lands, answer.node);
  for (const node of NODE_LIST) {
    if (node.before) {
      lands.delete(node.name);
      for (const [, [, change]] of node.pods) if (change) count(change === 1 ? lands : leaves, node.name);
    }
    node.lands = lands.get(node.name) || 0;
    node.leaves = leaves.get(node.name) || 0;
    node.state = afterChange(node);
  }
  const still = !NODE_LIST.some((node) => node.before || node.lands);
  STATES.quiet.text = still ? "open" : "nothing changes";
}

function afterChange(node) {
  if (node.change === "leaves") return "gone";
  if (node.change === "appears") return "appears";
  if (node.lands && node.leaves) return "trades";
  if (node.lands) return "lands";
  if (node.leaves) return "leaves";
  return node.cordoned ? "closed" : "quiet";
}

/** Colour the nodes by what they say to one pod; null for what the document says of all. */
function look(answer) {
  LENS.answer = answer;
  forgetCells();
  const layout = KINDS[DOC.kind] || {};
  standAll(() => {
    follow();
    if (answer) judge(answer);
    else if (layout.stand) layout.stand();
  });
}

/** Words for the pods that come and go. */
function changed(node) {
  const told = [];
  if (node.lands) told.push(`+${plural(node.lands, "pod")}`);
  if (node.leaves) told.push(`\u2212${plural(node.leaves, "pod")}`);
  return told.join(", ");
}

/** Text a node is searched by. */
function nodeText(node) {
  if (node.text === undefined) {
    const flags = node.cordoned ? "cordoned unschedulable" : "";
    const own = [node.name, standing(node).text, flags, ...node.taints].join("\n").toLowerCase();
    node.text = `${own}\n${labelText(node)}`;
  }
  return node.text;
}

/** Nodes nearest to taking the pod first. */
const nearness = (node) => (node.state === "refused" ? 100 + node.group : ORDER.indexOf(node.state));
const byNearness = (a, b) => nearness(a) - nearness(b) || a.rank - b.rank || a.place - b.place;
