// A rollout: step by step what is made, what leaves then, and how many pods serve.

function rolloutContent(rollout) {
  const replaces = Boolean(rollout.strategy);
  const numbers = new Map(rollout.steps.map((step, i) => [step, i + (rollout.steps[0].pod ? 1 : 0)]));
  const leaves = (step) => (step.leaves || []).map((one) => (one.node ? `${one.pod} on ${one.node}` : one.pod));
  const where = (step) => (step.node ? nodeName(step.node) : step.result ? ended(step.result) : "-");
  const columns = [
    { label: "#", num: true, value: (step) => numbers.get(step) },
    podColumn(replaces ? "new pod" : "pod", (step) => step.pod),
    { label: "node", value: (step) => step.node || step.result || "-", cell: where },
    ...(replaces
      ? [
          {
            label: "then leaves",
            wide: true,
            value: (step) => leaves(step).join(", "),
            cell: (step) => (leaves(step).length ? names(leaves(step), 2, (text) => text) : "-"),
          },
        ]
      : []),
    {
      label: "ready",
      num: true,
      value: (step) => step.ready || 0,
      cell: (step) => `${int(step.ready || 0)} of ${int(rollout.replicas || 0)}`,
    },
  ];
  const options = { caption: `Rollout of ${rollout.workload}`, page: 20, head: 1, unit: "step", units: "steps" };
  return [
    h("h3", {}, plainName(rollout.workload)),
    h("p", { class: "fate" }, rolloutFate(rollout)),
    replaces ? h("p", { class: "dim" }, rolloutLimits(rollout)) : null,
    table(columns, rollout.steps, options),
  ];
}

function rolloutFate(rollout) {
  const [done, wanted] = [int(rollout.done || 0), int(rollout.wanted || 0)];
  if (rollout.stalled) return ended("pending", `stalls at ${done} of ${wanted}: ${rollout.stalled}`);
  return ended("placed", `${done} of ${wanted} new pods are ready in the end`);
}

function rolloutLimits(rollout) {
  const limits = `${rollout.strategy}, maxSurge ${int(rollout.maxSurge || 0)}, maxUnavailable ${int(rollout.maxUnavailable || 0)}`;
  return `${limits}; at least ${plural(rollout.serving || 0, "pod")} ready, at most ${int(rollout.peak || 0)} there at one time`;
}
