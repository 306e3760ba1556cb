"""A headless Chromium for the session; without one the tests are skipped, or fail where CI runs them."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> str:
    """The installed browser: the one named, or the first that is on the path; empty for none."""
    named = os.environ.get("KPLAN_CHROMIUM", "")
    return named or next((path for name in NAMES if (path := shutil.which(name))), "")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = executable()
    if not path:
        message = "no Chromium: install one (apt-get install chromium) or name it in KPLAN_CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium has no sandbox for root
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=["--no-sandbox"] if root else [])
        yield running
        running.close()


@dataclass
class Opened:
    """A page that was opened, and what it did that it should not."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Wait until what was clicked has been followed: a story opens by the page's address."""
        for _ in range(FRAMES):  # not wait_for_function, which makes code of a text: pages forbid that
            if self.page.evaluate("window.followed === location.hash"):
                break
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def text(self, selector: str) -> str:
        """What stands there once what was clicked has been followed."""
        self.settle()
        return self.page.locator(selector).first.inner_text()

    def focused(self) -> str:
        found: str = self.page.evaluate("document.activeElement.textContent")
        return found


Open = Callable[..., Opened]

FRAMES = 1_000
"""How often it is asked whether an address was followed."""
FOLLOWED = """
window.followed = location.hash;
addEventListener("hashchange", () => { window.followed = location.hash; });
for (const name of ["pushState", "replaceState"]) {
  const change = history[name].bind(history);
  history[name] = (...given) => { change(...given); window.followed = location.hash; };
}
"""
"""Notes the address that the page was told of, in the same turn in which its own script takes it."""


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens HTML as a file; at the end no page may have said an error or asked for anything but itself."""
    made: list[Opened] = []

    def open_page(html: str, *, scheme: str = "light", width: int = 1280, height: int = 900, at: str = "") -> Opened:
        file = tmp_path / f"page-{len(made)}.html"
        file.write_text(html, encoding="utf-8")
        window = browser.new_context(
            color_scheme=scheme,  # type: ignore[arg-type]
            viewport={"width": width, "height": height},
            reduced_motion="reduce",  # a click must not meet a page that is still scrolling
        )
        shown = Opened(window.new_page())
        shown.page.add_init_script(FOLLOWED)
        shown.page.on("console", lambda message: shown.errors.append(f"{message.type}: {message.text}"))
        shown.page.on("pageerror", lambda error: shown.errors.append(str(error)))
        shown.page.on("request", lambda request: shown.requests.append(request.url))
        shown.page.on("dialog", lambda dialog: (shown.errors.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        made.append(shown)
        shown.page.goto(file.as_uri() + at)
        shown.page.wait_for_selector("html[data-ready]")
        return shown

    yield open_page
    for shown in made:
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []
        shown.page.context.close()
