// Parts of documents that the page knows nothing special about, laid out by their shape.

/** A kind of a later time: every field by its shape, the plan and the nodes behind. */
const UNKNOWN = {
  fields: ["plan"],
  stories: () => (PLAN ? planStories(PLAN) : null),
  sections: (rest) => [whatIfPart(), ...rest, ...(PLAN ? planParts(PLAN) : []), packingPart(), nodesPart()],
};

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isPlain = (value) => value === null || typeof value !== "object";
const isEmpty = (value) =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && !value.length) ||
  (isObject(value) && !Object.keys(value).length);
const isResource = (name) => name !== "pods" && (RESOURCES.includes(name) || BYTES.test(name));

/** A name of a field becomes words; a name of an object or a label stays as it is. */
const labelOf = (name) => (!isResource(name) && /^[a-z][A-Za-z]*$/.test(name) ? words(name) : name);

const flat = (value) =>
  value === undefined || value === null ? "" : isPlain(value) ? String(value) : JSON.stringify(value);

/** Sections of fields that no section shows. */
const shapedParts = (known) =>
  Object.entries(DOC)
    .filter(([name, value]) => !known.has(name) && !isEmpty(value))
    .map(([name, value]) => part(`part-${name}`, labelOf(name), shaped(value, labelOf(name))));

/** Write a plain value; names of nodes and pods that have a story are links. */
function shapedPlain(value) {
  if (typeof value === "number")
    return Number.isInteger(value) ? int(value) : Number(value.toFixed(3)).toLocaleString("en");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null || value === "") return "-";
  return NODES.has(value) ? nodeName(value) : STORIES.has(value) ? podName(value) : String(value);
}

/** Lay out any value. */
function shaped(value, title) {
  if (isPlain(value)) return h("p", {}, shapedPlain(value));
  if (Array.isArray(value)) {
    if (!value.every(isPlain)) return shapedTable(value.filter(isObject), title);
    return value.some((one) => String(one).includes(" "))
      ? lines(value.map(shapedPlain))
      : h("p", {}, names(value.map(String), 12, shapedPlain));
  }
  const entries = Object.entries(value).filter(([, one]) => !isEmpty(one));
  const nested = entries.filter(([, one]) => !isPlain(one));
  return [
    pairs(entries.filter(([, one]) => isPlain(one)).map(([name, one]) => [labelOf(name), shapedCell(name, one)])),
    nested.map(([name, one]) => [h("h3", {}, labelOf(name)), shaped(one, labelOf(name))]),
  ];
}

function shapedTable(rows, title) {
  const keys = [...new Set(rows.flatMap(Object.keys))];
  const column = (key) => ({
    label: labelOf(key),
    num: rows.every((row) => row[key] === undefined || row[key] === null || typeof row[key] === "number"),
    wide: rows.some((row) => flat(row[key]).length > 24),
    value: (row) => (typeof row[key] === "number" ? row[key] : flat(row[key])),
    cell: (row) => shapedCell(key, row[key]),
  });
  return table(keys.map(column), rows, { caption: title });
}

function shapedCell(name, value) {
  if (value === undefined || isEmpty(value)) return "-";
  if (typeof value === "number" && isResource(name)) return amount(name, value);
  if (isPlain(value)) return shapedPlain(value);
  if (Array.isArray(value) && value.every(isPlain)) return names(value.map(String), 4, shapedPlain);
  return fold(
    Array.isArray(value) ? plural(value.length, "entry", "entries") : plural(Object.keys(value).length, "field"),
    shaped(value, labelOf(name)),
  );
}
