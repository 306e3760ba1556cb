// Nodes as boxes of pods, before and after: each box as wide as what its pod takes of the node.

const BOX_WORDS = { leaves: "leaves", lands: "lands", wanted: "wanted" };

/** Two rows of boxes for each node that takes part. */
function boxesPart(nodes) {
  if (!nodes || !nodes.length) return null;
  return part("boxes", "Nodes before and after", boxesKey(), nodes.map(boxedNode));
}

const boxesKey = () =>
  h(
    "p",
    { class: "key" },
    Object.entries(BOX_WORDS).map(([change, word]) => [boxMark(change), ` ${word} `]),
    dim("a box is as wide as what its pod takes of the node"),
  );

const boxMark = (change) =>
  h("span", { class: `box mark ${change}`, "aria-hidden": "true" }, { leaves: "\u2212", lands: "+", wanted: "*" }[change]);

function boxedNode(node) {
  const total = `${amount(node.resource, node.allocatable)} ${node.resource}`;
  return h(
    "div",
    { class: "boxed" },
    h("h3", {}, nodeName(node.node), " ", dim(total)),
    boxRow(node, "before", node.before || []),
    boxRow(node, "after", node.after || []),
  );
}

function boxRow(node, side, pods) {
  const free = node.allocatable - pods.reduce((sum, pod) => sum + pod.amount, 0);
  const told = pods.map((pod) => boxTitle(node, pod));
  const label = `${node.node} ${side}: ${[...told, `${amount(node.resource, free)} free`].join("; ")}`;
  const boxes = pods
    .filter((pod) => pod.amount)
    .map((pod) =>
      h(
        "span",
        {
          class: `box ${pod.change || "stays"}`,
          title: boxTitle(node, pod),
          vars: { "--w": shareOf(pod.amount, node.allocatable) * 100 },
        },
        pod.pod.split("/").pop(),
      ),
    );
  return h(
    "div",
    { class: "box-row" },
    h("span", { class: "dim" }, side),
    h("span", { class: "boxes", role: "img", "aria-label": label }, boxes),
    h("span", { class: "val" }, `${amount(node.resource, free)} free`),
  );
}

const boxTitle = (node, pod) =>
  `${pod.pod} ${amount(node.resource, pod.amount)}${pod.change ? ` ${BOX_WORDS[pod.change]}` : ""}`;
