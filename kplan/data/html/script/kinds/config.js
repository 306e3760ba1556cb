// config: what a scheduler runs, what of it is not the default, and what an older configuration has become.

kind("ConfigReport", {
  fields: ["form", "profiles", "extenders", "featureGates"],
  sections: () => [
    part("differs", "Differs from the defaults", differencesTable(DOC.profiles)),
    ...DOC.profiles.map((profile, i) =>
      part(
        `profile-${i}`,
        `Profile ${profile.schedulerName}`,
        pairs([
          ["read from", i ? "" : DOC.form],
          ["scores", sharePhrase(profile.percentageOfNodesToScore)],
        ]),
        pointsTable(profile.points),
        argumentsTable(profile.arguments),
      ),
    ),
    part("extenders", "Extenders", extendersTable(DOC.extenders)),
    part("gates", "Feature gates", gatesTable(DOC.featureGates)),
  ],
});

kind("ConfigMigration", {
  fields: ["form", "source", "configuration", "leftOut", "differs"],
  sections: () => [
    part(
      "migrated",
      "Migrated",
      pairs([
        ["read from", DOC.form],
        ["of", DOC.source],
      ]),
    ),
    part("left-out", "No equal in v1", migratedTable(DOC.leftOut, "What has no equal in v1")),
    part("differs", "Not quite the same", migratedTable(DOC.differs, "What does not mean quite the same")),
    part(
      "configuration",
      "KubeSchedulerConfiguration",
      verbatim(JSON.stringify(DOC.configuration, null, 2), "The configuration of v1; JSON is YAML, too"),
    ),
  ],
});

const sharePhrase = (percent) => (percent ? `${int(percent)} % of the nodes` : "an adaptive share of the nodes");

const weightColumn = () => ({
  label: "weight",
  num: true,
  value: (row) => row.weight || 0,
  cell: (row) => (row.weight ? int(row.weight) : "-"),
});

/** An argument as it would stand in the file. */
const writtenValue = (value) => h("code", {}, JSON.stringify(value));

function differencesTable(profiles) {
  const rows = profiles.flatMap((profile) => profile.differences.map((one) => ({ of: profile.schedulerName, ...one })));
  if (!rows.length) return null;
  const columns = [
    ...(profiles.length > 1 ? [{ label: "profile", value: (row) => row.of, cell: (row) => plainName(row.of) }] : []),
    { label: "plugin", value: (row) => row.plugin || "", cell: (row) => (row.plugin ? plainName(row.plugin) : "-") },
    { label: "what", value: (row) => row.code },
    { label: "in words", wide: true, value: (row) => row.text },
  ];
  return table(columns, rows, { caption: "What differs from the defaults", unit: "difference", units: "differences" });
}

/** Extension points in running order, each with its plugins in theirs. */
function pointsTable(points) {
  const rows = points.flatMap((point) =>
    point.plugins.map((plugin, i) => ({ point: point.point, number: i + 1, ...plugin })),
  );
  const columns = [
    { label: "point", value: (row) => row.point },
    { label: "#", num: true, value: (row) => row.number },
    {
      label: "plugin",
      value: (row) => row.name,
      cell: (row) => [plainName(row.name), row.modelled === false ? dim(" not modelled") : ""],
    },
    weightColumn(),
    { label: "from", wide: true, value: (row) => row.origin },
  ];
  return table(columns, rows, { caption: "Plugins in running order", page: 100, unit: "plugin", units: "plugins" });
}

function argumentsTable(given) {
  if (!given.length) return null;
  const columns = [
    { label: "plugin", value: (row) => row.plugin, cell: (row) => plainName(row.plugin) },
    { label: "argument", value: (row) => row.name },
    { label: "value", wide: true, value: (row) => JSON.stringify(row.value), cell: (row) => writtenValue(row.value) },
    { label: "from", value: (row) => row.origin },
  ];
  return table(columns, given, { caption: "Arguments", page: 20, unit: "argument", units: "arguments" });
}

function extendersTable(extenders) {
  if (!extenders || !extenders.length) return null;
  const columns = [
    { label: "URL", value: (row) => row.url, cell: (row) => plainName(row.url) },
    { label: "asked to", value: (row) => row.verbs.join(", ") || "nothing" },
    weightColumn(),
    { label: "only pods with", value: (row) => (row.managedResources || []).join(", ") || "-" },
    { label: "ignorable", value: (row) => (row.ignorable ? "yes" : "no") },
    { label: "is sent", value: (row) => (row.nodeCacheCapable ? "names of nodes" : "nodes") },
    { label: "timeout", value: (row) => row.timeout || "-" },
  ];
  return table(columns, extenders, { caption: "Extenders in the order asked", unit: "extender", units: "extenders" });
}

function gatesTable(gates) {
  const rows = Object.entries(gates || {}).map(([name, on]) => ({ name, on: on ? "true" : "false" }));
  if (!rows.length) return null;
  const columns = [
    { label: "gate", value: (row) => row.name, cell: (row) => plainName(row.name) },
    { label: "set to", wide: true, value: (row) => row.on },
  ];
  return table(columns, rows, { caption: "Feature gates that are set", unit: "gate", units: "gates" });
}

function migratedTable(notes, caption) {
  if (!notes || !notes.length) return null;
  const columns = [
    { label: "where", value: (row) => row.path, cell: (row) => plainName(row.path) },
    { label: "what", value: (row) => row.name },
    { label: "what has become of it", wide: true, value: (row) => row.text },
  ];
  return table(columns, notes, { caption, unit: "note", units: "notes" });
}
