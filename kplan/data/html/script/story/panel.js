// The story of one node or one pod, beside the page; named in the address, so that it can be linked to.

let opener = null;

/** Open a story: the address says which, and the browser's back button closes it. */
function go(kind, name) {
  opener = document.activeElement;
  const address = `#/${kind}=${encodeURIComponent(name)}`;
  if (location.hash === address) route();
  else location.hash = address;
}

function route() {
  const [, kind, name] = /^#\/?(node|pod)=(.*)$/.exec(location.hash) || [];
  let asked = "";
  try {
    asked = decodeURIComponent(name || "");
  } catch {
    asked = "";
  }
  if (kind === "node" && NODES.has(asked)) open(asked, nodeStory(NODES.get(asked)), asked);
  else if (kind === "pod" && isPod(asked)) open(asked, openPod(asked), "");
  else shut(false);
}

/** The story of a pod; where many are explained the map shows what nodes say to it. */
function openPod(pod) {
  const answer = answerOf(pod);
  if (answer && answer.verdict !== "GATED" && LENS.answer !== answer) GRID.look(answer);
  return (STORIES.get(pod) || podStory)(pod);
}

function open(title, content, node) {
  const story = $("story");
  if (story.hidden && !(opener && opener.isConnected)) opener = document.activeElement;
  const heading = h("h2", { id: "story-title", tabindex: "-1", class: "name" }, title);
  const close = h(
    "button",
    { type: "button", class: "quiet close", onclick: () => shut(true) },
    "Close",
    unseen(" the story"),
  );
  clear(story, h("div", { class: "story-head" }, heading, close), content);
  linked(story);
  story.hidden = false;
  story.dataset.node = node;
  story.scrollTop = 0;
  document.body.classList.add("with-story");
  markOpen();
  heading.focus({ preventScroll: matchMedia("(min-width: 64rem)").matches });
}

function shut(back) {
  const story = $("story");
  if (story.hidden) return;
  const node = story.dataset.node;
  story.hidden = true;
  delete story.dataset.node;
  document.body.classList.remove("with-story");
  markOpen();
  if (back) history.replaceState(null, "", location.pathname + location.search);
  const cell = node && document.querySelector(`button[data-node="${CSS.escape(node)}"]`);
  const to = cell || (opener && opener.isConnected ? opener : $("content"));
  if (back) to.focus();
  opener = null;
}

/** A part of a story under its heading. */
const chapter = (title, content) => content && h("div", { class: "chapter" }, h("h3", {}, title), content);
