// The story of one node or one pod, beside the page; named in the address, so that it can be linked to.

let opener = null;

/** Open a story: the address says which, and the browser's back button closes it. */
function go(kind, name) {
  opener = document.activeElement;
  const address = `#${kind}=${encodeURIComponent(name)}`;
  if (location.hash === address) route();
  else location.hash = address;
}

function route() {
  const [, kind, name] = /^#(node|pod)=(.*)$/.exec(location.hash) || [];
  let asked = "";
  try {
    asked = decodeURIComponent(name || "");
  } catch {
    asked = "";
  }
  if (kind === "node" && NODES.has(asked)) open(asked, nodeStory(NODES.get(asked)), asked);
  else if (kind === "pod" && STORIES.has(asked)) open(asked, podStory(STORIES.get(asked)), "");
  else shut(false);
}

function open(title, content, node) {
  const story = $("story");
  const wasShut = story.hidden;
  if (wasShut && !(opener && opener.isConnected)) opener = document.activeElement;
  const heading = h("h2", { id: "story-title", tabindex: "-1", class: "name" }, title);
  const close = h("button", { type: "button", class: "quiet close", onclick: () => shut(true) }, "Close", h("span", { class: "unseen" }, " the story"));
  clear(story, h("div", { class: "story-head" }, heading, close), content);
  story.hidden = false;
  story.dataset.node = node;
  story.scrollTop = 0;
  document.body.classList.add("with-story");
  markOpen();
  heading.focus({ preventScroll: matchMedia("(min-width: 64rem)").matches });
}

function shut(back) {
  const story = $("story");
  if (story.hidden) return;
  const node = story.dataset.node;
  story.hidden = true;
  delete story.dataset.node;
  document.body.classList.remove("with-story");
  markOpen();
  if (back) history.replaceState(null, "", location.pathname + location.search);
  const cell = node && [...document.querySelectorAll("button[data-node]")].find((one) => one.dataset.node === node);
  const to = cell || (opener && opener.isConnected ? opener : $("content"));
  if (back) to.focus();
  opener = null;
}

/** A part of a story under its heading. */
const chapter = (title, content) => content && h("div", { class: "chapter" }, h("h3", {}, title), content);

function nodeStory(node) {
  const { tone, mark, text } = standing(node);
  const tags = [["zone", node.zone], ["pool", node.pool], ["type", node.type]].filter(([, value]) => value);
  const flags = [node.cordoned ? "cordoned" : "", ...node.taints].filter(Boolean);
  return [
    h("p", { class: `toned standing ${tone}` }, h("span", { class: `mark ${tone}`, "aria-hidden": "true" }, mark), changed(node) && !ANSWER ? `${text}: ${changed(node)}` : text),
    tags.length || flags.length ? pairs([...tags, ["taints", flags.length ? flags.map((flag) => h("span", { class: "tag" }, plainName(flag))) : ""]]) : null,
    ANSWER && node.group >= 0 ? chapter(`Why it refuses ${ANSWER.pod}`, refusal(node)) : null,
    chapter("Room", roomTable(node)),
    ANSWER && node.score ? chapter("Score", scoreStory(node)) : null,
    chapter("Victims", victimsStory(node)),
    chapter("Pods that were asked about", askedStory(node)),
    chapter(plural(node.pods.length, "pod"), node.pods.length ? podsOf(node) : null),
    node.labels.length ? h("details", { class: "chapter" }, h("summary", {}, plural(node.labels.length, "label")), h("dl", { class: "labels" }, node.labels.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value || "\u00a0"))))) : null,
  ];
}

/** What the pod asks for, as far as the reasons say. */
function asks(group) {
  const found = new Map();
  for (const node of (group && group.nodes) || []) for (const short of node.shortages || []) found.set(short.resource, short.needs);
  return found;
}

/** Short words for why a node refuses the pod, with its own numbers. */
function refusedText(node) {
  const group = ANSWER.groups[node.group];
  const shown = (group.nodes || []).find((one) => one.name === node.name);
  return shown && shown.text && !shown.text.includes(";") && group.reasons.length === 1 && (shown.shortages || []).length ? `${group.text.split(",")[0]}, free ${shown.text}` : group.text;
}

