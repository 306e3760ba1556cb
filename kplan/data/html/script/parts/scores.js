// Scores: one bar a node, one piece a plugin, the numbers beside it.

const PIECES = 8;

function scoresPart(scores, aside) {
  if (!scores || !scores.rows.length) return null;
  const same = Object.keys(scores.same).filter((plugin) => scores.same[plugin] > 0);
  const hold = h("div");
  const draw = (which) => {
    const plugins = which === "all" ? [...scores.columns, ...same] : scores.columns;
    const none = h("p", { class: "note" }, "All plugins give these nodes the same.");
    clear(hold, plugins.length ? scoreTable(scores, plugins, aside) : none);
  };
  const which = [
    ["some", "What tells nodes apart"],
    ["all", "All plugins"],
  ];
  const choices = scores.columns.length && same.length ? tabs("Plugins shown", which, "some", draw) : null;
  draw(scores.columns.length ? "some" : "all");
  const told = scoreNotes(scores).map((text) => h("p", { class: "note" }, text));
  return part("scores", "Scores", choices ? h("div", { class: "tools" }, choices) : null, hold, told);
}

function scoreNotes(scores) {
  const found = [];
  const same = Object.entries(scores.same).map(([plugin, score]) => `${plugin} ${int(score)}`);
  if (same.length && scores.rows.length > 1) found.push(`The same on all: ${same.join(", ")}.`);
  if (scores.skipped.length) found.push(`Had nothing to say: ${scores.skipped.join(", ")}.`);
  if (scores.tie.length > 1) {
    found.push(
      `${int(scores.tie.length)} nodes tie; the scheduler draws one of them, here the first by name is taken.`,
    );
  }
  if (scores.more)
    found.push(`Left out here: ${plural(scores.more, "further feasible node")}, with no higher score; the map shows all that fit.`);
  return found;
}

/** What a plugin gives a node, weighted: what it gives all of them stands once, beside the rows. */
function weighted(scores, row, plugin) {
  const own = row.plugins[plugin];
  return own === undefined ? scores.same[plugin] || 0 : own;
}

/** What a plugin gave a node before weights; empty where that is not told of each node. */
const rawTold = (row, plugin) => (row.raw[plugin] === undefined ? "" : `raw ${row.raw[plugin]}`);

function scoreTable(scores, plugins, aside) {
  const given = (row, plugin) => weighted(scores, row, plugin);
  const sum = (row) => plugins.reduce((total, plugin) => total + Math.max(0, given(row, plugin)), 0);
  const most = Math.max(1, ...scores.rows.map(sum));
  const kind = (i) => `piece piece-${Math.min(i, PIECES - 1)}`;
  const legend = h(
    "ul",
    { class: "pieces", "aria-label": "Pieces of the bars" },
    plugins.map((plugin, i) => h("li", {}, h("span", { class: kind(i), "aria-hidden": "true" }), plugin)),
  );
  const piece = (row, plugin, i) => {
    const share = Math.max(0, given(row, plugin)) / most;
    const title = [`${plugin} ${given(row, plugin)}`, rawTold(row, plugin)].filter(Boolean).join(", ");
    return share > 0 && h("span", { class: kind(i), vars: { "--f": `${share * 100}%` }, title });
  };
  const stack = (row) => {
    const told = plugins.map((plugin) => `${plugin} ${given(row, plugin)}`).join(", ");
    const pieces = plugins.map((plugin, i) => piece(row, plugin, i));
    return h("span", { class: "stack", role: "img", "aria-label": told }, pieces);
  };
  const columns = [
    { label: "node", value: (row) => row.node, cell: (row) => [taken(row.chosen), nodeName(row.node)] },
    { label: "total", num: true, value: (row) => row.total },
    { label: "weighted, by plugin", fixed: true, wide: true, value: () => "", cell: stack },
    ...(aside ? [] : plugins).map((plugin) => ({
      label: plugin,
      num: true,
      value: (row) => given(row, plugin),
      cell: (row) => h("span", { title: rawTold(row, plugin) || null }, int(given(row, plugin))),
    })),
    ...(aside ? [] : columnIf(scores.rows, (row) => row.note, { label: "note", key: "note" })),
  ];
  const page = aside ? 5 : 20;
  const options = {
    caption: "Scores of feasible nodes",
    page,
    unit: "node",
    units: "nodes",
    mark: (row) => row.chosen,
  };
  return [legend, table(columns, scores.rows, options)];
}
