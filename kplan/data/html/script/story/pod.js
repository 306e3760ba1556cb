// A pod that has no story of its own: where it is and what it counts there, and each row of the document about it.

const MENTIONED = 12;

function podStory(name) {
  const places = NODE_LIST.filter((node) => node.pods.some((pod) => pod[0] === name));
  const rows = [];
  const texts = [];
  everyPart((part, field) => {
    if (podsIn(part).includes(name)) rows.push([field, part]);
    else texts.push(...textsIn(part).filter((text) => text.split(/[\s,;:()]+/).includes(name)));
  });
  return [
    places.map((node) => placedHere(node, readPod(node.pods.find((pod) => pod[0] === name)))),
    rows.slice(0, MENTIONED).map(([field, part]) => chapter(labelOf(field || "pod"), shaped(told(part), field))),
    rows.length ? null : lines(texts.slice(0, MENTIONED)),
    rows.length > MENTIONED ? h("p", { class: "note" }, `${plural(rows.length - MENTIONED, "further row")}.`) : null,
  ];
}

/** A row without its lists, which are told where it stands. */
const told = (part) => Object.fromEntries(Object.entries(part).filter(([, value]) => !Array.isArray(value) || value.every(isPlain)));

function placedHere(node, pod) {
  const amountsHere = RESOURCES.map((resource, i) => [resource, pod.amounts[i]]).filter(([name, one]) => one && name !== "pods");
  return pairs([
    [pod.change || "runs on", nodeName(node.name)],
    ["zone", node.zone],
    ...amountsHere.map(([resource, one]) => [resource, amount(resource, one)]),
    ["priority", pod.priority ? int(pod.priority) : ""],
  ]);
}
