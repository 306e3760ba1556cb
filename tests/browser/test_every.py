"""The page of every command that writes one, about the demo's cluster: axe-core, the console, and every row on paper.

``python -m tests.browser.every CLUSTER...`` does the same about clusters that are no part of the project.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from kplan.cli.demo import SNAPSHOT
from tests.browser.calls import Asked, asked, calls, commands_with_pages, write_files, write_page
from tests.browser.inspected import Inspector

DEMO = Asked(("node-a", "node-b"), "zone-1", "shop/db-2", "")
"""What the demo's cluster has."""
CALLS = calls(DEMO)


@pytest.fixture(scope="module")
def inspector(browser: Browser) -> Iterator[Inspector]:
    made = Inspector(browser)
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("every")
    write_files(made, "shop")
    return made


def test_every_command_that_writes_a_page_is_asked() -> None:
    texts = [" ".join(call) for call in CALLS.values()]
    for command in commands_with_pages():
        assert any(text.startswith(command) for text in texts), command
    assert {"nodes", "explain pod", "explain node", "bind", "pack", "sweep", "moves"} < commands_with_pages()


def test_the_demo_has_what_is_asked_about() -> None:
    about = asked(SNAPSHOT)
    assert (about.nodes, about.zone, about.workload) == (DEMO.nodes, DEMO.zone, DEMO.workload)


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_wrong_with_the_page_at_any_width_light_or_dark_or_on_paper(
    inspector: Inspector, folder: Path, name: str
) -> None:
    file = folder / f"{name.replace(' ', '-')}.html"
    code, said = write_page(CALLS[name], SNAPSHOT, folder, file.name)
    assert code in (0, 1, 3, 4), said
    inspector.open(file)
    assert inspector.findings() == []
    rows, lost = inspector.lost()
    assert lost == []
    assert rows > 0 or name in ("plugins", "explain audit")
    assert inspector.errors() == []
