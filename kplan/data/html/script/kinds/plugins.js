// plugins: what each checks, when it rejects, and what of it is not modelled.

kind("PluginReference", {
  fields: ["plugins"],
  sections: () => [part("plugins", "Plugins", pluginList(DOC.plugins))],
});

function pluginList(plugins) {
  const hold = h("div");
  const count = dim();
  count.classList.add("count");
  const text = (plugin) => Object.values(plugin).flat().join("\n").toLowerCase();
  const draw = (typed) => {
    const matches = matcher(typed);
    const found = plugins.filter((plugin) => !typed || matches(text(plugin)));
    count.textContent = `${int(found.length)} of ${plural(plugins.length, "plugin")}`;
    clear(
      hold,
      found.map((plugin) => pluginItem(plugin, found.length === 1)),
    );
  };
  draw("");
  return [
    h(
      "div",
      { class: "tools" },
      search("Search plugins", (typed) => {
        draw(typed);
        tell(count.textContent);
      }),
      count,
    ),
    hold,
  ];
}

function pluginItem(plugin, open) {
  const texts = [
    ["Checks", plugin.checks],
    ["Rejects with", plugin.rejects],
    ["Not modelled", plugin.notModelled],
    ["Source", plugin.source],
  ];
  const head = [h("strong", {}, plugin.name), ` ${plugin.summary} `, dim((plugin.points || []).join(", "))];
  const item = fold(head, pairs(texts.map(([label, text]) => [label, h("span", { class: "kept" }, text)])));
  item.className = "plugin";
  item.open = open;
  return item;
}
