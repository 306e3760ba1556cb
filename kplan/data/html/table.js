// Tables that can be searched, sorted and paged: ten thousand rows are a hundred elements at a time.

/**
 * Columns: {key, label, value(row) for sorting and searching, cell(row) to show, num, wide}.
 * Options: caption, page, searchable, filters ([key, label, test]), empty.
 */
function table(columns, rows, options = {}) {
  const size = options.page || 50;
  const state = { typed: "", sort: -1, down: false, from: 0, filter: "" };
  const body = h("tbody");
  const pager = h("nav", { class: "pager", "aria-label": `Pages of ${options.caption}` });
  const counted = h("span", { class: "dim count" });
  const texts = new Map();
  const value = (column, row) => (column.value ? column.value(row) : row[column.key]);
  const textOf = (row) => {
    if (!texts.has(row)) {
      const parts = columns.map((column) => value(column, row)).concat(options.more ? options.more(row) : []);
      texts.set(row, parts.join("\n").toLowerCase());
    }
    return texts.get(row);
  };

  const heads = columns.map((column, i) => {
    const sort = h("button", { type: "button", onclick: () => sortBy(i) }, column.label);
    const plain = !column.label || rows.length < 2 || column.fixed;
    return h("th", { scope: "col", class: column.num ? "num" : null }, plain ? column.label : sort);
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
    found.sort((a, b) => (state.down ? compare(b, a) : compare(a, b)));
    return found;
  }

  function turn(by) {
    state.from += by;
    draw();
    tell(counted.textContent);
  }

  function draw() {
    const found = chosen();
    const to = Math.min(found.length, state.from + size);
    clear(
      body,
      found.slice(state.from, to).map((row) =>
        h(
          "tr",
          { class: options.mark && options.mark(row) ? "marked" : null },
          columns.map((column, i) => {
            const cell = column.cell ? column.cell(row) : value(column, row);
            const shown = column.num && typeof cell === "number" ? int(cell) : cell;
            const kind = { class: column.num ? "num" : column.prose ? "prose" : column.wide ? "wide" : null };
            return i === (options.head || 0) ? h("th", { scope: "row", ...kind }, shown) : h("td", kind, shown);
          }),
        ),
      ),
    );
    if (!found.length) {
      const nothing = h("td", { colspan: columns.length, class: "dim" }, options.empty || "nothing matches");
      body.append(h("tr", {}, nothing));
    }
    const all = found.length === rows.length ? "" : ` of ${int(rows.length)}`;
    counted.textContent = `${int(found.length)}${all} ${rows.length === 1 ? options.unit || "row" : options.units || "rows"}`;
    if (found.length > size) {
      counted.textContent = `${int(state.from + 1)} to ${int(to)} of ${int(found.length)}${all && `, ${int(rows.length)} in all`}`;
    }
    const button = (text, by, off) =>
      h("button", { type: "button", disabled: off, onclick: () => turn(by) }, text);
    clear(
      pager,
      found.length > size && [
        button("Previous", -size, state.from === 0),
        button("Next", size, to >= found.length),
      ],
    );
    pager.hidden = found.length <= size;
  }

  const bar = h("div", { class: "tools" });
  if (rows.length > 8 || options.searchable) {
    bar.append(
      search(`Search ${options.units || "rows"}`, (typed) => {
        Object.assign(state, { typed, from: 0 });
        draw();
        tell(counted.textContent);
      }),
    );
  }
  if ((options.filters || []).length > 1) {
    const every = [["", `all ${int(rows.length)}`], ...options.filters.map(([key, label]) => [key, label])];
    bar.append(tabs(`Which ${options.units || "rows"}`, every, "", (key) => {
      Object.assign(state, { filter: key, from: 0 });
      draw();
      tell(counted.textContent);
    }));
  }
  if (bar.childElementCount) bar.append(counted);
  draw();
  const made = h(
    "div",
    { class: "scroll", role: "group", tabindex: "0", "aria-label": options.caption },
    h("table", { class: columns.length <= 5 && !columns.some((column) => column.cell === undefined && column.wide) ? "narrow" : null }, h("caption", { class: "unseen" }, options.caption), h("thead", {}, h("tr", {}, heads)), body),
  );
  return h("div", { class: "table" }, bar.childElementCount ? bar : null, made, pager);
}

/** Labels and texts beside each other. */
function pairs(items) {
  const shown = items.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", { class: "pairs" }, shown.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, value))));
}

/** A bar of fullness with its number beside it; over 100% is said and striped. */
function bar(share, text, about = "") {
  const over = share > 1;
  return h(
    "span",
    { class: "meter" },
    h("span", { class: `bar${over ? " over" : ""}`, vars: { "--f": percent(Math.min(1, Math.max(0, share))) }, title: about || null }),
    h("span", { class: "val" }, text === undefined ? percent(share) : text),
  );
}
