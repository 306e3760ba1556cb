// Scores: one bar a node, one piece a plugin, the numbers beside it.

const PIECES = 8;

function scoresPart(scores, aside) {
  const same = Object.keys(scores.same).filter((plugin) => scores.same[plugin] > 0);
  const hold = h("div");
  const draw = (which) => {
    const plugins = which === "all" ? [...scores.columns, ...same] : scores.columns;
    clear(hold, plugins.length ? scoreTable(scores, plugins, aside) : h("p", { class: "note" }, "All plugins give these nodes the same."));
  };
  const lines = [];
  const told = Object.entries(scores.same).map(([plugin, score]) => `${plugin} ${int(score)}`);
  if (told.length && scores.rows.length > 1) lines.push(`The same on all: ${told.join(", ")}.`);
  if (scores.skipped.length) lines.push(`Had nothing to say: ${scores.skipped.join(", ")}.`);
  if (scores.tie.length > 1) lines.push(`${int(scores.tie.length)} nodes tie; the scheduler draws one of them, here the first by name is taken.`);
  if (scores.more) lines.push(`${int(scores.more)} further feasible nodes are left out here; ask about this pod alone to see them.`);
  const choices = scores.columns.length && same.length
    ? tabs("Plugins shown", [["some", "What tells nodes apart"], ["all", "All plugins"]], "some", draw)
    : null;
  draw(scores.columns.length ? "some" : "all");
  return [choices ? h("div", { class: "tools" }, choices) : null, hold, lines.map((line) => h("p", { class: "note" }, line))];
}

function scoreTable(scores, plugins, aside) {
  const sum = (row) => plugins.reduce((total, plugin) => total + Math.max(0, row.plugins[plugin] || 0), 0);
  const most = Math.max(1, ...scores.rows.map(sum));
  const kind = (i) => `piece piece-${Math.min(i, PIECES - 1)}`;
  const legend = h(
    "ul",
    { class: "pieces", "aria-label": "Pieces of the bars" },
    plugins.map((plugin, i) => h("li", {}, h("span", { class: kind(i), "aria-hidden": "true" }), plugin)),
  );
  const stack = (row) =>
    h(
      "span",
      { class: "stack", role: "img", "aria-label": plugins.map((plugin) => `${plugin} ${row.plugins[plugin]}`).join(", ") },
      plugins.map((plugin, i) => {
        const share = Math.max(0, row.plugins[plugin] || 0) / most;
        return share > 0 && h("span", { class: kind(i), vars: { "--f": `${share * 100}%` }, title: `${plugin} ${row.plugins[plugin]}, raw ${row.raw[plugin]}` });
      }),
    );
  const columns = [
    { label: "node", value: (row) => row.node, cell: (row) => [row.chosen ? h("span", { class: "mark good" }, "\u2713", h("span", { class: "unseen" }, "chosen")) : null, nodeName(row.node)] },
    { label: "total", num: true, value: (row) => row.total },
    { label: "weighted, by plugin", fixed: true, wide: true, value: () => "", cell: stack },
    ...(aside ? [] : plugins).map((plugin) => ({
      label: plugin,
      num: true,
      value: (row) => row.plugins[plugin],
      cell: (row) => h("span", { title: `raw ${row.raw[plugin]}` }, int(row.plugins[plugin])),
    })),
  ];
  if (!aside && scores.rows.some((row) => row.note)) columns.push({ label: "note", key: "note" });
  return [legend, table(columns, scores.rows, { caption: "Scores of feasible nodes", page: aside ? 5 : 20, unit: "node", units: "nodes", mark: (row) => row.chosen })];
}
