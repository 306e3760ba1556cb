// The parts of an answer about one pod: why, facts, preemption, scores, event.

/** Parts of an answer as [title, content], in the order of the text. */
function answerParts(answer, aside = false) {
  const found = [];
  const part = (id, title, content) => content && found.push({ id, title, content });
  if ((answer.groups || []).length) part("why", "Why", groupsPart(answer));
  if ((answer.fixes || []).length || answer.noHelp) part("fixes", "Fix", fixesPart(answer));
  part("facts", "Facts", factsPart(answer));
  part("preemption", "Preemption", answer.preempt ? preemptPart(answer.preempt) : null);
  if (answer.scores && answer.scores.rows.length) part("scores", "Scores", scoresPart(answer.scores, aside));
  part("event", "Event", answer.event && (answer.event.text || answer.event.recorded) ? eventPart(answer.event) : null);
  return found;
}

function groupsPart(answer) {
  const refused = answer.groups.reduce((sum, group) => sum + group.count, 0);
  const whole = answer.nodes === refused ? plural(refused, "node") : `${int(refused)} of ${int(answer.nodes)} nodes`;
  const title = `${whole} ${refused === 1 ? "refuses" : "refuse"} it${answer.groups.length > 1 ? ", nearest first" : ""}.`;
  const nearest = answer.nearest ? h("p", {}, h("strong", {}, "Nearest "), answer.nearest.text) : null;
  return [
    h("p", {}, title),
    nearest,
    h("ol", { class: "groups" }, answer.groups.map((group, i) => groupItem(group, i, answer))),
  ];
}

function groupItem(group, i, answer) {
  const all = group.names || (group.nodes || []).map((node) => node.name);
  const shared = [...(group.shared || []).map((text) => `all ${text}`), ...(group.alike ? [group.alike] : [])];
  const told = new Map((group.nodes || []).map((node) => [node.name, node.text]));
  const name = (one) => [nodeName(one), told.get(one) ? h("span", { class: "dim" }, ` ${told.get(one)}`) : null];
  const rest = group.count - all.length;
  const onMap =
    answer === ANSWER && NODE_LIST.length > FEW
      ? h("button", { type: "button", class: "more", onclick: () => showGroup(i) }, "show on the map")
      : null;
  return h(
    "li",
    {},
    h("p", { class: "group-head" }, h("span", { class: "mark bad", "aria-hidden": "true" }, answer === ANSWER ? LETTERS[i] || "\u2022" : "\u00d7"), h("span", { class: "val" }, int(group.count)), " ", h("span", { class: "group-text" }, group.text)),
    h("p", { class: "group-nodes" }, names(all, 5, name), rest > 0 ? `, +${int(rest)}` : "", shared.length ? h("span", { class: "dim" }, `  ${shared.join("; ")}`) : null, " ", onMap),
    h("ul", { class: "reasons" }, group.reasons.map(reasonItem)),
  );
}

function reasonItem(reason) {
  const more = [
    reason.evictable ? "an eviction may lift it" : "no eviction lifts it",
    ...(reason.kept ? ["holds only with nominated pods counted"] : []),
  ];
  return h("li", {}, h("code", {}, reason.plugin), " ", h("q", {}, reason.message), h("span", { class: "dim" }, ` ${more.join("; ")}`));
}

function showGroup(i) {
  $("nodes").dispatchEvent(new CustomEvent("show-group", { detail: `group-${i}` }));
  $("nodes").scrollIntoView({ block: "start" });
  const chip = document.querySelector(`[data-key="group-${i}"]`);
  if (chip) chip.focus({ preventScroll: true });
}

