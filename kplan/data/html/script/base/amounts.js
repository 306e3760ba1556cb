// Amounts as people read them; the exact number stays in the title where one is rounded.

const BYTES = /^(memory|ephemeral-storage|storage|hugepages-.*)$/;

/** Number with thousands set apart. */
const int = (number) => Number(number).toLocaleString("en");

const plural = (number, word, many = `${word}s`) => `${int(number)} ${Number(number) === 1 ? word : many}`;

/** Whether a resource is one of those drawn as percent of bytes. */
const inBytes = (resource) => BYTES.test(resource);

/** Millicores from which whole cores are precise enough. */
const MANY_CORES = 1_000_000;
/** Millicores from which on cores are read more easily: 3.92 of 900, not 3920m of 900000m. */
const MANY_MILLICORES = 10_000;

/** Millicores as cores, exact. */
const cores = (milli) => (milli / 1000).toLocaleString("en", { maximumFractionDigits: 3 });

/** Units of bytes, the largest first. */
const UNITS = [
  ["Ti", 40],
  ["Gi", 30],
  ["Mi", 20],
  ["Ki", 10],
].map(([suffix, power]) => [suffix, 2 ** power]);

/** Make the function that writes amounts which stand together, in one unit: cores where none has a fraction, or one is large. */
function writer(resource, numbers) {
  const sizes = numbers.map(Math.abs).filter(Boolean);
  const most = Math.max(0, ...sizes);
  const fitting = UNITS.filter(([, unit]) => most >= unit);
  if (inBytes(resource) && fitting.length) {
    const least = Math.min(...sizes);
    const [suffix, unit] = fitting.find(([, one]) => least * 10 >= one) || fitting[fitting.length - 1];
    return (number) => (number ? `${Number((number / unit).toFixed(2)).toLocaleString("en")}${suffix}` : "0");
  }
  if (resource !== "cpu") return (number) => amount(resource, number);
  if (most >= MANY_CORES) return (number) => int(Math.round(number / 1000));
  if (most >= MANY_MILLICORES) return cores;
  return numbers.some((number) => number % 1000) ? (number) => `${number}m` : (number) => amount(resource, number);
}

/** Write an amount: cpu in cores or millicores, bytes in the largest unit, others as they are. */
function amount(resource, number) {
  if (resource === "cpu") return number % 1000 && Math.abs(number) < MANY_MILLICORES ? `${number}m` : cores(number);
  if (!inBytes(resource)) return int(number);
  for (const [suffix, unit] of UNITS) {
    if (Math.abs(number) >= unit) return `${Number((number / unit).toFixed(2)).toLocaleString("en")}${suffix}`;
  }
  return int(number);
}

/** Part requested, 0 for a resource that a node does not have. */
function shareOf(requested, allocatable) {
  if (allocatable > 0) return requested / allocatable;
  return requested > 0 ? 1 : 0;
}

/** As text has it: rounded down, so that nothing is full before it is; 0.29 * 100 is a little less than 29. */
const percent = (share) => `${Math.floor(share * 100 + 1e-9)}%`;

/** Words for a camelCase name of the document. */
function words(name) {
  const text = name.replace(/([a-z0-9])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Several amounts in one line, as ``500m cpu, 1Gi memory``. */
const amounts = (all) =>
  Object.entries(all)
    .map(([name, number]) => `${amount(name, number)} ${name}`)
    .join(", ");

/** A time of day out of RFC 3339, for what happened within one run. */
const clock = (time) => (time || "").slice(11, 19);
