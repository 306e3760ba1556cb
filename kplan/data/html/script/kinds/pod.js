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
];

/** What comes after the nodes, of which there may be thousands. */
const behindPod = (answer, aside) => [
  factsPart(answer),
  preemptionPart(answer.preempt),
  scoresPart(answer.scores, aside),
  eventPart(answer.event),
];

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
