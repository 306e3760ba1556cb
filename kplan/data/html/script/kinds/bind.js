// bind: which pods would be bound where and what else is written; or what was.

kind("BindPlan", {
  fields: ["totals", "pods", "objects", "guards", "cluster", "rules"],
  stand() {
    STATES.lands.text = "pods would be bound here";
    STATES.quiet.text = "nothing is bound here";
  },
  stories() {
    for (const pod of DOC.pods) STORIES.set(pod.pod, () => bindStory(pod));
  },
  sections: () => [
    part("pods", "Pods", DOC.pods.length ? [h("p", { class: "sum" }, writesText(DOC.totals)), bindTable(DOC.pods)] : null),
    part(
      "objects",
      "Objects",
      (DOC.objects || []).length ? objectsOf(DOC.objects, "What is created before the pods") : null,
    ),
    part("guards", "Guards", (DOC.guards || []).length ? guardsTable(DOC.guards) : null),
    part("cluster", "Cluster", clusterPairs(DOC.cluster), rulesOf(DOC.rules)),
    packingPart(),
    nodesPart(),
  ],
});

kind("BindResult", {
  fields: ["pods", "objects", "cluster", "started", "ended", "journal", "writes"],
  sections: () => [
    part("pods", "Pods", boundTable(DOC.pods)),
    part(
      "objects",
      "Objects",
      (DOC.objects || []).length ? objectsOf(DOC.objects, "What was created before the pods") : null,
    ),
    part("cluster", "Cluster", clusterPairs(DOC.cluster), runPairs()),
    packingPart(),
    nodesPart(),
  ],
});

const WRITES = [
  ["bindings", "binding"],
  ["objects", "new object"],
  ["creations", "new pod"],
  ["claims", "claim"],
  ["volumes", "volume"],
  ["evictions", "eviction"],
];

const writesText = (totals) =>
  `${plural(totals.pods, "pod")}; would be written: ${
    WRITES.filter(([key]) => totals[key])
      .map(([key, word]) => plural(totals[key], word))
      .join(", ") || "nothing"
  }`;

/** What is written beside the binding, or why there is none. */
function bindNotes(pod) {
  if (pod.result !== "bind") return [pod.because ? pod.because.text : ""];
  return [
    pod.create ? "created first" : "",
    pod.owner
      ? `made by ${pod.owner}${pod.slot ? `, ${pod.slot}` : ""}${pod.after ? `, once ${pod.after} is ready` : ""}`
      : "",
    ...(pod.claims || []).map((one) =>
      one.volume ? `volume ${one.volume} for claim ${one.claim}` : `claim ${one.claim}: selected-node ${pod.node}`,
    ),
    ...(pod.evicts || []).map(
      (one) => `evicts ${one.pod}, priority ${int(one.priority || 0)}${one.budget ? `, BREAKS ${one.budget}` : ""}`,
    ),
    ...(pod.clears || []).map((key) => `clears the nomination of ${key}`),
    pod.tie ? `one of ${int(pod.tie)} that tie` : "",
    ...(pod.doubts || []).map((doubt) => `in doubt: ${doubt.code}`), // the guards tell why
  ];
}

const bindNote = (pod) => bindNotes(pod).filter(Boolean).join("; ");

function bindTable(pods) {
  const columns = [
    podColumn("pod", (pod) => pod.pod),
    { label: "result", value: (pod) => pod.result, cell: (pod) => ended(pod.result) },
    nodeColumn("node", (pod) => pod.node),
    { label: "also writes, or why not", wide: true, value: bindNote },
    ...columnIf(pods, (pod) => pod.scheduler && pod.scheduler !== pods[0].scheduler, {
      label: "scheduler",
      value: (pod) => pod.scheduler || "-",
    }),
  ];
  const filters = filtersBy(pods, (pod) => pod.result, ["bind", "pending", "gated", "failed", "refused"]);
  return table(columns, worstFirst(pods, (pod) => pod.result), {
    caption: "Pods, those that are not bound first, then in the order in which they are bound",
    page: 20,
    unit: "pod",
    units: "pods",
    filters,
  });
}

