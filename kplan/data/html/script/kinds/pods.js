// explain pod -A: the causes, every pod, and the nodes, which can be coloured by what they say to one of the pods.

kind("PodExplanations", {
  fields: ["folds", "answers"],
  stand() {
    STATES.lands.text = "pods would go here, each tried alone";
    STATES.quiet.text = "no waiting pod goes here";
  },
  stories() {
    for (const answer of DOC.answers) STORIES.set(answer.pod, () => answerStory(answer));
  },
  sections: () => [
    whatIfPart(),
    part("causes", "Causes", DOC.folds.length ? longList(DOC.folds, foldItem) : null),
    part("pods", "Pods", DOC.answers.length ? answersTable(DOC.answers) : null),
    nodesPart(),
  ],
});

function foldItem(one) {
  const first = answerOf(one.pods[0]);
  return h(
    "li",
    {},
    causeHead(endOf(one.verdict), one.count, one.because.text, one.verdict === "PENDING" ? "" : ` ${one.verdict}`),
    h("p", { class: "dim" }, ownersOf(one.owners, 3)),
    tryLine(one.attempt),
    h("p", {}, names(one.pods, 5, podName), " ", mapButton(first)),
    one.verdict === "PREEMPTS" ? evictedLine(one.pods) : null,
  );
}

/** Who leaves for some pods, each tried alone. */
function evictedLine(pods) {
  const victims = pods.flatMap((name) => (((answerOf(name) || {}).preempt || {}).victims || []).filter((one) => one.chosen));
  const leaving = [...new Set(victims.map((one) => one.pod))];
  return leaving.length ? h("p", {}, h("strong", {}, "Evicts "), names(leaving, 5, podName)) : null;
}

/** Where the page holds what every node says to a pod. */
const mapButton = (answer) =>
  answer && NODE_LIST.length && refusalsOf(answer) ? act("show on the map", () => showOnMap(answer)) : null;

/** Colour the map by a pod and go there; a story that lies over the page is closed. */
function showOnMap(answer) {
  if (!matchMedia("(min-width: 64rem)").matches) shut(false);
  GRID.look(answer);
  $("nodes").scrollIntoView({ block: "start" });
  document.querySelector("#nodes .lens select").focus({ preventScroll: true });
}

function answersTable(answers) {
  const columns = [
    { label: "pod", value: (row) => row.pod, cell: (row) => link("pod", row.pod) },
    { label: "verdict", value: (row) => row.verdict, cell: (row) => ended(row.verdict, verdictOf(row)) },
    { label: "fits", num: true, value: (row) => row.feasible },
    nodeColumn("goes to", (row) => row.node),
    { label: "because", wide: true, value: (row) => (row.because ? row.because.text : "") },
    ownerColumn(),
  ];
  const filters = filtersBy(answers, (row) => row.verdict, ["PENDING", "PREEMPTS", "FITS", "GATED"]);
  return table(columns, worstFirst(answers, (row) => row.verdict), { caption: "Pods explained", page: 15, unit: "pod", units: "pods", filters });
}

const verdictOf = (answer) => `${answer.verdict}${(answer.doubts || []).length ? "?" : ""}`;

function answerStory(answer) {
  const parts = [whyPart(answer), fixesPart(answer), ...behindPod(answer, true)].filter(Boolean);
  return [
    h("p", { class: "standing" }, ended(answer.verdict, verdictOf(answer)), ` ${answer.sentence}`),
    pairs([
      ...(answer.doubts || []).map((doubt) => ["doubt", doubt.text]),
      ["because", answer.because ? answer.because.text : ""],
      ...(answer.careful || []).map((text) => ["careful", text]),
      ["node", answer.node ? nodeName(answer.node) : ""],
      ["owner", answer.owner],
      ["runs on", answer.runsOn ? nodeName(answer.runsOn) : ""],
    ]),
    mapButton(answer),
    parts.map(({ title, content }) => chapter(title, content)),
  ];
}
