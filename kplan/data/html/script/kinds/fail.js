// fail: what comes back and where, what is lost, and when; or how every single failure is borne.

kind("FailReport", {
  fields: [
    "nodes",
    "each",
    "flags",
    "cases",
    "pods",
    "cascade",
    "lost",
    "time",
    "left",
    "group",
    "groups",
    "moreGroups",
    "nearest",
  ],
  stand() {
    for (const name of DOC.nodes || []) stand(name, "lost", { note: "" });
    for (const node of NODE_LIST) {
      const found = caseOf(node);
      if (found)
        stand(node.name, { FITS: "good", PARTLY: "warn", BLOCKED: "bad" }[found.verdict] || "quiet", {
          note: borne(found),
        });
    }
  },
  about(node) {
    const found = caseOf(node);
    if (!found) return null;
    return chapter(`If ${DOC.each === "zone" ? `zone ${found.name}` : "it"} is lost`, [
      h("p", {}, ended(found.verdict)),
      pairs(CASE_NUMBERS.map(([label, of]) => [label, of(found) || ""])),
      found.because ? h("p", {}, found.because.text) : null,
    ]);
  },
  sections: () => [
    whatIfPart(),
    part("each", `Each ${DOC.each}`, (DOC.cases || []).length ? casesTable(DOC.cases) : null),
    part("pods", "Pods", (DOC.pods || []).length ? failedTable(DOC.pods) : null),
    cascadePart(DOC.cascade),
    part("lost", "Lost", (DOC.lost || []).length ? lostTable(DOC.lost) : null),
    part("time", "Time", (DOC.time || []).length ? timeLine(DOC.time) : null),
    leftPart(DOC.left, [...(DOC.group ? [DOC.group] : []), ...(DOC.moreGroups || [])], DOC.nearest, DOC.groups),
    part(
      "fixes",
      "Fix",
      DOC.flags ? [h("p", {}, DOC.try), verbatim(DOC.flags, "Flags of this command that try it")] : null,
    ),
    packingPart(),
    nodesPart(),
  ],
});

const CASES = new Map((DOC.cases || []).map((one) => [one.name, one]));
const caseOf = (node) => (DOC.each ? CASES.get(DOC.each === "zone" ? node.zone : node.name) : null);

/** What becomes of the pods of one loss, by their numbers: a node without pods loses none. */
function borne(one) {
  const left = [
    one.pending && `${plural(one.pending, "pod")} Pending`,
    one.displaced && `${plural(one.displaced, "evicted pod")} Pending`,
    one.gone && `${plural(one.gone, "pod")} GONE`,
  ].filter(Boolean);
  if (left.length) return left.join(", ");
  return one.pods ? "its loss is borne" : "no pod to bring back";
}

const CASE_NUMBERS = [
  [HEADS.pods, (one) => one.pods],
  [HEADS.placed, (one) => one.placed],
  [HEADS.pending, (one) => one.pending + (one.displaced || 0)],
  [HEADS.gone, (one) => one.gone],
  [HEADS.evicted, (one) => one.evicted || 0],
];

function casesTable(cases) {
  const columns = [
    {
      label: DOC.each,
      value: (one) => one.name,
      cell: (one) => (DOC.each === "node" ? nodeName(one.name) : plainName(one.name)),
    },
    { label: HEADS.verdict, value: (one) => one.verdict, cell: (one) => ended(one.verdict) },
    ...(DOC.each === "zone" ? [{ label: HEADS.nodes, num: true, value: (one) => one.nodes }] : []),
    { label: `${HEADS.placed}, ${HEADS.pending}, ${HEADS.gone}`, scale: "all of them", parts: true, fixed: true, value: () => "", cell: caseBar },
    ...CASE_NUMBERS.flatMap(([label, of]) =>
      columnIf(cases, of, { label, num: true, rest: ![HEADS.pending, HEADS.gone].includes(label), value: of, cell: (one) => (of(one) ? int(of(one)) : "-") }),
    ),
    ...columnIf(cases, caseWhy, { label: "because", wide: true, value: caseWhy }),
  ];
  const filters = filtersBy(cases, (one) => one.verdict, ["BLOCKED", "PARTLY", "FITS"]);
  return table(columns, cases, {
    caption: `Every single loss of a ${DOC.each}, worst first`,
    page: 25,
    unit: DOC.each,
    units: `${DOC.each}s`,
    filters,
  });
}

