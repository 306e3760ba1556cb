// Tables that can be searched, sorted and paged: ten thousand rows are a hundred elements at a time.

/** What puts everything on paper before it is printed, and takes it back afterwards. */
const ON_PAPER = [];

/**
 * Columns: {key, label, value(row) for sorting and searching, cell(row) to show, num, wide, fixed, scale of its bars, parts of which they are,
 * rest where phones show it by a tap}.
 * Options: caption, page, searchable, filters ([key, label, test]), empty, unit, units, head, mark, more.
 */
function table(columns, rows, options = {}) {
  const size = options.page || 50;
  const units = options.units || "rows";
  const state = { typed: "", sort: -1, down: false, from: 0, filter: "", whole: false };
  const body = h("tbody");
  const pager = h("nav", { class: "pager", "aria-label": `Pages of ${options.caption}` });
  const count = h("span", { class: "dim count" });
  const texts = new Map();
  const short = inLines(columns);
  const value = (column, row) => (column.value ? column.value(row) : row[column.key]);
  const textOf = (row) => {
    if (!texts.has(row)) {
      const parts = columns.map((column) => value(column, row)).concat(options.more ? options.more(row) : []);
      texts.set(row, parts.join("\n").toLowerCase());
    }
    return texts.get(row);
  };

  const heads = columns.map((column, i) => {
    const plain = !column.label || rows.length < 2 || column.fixed;
    const sort = () => h("button", { type: "button", onclick: () => sortBy(i) }, column.label);
    const scale = column.scale ? barScale(column.scale, column.parts) : null;
    const told = { scope: "col", role: short ? "columnheader" : null, class: column.num ? "num" : null };
    return h("th", told, plain ? column.label : sort(), scale);
  });

  function sortBy(i) {
    if (state.sort !== i) Object.assign(state, { sort: i, down: Boolean(columns[i].num) });
    else if (state.down === Boolean(columns[i].num)) state.down = !state.down;
    else state.sort = -1;
    heads.forEach((head, at) => {
      if (at === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    state.from = 0;
    draw();
  }

  function chosen() {
    const matches = matcher(state.typed);
    const filter = (options.filters || []).find(([key]) => key === state.filter);
    const found = rows.filter((row) => (!filter || filter[2](row)) && (!state.typed || matches(textOf(row))));
    if (state.sort < 0) return found;
    const column = columns[state.sort];
    const compare = (a, b) => {
      const [one, two] = [value(column, a), value(column, b)];
      return typeof one === "number" ? one - two : String(one).localeCompare(String(two), "en", { numeric: true });
    };
    return found.sort((a, b) => (state.down ? compare(b, a) : compare(a, b)));
  }

  function redraw(change) {
    Object.assign(state, change);
    draw();
    tell(count.textContent);
  }

  function rowOf(row) {
    const cells = columns.map((column, i) => {
      const cell = column.cell ? column.cell(row) : value(column, row);
      const shown = column.num && typeof cell === "number" ? int(cell) : cell;
      const head = i === (options.head || 0);
      const kind = { class: column.num ? "num" : column.wide ? "wide" : null };
      if (!short) return head ? h("th", { scope: "row", ...kind }, shown) : h("td", kind, shown);
      // rows that are no rows to look at are told to be rows
      if (head) return h("th", { scope: "row", role: "rowheader", ...kind }, shown);
      const nothing = shown === "-" || shown === "" || shown === 0 || column.scale;
      const told = { role: "cell", "data-head": column.label, "data-nothing": Boolean(nothing), ...kind };
      const rest = column.rest && !nothing;
      return h("td", { ...told, "data-rest": rest }, column.wide && !nothing ? brief(shown) : shown);
    });
    const marked = options.mark && options.mark(row) ? "marked" : null;
    return linked(h("tr", { class: marked, role: short ? "row" : null }, cells));
  }

  function countText(found, to) {
    const some = found.length !== rows.length;
    if (found.length > size) {
      return `${int(state.from + 1)} to ${int(to)} of ${int(found.length)}${some ? `, ${int(rows.length)} in all` : ""}`;
    }
    return `${int(found.length)}${some ? ` of ${int(rows.length)}` : ""} ${rows.length === 1 ? options.unit || "row" : units}`;
  }

  function draw() {
    const found = chosen();
    const from = state.whole ? 0 : state.from;
    const to = state.whole ? found.length : Math.min(found.length, from + size);
    clear(body, found.slice(from, to).map(rowOf));
    if (!found.length) {
      body.append(h("tr", {}, h("td", { colspan: columns.length, class: "dim" }, options.empty || "nothing matches")));
    }
    count.textContent = countText(found, to);
    const turn = (text, by, off) =>
      h("button", { type: "button", disabled: off, onclick: () => redraw({ from: state.from + by }) }, text);
    pager.hidden = found.length <= size;
    clear(pager, pager.hidden ? [] : [turn("Previous", -size, !state.from), turn("Next", size, to >= found.length)]);
    if (short && body.isConnected) fitBriefs(body);
  }

  const tools = h("div", { class: "tools" });
  if (rows.length > 8 || options.searchable) {
    tools.append(search(`Search ${units}`, (typed) => redraw({ typed, from: 0 })));
  }
  if ((options.filters || []).length > 1) {
    const every = [["", `all ${int(rows.length)}`], ...options.filters.map(([key, label]) => [key, label])];
    tools.append(tabs(`Which ${units}`, every, "", (filter) => redraw({ filter, from: 0 })));
  }
  const used = tools.childElementCount > 0;
  if (used) tools.append(count);
  draw();
  ON_PAPER.push((whole) => {
    if (rows.length <= size) return;
    state.whole = whole;
    draw();
  });
  const made = h(
    "div",
    { class: "scroll", role: "group", tabindex: "0", "aria-label": options.caption },
    h(
      "table",
      short ? { class: "in-lines", role: "table" } : {},
      h("caption", { class: "unseen" }, options.caption),
      h("thead", {}, h("tr", { role: short ? "row" : null }, heads)),
      body,
    ),
  );
  if (short) new ResizeObserver(() => fitBriefs(body)).observe(made);
  return h("div", { class: "table" }, used ? tools : null, made, pager);
}

/** From where to where the bars of a column go. */
const barScale = (end, parts) =>
  h("span", { class: parts ? "bar-scale of-parts" : "bar-scale" }, h("span", {}, "0"), h("span", {}, end));

/** Filters of a table by a word of its rows, each with its number; in the order of ``order``, then of the rows. */
function filtersBy(rows, wordOf, order = []) {
  const counts = new Map(order.map((word) => [word, 0]));
  for (const row of rows) counts.set(wordOf(row), (counts.get(wordOf(row)) || 0) + 1);
  return [...counts]
    .filter(([, number]) => number)
    .map(([word, number]) => [word, `${RESULTS[word] || word} ${int(number)}`, (row) => wordOf(row) === word]);
}

/** A column only where some row has something to say in it. */
const columnIf = (rows, has, column) => (rows.some(has) ? [column] : []);

/** Columns of owners, pods and nodes by name. */
const ownerColumn = () => ({
  label: "owner",
  value: (row) => row.owner || "",
  cell: (row) => (row.owner ? plainName(row.owner) : "-"),
});
const podColumn = (label, of) => ({
  label,
  value: (row) => of(row) || "-",
  cell: (row) => (of(row) ? podName(of(row)) : "-"),
});
const nodeColumn = (label, of) => ({
  label,
  value: (row) => of(row) || "-",
  cell: (row) => (of(row) ? nodeName(of(row)) : "-"),
});
