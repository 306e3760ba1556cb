// A plan: what landed, where each pod went, why others did not, and how the nodes are packed before and after.

const RESULTS = {
  placed: { tone: "good", mark: "\u2713", text: "placed" },
  preempted: { tone: "warn", mark: "~", text: "placed after evictions" },
  pending: { tone: "bad", mark: "\u00d7", text: "pending" },
  gated: { tone: "none", mark: "\u2016", text: "gated" },
  failed: { tone: "bad", mark: "!", text: "failed" },
};
const VERDICTS = {
  FITS: { tone: "good", mark: "\u2713" },
  PREEMPTS: { tone: "warn", mark: "~" },
  GATED: { tone: "none", mark: "\u2016" },
  PENDING: { tone: "bad", mark: "\u00d7" },
};
const unknown = { tone: "none", mark: "\u00b7" };

function toned({ tone, mark }, text) {
  return h("span", { class: `toned ${tone}` }, h("span", { class: `mark ${tone}`, "aria-hidden": "true" }, mark), text);
}

function planSections(plan) {
  if ((plan.change || []).length) section("change", "Change", changeTable(plan.change));
  if ((plan.causes || []).length) section("causes", "Not placed", h("ul", { class: "causes" }, plan.causes.map(causeItem)));
  const rollouts = (plan.rollouts || []).filter((rollout) => (rollout.steps || []).length);
  if (rollouts.length) section("rollouts", "Rollouts", rollouts.map(rolloutPart));
  if (plan.steps.length) section("pods", "Pods", h("p", { class: "sum" }, totalsText(plan.totals)), stepsTable(plan.steps));
  if ((plan.owners || []).length > 1) section("owners", "Owners", ownersTable(plan.owners));
  if ((plan.quotas || []).length) section("quotas", "Quotas", quotasTable(plan.quotas));
}

function totalsText(totals) {
  const sum = `${int(totals.placed)} placed + ${int(totals.notPlaced)} not placed + ${int(totals.gated)} gated = ${int(totals.pods)}`;
  return totals.evicted ? `${sum}; ${int(totals.evicted)} evicted, ${int(totals.returned || 0)} of them back in the queue and counted again` : sum;
}

function rolloutPart(rollout) {
  const replaces = Boolean(rollout.strategy);
  const numbers = new Map(rollout.steps.map((step, i) => [step, i + (rollout.steps[0].pod ? 1 : 0)]));
  const leaves = (step) => (step.leaves || []).map((one) => (one.node ? `${one.pod} on ${one.node}` : one.pod));
  const columns = [
    { label: "#", num: true, value: (step) => numbers.get(step) },
    { label: replaces ? "new pod" : "pod", value: (step) => step.pod || "-", cell: (step) => (step.pod ? podName(step.pod) : "-") },
    { label: "node", value: (step) => step.node || step.result || "-", cell: (step) => (step.node ? nodeName(step.node) : step.result ? toned(RESULTS[step.result] || unknown, step.result) : "-") },
    ...(replaces ? [{ label: "then leaves", wide: true, value: (step) => leaves(step).join(", "), cell: (step) => (leaves(step).length ? names(leaves(step), 2, plainName) : "-") }] : []),
    { label: "ready", num: true, value: (step) => step.ready || 0, cell: (step) => `${int(step.ready || 0)} of ${int(rollout.replicas || 0)}` },
  ];
  const fate = rollout.stalled ? toned(RESULTS.pending, `stalls at ${int(rollout.done || 0)} of ${int(rollout.wanted || 0)}: ${rollout.stalled}`) : toned(RESULTS.placed, `${int(rollout.done || 0)} of ${int(rollout.wanted || 0)} new pods are ready in the end`);
  const limits = replaces ? `${rollout.strategy}, maxSurge ${int(rollout.maxSurge || 0)}, maxUnavailable ${int(rollout.maxUnavailable || 0)}; at least ${plural(rollout.serving || 0, "pod")} ready, at most ${int(rollout.peak || 0)} there at one time` : "";
  return [
    h("h3", {}, plainName(rollout.workload)),
    h("p", { class: "fate" }, fate),
    limits ? h("p", { class: "dim" }, limits) : null,
    table(columns, rollout.steps, { caption: `Rollout of ${rollout.workload}`, page: 20, head: 1, unit: "step", units: "steps" }),
  ];
}

