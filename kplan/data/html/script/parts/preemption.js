// Preemption: what evictions do, who leaves on which node, and what becomes of them.

function preemptionPart(preempt) {
  if (!preempt) return null;
  const victims = preempt.victims || [];
  const said = (title, texts) =>
    victims.length && (texts || []).length ? h("p", {}, h("strong", {}, `${title} `), texts.join("; ")) : null;
  const more = preempt.moreNodes
    ? `Evictions help on ${plural(preempt.moreNodes, "more node")}, whose victims are told where the pod is asked about alone.`
    : "";
  return part(
    "preemption",
    "Preemption",
    preempt.text ? h("p", {}, preempt.text) : null,
    said("Chosen", preempt.chosen),
    said("After", preempt.after),
    victims.length ? victimsTable(victims) : null,
    victims.length && more ? h("p", { class: "note" }, more) : null,
    preempt.message ? h("p", { class: "dim" }, h("q", {}, preempt.message)) : null,
  );
}

function victimsTable(victims) {
  const columns = [
    { label: "node", value: (row) => row.node, cell: (row) => [taken(row.chosen, "warn"), nodeName(row.node)] },
    { label: "victim", value: (row) => row.pod, cell: (row) => podName(row.pod) },
    { label: "priority", num: true, value: (row) => row.priority },
    { label: "grace", num: true, value: (row) => row.graceSeconds, cell: (row) => `${int(row.graceSeconds)}s` },
    { label: "budget", value: (row) => row.budget, cell: (row) => (row.breaksBudget ? harm(row.budget) : row.budget) },
    { label: "comes back", key: "comesBack", wide: true },
  ];
  return table(columns, victims, {
    caption: "Victims by node",
    unit: "victim",
    units: "victims",
    mark: (row) => row.chosen,
  });
}
