// Nodes as boxes of pods, before and after: each box as wide as what its pod takes of the node.

const BOX_WORDS = { leaves: "leaves", lands: "lands", wanted: "wanted" };

/** Two rows of boxes for each node that takes part. */
function boxesPart(nodes) {
  if (!nodes || !nodes.length) return null;
  const pods = nodes.flatMap((node) => [...(node.before || []), ...(node.after || [])]);
  // all nodes are measured by one resource
  const write = writer(nodes[0].resource, [...pods.map((pod) => pod.amount), ...nodes.map((node) => node.allocatable)]);
  return part("boxes", "Nodes before and after", boxesKey(), nodes.map((node) => boxedNode(node, write)));
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

function boxedNode(node, write) {
  const total = `${write(node.allocatable)} ${node.resource}`;
  return h(
    "div",
    { class: "boxed" },
    h("h3", {}, nodeName(node.node), " ", dim(total)),
    boxRow(node, write, "before", node.before || []),
    boxRow(node, write, "after", node.after || []),
  );
}

function boxRow(node, write, side, pods) {
  const free = node.allocatable - pods.reduce((sum, pod) => sum + pod.amount, 0);
  const told = pods.map((pod) => boxTitle(write, pod));
  const label = `${node.node} ${side}: ${[...told, `${write(free)} free`].join("; ")}`;
  const boxes = pods
    .filter((pod) => pod.amount)
    .map((pod) =>
      h(
        "span",
        {
          class: `box ${pod.change || "stays"}`,
          title: boxTitle(write, pod),
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
    h("span", { class: "val" }, `${write(free)} free`),
  );
}

const boxTitle = (write, pod) =>
  `${pod.pod} ${write(pod.amount)}${pod.change ? ` ${BOX_WORDS[pod.change]}` : ""}`;