function bindStory(pod) {
  return [
    h("p", { class: "standing" }, ended(pod.result)),
    pairs([
      ["node", pod.node ? nodeName(pod.node) : ""],
      ["uid", pod.uid],
      ["scheduler", pod.scheduler],
      ["because", pod.because ? pod.because.text : ""],
      ...bindNotes(pod)
        .filter((text) => text && pod.result === "bind")
        .map((text) => ["also", text]),
    ]),
    pod.message ? chapter("The scheduler's own words", verbatim(pod.message, "The scheduler's event text")) : null,
    watched("Fields of the pod that the plan rests on", pod.fields),
    watched("Fields of the node that the plan rests on", pod.nodeFields),
  ];
}

/** What is compared before anything is written: a digest of each field that scheduling reads. */
function watched(title, fields) {
  if (!fields || !Object.keys(fields).length) return null;
  return chapter(title, pairs(Object.entries(fields).map(([name, digest]) => [name, h("code", {}, digest)])));
}

function guardsTable(guards) {
  const columns = [
    { label: "guard", key: "name" },
    {
      label: "state",
      value: (guard) => guard.state,
      cell: (guard) => ended(guard.state, guard.state === "--" ? "not looked at" : guard.state),
    },
    { label: "found", wide: true, value: (guard) => guard.text },
    ...columnIf(guards, (guard) => guard.flag, {
      label: "flag",
      value: (guard) => guard.flag || "",
      cell: (guard) => (guard.flag ? h("code", {}, guard.flag) : "-"),
    }),
  ];
  return table(columns, worstFirst(guards, (guard) => guard.state), {
    caption: "What was looked at before anything is written",
    unit: "guard",
    units: "guards",
  });
}

/** Objects of manifests, in the order in which they are created. */
function objectsOf(objects, caption) {
  const columns = [
    { label: "object", value: (one) => one.object, cell: (one) => plainName(one.object) },
    { label: "result", value: (one) => one.result, cell: (one) => ended(one.result) },
    ...columnIf(objects, placeText, { label: "manifest", value: (one) => placeText(one) || "-" }),
    ...columnIf(objects, (one) => one.text, { label: "note", wide: true, value: (one) => one.text || "" }),
  ];
  return table(columns, worstFirst(objects, (one) => one.result), { caption, page: 20, unit: "object", units: "objects" });
}

const clusterPairs = (cluster) =>
  pairs([
    ["context", cluster.context],
    ["server", cluster.server],
    ["kube-system", cluster.uid ? `uid ${cluster.uid}` : ""],
    ["read at", cluster.serverTime ? new Date(cluster.serverTime * 1000).toISOString() : ""],
  ]);

/** The version and gates, and digests of all else that decides: under other rules the plan is not carried out. */
function rulesOf(rules) {
  const rows = Object.entries(rules || {});
  if (!rows.length) return null;
  const columns = [
    { label: "part", value: ([part]) => part },
    { label: "value or digest", value: ([, value]) => value, cell: ([, value]) => h("code", {}, value) },
  ];
  return fold("Rules that the plan was made by", table(columns, rows, { caption: "Rules that the plan was made by" }));
}

const runPairs = () =>
  pairs([
    ["run", `${clock(DOC.started)} to ${clock(DOC.ended)}`],
    ["writes", int(DOC.writes || 0)],
    ["journal", DOC.journal],
  ]);

function boundTable(pods) {
  const note = (pod) =>
    [pod.text || "", (pod.kept || []).length ? `kept: ${pod.kept.join(", ")}` : ""].filter(Boolean).join("; ");
  const columns = [
    podColumn("pod", (pod) => pod.real || pod.pod),
    { label: "result", value: (pod) => pod.result, cell: (pod) => ended(pod.result) },
    nodeColumn("node", (pod) => pod.node),
    { label: "at", value: (pod) => clock(pod.at) || "-" },
    { label: "confirmed", value: (pod) => (pod.confirmed ? "yes" : pod.result === "bound" ? "no" : "-") },
    ...columnIf(pods, note, { label: "note", wide: true, value: note }),
  ];
  const filters = filtersBy(pods, (pod) => pod.result, ["held-back", "open", "not-tried", "bound"]);
  return table(columns, worstFirst(pods, (pod) => pod.result), {
    caption: "Pods, those that were not bound first, then in the order in which they were tried",
    page: 20,
    unit: "pod",
    units: "pods",
    filters,
  });
}
