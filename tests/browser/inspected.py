"""What is wrong with one page in a real browser: errors, findings of axe-core, rows that paper loses."""

import io
import re
import unicodedata
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

WIDTHS = (1440, 1024, 390)
"""Widths that are looked at [px]."""
SCHEMES = ("light", "dark")
ALIKE = ".cells > .tile:nth-child(n+100)"
"""Tiles of the map of which a hundred before them were looked at: thousands differ by their names alone."""
ROWS = """() => [...document.querySelectorAll('main table')].map((table) => ({
  caption: table.caption.textContent,
  rows: [...table.tBodies[0].rows].map((row) => {
    const cell = (row.querySelector('th[scope=row]') || row.cells[0]).cloneNode(true);
    for (const one of cell.querySelectorAll('.unseen, .mark')) one.remove();
    return cell.textContent.replace(/\\s+/g, '');
  }),
}))"""
"""Tables as they are on paper: what each of their rows begins with."""


def violations(page: Page, *rules: str) -> list[Any]:
    """What axe-core finds: the rule, what it asks for, the first elements."""
    # what passes is not asked for: to name thousands of elements takes most of the time
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = Axe().run(page, context={"exclude": [[ALIKE]]}, options=options).response["violations"]
    return [(one["id"], one["help"], [node["target"] for node in one["nodes"]][:3]) for one in found]


def printed(page: Page) -> str:
    """The text of the page's PDF, without white space: lines end where the paper does."""
    pdf = page.pdf(format="A4")
    text = "".join(one.extract_text() for one in PdfReader(io.BytesIO(pdf)).pages)
    return squeezed(text)


def squeezed(text: str) -> str:
    """A text without white space, and with letters that fonts join taken apart: fi is drawn as one."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def lost_on_paper(page: Page) -> tuple[int, list[str]]:
    """How many rows the tables have when they are printed, and those that the text of the PDF does not hold."""
    text = printed(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    tables = page.evaluate(ROWS)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    rows = [(table["caption"], row) for table in tables for row in table["rows"] if row]
    return len(rows), [f"{caption}: {row}" for caption, row in rows if squeezed(row) not in text]


class Inspector:
    """Opens one page after another in the same window.

    Args:
        browser: the browser.
    """

    def __init__(self, browser: Browser) -> None:
        self._context = browser.new_context(
            viewport={"width": WIDTHS[0], "height": 900},
            reduced_motion="reduce",  # what is clicked must not still be scrolling
        )
        self.page = self._context.new_page()
        self.page.set_default_timeout(120_000)
        self._said: list[str] = []
        self.page.on("console", lambda message: self._said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self._said.append(str(error)))

    def open(self, file: Path) -> None:
        """Open a page, light and wide."""
        self._said.clear()
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        self.page.goto(file.resolve().as_uri())
        self.page.wait_for_selector("html[data-ready]")

    def findings(self) -> list[str]:
        """What axe-core finds in all widths, light and dark, and whether the page is wider than the screen."""
        found = []
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            for scheme in SCHEMES:
                self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                # the same elements in other colours: only contrast can differ
                rules = () if scheme == "light" else ("color-contrast",)
                found += [f"{width} {scheme}: {one}" for one in violations(self.page, *rules)]
            if self.page.evaluate("document.documentElement.scrollWidth") > width:
                found.append(f"{width}: the page is wider than the screen")
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        return found

    def errors(self) -> list[str]:
        """What was said on the console since the page was opened."""
        return list(self._said)

    def lost(self) -> tuple[int, list[str]]:
        """Rows that are printed, and those that the PDF loses."""
        return lost_on_paper(self.page)

    def close(self) -> None:
        """Close the window."""
        self._context.close()
