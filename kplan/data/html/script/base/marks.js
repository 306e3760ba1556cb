// What colour says is also said by a sign and a word.

/** Tone, sign and word of how something ended. */
const ENDS = {
  good: { tone: "good", mark: "\u2713" },
  warn: { tone: "warn", mark: "~" },
  bad: { tone: "bad", mark: "\u00d7" },
  none: { tone: "none", mark: "\u00b7" },
  held: { tone: "none", mark: "\u2016" },
};
const TONE_OF = new Map(Object.entries(TONES)); // TONES is put in front of the script

/** How a word of a document is shown: a verdict, a result, a status, a fate. */
const endOf = (word) => ENDS[TONE_OF.get(String(word).toLowerCase()) || "none"];

function signOf({ tone, mark }) {
  return h("span", { class: `mark ${tone}`, "aria-hidden": "true" }, mark);
}

/** A text with the sign of its tone. */
const toned = (end, ...text) => h("span", { class: `toned ${end.tone}` }, signOf(end), text);

const RESULTS = {
  preempted: "placed after evictions",
  "held-back": "held back",
  "not-tried": "not tried",
  main: "no worse than before",
};

/** A word of the document, coloured by what it says. */
const ended = (word, text) => toned(endOf(word), text || RESULTS[word] || word);

const WORST_FIRST = ["bad", "warn", "held", "good"];

/** Rank of how something ended, 0 for the worst; a word that tells nothing of it stands behind all. */
function harmOf(word) {
  const rank = WORST_FIRST.indexOf(TONE_OF.get(String(word).toLowerCase()));
  return rank < 0 ? WORST_FIRST.length : rank;
}

/** Rows with what fails first, as in the text (kplan/render/tones.py); rows that end alike stay in their order. */
const worstFirst = (rows, wordOf) => [...rows].sort((a, b) => harmOf(wordOf(a)) - harmOf(wordOf(b)));

/** A mark beside the one of several rows that is taken. */
const taken = (is, tone = "good") => (is ? h("span", { class: `mark ${tone}` }, "\u2713", unseen("chosen")) : null);

/** A bar of fullness with its number beside it; over 100% is said and striped. */
function bar(share, text, about = "") {
  const to = percent(Math.min(1, Math.max(0, share)));
  return h(
    "span",
    { class: "meter" },
    h("span", { class: `bar${share > 1 ? " over" : ""}`, vars: { "--f": to }, title: about || null }),
    h("span", { class: "val" }, text === undefined ? percent(share) : text),
  );
}

/** Parts of a whole as one bar: [number, tone, word] each; the numbers are in the label. */
function split(parts, of = 0) {
  const whole = of || parts.reduce((sum, [number]) => sum + number, 0) || 1;
  const told = parts.filter(([number]) => number);
  return h(
    "span",
    { class: "split", role: "img", "aria-label": told.map(([number, , word]) => `${int(number)} ${word}`).join(", ") || "none" },
    told.map(([number, tone]) => h("span", { class: `share ${tone}`, vars: { "--f": `${(number / whole) * 100}%` } })),
  );
}
