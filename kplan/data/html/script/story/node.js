// All about one node: how it stands and why, its room, what its plugins scored, who would leave, its pods and labels.

function nodeStory(node) {
  const { tone, mark, text } = standing(node);
  const tags = [
    ["zone", node.zone],
    ["pool", node.pool],
    ["type", node.type],
  ].filter(([, value]) => value);
  const flags = [node.cordoned ? "cordoned" : "", ...node.taints].filter(Boolean);
  const own = KINDS[DOC.kind] && KINDS[DOC.kind].about;
  return [
    h(
      "p",
      { class: `toned standing ${tone}` },
      signOf({ tone, mark }),
      changed(node) && !LENS.answer ? `${text}: ${changed(node)}` : text,
    ),
    pairs([...tags, ["taints", flags.length ? flags.map((flag) => h("span", { class: "tag" }, plainName(flag))) : ""]]),
    LENS.answer && node.group >= 0 ? chapter(`Why it refuses ${LENS.answer.pod}`, refusal(node)) : null,
    own ? own(node) : null,
    chapter("Room", roomTable(node)),
    LENS.answer && node.score ? chapter("Score", scoreStory(node)) : null,
    chapter("Victims", victimsStory(node)),
    chapter("Pods that were asked about", askedStory(node)),
    chapter(plural(node.pods.length, "pod"), node.pods.length ? podsOf(node) : null),
    node.labels.length ? labelsOf(node.labels) : null,
  ];
}

function labelsOf(labels) {
  const rows = labels.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value || "\u00a0")));
  return h("div", { class: "chapter" }, fold(plural(labels.length, "label"), h("dl", { class: "labels" }, rows)));
}

/** The node as its group tells of it, where it is among the nearest. */
const toldOf = (node, group) => (group.nodes || []).find((one) => one.name === node.name);

/** Short words for why a node refuses the pod, with its own numbers. */
function refusedText(node) {
  const group = groupOf(node);
  const shown = toldOf(node, group);
  const plain =
    shown && shown.text && !shown.text.includes(";") && group.reasons.length === 1 && (shown.shortages || []).length;
  return plain ? `${group.text.split(",")[0]}, free ${shown.text}` : group.text;
}

function refusal(node) {
  const group = groupOf(node);
  const shown = toldOf(node, group);
  const short = shown && (shown.shortages || []).length ? shown.shortages : shortages(node, group);
  const columns = [
    { label: "resource", key: "resource" },
    ...["needs", "free", "lacks"].map((key) => ({
      label: key,
      num: true,
      value: (row) => row[key],
      cell: (row) => writer(row.resource, [row.needs, row.free, row.lacks])(row[key]),
    })),
  ];
  const others = group.count - 1;
  return [
    h(
      "ul",
      { class: "reasons" },
      group.reasons.map((reason) => h("li", {}, h("span", { class: "block" }, reason.text), reasonWords(reason))),
    ),
    shown && shown.text && !short.length ? h("p", {}, `Here: ${shown.text}`) : null,
    short.length
      ? table(columns, short, { caption: "What is short on this node", unit: "resource", units: "resources" })
      : null,
    others
      ? h(
          "p",
          { class: "dim" },
          `${plural(others, "other node")} ${others === 1 ? "refuses" : "refuse"} it for the same.`,
        )
      : null,
  ];
}

/** What is short here, counted from the columns: only the nearest nodes have their numbers in the document. */
function shortages(node, group) {
  if (group.reasons.some((reason) => reason.kept)) return [];
  const asks = new Map(
    (group.nodes || []).flatMap((one) => (one.shortages || []).map((short) => [short.resource, short.needs])),
  );
  const found = [];
  for (const [resource, needs] of asks) {
    const i = placeOf(resource);
    const free =
      i < 0 ? needs : node.allocatable[i] - (node.before && !WHAT_IF.length ? node.before : node.requested)[i];
    if (needs > free) found.push({ resource, needs, free, lacks: needs - free });
  }
  return found;
}

function roomTable(node) {
  const { requested, before, allocatable } = node;
  const rows = RESOURCES.map((resource, i) => ({ resource, i })).filter(
    ({ i }) => allocatable[i] || requested[i] || (before && before[i]),
  );
  const numbers = (label, of) => ({
    label,
    num: true,
    fixed: true,
    value: ({ i }) => of(i),
    cell: ({ resource, i }) =>
      writer(
        resource,
        [requested, before || requested, allocatable].map((some) => some[i]),
      )(of(i)),
  });
  const columns = [
    { label: "resource", fixed: true, key: "resource" },
    { label: HEADS.used, scale: "100%", fixed: true, value: () => "", cell: ({ i }) => bar(shareOf(requested[i], allocatable[i])) },
    ...(before ? [numbers("before", (i) => before[i])] : []),
    numbers(before ? "after" : HEADS.requested, (i) => requested[i]),
    numbers(HEADS.allocatable, (i) => allocatable[i]),
    numbers(HEADS.free, (i) => allocatable[i] - requested[i]),
  ];
  return table(columns, rows, { caption: `Room on ${node.name}` });
}

