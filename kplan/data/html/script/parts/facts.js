// Facts behind a refusal: spread domains, affinity terms, volumes, devices, room kept for nominated pods.

function factsPart(answer) {
  return part(
    "facts",
    "Facts",
    (answer.domains || []).map(domainsFacts),
    (answer.terms || []).length ? termsFacts(answer.terms) : null,
    (answer.volumes || []).length ? volumesFacts(answer.volumes) : null,
    (answer.attachments || []).length ? attachmentsFacts(answer.attachments) : null,
    answer.devices ? devicesFacts(answer.devices) : null,
    (answer.kept || []).length ? keptFacts(answer.kept) : null,
  );
}

function domainsFacts(spread) {
  const most = Math.max(1, ...spread.rows.map((row) => row.pods));
  const columns = [
    { label: "domains", wide: true, value: (row) => row.names.join(" "), cell: (row) => names(row.names, 8) },
    { label: "pods", scale: int(most), num: true, value: (row) => row.pods, cell: (row) => bar(row.pods / most, int(row.pods)) },
    ...columnIf(spread.rows, (row) => row.note, { label: "note", wide: true, value: (row) => row.note || "" }),
  ];
  const policies = `nodeTaintsPolicy ${spread.nodeTaintsPolicy}, nodeAffinityPolicy ${spread.nodeAffinityPolicy}`;
  return [
    h("h3", {}, `Spread by ${spread.topologyKey}`),
    h("p", {}, `pods with ${spread.selector}; maxSkew ${spread.maxSkew}, minimum ${spread.minimum}, ${policies}`),
    table(columns, spread.rows, { caption: `Domains of ${spread.topologyKey}` }),
    (spread.notes || []).map((note) => h("p", { class: "note" }, note)),
  ];
}

const RULES = {
  affinity: "no pod matches",
  antiAffinity: "this pod keeps away from",
  antiAffinityOfOthers: "pods there keep away from",
};

function termsFacts(terms) {
  const more = (term) => (term.podCount > term.pods.length ? `, +${int(term.podCount - term.pods.length)}` : "");
  const columns = [
    { label: "rule", wide: true, value: (term) => `${RULES[term.rule] || term.rule} ${term.selector}` },
    { label: "by", key: "topologyKey" },
    { label: "domain", value: (term) => term.domain || "no such label" },
    { label: "nodes", num: true, value: (term) => term.nodes },
    {
      label: "pods",
      wide: true,
      value: (term) => term.pods.join(" "),
      cell: (term) => [term.pods.length ? names(term.pods, 3, podName) : "none", more(term)],
    },
  ];
  return [
    h("h3", {}, "Pod affinity terms"),
    table(columns, terms, { caption: "Pod affinity terms that fail", unit: "term", units: "terms" }),
  ];
}

function volumesFacts(volumes) {
  const item = (volume) =>
    h(
      "li",
      {},
      plainName(volume.claim),
      volume.volume ? [" \u2192 ", plainName(volume.volume)] : "",
      volume.text ? `, ${volume.text}` : "",
      h(
        "ul",
        {},
        (volume.details || []).map((text) => h("li", { class: "dim" }, text)),
      ),
    );
  return [h("h3", {}, "Volumes"), h("ul", { class: "plain" }, volumes.map(item))];
}

function attachmentsFacts(rows) {
  const bounded = (row) => row.limit !== null && row.limit !== undefined;
  const columns = [
    nodeColumn("node", (row) => row.node),
    { label: "driver", key: "driver" },
    {
      label: "limit",
      num: true,
      value: (row) => (bounded(row) ? row.limit : -1),
      cell: (row) => (bounded(row) ? row.limit : "-"),
    },
    { label: "attached", num: true, value: (row) => row.attached },
    { label: "of which no pod uses", wide: true, value: (row) => (row.unused || []).join(", ") || "-" },
    { label: "new", wide: true, value: (row) => (row.new || []).join(", ") || "-" },
  ];
  return [
    h("h3", {}, "Volumes attached"),
    table(columns, rows, { caption: "Volumes attached by node", unit: "node", units: "nodes" }),
  ];
}

function keptFacts(kept) {
  const columns = [
    nodeColumn("node", (row) => row.node),
    podColumn("pod", (row) => row.pod),
    { label: "amount", num: true, value: (row) => amounts(row.amounts) },
    { label: "priority", num: true, value: (row) => row.priority },
    { label: "note", key: "note" },
  ];
  return [
    h("h3", {}, "Room kept"),
    table(columns, kept, { caption: "Room kept for nominated pods", head: 1, unit: "pod", units: "pods" }),
  ];
}
