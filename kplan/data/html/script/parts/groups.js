// Groups of nodes that refuse a pod for the same reasons, nearest first; and the first line of any cause.

/** How many, and what they have in common. */
const causeHead = (end, count, text, word = "") =>
  h(
    "p",
    { class: "group-head" },
    toned(end, h("span", { class: "val" }, int(count)), word),
    " ",
    h("span", { class: "group-text" }, text),
  );

/** Why a pod is refused: how many nodes, what is nearest, then each group. */
function whyPart(answer) {
  const groups = answer.groups || [];
  if (!groups.length) return null;
  const refused = groups.reduce((sum, group) => sum + group.count, 0);
  const whole = answer.nodes === refused ? plural(refused, "node") : `${int(refused)} of ${int(answer.nodes)} nodes`;
  const title = `${whole} ${refused === 1 ? "refuses" : "refuse"} it${groups.length > 1 ? ", nearest first" : ""}.`;
  return part("why", "Why", h("p", {}, title), nearestLine(answer.nearest), groupList(groups, answer));
}

/** Why one pod that is left finds no node; ``all`` counts the groups, of which an older document holds the first. */
function leftPart(pod, groups, nearest, all) {
  if (!groups.length) return null;
  return part(
    "why",
    "Why",
    h("p", {}, podName(pod), ": no node fits", Math.max(groups.length, all || 0) > 1 ? ", nearest first." : "."),
    nearestLine(nearest),
    groupList(groups, null),
    untoldGroups(groups, all),
  );
}

/** How many groups the document counts and does not tell; an older one tells the first alone. */
function untoldGroups(groups, all) {
  const more = Math.max(0, (all || 0) - groups.length);
  return more ? h("p", { class: "note" }, `${plural(more, "more group")} of nodes, not in this document.`) : null;
}

const nearestLine = (nearest) => (nearest ? h("p", {}, h("strong", {}, "Nearest "), nearest.text) : null);

const groupList = (groups, answer) =>
  h(
    "ol",
    { class: "groups" },
    groups.map((group, i) => groupItem(group, i, answer)),
  );

function groupItem(group, i, answer) {
  const all = group.names || (group.nodes || []).map((node) => node.name);
  const rest = group.count - all.length;
  const shared = [...(group.shared || []).map((text) => `all ${text}`), ...(group.alike ? [group.alike] : [])];
  const told = new Map((group.nodes || []).map((node) => [node.name, node.text]));
  const name = (one) => [nodeName(one), told.get(one) ? dim(` ${told.get(one)}`) : null];
  const onMap = answer && NODE_LIST.length > FEW && refusalsOf(answer);
  return h(
    "li",
    {},
    h(
      "p",
      { class: "group-head" },
      signOf({ tone: "bad", mark: answer === LENS.answer && answer ? LETTERS[i] || "\u2022" : "\u00d7" }),
      h("span", { class: "val" }, int(group.count)),
      " ",
      h("span", { class: "group-text" }, group.text),
    ),
    h(
      "p",
      { class: "group-nodes" },
      names(all, 5, name),
      rest > 0 ? `, +${int(rest)}` : "",
      shared.length ? dim(`  ${shared.join("; ")}`) : null,
      " ",
      onMap ? act("show on the map", () => showGroup(answer, i)) : null,
    ),
    h(
      "ul",
      { class: "reasons" },
      group.reasons.map((reason) => h("li", {}, reasonWords(reason))),
    ),
  );
}

function reasonWords(reason) {
  const more = [reason.evictable ? "an eviction may lift it" : "no eviction lifts it"];
  if (reason.kept) more.push("holds only with nominated pods counted");
  return [h("code", {}, reason.plugin), " ", h("q", {}, reason.message), dim(` ${more.join("; ")}`)];
}

/** Colour the map by a pod and show only the nodes of one of its groups. */
function showGroup(answer, i) {
  if (LENS.answer !== answer) GRID.look(answer);
  GRID.only(`group-${i}`);
}
