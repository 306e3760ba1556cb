// explain pod NAME: the groups that refuse it and what would help, then the nodes, then the facts behind.

const ANSWER_FIELDS = [
  "pod",
  "feasible",
  "nodes",
  "node",
  "runsOn",
  "owner",
  "groups",
  "fixes",
  "noHelp",
  "nearest",
  "domains",
  "terms",
  "volumes",
  "attachments",
  "devices",
  "kept",
  "preempt",
  "scores",
  "event",
  "landing",
  "queue",
  "permit",
];

/** What comes after the nodes, of which there may be thousands. */
const behindPod = (answer, aside) => [
  factsPart(answer),
  preemptionPart(answer.preempt),
  scoresPart(answer.scores, aside),
  eventPart(answer.event),
  landingPart(answer.landing),
  queuePart(answer.queue, answer.permit),
];

/** How often each node is taken, where that is not certain. */
function landingPart(landing) {
  if (!landing) return null;
  const share = (one) => `${(one * 100).toFixed(1)} %`;
  const rows = [...landing.nodes];
  if (landing.others) rows.push({ node: `one of ${int(landing.others.count)} others`, share: landing.others.share });
  const columns = [
    { label: "node", wide: true, value: (row) => row.node, cell: (row) => nodeName(row.node) },
    { label: "taken", num: true, value: (row) => row.share, cell: (row) => share(row.share) },
  ];
  return part(
    "landing",
    "Where it lands",
    landing.text ? h("p", {}, landing.text) : null,
    table(columns, rows, { caption: "How often each node is taken", unit: "node", units: "nodes" }),
  );
}

/** Where a waiting pod stands in the scheduler's queue, what wakes it, and what holds it at Permit. */
function queuePart(queue, permit) {
  if (!queue && !permit) return null;
  const columns = [
    { label: "plugin", value: (row) => row.plugin, cell: (row) => plainName(row.plugin) },
    { label: "what wakes the pod", wide: true, value: (row) => row.text },
  ];
  const wakes = (queue && queue.wakes) || [];
  return part(
    "queue",
    "Queue",
    queue && queue.text ? h("p", {}, queue.text) : null,
    permit ? h("p", {}, permit) : null,
    wakes.length ? table(columns, wakes, { caption: "What wakes it", unit: "event", units: "events" }) : null,
  );
}

function eventPart(event) {
  if (!event || !(event.text || event.recorded)) return null;
  const other = event.recorded && event.recorded !== event.text;
  return part(
    "event",
    "Event",
    event.text ? verbatim(event.text, "The scheduler's event text") : null,
    other ? h("p", {}, `Recorded in the pod's condition${event.recordedAt ? ` ${event.recordedAt}` : ""}:`) : null,
    other ? verbatim(event.recorded, "The recorded event text") : null,
  );
}

kind("PodExplanation", {
  fields: ANSWER_FIELDS,
  lens: () => DOC,
  sections: () => [whatIfPart(), whyPart(DOC), fixesPart(DOC), nodesPart(), ...behindPod(DOC, false)],
});