/** Remedies, each tried: what is changed, what then fits, what is lost; then what does not help. */
function fixesPart(answer) {
  const fixes = answer.fixes || [];
  const columns = [
    { label: "#", num: true, value: (fix) => fix.number },
    { label: "change", wide: true, value: (fix) => fix.text, cell: (fix) => [fix.text, commandsOf(fix)] },
    { label: "then fits", wide: true, value: (fix) => fix.then, cell: (fix) => [fix.then, fix.harm ? h("span", { class: "harm" }, ` ${fix.harm}`) : null] },
    ...(fixes.some((fix) => (fix.evicts || []).length) ? [{ label: "evicts", wide: true, value: (fix) => (fix.evicts || []).join(" "), cell: (fix) => ((fix.evicts || []).length ? names(fix.evicts, 3, podName) : "-") }] : []),
    ...(fixes.some((fix) => fix.nextOnes) ? [{ label: "next ones", value: (fix) => fix.nextOnes || "-" }] : []),
  ];
  const none = answer.noHelp || {};
  return [
    fixes.length ? h("p", { class: "dim" }, "Each was tried on the changed cluster, the least costly first.") : null,
    fixes.length ? table(columns, fixes, { caption: "Changes that would help", page: 10, head: 1, unit: "change", units: "changes" }) : null,
    none.nothing ? h("p", {}, none.nothing) : null,
    (none.tried || []).length ? [h("p", {}, "Tried, and no help:"), h("ul", { class: "dots" }, none.tried.map((text) => h("li", {}, text)))] : null,
  ];
}

function commandsOf(fix) {
  if (!(fix.commands || []).length) return null;
  const about = `Commands of change ${fix.number}`;
  return h("details", {}, h("summary", {}, "commands", h("span", { class: "unseen" }, ` of change ${fix.number}`)), h("pre", { tabindex: "0", role: "group", "aria-label": about }, fix.commands.join("\n")));
}

function factsPart(answer) {
  const parts = [
    ...(answer.domains || []).map(domainsPart),
    (answer.terms || []).length ? termsPart(answer.terms) : null,
    (answer.volumes || []).length ? volumesPart(answer.volumes) : null,
    (answer.attachments || []).length ? attachmentsPart(answer.attachments) : null,
    (answer.kept || []).length ? keptPart(answer.kept) : null,
  ].filter(Boolean);
  return parts.length ? parts : null;
}

function domainsPart(spread) {
  const most = Math.max(1, ...spread.rows.map((row) => row.pods));
  const columns = [
    { label: "domains", wide: true, value: (row) => row.names.join(" "), cell: (row) => names(row.names, 8) },
    { label: "pods", num: true, value: (row) => row.pods, cell: (row) => bar(row.pods / most, int(row.pods)) },
    { label: "note", wide: true, value: (row) => row.note || "" },
  ];
  const limits = `maxSkew ${spread.maxSkew}, minimum ${spread.minimum}, nodeTaintsPolicy ${spread.nodeTaintsPolicy}, nodeAffinityPolicy ${spread.nodeAffinityPolicy}`;
  return [
    h("h3", {}, `Spread by ${spread.topologyKey}`),
    h("p", {}, `pods with ${spread.selector}; ${limits}`),
    table(columns.slice(0, spread.rows.some((row) => row.note) ? 3 : 2), spread.rows, { caption: `Domains of ${spread.topologyKey}`, unit: "row" }),
    (spread.notes || []).map((note) => h("p", { class: "note" }, note)),
  ];
}

const RULES = {
  affinity: "no pod matches",
  antiAffinity: "this pod keeps away from",
  antiAffinityOfOthers: "pods there keep away from",
};

function termsPart(terms) {
  const columns = [
    { label: "rule", wide: true, value: (term) => `${RULES[term.rule] || term.rule} ${term.selector}` },
    { label: "by", key: "topologyKey" },
    { label: "domain", value: (term) => term.domain || "no such label" },
    { label: "nodes", num: true, value: (term) => term.nodes },
    { label: "pods", wide: true, value: (term) => term.pods.join(" "), cell: (term) => [term.pods.length ? names(term.pods, 3, podName) : "none", term.podCount > term.pods.length ? `, +${int(term.podCount - term.pods.length)}` : ""] },
  ];
  return [h("h3", {}, "Pod affinity terms"), table(columns, terms, { caption: "Pod affinity terms that fail", unit: "term", units: "terms" })];
}

