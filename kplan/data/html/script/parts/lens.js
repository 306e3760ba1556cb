// What the map is coloured by: of many pods, where each goes, or what every node says to one of them.

/** The choice above the map, where many pods are explained; nothing elsewhere. */
function lensTools() {
  if (!DOC.answers || !DOC.answers.length) return null;
  const options = [["", "where pods go"], ...lensCauses()];
  const chosen = LENS.answer ? LENS.answer.pod : "";
  if (chosen && !options.some(([key]) => key === chosen)) options.push([chosen, `pod ${chosen}`]);
  const pick = (pod) => {
    GRID.look(pod ? answerOf(pod) : null);
    document.querySelector("#nodes .lens select").focus();
    tell(pod ? `The map shows what nodes say to ${pod}` : "The map shows where pods go");
  };
  return h(
    "div",
    { class: "tools" },
    choice("Coloured by", options, chosen, pick),
    LENS.answer
      ? lensText(LENS.answer)
      : dim("Choose a cause here, or a pod in the list above, to see what each node says to it."),
    leftOutNote(),
  );
}

/** Causes that are offered; pods of others are chosen in their list. */
const OFFERED = 40;

/** Causes by the first of their pods: what nodes say to that one. */
function lensCauses() {
  const cut = (text) => (text.length > 60 ? `${text.slice(0, 59)}\u2026` : text);
  return DOC.folds
    .filter((fold) => fold.verdict !== "GATED" && answerOf(fold.pods[0]))
    .slice(0, OFFERED)
    .map((fold) => [fold.pods[0], `${plural(fold.count, "pod")} ${fold.verdict}: ${cut(fold.because.text)}`]);
}

function lensText(answer) {
  const told = refusalsOf(answer)
    ? [`${plural(answer.feasible, "node")} of ${int(answer.nodes)} ${answer.feasible === 1 ? "fits" : "fit"}`]
    : ["only what its nearest nodes say is kept here: it stands in the story of the pod"];
  return h("span", {}, "what nodes say to ", podName(answer.pod), ": ", told);
}

/** What the page does not hold is said. */
function leftOutNote() {
  const left = DATA.verdicts ? DATA.verdicts.leftOut : 0;
  return left
    ? dim(`Of ${plural(left, "pod")} only the nearest nodes are kept here: too many. Each is told whole by itself.`)
    : null;
}

const ANSWERS = new Map((DOC.answers || []).map((answer) => [answer.pod, answer]));
const answerOf = (pod) => ANSWERS.get(pod) || null;
