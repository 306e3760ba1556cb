// A plan of many pods: what landed, where each pod went, and why others did not.

/** Sections of a plan, in order. */
function planParts(plan) {
  const rollouts = (plan.rollouts || []).filter((rollout) => (rollout.steps || []).length);
  const causes = plan.causes || [];
  return [
    part("change", "Change", (plan.change || []).length ? changeTable(plan.change) : null),
    part("causes", "Not placed", causes.length ? longList(causes, causeItem) : null),
    part("rollouts", "Rollouts", rollouts.map(rolloutContent)),
    part(
      "pods",
      "Pods",
      plan.steps.length ? [h("p", { class: "sum" }, totalsText(plan.totals)), stepsTable(plan.steps)] : null,
    ),
    part("owners", "Owners", (plan.owners || []).length > 1 ? ownersTable(plan.owners) : null),
    part("quotas", "Quotas", (plan.quotas || []).length ? quotasTable(plan.quotas) : null),
    part("runs", "Runs", plan.runs ? [h("p", {}, plan.runs.text), riskTable(plan.runs)] : null),
  ];
}

const PLAN_FIELDS = ["totals", "steps", "change", "causes", "owners", "rollouts", "quotas", "runs"];

/** Pods that some runs place and others do not. */
function riskTable(runs) {
  const pods = runs.atRisk || [];
  if (!pods.length) return null;
  const columns = [
    podColumn("pod", (row) => row.pod),
    { label: "owner", value: (row) => row.owner },
    { label: `placed in, of ${int(runs.runs)}`, num: true, value: (row) => row.placed, cell: (row) => int(row.placed) },
  ];
  return table(columns, pods, { caption: "Pods at risk", page: 20, unit: "pod", units: "pods" });
}

function totalsText(totals) {
  const before = totals.placedBefore ? `; what-ifs placed ${int(totals.placedBefore)} before` : "";
  const sum = `${int(totals.placed)} placed + ${int(totals.notPlaced)} not placed + ${int(totals.gated)} gated = ${int(totals.pods)}${before}`;
  if (!totals.evicted) return sum;
  return `${sum}; ${int(totals.evicted)} evicted, ${int(totals.returned || 0)} of them back in the queue and counted again`;
}

function changeTable(change) {
  const columns = [
    {
      label: "object",
      value: (row) => row.object,
      cell: (row) => [row.refused ? ended("refused", "REFUSED ") : null, plainName(row.object)],
    },
    { label: "verdict", value: (row) => (row.expanded === false ? "not expanded" : row.verdict || "-") },
    { label: "pods", num: true, value: (row) => row.pods || 0 },
    { label: "from", value: placeText },
    { label: "note", wide: true, value: changeNote },
  ];
  return table(columns, worstFirst(change, (row) => (row.refused ? "refused" : row.verdict)), { caption: "What the manifests came to", unit: "object", units: "objects" });
}

const changeNote = (row) =>
  [row.note || "", ...(row.problems || []).map((one) => `${one.path}: ${one.text}`), ...(row.careful || [])]
    .filter(Boolean)
    .join("; ");

/** File and line of something in a manifest. */
const placeText = (row) => row.place || (row.file ? [row.file, row.line].filter(Boolean).join(":") : "");

function causeItem(cause) {
  const group = cause.group;
  return h(
    "li",
    {},
    causeHead(endOf(cause.result), cause.count, cause.because.text),
    h("p", { class: "dim" }, ownersOf(cause.owners)),
    tryLine(cause.attempt),
    editLines(cause.edits),
    group ? nearestTo(cause, group) : null,
    cause.preempt ? h("p", {}, h("strong", {}, "Preempt "), cause.preempt) : null,
  );
}

/** The groups of nodes that refuse the pod which a cause is told for: the nearest, the others folded. */
function nearestTo(cause, group) {
  const others = cause.moreGroups || [];
  const more = (cause.groups || 0) - 1;
  return [
    h("p", {}, h("strong", {}, "Nearest "), "for ", podName(cause.pod)),
    groupList([group], null),
    more > 0
      ? fold(
          `${plural(more, "more group")} of nodes, further from it`,
          groupList(others, null),
          untoldGroups([group, ...others], cause.groups),
        )
      : null,
  ];
}

