// Puts the page together.

const HEAD = ["apiVersion", "kind", "verdict", "sentence", "because", "try", "careful", "doubts", "notes", "from", "timings", "whatIf"];
/** What comes before the nodes, of which there may be thousands. */
const FIRST = ["why", "fixes"];
const OF_PLAN = ["totals", "steps", "change", "causes", "owners", "rollouts", "quotas"];

function build() {
  if (DOC.kind === "PodExplanation") {
    whatIfSection();
    const parts = answerParts(DOC);
    const put = (some) => some.forEach(({ id, title, content }) => section(id, title, content));
    put(parts.filter(({ id }) => FIRST.includes(id)));
    nodesSection();
    put(parts.filter(({ id }) => !FIRST.includes(id)));
    genericSections(new Set([...HEAD, "pod", "feasible", "nodes", "node", "runsOn", "owner", "groups", "fixes", "noHelp", "nearest", "domains", "terms", "volumes", "attachments", "kept", "preempt", "scores", "event"]));
  } else if (DOC.kind === "PodExplanations") {
    whatIfSection();
    answersSections();
    nodesSection();
    genericSections(new Set([...HEAD, "folds", "answers"]));
  } else if (DOC.kind === "SimulationPlan") {
    whatIfSection();
    planSections(DOC);
    packingSection();
    nodesSection();
    genericSections(new Set([...HEAD, ...OF_PLAN]));
  } else {
    whatIfSection();
    genericSections(new Set([...HEAD, ...(PLAN === DOC.plan ? ["plan"] : []), ...(DOC.kind === "NodeList" && NODE_LIST.length ? ["nodes"] : [])]));
    if (PLAN) planSections(PLAN);
    packingSection();
    nodesSection();
  }
}

/** Light or dark: as the system says until the button is used. */
function theme() {
  const button = $("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
  button.hidden = false;
}

theme();
build();
addEventListener("hashchange", route);
document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href^='#']");
  if (anchor && !event.target.closest("#story")) opener = anchor;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !$("story").hidden && event.target.type !== "search") shut(true);
});
route();
document.documentElement.dataset.ready = "true";