function volumesPart(volumes) {
  return [
    h("h3", {}, "Volumes"),
    h("ul", { class: "plain" }, volumes.map((volume) => h("li", {}, plainName(volume.claim), volume.volume ? [" \u2192 ", plainName(volume.volume)] : "", volume.text ? `, ${volume.text}` : "", h("ul", {}, (volume.details || []).map((text) => h("li", { class: "dim" }, text)))))),
  ];
}

function attachmentsPart(rows) {
  const columns = [
    { label: "node", value: (row) => row.node, cell: (row) => nodeName(row.node) },
    { label: "driver", key: "driver" },
    { label: "limit", num: true, value: (row) => (row.limit === null || row.limit === undefined ? -1 : row.limit), cell: (row) => (row.limit === null || row.limit === undefined ? "-" : row.limit) },
    { label: "attached", num: true, value: (row) => row.attached },
    { label: "of which no pod uses", wide: true, value: (row) => (row.unused || []).join(", ") || "-" },
    { label: "new", wide: true, value: (row) => (row.new || []).join(", ") || "-" },
  ];
  return [h("h3", {}, "Volumes attached"), table(columns, rows, { caption: "Volumes attached by node", unit: "node", units: "nodes" })];
}

function keptPart(kept) {
  const told = (row) => Object.entries(row.amounts).map(([name, number]) => `${amount(name, number)} ${name}`).join(", ");
  const columns = [
    { label: "node", value: (row) => row.node, cell: (row) => nodeName(row.node) },
    { label: "pod", value: (row) => row.pod, cell: (row) => podName(row.pod) },
    { label: "amount", num: true, value: told },
    { label: "priority", num: true, value: (row) => row.priority },
    { label: "note", key: "note" },
  ];
  return [h("h3", {}, "Room kept"), table(columns, kept, { caption: "Room kept for nominated pods", head: 1, unit: "pod", units: "pods" })];
}

function preemptPart(preempt) {
  const lines = preempt.text ? [h("p", {}, preempt.text)] : [];
  const message = preempt.message ? h("p", { class: "dim" }, h("q", {}, preempt.message)) : null;
  const said = (title, texts) => (texts || []).length && h("p", {}, h("strong", {}, `${title} `), texts.join("; "));
  if (!(preempt.victims || []).length) return [lines, message];
  const more = preempt.moreNodes ? `${plural(preempt.moreNodes, "more node")} where evictions help are left out here.` : "";
  return [lines, said("Chosen", preempt.chosen), said("After", preempt.after), victimsTable(preempt.victims), more && h("p", { class: "note" }, more), message];
}

function victimsTable(victims) {
  const columns = [
    { label: "node", value: (row) => row.node, cell: (row) => [row.chosen ? h("span", { class: "mark warn" }, "\u2713", h("span", { class: "unseen" }, "chosen")) : null, nodeName(row.node)] },
    { label: "victim", value: (row) => row.pod, cell: (row) => podName(row.pod) },
    { label: "priority", num: true, value: (row) => row.priority },
    { label: "grace", num: true, value: (row) => row.graceSeconds, cell: (row) => `${int(row.graceSeconds)}s` },
    { label: "budget", value: (row) => row.budget, cell: (row) => h("span", { class: row.breaksBudget ? "harm" : null }, row.budget) },
    { label: "comes back", key: "comesBack", wide: true },
  ];
  return table(columns, victims, { caption: "Victims by node", unit: "victim", units: "victims", mark: (row) => row.chosen });
}

function eventPart(event) {
  const recorded = event.recorded && event.recorded !== event.text;
  return [
    event.text ? h("pre", { tabindex: "0", role: "group", "aria-label": "The scheduler's event text" }, event.text) : null,
    recorded ? [h("p", {}, `Recorded in the pod's condition${event.recordedAt ? ` ${event.recordedAt}` : ""}:`), h("pre", { tabindex: "0", role: "group", "aria-label": "The recorded event text" }, event.recorded)] : null,
  ];
}