function scoreStory(node) {
  const row = node.score;
  const { scores } = LENS.answer;
  const ahead = scores.rows.filter((one) => one.total > row.total).length;
  const many = plural(scores.rows.length + (scores.more || 0), "feasible node");
  const place = `${int(row.total)}, ${ahead ? `${int(ahead)} of ${many} score more` : "the most of all feasible nodes"}`;
  const winner = scores.rows[0];
  const others = Object.keys({ ...row.plugins, ...scores.same }).filter((name) => !scores.columns.includes(name));
  const plugins = [...scores.columns, ...others];
  const columns = [
    { label: "plugin", fixed: true, key: "plugin" },
    { label: "raw", num: true, fixed: true, value: (one) => row.raw[one.plugin] ?? "" },
    { label: "weighted", num: true, fixed: true, value: (one) => weighted(scores, row, one.plugin) },
  ];
  if (winner.node !== node.name)
    columns.push({
      label: `on ${winner.node}`,
      num: true,
      fixed: true,
      value: (one) => weighted(scores, winner, one.plugin),
    });
  return [
    h("p", {}, place),
    table(
      columns,
      plugins.map((plugin) => ({ plugin })),
      { caption: `Scores of ${node.name}`, page: 30 },
    ),
  ];
}

/** Pods that would be evicted here: of the one answer, or of every answer and step of the document. */
function victimsStory(node) {
  const parts = [];
  for (const answer of LENS.answer ? [LENS.answer] : DOC.answers || []) {
    const victims = ((answer.preempt && answer.preempt.victims) || []).filter((victim) => victim.node === node.name);
    if (victims.length) parts.push(LENS.answer ? null : h("p", {}, "for ", podName(answer.pod)), victimsTable(victims));
  }
  for (const step of PLAN ? PLAN.steps : []) {
    if (step.node !== node.name || !(step.evicts || []).length) continue;
    parts.push(h("p", {}, podName(step.pod), " evicts ", names(step.evicts, 5, podName)));
  }
  return parts.length ? parts : null;
}

/** What this node says to each of many pods, those it says the same to together. */
function askedStory(node) {
  const said = new Map();
  for (const answer of DOC.answers || []) {
    const [word, text] = saidOf(answer, node);
    if (!text) continue;
    const same = `${word} ${text}`;
    if (!said.has(same)) said.set(same, { word, text, pods: [] });
    said.get(same).pods.push(answer.pod);
  }
  if (!said.size) return null;
  const item = ({ word, text, pods }) =>
    h(
      "li",
      {},
      ended(word, h("span", { class: "val" }, int(pods.length))),
      ` ${text} `,
      h("span", { class: "block" }, names(pods, 3, podName)),
    );
  const rank = ["FITS", "PREEMPTS", "fits", "refuses"];
  const sorted = [...said.values()].sort(
    (a, b) => rank.indexOf(a.word) - rank.indexOf(b.word) || b.pods.length - a.pods.length,
  );
  return h("ul", { class: "plain" }, sorted.map(item));
}

function saidOf(answer, node) {
  if (answer.node === node.name)
    return [answer.verdict, answer.verdict === "PREEMPTS" ? "goes here after evictions" : "goes here"];
  const refused = answer.verdict === "GATED" ? null : refusalsOf(answer);
  const found = refused && refused(node);
  if (found && found.group < 0) return ["fits", "fits, and goes elsewhere"];
  const group = found ? answer.groups[found.group] : (answer.groups || []).find((one) => toldOf(node, one));
  if (!group) return ["", ""];
  const shown = toldOf(node, group);
  return ["refuses", `is refused: ${group.text}${shown && shown.text ? ` (${shown.text})` : ""}`];
}

function podsOf(node) {
  const pods = node.pods.map(readPod);
  const shown = RESOURCES.map((resource, i) => ({ resource, i })).filter(
    ({ resource, i }) => resource !== "pods" && (i < 2 || pods.some((pod) => pod.amounts[i])),
  );
  const writers = RESOURCES.map((resource, i) =>
    writer(
      resource,
      pods.map((pod) => pod.amounts[i]),
    ),
  );
  const columns = [
    { label: "pod", value: (pod) => pod.pod, cell: (pod) => podName(pod.pod) },
    ...columnIf(pods, (pod) => pod.change, {
      label: "change",
      value: (pod) => pod.change,
      cell: (pod) => (pod.change ? toned(STATES[pod.change], pod.change) : ""),
    }),
    ...shown.map(({ resource, i }) => ({
      label: resource,
      num: true,
      value: (pod) => pod.amounts[i],
      cell: (pod) => writers[i](pod.amounts[i]),
    })),
    ...columnIf(pods, (pod) => pod.priority, { label: "priority", num: true, value: (pod) => pod.priority }),
  ];
  return table(columns, pods, { caption: `Pods on ${node.name}`, page: 25, unit: "pod", units: "pods" });
}
