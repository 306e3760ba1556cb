"""Measure pages in Chromium: how large they are, what it takes until they answer, and what a search of the nodes takes.

    python -m tests.bench.pages PAGE.html...

Milliseconds of CPU of the page's own thread (ThreadTime of Chromium's performance metrics, so that other work
on the machine does not count): until the page is built and drawn; for the tiles of the map, which are drawn when it
comes into sight; then of a search that all nodes match, of the same where none was shown before it, and of one that
leaves some. A search begins when the thread rests, as what is drawn before is not its own. Each is the least of three.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.browser.conftest import executable

TARGETS = {"MB": 3.0, "ready": 500.0, "map": 250.0, "all": 60.0, "back": 60.0, "some": 60.0}
"""What a figure may be at most."""
REST = 5.0
"""A thread that works less than this in a quarter of a second rests [ms]."""
SEARCH = "#nodes input[type=search]"


class Figures(NamedTuple):
    """Of one page: megabytes, then milliseconds of CPU."""

    megabytes: float
    ready: float
    near: float
    every: float
    back: float
    some: float


def measured(browser: Browser, path: Path) -> Figures:
    """Open a page three times and tell the least of each."""
    rounds = [_once(browser, path) for _ in range(3)]
    return Figures(path.stat().st_size / 1e6, *(min(column) for column in zip(*rounds, strict=True)))


def _once(browser: Browser, path: Path) -> tuple[float, ...]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    before = _cpu(session)
    page.goto(path.resolve().as_uri())
    while not page.evaluate("document.documentElement.dataset.ready"):
        page.wait_for_timeout(50)
    _rest(page, session)
    ready = _cpu(session) - before
    near, searches = 0.0, (0.0, 0.0, 0.0)
    if page.locator(SEARCH).count():
        name = page.locator("button[data-node]").first.get_attribute("data-node") or ""
        stem = name.rstrip("0123456789") or name
        before = _cpu(session)
        page.locator(SEARCH).focus()
        _rest(page, session)
        near = _cpu(session) - before
        first = _search(page, session, stem)
        _search(page, session, "no such node")
        searches = first, _search(page, session, stem), _search(page, session, name[:-1])
    context.close()
    return ready, near, *searches


def _rest(page: Page, session: CDPSession) -> None:
    """Wait until the page's thread has nothing to do."""
    while True:
        before = _cpu(session)
        page.wait_for_timeout(250)
        if _cpu(session) - before < REST:
            return


def _search(page: Page, session: CDPSession, text: str) -> float:
    before = _cpu(session)
    page.locator(SEARCH).fill(text)
    page.wait_for_timeout(600)  # a search begins 80 ms after the last key
    return _cpu(session) - before


def _cpu(session: CDPSession) -> float:
    """Milliseconds that the page's thread has worked so far."""
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(float(one["value"]) for one in metrics if one["name"] == "ThreadTime")


def table(rows: Sequence[tuple[str, Figures]]) -> str:
    """Write a table; what is more than its target is marked."""
    lines = ["| page | MB | ready, ms | map | search: all | all back | some |", "|---|---|---|---|---|---|---|"]
    for name, figures in rows:
        cells = [
            f"{number:.1f}{' **over**' if number > most else ''}"
            for number, most in zip(figures, TARGETS.values(), strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str]) -> None:
    """Print the table of the pages named."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable() or None, args=["--no-sandbox"])
        rows = [(Path(name).stem, measured(browser, Path(name))) for name in argv]
        browser.close()
    sys.stdout.write(table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
