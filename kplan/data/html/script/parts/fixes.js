// Remedies, each tried: what is changed, what then fits, what is lost; then what does not help.

function fixesPart(answer) {
  const fixes = answer.fixes || [];
  const none = answer.noHelp || {};
  const columns = [
    { label: "#", num: true, value: (fix) => fix.number },
    { label: "change", wide: true, value: (fix) => fix.text, cell: (fix) => [fix.text, commandsOf(fix)] },
    { label: "then fits", wide: true, value: (fix) => fix.then, cell: (fix) => [fix.then, harm(fix.harm)] },
    ...columnIf(fixes, (fix) => (fix.evicts || []).length, {
      label: "evicts",
      wide: true,
      value: (fix) => (fix.evicts || []).join(" "),
      cell: (fix) => ((fix.evicts || []).length ? names(fix.evicts, 3, podName) : "-"),
    }),
    ...columnIf(fixes, (fix) => fix.nextOnes, { label: "next ones", value: (fix) => fix.nextOnes || "-" }),
  ];
  return part(
    "fixes",
    "Fix",
    triedTable(columns, fixes),
    none.nothing ? h("p", {}, none.nothing) : null,
    noHelp(none.tried),
    untried(none.untried),
  );
}

const untried = (some) => ((some || []).length ? h("p", { class: "note" }, `Not tried: ${some.join("; ")}.`) : null);

/** Remedies of a drain: what-ifs of the same command. */
function flagFixesPart(fixes, tried) {
  const rows = (fixes || []).map((fix, i) => ({ ...fix, number: i + 1 }));
  const columns = [
    { label: "#", num: true, value: (fix) => fix.number },
    { label: "change", wide: true, value: (fix) => fix.text, cell: (fix) => fix.text.replace(`: ${fix.flags}`, "") },
    { label: "then", wide: true, value: (fix) => fix.effect },
    ...columnIf(rows, (fix) => fix.flags, {
      label: "flags",
      wide: true,
      value: (fix) => fix.flags,
      cell: (fix) => h("code", {}, fix.flags),
    }),
  ];
  return part("fixes", "Fix", triedTable(columns, rows), noHelp(tried));
}

function triedTable(columns, fixes) {
  if (!fixes.length) return null;
  return [
    h("p", { class: "dim" }, "Each was tried on the changed cluster, the least costly first."),
    table(columns, fixes, { caption: "Changes that would help", page: 10, head: 1, unit: "change", units: "changes" }),
  ];
}

const noHelp = (tried) =>
  tried && tried.length
    ? [
        h("p", {}, "Tried, and no help:"),
        h(
          "ul",
          { class: "dots" },
          tried.map((text) => h("li", {}, text)),
        ),
      ]
    : null;

/** Fields of manifests that a change is about: where each is written, and what stands there then. */
function editLines(edits) {
  if (!edits || !edits.length) return null;
  const item = (edit) => {
    const to = edit.new ? [" \u2192 ", h("code", {}, edit.new)] : " is taken out";
    return h(
      "li",
      {},
      plainName(placeText(edit) || "-"),
      " ",
      h("code", {}, edit.path),
      edit.old ? [": ", h("code", {}, edit.old)] : ": new",
      to,
    );
  };
  return h("ul", { class: "plain edits" }, edits.map(item));
}

const harm = (text) => (text ? h("span", { class: "harm" }, ` ${text}`) : null);

function commandsOf(fix) {
  if (!(fix.commands || []).length) return null;
  const title = ["commands", unseen(` of change ${fix.number}`)];
  return fold(title, verbatim(fix.commands.join("\n"), `Commands of change ${fix.number}`));
}

/** The cheapest change for the pods of a cause. */
const tryLine = (attempt) => (attempt ? h("p", {}, h("strong", {}, "Try "), attempt) : null);
