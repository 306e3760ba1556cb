// drain: pod by pod what leaves, where it lands and what its budget says; or which nodes could go at all.

kind("DrainPlan", {
  fields: ["nodes", "pods", "cascade", "after", "left", "group", "groups", "moreGroups", "fixes", "noHelp", "needs", "kubectl", "found", "fullness"],
  stand() {
    for (const one of DOC.found || []) {
      const note = one.goes ? "could go" : "stays";
      stand(one.node, one.goes ? "good" : "bad", { note });
    }
    if (!DOC.found)
      for (const name of DOC.nodes)
        stand(name, "drained", { note: NODES.get(name) && NODES.get(name).change === "leaves" ? "drained" : "" });
  },
  about(node) {
    const one = (DOC.found || []).find((found) => found.node === node.name);
    return one
      ? pairs([
          ["could go", one.goes ? `yes, ${plural(one.pods, "pod")} would move` : "no"],
          ["because", one.because],
        ])
      : null;
  },
  sections: () => [
    whatIfPart(),
    part("found", "Nodes that could go", foundTable(DOC.found)),
    part("pods", "Pods", (DOC.pods || []).length ? drainedTable(DOC.pods) : null),
    cascadePart(DOC.cascade),
    part("after", "Budgets at the end", (DOC.after || []).length ? budgetsTable(DOC.after) : null),
    leftPart(DOC.left, DOC.group ? [DOC.group, ...(DOC.moreGroups || [])] : [], null, DOC.groups),
    flagFixesPart(DOC.fixes, DOC.noHelp),
    part(
      "needs",
      "Command",
      DOC.needs && (DOC.pods || []).length ? verbatim(DOC.needs, "The command that drains") : null,
    ),
    part("kubectl", "kubectl drain", DOC.kubectl && (DOC.pods || []).length ? h("p", {}, DOC.kubectl) : null),
    part("fullness", "How full nodes are at the end", fullnessTable(DOC.fullness)),
    packingPart(),
    nodesPart(),
  ],
});

/** Nodes after all turns, the fullest first, each resource with what it was. */
function fullnessTable(nodes) {
  if (!nodes || !nodes.length) return null;
  const resources = [...new Set(nodes.flatMap((one) => Object.keys(one.after || {})))];
  const told = (one, resource) => [(one.before || {})[resource], (one.after || {})[resource]].map((part) => percent((part || 0) / 100));
  const columns = [
    nodeColumn("node", (one) => one.node),
    ...resources.map((resource) => ({
      label: resource,
      value: (one) => (one.after || {})[resource] || 0,
      cell: (one) => {
        const [was, now] = told(one, resource);
        return bar(((one.after || {})[resource] || 0) / 100, was === now ? now : `${now}, was ${was}`);
      },
    })),
  ];
  return table(columns, nodes, { caption: "How full nodes are at the end", page: 15, unit: "node", units: "nodes" });
}

function foundTable(found) {
  if (!found || !found.length) return null;
  const word = (one) => (one.goes ? "goes" : "stays");
  const columns = [
    { label: "node", value: (one) => one.node, cell: (one) => nodeName(one.node) },
    { label: "result", value: word, cell: (one) => toned(one.goes ? ENDS.good : ENDS.held, word(one)) },
    { label: "pods that move", num: true, value: (one) => one.pods },
    { label: "because", wide: true, value: (one) => one.because || "" },
  ];
  const sorted = [...found].sort((a, b) => Boolean(b.goes) - Boolean(a.goes));
  return table(columns, sorted, {
    caption: "Nodes that could go, and those that have to stay",
    page: 25,
    unit: "node",
    units: "nodes",
    filters: filtersBy(sorted, word),
  });
}

/** Where a pod of the drain ends. */
function drainedEnd(pod) {
  if (pod.landsOn) return nodeName(pod.landsOn);
  if (pod.fate === "evicted")
    return pod.instead ? ended("pending", "Pending") : ended("gone", "nothing makes it again");
  return ended(pod.fate);
}

function drainedNote(pod) {
  return [
    pod.note ? (/lost|GONE/.test(pod.note) ? harm(pod.note) : pod.note) : "",
    pod.back ? "back on a node that is drained too" : "",
    (pod.evicts || []).length ? `evicts ${pod.evicts.join(", ")}` : "",
    pod.needs ? [h("code", {}, pod.needs)] : "",
    pod.because ? pod.because.text : "",
  ]
    .filter(Boolean)
    .flatMap((one, i) => (i ? ["; ", one] : [one]));
}

function drainedTable(pods) {
  const columns = [
    { label: "#", num: true, value: (pod) => pod.number || 0, cell: (pod) => pod.number || "-" },
    podColumn("pod", (pod) => pod.pod),
    ...(DOC.nodes.length > 1 ? [nodeColumn("leaves", (pod) => pod.node)] : []),
    { label: "budget", value: (pod) => pod.budget || "-" },
    { label: "lands on", value: (pod) => pod.landsOn || pod.fate, cell: drainedEnd },
    {
      label: "note",
      wide: true,
      value: (pod) => [pod.note, pod.needs, pod.because && pod.because.text].join(" "),
      cell: drainedNote,
    },
  ];
  const fate = (pod) => (pod.fate === "evicted" ? (pod.landsOn ? "placed" : "pending") : pod.fate);
  const filters = filtersBy(pods, fate, ["pending", "refused", "waits", "placed", "stays"]);
  const stuck = (pod) => Boolean(pod.because) || ["refused", "waits"].includes(pod.fate);
  const inOrder = [...pods].sort(
    (a, b) => (a.number || Infinity) - (b.number || Infinity) || a.pod.localeCompare(b.pod, "en"),
  );
  const sorted = worstFirst(inOrder, (pod) => (stuck(pod) ? "pending" : pod.fate));
  return table(columns, sorted, {
    caption: "Pods, those that find no place first, then in the order of eviction",
    page: 25,
    head: 1,
    unit: "pod",
    units: "pods",
    filters,
  });
}

function budgetsTable(after) {
  const columns = [
    { label: "budget", value: (row) => row.budget, cell: (row) => plainName(row.budget) },
    { label: "of", wide: true, value: (row) => (row.owners || []).join(", ") },
    {
      label: "ready",
      num: true,
      value: (row) => row.healthy,
      cell: (row) => `${int(row.healthy)} of ${int(row.expected)}`,
    },
    {
      label: "allows then",
      num: true,
      value: (row) => row.allows,
      cell: (row) => (row.allows ? int(row.allows) : ended("waits", "0")),
    },
  ];
  return table(columns, after, { caption: "Budgets at the end", page: 20, unit: "budget", units: "budgets" });
}