function quotasTable(quotas) {
  const columns = [
    { label: "quota", value: (row) => row.quota, cell: (row) => plainName(row.quota) },
    { label: "resource", key: "resource" },
    ...["used", "then", "peak", "hard"].map((key) => ({ key, label: key === "used" ? "now" : key, num: true })),
    { label: "result", wide: true, value: (row) => (row.refused ? `refuses ${row.refused}` : "passes"), cell: (row) => (row.refused ? [toned(RESULTS.pending, `refuses ${int(row.refused)} `), row.message || ""] : toned(RESULTS.placed, "passes")) },
  ];
  return table(columns, quotas, { caption: "Quotas", unit: "row", units: "rows" });
}

/** What was changed before the question was asked: the steps as typed, and what each of them moved. */
function whatIfSection() {
  if (!(DOC.whatIf || []).length) return;
  section("what-if", "What if", h("ol", { class: "causes" }, DOC.whatIf.map(whatIfItem)));
}

function whatIfItem(step, i) {
  const moves = step.moves || [];
  const placed = moves.filter((move) => move.node).length;
  const effect = [step.text, moves.length ? `${int(placed)} placed${moves.length > placed ? `, ${int(moves.length - placed)} pending` : ""}` : ""].filter(Boolean).join("; ");
  const columns = [
    { label: "pod", value: (move) => move.insteadOf || move.pod, cell: (move) => podName(move.insteadOf || move.pod) },
    { label: "was on", value: (move) => move.was || "-", cell: (move) => (move.was ? nodeName(move.was) : "-") },
    { label: "now on", value: (move) => move.node || move.result, cell: (move) => (move.node ? nodeName(move.node) : toned(RESULTS[move.result] || unknown, move.result)) },
    { label: "note", wide: true, value: (move) => [move.back ? "back where it was" : "", (move.evicts || []).length ? `evicts ${move.evicts.join(", ")}` : "", move.because ? move.because.text : ""].filter(Boolean).join("; ") },
  ];
  const waiting = [...moves].sort((a, b) => Boolean(a.node) - Boolean(b.node));
  return h(
    "li",
    {},
    h("p", { class: "group-head" }, h("span", { class: "val" }, `${i + 1} `), h("code", {}, step.step), step.name ? h("span", { class: "dim" }, ` ${step.name}`) : null),
    h("div", { class: "nearest" }, h("p", {}, effect), (step.lost || []).length ? h("p", {}, "gone for good: ", names(step.lost, 5, podName)) : null, (step.notes || []).map((text) => h("p", { class: "note" }, text)), (step.unmet || []).map((text) => h("p", {}, toned(RESULTS.failed, `not as expected: ${text}`))), (step.expected || []).length && !(step.unmet || []).length ? h("p", {}, toned(RESULTS.placed, `as expected: ${step.expected.join(", ")}`)) : null, moves.length ? table(columns, waiting, { caption: `Moves of step ${i + 1}`, page: 10, unit: "move", units: "moves" }) : null),
  );
}

function changeTable(change) {
  const place = (row) => row.place || (row.file ? [row.file, row.line].filter(Boolean).join(":") : "");
  const columns = [
    { label: "object", value: (row) => row.object, cell: (row) => [row.refused ? toned(RESULTS.failed, "REFUSED ") : null, plainName(row.object)] },
    { label: "verdict", value: (row) => (row.expanded === false ? "not expanded" : row.verdict || "-") },
    { label: "pods", num: true, value: (row) => row.pods || 0 },
    { label: "from", value: place },
    { label: "note", wide: true, value: (row) => row.note || "" },
  ];
  return table(columns, change, { caption: "What the manifests came to", unit: "object", units: "objects" });
}

function causeItem(cause) {
  const owners = Object.entries(cause.owners).map(([owner, count]) => `${owner} ${int(count)}`);
  const group = cause.group;
  return h(
    "li",
    {},
    h("p", { class: "group-head" }, toned(RESULTS[cause.result] || unknown, h("span", { class: "val" }, int(cause.count))), " ", h("span", { class: "group-text" }, cause.because.text)),
    h("p", { class: "dim" }, names(owners, 4, plainName)),
    group
      ? h("div", { class: "nearest" }, h("p", {}, "Nearest for ", podName(cause.pod), cause.groups > 1 ? `, the first of ${int(cause.groups)} groups of nodes` : "", ": ", h("span", { class: "val" }, int(group.count)), ` ${group.count === 1 ? "node" : "nodes"}, ${group.text}`), h("p", {}, names((group.nodes || []).map((node) => node.name), 5, (one) => nearestName(group, one))))
      : null,
  );
}

function nearestName(group, name) {
  const node = group.nodes.find((one) => one.name === name);
  return [nodeName(name), node.text ? h("span", { class: "dim" }, ` ${node.text}`) : null];
}