const caseWhy = (one) => (one.because ? one.because.text : "");

const caseBar = (one) =>
  split([
    [one.placed, "more", HEADS.placed],
    [one.pending + (one.displaced || 0), "rest", HEADS.pending],
    [one.gone, "gone", HEADS.gone],
  ]);

/** What becomes of pods that are not placed again, in words. */
const FATES = {
  pending: "Pending",
  gone: "GONE",
  elsewhere: "another scheduler decides",
  stays: "bound while the node is there",
  leaves: "was being deleted",
};

function whenText(pod) {
  if (pod.fate === "stays" || pod.fate === "leaves") return "-";
  if (pod.waitsForNode || pod.deletedAfter === undefined || pod.deletedAfter === null) return "once the node goes";
  return `after ${int(pod.deletedAfter)} s`;
}

function failedTable(pods) {
  const several = new Set(pods.map((pod) => pod.node)).size > 1;
  const order = ["pending", "gone", "placed", "elsewhere", "stays", "leaves"];
  const note = (pod) =>
    [pod.because ? pod.because.text : "", (pod.evicts || []).length ? `evicts ${pod.evicts.join(", ")}` : ""]
      .filter(Boolean)
      .join("; ");
  const columns = [
    podColumn("pod", (pod) => pod.pod),
    ...(several ? [nodeColumn("was on", (pod) => pod.node)] : []),
    ownerColumn(),
    {
      label: "lands on",
      value: (pod) => pod.landsOn || FATES[pod.fate],
      cell: (pod) => (pod.landsOn ? nodeName(pod.landsOn) : ended(pod.fate, FATES[pod.fate])),
    },
    {
      label: "made anew",
      num: true,
      value: (pod) => (whenText(pod).startsWith("after") ? pod.deletedAfter : Infinity),
      cell: whenText,
    },
    ...columnIf(pods, note, { label: "because", wide: true, value: note }),
  ];
  const sorted = [...pods].sort((a, b) => order.indexOf(a.fate) - order.indexOf(b.fate));
  const filters = filtersBy(sorted, (pod) => pod.fate, order);
  return table(columns, sorted, { caption: "Pods of the lost nodes", page: 20, unit: "pod", units: "pods", filters });
}

const LOST = {
  pod: "gone: nothing makes it again",
  localVolume: "volume on a lost node alone",
  zonalVolume: "volume where no node is left",
  emptyDir: "LOSES DATA, emptyDir",
};

function lostTable(lost) {
  const columns = [
    { label: "what", value: (one) => LOST[one.what] || one.what, cell: (one) => harm(LOST[one.what] || one.what) },
    podColumn("pod", (one) => one.pod),
    ...columnIf(lost, (one) => one.name, { label: "volume", value: (one) => one.name || "-" }),
    ...columnIf(lost, (one) => one.claim, { label: "claim", value: (one) => one.claim || "-" }),
    ...columnIf(lost, (one) => one.where, { label: "where", value: (one) => one.where || "-" }),
  ];
  const filters = filtersBy(lost, (one) => one.what).map(([key, label, test]) => [
    key,
    label.replace(key, (LOST[key] || key).split(":")[0]),
    test,
  ]);
  return table(columns, lost, {
    caption: "What does not come back",
    page: 10,
    head: 1,
    unit: "loss",
    units: "losses",
    filters,
  });
}

/** What happens when, one under the other; seconds after the loss. */
function timeLine(points) {
  const item = (point) => {
    const waits = point.seconds === undefined || point.seconds === null;
    return h(
      "li",
      { class: waits ? "waits" : null },
      h("span", { class: "at" }, waits ? "later" : `${int(point.seconds)} s`),
      h(
        "div",
        {},
        point.text,
        (point.pods || []).length > 1 ? fold(plural(point.pods.length, "pod"), names(point.pods, 30, podName)) : null,
      ),
    );
  };
  return [
    h("p", { class: "dim" }, "Seconds after the loss, with the defaults of the controllers."),
    h("ol", { class: "time" }, points.map(item)),
  ];
}
