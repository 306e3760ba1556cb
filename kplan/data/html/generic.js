// Parts of documents that the page knows nothing special about, laid out by their shape.

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isPlain = (value) => value === null || typeof value !== "object";

/** Write a plain value; names of nodes and pods that have a story are links. */
function plainValue(value) {
  if (typeof value === "number") return Number.isInteger(value) ? int(value) : Number(value.toFixed(3)).toLocaleString("en");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null || value === "") return "-";
  return NODES.has(value) ? nodeName(value) : STORIES.has(value) ? podName(value) : String(value);
}

/** Lay out any value. */
function genericValue(value, title) {
  if (isPlain(value)) return h("p", {}, plainValue(value));
  if (Array.isArray(value)) {
    if (value.every(isPlain)) return value.some((one) => String(one).includes(" ")) ? h("ul", {}, value.map((one) => h("li", {}, plainValue(one)))) : h("p", {}, names(value.map(String), 12, plainValue));
    return genericTable(value.filter(isObject), title);
  }
  const entries = Object.entries(value).filter(([, one]) => !isEmpty(one));
  const nested = entries.filter(([, one]) => !isPlain(one));
  if (nested.length && nested.length === entries.length && nested.every(([, one]) => isObject(one) && Object.values(one).every(isPlain))) {
    return genericTable(nested.map(([name, one]) => ({ name, ...one })), title);
  }
  return [
    pairs(entries.filter(([, one]) => isPlain(one)).map(([name, one]) => [label(name), cellValue(name, one, value)])),
    nested.map(([name, one]) => [h("h3", {}, label(name)), genericValue(one, label(name))]),
  ];
}

const isEmpty = (value) => value === null || value === "" || (Array.isArray(value) && !value.length) || (isObject(value) && !Object.keys(value).length);

/** A name of a field becomes words; a name of an object or a label stays as it is. */
const label = (name) => (!isResource(name) && /^[a-z][A-Za-z]*$/.test(name) ? words(name) : name);

const isResource = (name) => name !== "pods" && (RESOURCES.includes(name) || BYTES.test(name));
const PROSE = 90;

function genericTable(rows, title) {
  const keys = [...new Set(rows.flatMap(Object.keys))];
  const simple = (value) => value === undefined || isPlain(value) || (Array.isArray(value) && value.every(isPlain)) || (isObject(value) && Object.values(value).every(isPlain));
  // of several columns of prose the first is shown, the others stand in the details of their row
  const prose = keys.filter((key) => rows.some((row) => flat(row[key]).length > PROSE));
  const short = keys.filter((key) => rows.every((row) => simple(row[key])) && !prose.slice(1).includes(key));
  const long = keys.filter((key) => !short.includes(key));
  const columns = short.map((key) => ({
    label: label(key),
    prose: key === prose[0],
    num: rows.some((row) => typeof row[key] === "number") && rows.every((row) => row[key] === undefined || row[key] === null || typeof row[key] === "number"),
    wide: rows.some((row) => flat(row[key]).length > 24),
    value: (row) => (typeof row[key] === "number" ? row[key] : flat(row[key])),
    cell: (row) => cellValue(key, row[key] === undefined ? leftOut(rows, key) : row[key], row),
  }));
  if (long.length) {
    columns.push({
      label: "more",
      fixed: true,
      value: (row) => long.map((key) => flat(row[key])).join(" "),
      cell: (row) => {
        const there = long.filter((key) => !isEmpty(row[key]) && row[key] !== undefined);
        if (!there.length) return "-";
        const box = h("details", {}, h("summary", {}, there.map(label).join(", ")));
        box.addEventListener("toggle", () => box.childElementCount < 2 && add(box, [there.map((key) => [h("h4", {}, label(key)), genericValue(row[key], label(key))])]), { once: true });
        return box;
      },
    });
  }
  return table(columns, rows, { caption: title, unit: "row" });
}

/** A document leaves defaults out: where only yes is written, what is left out means no, and the other way round. */
function leftOut(rows, key) {
  const written = new Set(rows.map((row) => row[key]).filter((value) => value !== undefined));
  const [only] = written;
  return written.size === 1 && typeof only === "boolean" ? !only : undefined;
}

const flat = (value) => (value === undefined || value === null ? "" : isPlain(value) ? String(value) : JSON.stringify(value));

/** Words that say how something ended, by tone. */
const ENDS = {
  placed: ["ok", "fits", "placed", "passes", "ready", "bound", "survives", "lands", "takes"],
  preempted: ["main", "preempts", "preempted", "partly", "loses", "ties", "gated"],
  pending: ["fail", "fails", "failed", "pending", "blocked", "refused", "refuses", "lost"],
};

function endOf(key, value) {
  if (!["status", "verdict", "result"].includes(key) || typeof value !== "string") return null;
  const found = Object.keys(ENDS).find((end) => ENDS[end].includes(value.toLowerCase()));
  return found ? toned(RESULTS[found], value) : null;
}

function cellValue(key, value, row) {
  if (value === undefined || isEmpty(value)) return "-";
  const end = endOf(key, value);
  if (end) return end;
  if (Array.isArray(value)) return names(value.map(String), 4, plainValue);
  if (isObject(value)) return Object.entries(value).map(([name, one]) => `${name} ${typeof one === "number" && isResource(name) ? amount(name, one) : plainText(one)}`).join(", ");
  if (typeof value === "number" && isResource(key)) return amount(key, value);
  const resource = row.resource || row.name;
  if (typeof value === "number" && RESOURCES.includes(resource) && inBytes(resource) && Math.abs(value) > 1024) return amount(resource, value);
  return plainValue(value);
}

const plainText = (value) => (typeof value === "number" ? int(value) : value === true ? "yes" : value === false ? "no" : String(value));

/** Sections of a document of a kind that has no layout of its own. */
function genericSections(known) {
  for (const [name, value] of Object.entries(DOC)) {
    if (known.has(name) || isEmpty(value)) continue;
    section(`part-${name}`, label(name), genericValue(value, label(name)));
  }
}