function refusal(node) {
  const group = ANSWER.groups[node.group];
  const shown = (group.nodes || []).find((one) => one.name === node.name);
  const short = shown && shown.shortages && shown.shortages.length ? shown.shortages : shortages(node, group);
  const columns = [
    { label: "resource", key: "resource" },
    ...["needs", "free", "lacks"].map((key) => ({
      label: key,
      num: true,
      value: (row) => row[key],
      cell: (row) => writer(row.resource, [row.needs, row.free, row.lacks])(row[key]),
    })),
  ];
  return [
    h("ul", { class: "reasons" }, group.reasons.map((reason) => h("li", {}, h("span", { class: "block" }, reason.text), h("code", {}, reason.plugin), " ", h("q", {}, reason.message), h("span", { class: "dim" }, reason.evictable ? " an eviction may lift it" : " no eviction lifts it")))),
    shown && shown.text && !(short && short.length) ? h("p", {}, `Here: ${shown.text}`) : null,
    short && short.length ? table(columns, short, { caption: "What is short on this node", unit: "resource", units: "resources" }) : null,
    group.count > 1 ? h("p", { class: "dim" }, `${plural(group.count - 1, "other node")} ${group.count === 2 ? "refuses" : "refuse"} it for the same.`) : null,
  ];
}

/** What is short here, counted from the columns: only the nearest nodes have their numbers in the document. */
function shortages(node, group) {
  const found = [];
  if (group.reasons.some((reason) => reason.kept)) return found;
  const amounts = node.before || node.requested;
  for (const [resource, needs] of asks(group)) {
    const i = placeOf(resource);
    if (i < 0) continue;
    const free = node.allocatable[i] - amounts[i];
    if (needs > free) found.push({ resource, needs, free, lacks: needs - free });
  }
  return found;
}

function roomTable(node) {
  const rows = RESOURCES.map((resource, i) => ({ resource, i })).filter(({ i }) => node.allocatable[i] || node.requested[i] || (node.before && node.before[i]));
  const write = (of) => (row) => {
    const { requested, before, allocatable } = node;
    return writer(row.resource, [requested, before || requested, allocatable].map((amounts) => amounts[row.i]))(of(row.i));
  };
  const numbers = (label, of) => ({ label, num: true, fixed: true, value: (row) => of(row.i), cell: write(of) });
  const columns = [
    { label: "resource", fixed: true, key: "resource" },
    { label: "full", fixed: true, value: () => "", cell: ({ i }) => bar(part(node.requested[i], node.allocatable[i])) },
    ...(node.before ? [numbers("before", (i) => node.before[i])] : []),
    numbers(node.before ? "after" : "requested", (i) => node.requested[i]),
    numbers("of", (i) => node.allocatable[i]),
    numbers("free", (i) => node.allocatable[i] - node.requested[i]),
  ];
  return table(columns, rows, { caption: `Room on ${node.name}` });
}

function scoreStory(node) {
  const row = node.score;
  const ahead = ANSWER.scores.rows.filter((one) => one.total > row.total).length;
  const place = `${int(row.total)}, ${ahead ? `${int(ahead)} of ${plural(ANSWER.scores.rows.length, "feasible node")} score more` : "the most of all feasible nodes"}`;
  const winner = ANSWER.scores.rows[0];
  const plugins = [...ANSWER.scores.columns, ...Object.keys(row.plugins).filter((name) => !ANSWER.scores.columns.includes(name))];
  const columns = [
    { label: "plugin", fixed: true, key: "plugin" },
    { label: "raw", num: true, fixed: true, value: (one) => row.raw[one.plugin] },
    { label: "weighted", num: true, fixed: true, value: (one) => row.plugins[one.plugin] },
  ];
  if (winner.node !== node.name) columns.push({ label: `on ${winner.node}`, num: true, fixed: true, value: (one) => winner.plugins[one.plugin] });
  return [h("p", {}, place), table(columns, plugins.map((plugin) => ({ plugin })), { caption: `Scores of ${node.name}`, page: 30 })];
}