const stepNote = (step) =>
  [
    step.returned ? "comes back" : "",
    (step.evicts || []).length
      ? `evicts ${step.evicts.slice(0, 3).join(", ")}${step.evicts.length > 3 ? `, +${step.evicts.length - 3}` : ""}`
      : "",
    step.tie ? `one of ${int(step.tie)} that tie` : "",
    (step.devices || []).length ? `takes ${step.devices.join(", ")}` : "",
    step.permit || "",
    step.cause ? causeOf(step) : "",
  ]
    .filter(Boolean)
    .join("; ");

/** The cause of a step in words; its code where the plan tells of others alone. */
function causeOf(step) {
  const cause = (PLAN.causes || []).find((one) => one.because.code === step.cause && one.owners[step.owner]);
  return cause ? cause.because.text : step.cause;
}

function stepsTable(steps) {
  const numbers = new Map(steps.map((step, i) => [step, i + 1]));
  const columns = [
    { label: "#", num: true, value: (step) => numbers.get(step) },
    { label: "pod", value: (step) => step.pod, cell: (step) => link("pod", step.pod) },
    { label: "result", value: (step) => step.result, cell: (step) => ended(step.result) },
    nodeColumn("node", (step) => step.node),
    ownerColumn(),
    ...columnIf(steps, stepNote, { label: "note", wide: true, value: stepNote }),
  ];
  const filters = filtersBy(steps, (step) => step.result, ["placed", "preempted", "pending", "gated", "failed"]);
  return table(columns, worstFirst(steps, (step) => step.result), {
    caption: "Pods, those without a node first; # tells in which order they were tried",
    page: 25,
    head: 1,
    unit: "pod",
    units: "pods",
    filters,
  });
}

function ownersTable(owners) {
  const columns = [
    ownerColumn(),
    { label: "placed", num: true, value: (row) => row.placed },
    { label: "not placed", num: true, value: (row) => row.notPlaced },
    ...columnIf(owners, (row) => row.gated, { label: "gated", num: true, value: (row) => row.gated }),
    {
      label: "on",
      wide: true,
      value: (row) => Object.keys(row.on).join(" "),
      cell: (row) => (Object.keys(row.on).length ? counted(row.on) : "-"),
    },
  ];
  return table(columns, owners, {
    caption: "Where the pods of each owner went",
    page: 15,
    unit: "owner",
    units: "owners",
  });
}

function quotasTable(quotas) {
  const columns = [
    { label: "quota", value: (row) => row.quota, cell: (row) => plainName(row.quota) },
    { label: "resource", key: "resource" },
    ...["used", "then", "peak", "hard"].map((key) => ({ key, label: key === "used" ? "now" : key, num: true })),
    {
      label: "result",
      wide: true,
      value: (row) => (row.refused ? `refuses ${row.refused}` : "passes"),
      cell: (row) =>
        row.refused ? [ended("refuses", `refuses ${int(row.refused)} `), row.message || ""] : ended("passes"),
    },
  ];
  return table(columns, worstFirst(quotas, (row) => (row.refused ? "refuses" : "passes")), { caption: "Quotas" });
}

/** What became of one pod of a plan. */
function stepStory(step, number) {
  return [
    h("p", { class: "standing" }, ended(step.result)),
    pairs([
      ["step", int(number)],
      ["node", step.node ? nodeName(step.node) : ""],
      ["owner", step.owner],
      ["evicts", (step.evicts || []).length ? names(step.evicts, 10, podName) : ""],
      ["tie", step.tie ? `one of ${int(step.tie)} nodes that tie, the first by name` : ""],
      ["takes", (step.devices || []).join(", ")],
      ["group", step.permit],
      ["returned", step.returned ? "stands for a pod that was evicted in this plan" : ""],
      ["because", step.cause ? causeOf(step) : ""],
    ]),
    step.message ? chapter("The scheduler's own words", verbatim(step.message, "The scheduler's event text")) : null,
  ];
}

/** Stories of all pods of a plan. */
function planStories(plan) {
  for (const [i, step] of plan.steps.entries()) STORIES.set(step.pod, () => stepStory(step, i + 1));
}