const stepNote = (step) =>
  [
    step.returned ? "comes back" : "",
    step.evicts && step.evicts.length ? `evicts ${step.evicts.slice(0, 3).join(", ")}${step.evicts.length > 3 ? `, +${step.evicts.length - 3}` : ""}` : "",
    step.tie ? `one of ${int(step.tie)} that tie` : "",
    step.cause || "",
  ]
    .filter(Boolean)
    .join("; ");

function stepsTable(steps) {
  const numbers = new Map(steps.map((step, i) => [step, i + 1]));
  const columns = [
    { label: "#", num: true, value: (step) => numbers.get(step), cell: (step) => int(numbers.get(step)) },
    { label: "pod", value: (step) => step.pod, cell: (step) => link("pod", step.pod) },
    { label: "result", value: (step) => step.result, cell: (step) => toned(RESULTS[step.result] || unknown, (RESULTS[step.result] || { text: step.result }).text) },
    { label: "node", value: (step) => step.node || "", cell: (step) => (step.node ? nodeName(step.node) : "-") },
    { label: "owner", value: (step) => step.owner || "" },
    { label: "note", wide: true, value: stepNote },
  ];
  const counts = Object.keys(RESULTS).map((key) => [key, steps.filter((step) => step.result === key).length]);
  const filters = counts.filter(([, count]) => count).map(([key, count]) => [key, `${RESULTS[key].text} ${int(count)}`, (step) => step.result === key]);
  return table(columns, steps, { caption: "Pods in the order they were tried", page: 25, head: 1, unit: "pod", units: "pods", filters });
}

function ownersTable(owners) {
  const columns = [
    { label: "owner", key: "owner" },
    { label: "placed", num: true, value: (row) => row.placed },
    { label: "not placed", num: true, value: (row) => row.notPlaced },
    { label: "gated", num: true, value: (row) => row.gated },
    { label: "on", wide: true, value: (row) => Object.keys(row.on).join(" "), cell: (row) => names(Object.keys(row.on), 4, (name) => [nodeName(name), row.on[name] > 1 ? h("span", { class: "dim" }, ` \u00d7${row.on[name]}`) : null]) },
  ];
  return table(columns, owners, { caption: "Where the pods of each owner went", page: 15, unit: "owner", units: "owners" });
}

/** Before and after on the nodes that changed: two bars a node. */
function packingSection() {
  const changed = NODE_LIST.filter((node) => node.before);
  if (!changed.length) return;
  const hold = h("div");
  const draw = (resource) => clear(hold, packingSummary(resource), packingTable(changed, resource));
  const options = USED.map((name) => [name, name]);
  section("packing", "Before and after", h("div", { class: "tools" }, choice("Fullness of", options, USED[0], draw)), hold);
  draw(USED[0]);
}

const STEPS = 10;

function packingSummary(resource) {
  const i = placeOf(resource);
  const before = (node) => (node.before || node.requested)[i];
  const counts = (amounts, keep) => {
    const found = Array(STEPS).fill(0);
    for (const node of NODE_LIST.filter(keep)) {
      if (node.allocatable[i]) found[Math.min(STEPS - 1, Math.floor(part(amounts(node), node.allocatable[i]) * STEPS))] += 1;
    }
    return found;
  };
  const was = counts(before, (node) => node.change !== "appears");
  const is = counts((node) => node.requested[i], (node) => node.change !== "leaves");
  const most = Math.max(1, ...was, ...is);
  const total = (of, keep) => NODE_LIST.filter(keep).reduce((sum, node) => sum + of(node), 0);
  const shares = [
    part(total(before, (node) => node.change !== "appears"), total((node) => node.allocatable[i], (node) => node.change !== "appears")),
    part(total((node) => node.requested[i], (node) => node.change !== "leaves"), total((node) => node.allocatable[i], (node) => node.change !== "leaves")),
  ];
  const row = (title, numbers) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, title),
      numbers.map((number) => h("td", { class: "num" }, h("span", { class: `column ${title}`, vars: { "--f": percent(number / most) } }), h("span", { class: "val" }, number ? int(number) : "-"))),
    );
  return [
    h("p", {}, h("strong", {}, resource), ` requested over all nodes: ${percent(shares[0])} before, ${percent(shares[1])} after.`),
    h(
      "div",
      { class: "scroll", role: "group", tabindex: "0", "aria-label": `Nodes by fullness of ${resource}` },
      h(
        "table",
        { class: "spread" },
        h("caption", { class: "unseen" }, `Number of nodes by fullness of ${resource}, before and after`),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "nodes"), was.map((_, at) => h("th", { scope: "col", class: "num" }, at === STEPS - 1 ? "\u2265 90%" : `${at * 10}%`)))),
        h("tbody", {}, row("before", was), row("after", is)),
      ),
    ),
  ];
}

