// simulate: what landed, where each pod went, and how the nodes are packed before and after.

kind("SimulationPlan", {
  fields: PLAN_FIELDS,
  stories: () => planStories(DOC),
  sections: () => [whatIfPart(), ...planParts(DOC), packingPart(), nodesPart()],
});
