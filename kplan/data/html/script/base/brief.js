// Rows of tables on phones: the name, how it ended, a line of the reason; the rest by a tap.

const NARROW = matchMedia("screen and (max-width: 40rem)"); // as in tables.css

/** Tables with long texts and more than three columns: on a phone each of their rows is a few lines. */
const inLines = (columns) => columns.length > 3 && columns.some((column) => column.wide);

/** What a cell of long text holds. */
const brief = (content) => h("div", { class: "brief" }, content);

/** Show all of a row, or its few lines again. */
function unfold(row, button) {
  const whole = row.classList.toggle("whole");
  button.setAttribute("aria-expanded", String(whole));
  button.textContent = whole ? "less" : "more";
}

/** Give a button to each row that its lines are too few for; screens that are wide show all of it. */
function fitBriefs(body) {
  if (!NARROW.matches) return;
  const more = (row) => [...row.querySelectorAll(".brief")].some((text) => text.scrollWidth > text.clientWidth);
  const cut = [...body.rows].filter(
    (row) => !row.querySelector(".unfold") && row.querySelector(".brief") && (row.querySelector("[data-rest]") || more(row)),
  );
  for (const row of cut) {
    const button = act("more", () => unfold(row, button));
    button.classList.add("unfold");
    button.setAttribute("aria-expanded", "false");
    row.querySelector(".brief").after(button);
    row.addEventListener("click", (event) => {
      if (event.target.closest("a, button, summary") || String(getSelection())) return; // names are copied, too
      unfold(row, button);
    });
  }
}
