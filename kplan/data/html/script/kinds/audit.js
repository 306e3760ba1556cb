// explain --audit: recorded messages held against kplan's, those that differ first.

kind("AuditReport", {
  fields: ["audited", "equal", "unrecorded", "reasons", "pods"],
  sections: () => [
    part("reasons", "Why they differ", reasonsTable(DOC.reasons)),
    part("pods", "Pods", auditTable(DOC.pods || [])),
  ],
});

function reasonsTable(reasons) {
  const rows = Object.entries(reasons || {}).map(([code, pods]) => ({ code, pods }));
  if (!rows.length) return null;
  const columns = [
    { label: "why", wide: true, value: (row) => row.code },
    { label: "pods", num: true, value: (row) => row.pods, cell: (row) => int(row.pods) },
  ];
  return table(columns, rows, { caption: "Why recorded messages differ", unit: "reason", units: "reasons" });
}

function auditTable(pods) {
  if (!pods.length) return null;
  const told = (pod) => [pod.because ? pod.because.text : "", ...(pod.differences || [])].filter(Boolean).join("; ");
  const columns = [
    podColumn("pod", (pod) => pod.pod),
    { label: "recorded", value: (pod) => (pod.equal ? "equal" : "differs") },
    { label: "what differs", wide: true, value: told },
    { label: "recorded text", wide: true, value: (pod) => pod.recorded },
    { label: "kplan's text", wide: true, value: (pod) => pod.text || "it fits" },
  ];
  return table(columns, pods, { caption: "Recorded messages", page: 50, unit: "pod", units: "pods" });
}