function packingTable(nodes, resource) {
  const i = placeOf(resource);
  const share = (node, amounts) => part(amounts[i] || 0, node.allocatable[i]);
  const write = writer(resource, nodes.flatMap((node) => [node.before[i] || 0, node.requested[i], node.allocatable[i]]));
  const grows = (node) => share(node, node.requested) - share(node, node.before);
  const two = (node) =>
    h(
      "span",
      { class: "two", role: "img", "aria-label": `before ${percent(share(node, node.before))}, after ${percent(share(node, node.requested))}` },
      h("span", { class: "bar before", vars: { "--f": percent(Math.min(1, share(node, node.before))) } }),
      h("span", { class: "bar after", vars: { "--f": percent(Math.min(1, share(node, node.requested))) } }),
    );
  const columns = [
    { label: "node", value: (node) => node.name, cell: (node) => [standMark(node), link("node", node.name)] },
    { label: "before, after", fixed: true, wide: true, value: () => "", cell: two },
    { label: "before", num: true, value: (node) => share(node, node.before), cell: (node) => write(node.before[i] || 0) },
    { label: "after", num: true, value: (node) => share(node, node.requested), cell: (node) => write(node.requested[i]) },
    { label: "of", num: true, value: (node) => node.allocatable[i], cell: (node) => write(node.allocatable[i]) },
    { label: "change", num: true, value: grows, cell: (node) => `${grows(node) < 0 ? "\u2212" : "+"}${percent(Math.abs(grows(node)))}` },
    { label: "pods", num: true, value: (node) => (node.lands || 0) - (node.leaves || 0), cell: (node) => changed(node).replace(/ pods?/g, "") || "-" },
  ];
  const sorted = [...nodes].sort((a, b) => Math.abs(grows(b)) - Math.abs(grows(a)) || a.place - b.place);
  return [
    h("p", { class: "key" }, h("span", { class: "bar before", "aria-hidden": "true" }), " before ", h("span", { class: "bar after", "aria-hidden": "true" }), ` after; ${plural(nodes.length, "node")} of ${int(NODE_LIST.length)} changed, the greatest change first`),
    table(columns, sorted, { caption: `Nodes before and after, ${resource}`, page: 10, unit: "node", units: "nodes" }),
  ];
}

/** Many pods explained at once: the causes, then every pod. */
function answersSections() {
  if (DOC.folds.length) section("causes", "Causes", h("ul", { class: "causes" }, DOC.folds.map(foldItem)));
  if (!DOC.answers.length) return;
  const columns = [
    { label: "pod", value: (row) => row.pod, cell: (row) => link("pod", row.pod) },
    { label: "verdict", value: (row) => row.verdict, cell: (row) => toned(VERDICTS[row.verdict] || unknown, `${row.verdict}${(row.doubts || []).length ? "?" : ""}`) },
    { label: "feasible", num: true, value: (row) => row.feasible },
    { label: "node", value: (row) => row.node || "", cell: (row) => (row.node ? nodeName(row.node) : "-") },
    { label: "because", wide: true, value: (row) => (row.because ? row.because.text : "") },
    { label: "owner", value: (row) => row.owner || "" },
  ];
  const filters = Object.keys(VERDICTS)
    .map((key) => [key, DOC.answers.filter((row) => row.verdict === key).length])
    .filter(([, count]) => count)
    .map(([key, count]) => [key, `${key} ${int(count)}`, (row) => row.verdict === key]);
  section("pods", "Pods", table(columns, DOC.answers, { caption: "Pods explained", page: 25, unit: "pod", units: "pods", filters }));
}

function foldItem(fold) {
  const owners = Object.entries(fold.owners).map(([owner, count]) => (owner.startsWith("pod/") ? owner : `${owner} ${int(count)}`));
  return h(
    "li",
    {},
    h("p", { class: "group-head" }, toned(VERDICTS[fold.verdict] || unknown, [h("span", { class: "val" }, int(fold.count)), fold.verdict === "PENDING" ? "" : ` ${fold.verdict}`]), " ", h("span", { class: "group-text" }, fold.because.text)),
    h("p", { class: "dim" }, names(owners, 3, plainName)),
    fold.attempt ? h("p", {}, h("strong", {}, "Try "), fold.attempt) : null,
    h("p", {}, names(fold.pods, 5, podName)),
  );
}
