// explain node NAME: which waiting pods it refuses, which fit and go elsewhere, and what runs on it.

kind("NodeExplanation", {
  fields: ["node", "labels", "about", "conditions", "refused", "lost", "gated", "failed", "evicting", "runs"],
  stand() {
    STATES.quiet.text = "another node";
    const wins = new Map();
    for (const loss of DOC.lost || [])
      for (const [name, pods] of Object.entries(loss.winners || {})) wins.set(name, (wins.get(name) || 0) + pods);
    for (const [name, pods] of wins) stand(name, "good", { note: "wins pods that would fit", rank: -pods });
    stand(DOC.node.node, "asked");
  },
  sections: () => [
    part("node", "Node", nodeFacts(), useTable(DOC.node), labelsHere(DOC.labels)),
    part("refused", "Refuses", causeList(DOC.refused, refusedItem)),
    part("loses", "Fits, but another node wins", causeList(lossesOf("loses", "nominated"), lossItem)),
    part("takes", "Takes", causeList(lossesOf("lands", "ties"), lossItem)),
    part("others", "Others that wait", othersLines()),
    part("runs", "Runs", (DOC.runs || []).length ? runsTable(DOC.runs) : null),
    nodesPart(),
  ],
});

const causeList = (items, make) => (items && items.length ? longList(items, make) : null);

const lossesOf = (...results) => (DOC.lost || []).filter((loss) => results.includes(loss.result));

function nodeFacts() {
  const row = DOC.node;
  const closed = [...(row.closed || []), ...(DOC.conditions || [])];
  return [
    pairs([
      ["what", DOC.about],
      ["state", closed.length ? ended("pending", closed.join(", ")) : ended("ok", "takes pods")],
      [
        "taints",
        (row.taints || []).length ? row.taints.map((taint) => h("span", { class: "tag" }, plainName(taint))) : "",
      ],
      ["pool", row.pool],
    ]),
    countedHere({ ...row, closed: [] }),
  ];
}

function useTable(row) {
  const rows = Object.entries(row.resources).map(([resource, use]) => ({ resource, ...use }));
  rows.push({
    resource: "pods",
    requested: row.pods,
    allocatable: row.allowedPods,
    free: row.allowedPods - row.pods,
    terminating: row.terminating || 0,
  });
  const written = (label, key) => ({
    label,
    num: true,
    fixed: true,
    value: (use) => use[key],
    cell: (use) => writer(use.resource, [use.requested, use.allocatable, use.free])(use[key]),
  });
  const columns = [
    { label: "resource", fixed: true, key: "resource" },
    { label: HEADS.used, scale: "100%", fixed: true, value: () => "", cell: (use) => bar(shareOf(use.requested, use.allocatable)) },
    written(HEADS.requested, "requested"),
    written(HEADS.allocatable, "allocatable"),
    written(HEADS.free, "free"),
    ...columnIf(rows, (use) => use.terminating, written("leaving", "terminating")),
  ];
  return table(columns, rows, { caption: `Use of ${row.node}` });
}

const labelsHere = (labels) => (labels && Object.keys(labels).length ? labelsOf(Object.entries(labels)) : null);

function refusedItem(item) {
  const elsewhere = item.elsewhere || 0;
  const one = item.count === 1;
  const where =
    elsewhere === item.count
      ? one
        ? "it fits elsewhere"
        : "all fit elsewhere"
      : elsewhere
        ? `${int(elsewhere)} fit elsewhere`
        : one
          ? "fits nowhere"
          : "fit nowhere";
  return h(
    "li",
    {},
    causeHead(ENDS.bad, item.count, item.text),
    h("p", { class: "dim" }, ownersOf(item.owners), `; ${where}`),
    item.nearest && !one ? h("p", {}, h("strong", {}, "Nearest "), item.nearest) : null,
    h(
      "ul",
      { class: "reasons" },
      item.messages.map((message) => h("li", {}, h("q", {}, message))),
      h("li", { class: "dim" }, item.evictable ? "an eviction may lift it" : "no eviction lifts it"),
    ),
    h("p", {}, names(item.pods, 5, podName)),
  );
}

function lossItem(item) {
  const race = item.closest;
  const end = { lands: ENDS.good, ties: ENDS.warn }[item.result] || ENDS.warn;
  const winners = Object.keys(item.winners || {});
  return h(
    "li",
    {},
    causeHead(end, item.count, item.text),
    h("p", { class: "dim" }, ownersOf(item.owners)),
    winners.length ? h("p", {}, h("strong", {}, "Goes to "), counted(item.winners, 5)) : null,
    race && item.result === "loses" ? raceLines(item, race) : null,
    h("p", {}, names(item.pods, 5, podName)),
  );
}

/** The closest race: who leads by how much, plugin by plugin. */
function raceLines(item, race) {
  const lead = item.least === item.most ? int(item.most || 0) : `${int(item.least || 0)} to ${int(item.most || 0)}`;
  const gaps = Object.entries(race.gaps || {}).map(
    ([plugin, gap]) => `${plugin} ${gap > 0 ? "+" : "\u2212"}${int(Math.abs(gap))}`,
  );
  return h(
    "p",
    { class: "dim" },
    `The winner leads by ${lead}. Closest: `,
    podName(race.pod),
    `, ${int(race.winnerTotal)} there, ${int(race.total)} here (place ${int(race.rank)} of ${int(race.feasible)})`,
    gaps.length ? `: ${gaps.join(", ")}` : "",
  );
}

function othersLines() {
  const evicting = DOC.evicting || [];
  return [
    evicting.length
      ? h(
          "p",
          {},
          ended("preempts", plural(evicting.length, "pod")),
          " would be placed here after evictions: ",
          names(evicting, 5, podName),
        )
      : null,
    DOC.gated
      ? h(
          "p",
          {},
          ended("gated", plural(DOC.gated, "pod")),
          DOC.gated === 1
            ? " is not in the queue: its scheduling gates."
            : " are not in the queue: their scheduling gates.",
        )
      : null,
    DOC.failed
      ? h(
          "p",
          {},
          ended("failed", plural(DOC.failed, "pod")),
          DOC.failed === 1 ? ": its scheduling cycle fails." : ": their scheduling cycles fail.",
        )
      : null,
  ];
}

function runsTable(runs) {
  const resources = [...new Set(["cpu", "memory", ...runs.flatMap((pod) => Object.keys(pod.amounts))])];
  const columns = [
    podColumn("pod", (pod) => pod.pod),
    ownerColumn(),
    ...resources.map((resource) => {
      const write = writer(
        resource,
        runs.map((pod) => pod.amounts[resource] || 0),
      );
      return {
        label: resource,
        num: true,
        value: (pod) => pod.amounts[resource] || 0,
        cell: (pod) => (pod.amounts[resource] ? write(pod.amounts[resource]) : "-"),
      };
    }),
    { label: "priority", num: true, value: (pod) => pod.priority },
    ...columnIf(runs, (pod) => pod.note, { label: "note", value: (pod) => pod.note || "" }),
  ];
  return table(columns, runs, { caption: `Pods on ${DOC.node.node}`, page: 15, unit: "pod", units: "pods" });
}