/** Pods that would be evicted here: of the one answer, or of every answer and step of the document. */
function victimsStory(node) {
  const answers = DOC.answers || (ANSWER ? [ANSWER] : []);
  const parts = [];
  for (const answer of answers) {
    const victims = ((answer.preempt && answer.preempt.victims) || []).filter((victim) => victim.node === node.name);
    if (victims.length) parts.push(answers.length > 1 ? h("p", {}, "for ", podName(answer.pod)) : null, victimsTable(victims));
  }
  for (const step of PLAN ? PLAN.steps : []) {
    if (step.node !== node.name || !(step.evicts || []).length) continue;
    parts.push(h("p", {}, podName(step.pod), " evicts ", names(step.evicts, 5, podName)));
  }
  return parts.length ? parts : null;
}

function askedStory(node) {
  const told = (DOC.answers || []).map((answer) => [answer, saidOf(answer, node)]).filter(([, text]) => text);
  if (!told.length) return null;
  return h("ul", { class: "plain" }, told.slice(0, 100).map(([answer, text]) => h("li", {}, podName(answer.pod), ` ${text}`)));
}

function saidOf(answer, node) {
  if (answer.node === node.name) return answer.verdict === "PREEMPTS" ? "goes here after evictions" : "goes here";
  for (const group of answer.groups || []) {
    const shown = (group.nodes || []).find((one) => one.name === node.name);
    if (shown) return `is refused: ${group.text}${shown.text ? ` (${shown.text})` : ""}`;
  }
  return "";
}

function podsOf(node) {
  const words = { lands: toned(STATES.lands, "lands"), leaves: toned(STATES.leaves, "leaves") };
  const pods = node.pods.map(readPod);
  const shown = RESOURCES.map((resource, i) => ({ resource, i })).filter(({ resource, i }) => resource !== "pods" && (i < 2 || pods.some((pod) => pod.amounts[i])));
  const writers = RESOURCES.map((resource, i) => writer(resource, pods.map((pod) => pod.amounts[i])));
  const columns = [
    { label: "pod", value: (pod) => pod.pod, cell: (pod) => podName(pod.pod) },
    ...(pods.some((pod) => pod.change) ? [{ label: "change", value: (pod) => pod.change, cell: (pod) => (words[pod.change] ? words[pod.change].cloneNode(true) : "") }] : []),
    ...shown.map(({ resource, i }) => ({ label: resource, num: true, value: (pod) => pod.amounts[i], cell: (pod) => writers[i](pod.amounts[i]) })),
    ...(pods.some((pod) => pod.priority) ? [{ label: "priority", num: true, value: (pod) => pod.priority }] : []),
  ];
  return table(columns, pods, { caption: `Pods on ${node.name}`, page: 25, unit: "pod", units: "pods" });
}

function podStory({ answer, step, number }) {
  if (step) return stepStory(step, number);
  const head = [
    h("p", { class: `toned standing ${(VERDICTS[answer.verdict] || unknown).tone}` }, toned(VERDICTS[answer.verdict] || unknown, `${answer.verdict}${(answer.doubts || []).length ? "?" : ""}`), ` ${answer.sentence}`),
    pairs([
      ...(answer.doubts || []).map((doubt) => ["doubt", doubt.text]),
      ["because", answer.because ? answer.because.text : ""],
      ...(answer.careful || []).map((text) => ["careful", text]),
      ["node", answer.node ? nodeName(answer.node) : ""],
      ["owner", answer.owner],
      ["runs on", answer.runsOn ? nodeName(answer.runsOn) : ""],
    ]),
  ];
  return [head, answerParts(answer, true).map(({ title, content }) => chapter(title, content))];
}

function stepStory(step, number) {
  const result = RESULTS[step.result] || unknown;
  const cause = (PLAN.causes || []).find((one) => one.because.code === step.cause && one.owners[step.owner]);
  return [
    h("p", { class: `toned standing ${result.tone}` }, toned(result, result.text || step.result)),
    pairs([
      ["step", int(number)],
      ["node", step.node ? nodeName(step.node) : ""],
      ["owner", step.owner],
      ["evicts", (step.evicts || []).length ? names(step.evicts, 10, podName) : ""],
      ["tie", step.tie ? `one of ${int(step.tie)} nodes that tie, the first by name` : ""],
      ["returned", step.returned ? "stands for a pod that was evicted in this plan" : ""],
      ["because", cause ? cause.because.text : step.cause],
    ]),
    step.message ? chapter("The scheduler's own words", h("pre", {}, step.message)) : null,
  ];
}
