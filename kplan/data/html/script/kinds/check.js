// check: what fails and where in the manifests, the policy, then the plan behind it.

kind("CheckResult", {
  fields: ["totals", "objects", "recording", "plan", "rules", "findings", "baseline", "command"],
  stories: () => planStories(DOC.plan),
  sections: () => [
    whatIfPart(),
    part("checked", "Checked", objectsTable(DOC.objects)),
    part("findings", "Findings", findingsList(DOC.findings)),
    part("rules", "Rules", (DOC.rules || []).length ? rulesTable(DOC.rules) : null),
    part("against", "Against", againstPairs()),
    ...planParts(DOC.plan).filter((one) => one && one.id !== "change"),
    packingPart(),
    nodesPart(),
  ],
});

const STATUS = { ok: "ok", fail: "FAIL", main: "no worse", unknown: "not known" };

/** Whether all pods of an object were placed. */
const placedAll = (row) => row.pods > 0 && row.placed === row.pods;

/** What becomes of an object; where its pods went, and of one that fails how many, is not said twice. */
const resultText = (row) => (placedAll(row) ? row.result.replace(/^placed: [^;]*/, "fits") : row.result);

function objectsTable(objects) {
  const columns = [
    { label: "status", fixed: true, value: (row) => row.status, cell: (row) => ended(row.status, STATUS[row.status]) },
    { label: "object", value: (row) => row.object, cell: (row) => plainName(row.object) },
    { label: "change", value: (row) => row.change },
    { label: "result", wide: true, value: resultText },
    ...columnIf(objects, (row) => row.onMain, { label: "on main", value: (row) => row.onMain || "-" }),
    ...columnIf(objects, (row) => row.pods && row.status !== "fail" && !placedAll(row), {
      label: "placed",
      num: true,
      value: (row) => row.placed || 0,
      cell: (row) => (row.pods ? `${int(row.placed || 0)} of ${int(row.pods)}` : "-"),
    }),
    ...columnIf(objects, (row) => row.on, {
      label: "on",
      wide: true,
      value: (row) => Object.keys(row.on || {}).join(" "),
      cell: (row) => (row.on ? counted(row.on, 3) : "-"),
    }),
    ...columnIf(objects, (row) => (row.zones || []).length, {
      label: "zones then",
      value: (row) => (row.zones || []).join(", ") || "-",
    }),
    ...columnIf(objects, (row) => (row.evicts || []).length, {
      label: "evicts",
      wide: true,
      value: (row) => (row.evicts || []).join(" "),
      cell: (row) => names(row.evicts || [], 2, podName),
    }),
    ...columnIf(objects, placeText, {
      label: "manifest",
      value: placeText,
      cell: (row) => plainName(placeText(row) || "-"),
    }),
  ];
  const filters = filtersBy(objects, (row) => row.status, ["fail", "unknown", "main", "ok"]);
  return table(columns, worstFirst(objects, (row) => row.status), {
    caption: "Objects that were checked, what fails first",
    page: 20,
    head: 1,
    unit: "object",
    units: "objects",
    filters,
  });
}

/** What is wrong, what counts first: one entry each, so that its sentence has the whole width. */
function findingsList(findings) {
  if (!findings || !findings.length) return null;
  const hold = h("div");
  const counts = (one) => one.counted !== false;
  const draw = (which) =>
    clear(
      hold,
      longList(
        alikeFindings(findings.filter((one) => !which || (which === "counted") === counts(one))),
        findingItem,
      ),
    );
  const number = findings.filter(counts).length;
  const options = [
    ["", `all ${int(findings.length)}`],
    ["counted", `count ${int(number)}`],
    ["other", `do not count ${int(findings.length - number)}`],
  ];
  draw("");
  return [
    number && number < findings.length ? h("div", { class: "tools" }, tabs("Which findings", options, "", draw)) : null,
    hold,
  ];
}

/** Findings that differ only in the object they are about are one, as in the text (kplan/render/alike.py). */
function alikeFindings(findings) {
  const groups = new Map();
  for (const one of findings) {
    const words = one.object ? one.text.split(one.object).join("") : one.text;
    const key = JSON.stringify([one.rule, one.counted !== false, one.whyNot || "", words]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return [...groups.values()];
}

function findingItem([one, ...others]) {
  const counts = one.counted !== false;
  const worse =
    one.onMain !== undefined && one.onMain !== null
      ? `${int(one.amount === undefined ? 1 : one.amount)} here, ${int(one.onMain)} on main`
      : "";
  return h(
    "li",
    {},
    h(
      "p",
      { class: "group-head" },
      counts ? ended("fail", "FAIL ") : ended("main", "not counted "),
      h("span", { class: "group-text" }, plainName(one.object), ` ${one.title}`),
    ),
    h("div", { class: "nearest" }, [
      h("p", {}, one.text),
      others.length ? h("p", {}, "likewise ", names(others.map((other) => other.object), 8, plainName)) : null,
      tryLine(one.attempt),
      editLines(one.edits),
      one.whyNot ? h("p", {}, h("strong", {}, "Not counted "), one.whyNot) : null,
      one.message ? h("p", { class: "dim" }, h("q", {}, one.message)) : null,
      h(
        "p",
        { class: "dim" },
        [h("code", {}, one.rule), placeText(one), worse]
          .filter(Boolean)
          .flatMap((text, i) => (i ? [" \u00b7 ", text] : [text])),
      ),
    ]),
  );
}

function rulesTable(rules) {
  const columns = [
    { label: "status", fixed: true, value: (row) => row.status, cell: (row) => ended(row.status, STATUS[row.status]) },
    { label: "rule", wide: true, value: (row) => row.wanted },
    { label: "found", wide: true, value: (row) => row.text || "-" },
    { label: "name", value: (row) => row.rule, cell: (row) => plainName(row.rule) },
  ];
  return table(columns, worstFirst(rules, (row) => row.status), { caption: "Rules of the policy", head: 1, unit: "rule", units: "rules" });
}

/** The state that was checked against, how old and how complete it is; the baseline; the command that asks again. */
function againstPairs() {
  const state = DOC.recording;
  const absent = (state.absent || []).length ? `it says nothing of ${state.absent.join(", ")}` : "";
  const broken = state.broken ? `${plural(state.broken, "object")} left out as broken` : "";
  const lacks = [absent, broken].filter(Boolean).join("; ");
  return [
    pairs([
      ["state", [state.taken ? `taken ${state.taken}` : "of unknown age", ageText(state)].filter(Boolean).join(", ")],
      ["complete", state.complete === false ? ended("main", lacks || "no") : "yes"],
      ["baseline", DOC.baseline ? `${DOC.baseline.file}, ${plural(DOC.baseline.findings, "finding")}` : ""],
      ["no longer wrong", DOC.baseline && (DOC.baseline.fixed || []).length ? DOC.baseline.fixed.join(", ") : ""],
    ]),
    DOC.command ? verbatim(DOC.command, "The command that gives this result again") : null,
  ];
}

function ageText(state) {
  if (state.ageSeconds === undefined || state.ageSeconds === null) return "";
  const old =
    state.maxAgeSeconds !== undefined && state.maxAgeSeconds !== null && state.ageSeconds > state.maxAgeSeconds;
  return `${Math.round(state.ageSeconds / 3600).toLocaleString("en")} hours before${old ? " (too old)" : ""}`;
}
