"""Write the page of every command about clusters, open each in Chromium, and tell what is wrong with it.

    python -m tests.browser.every CLUSTER... [--out FOLDER] [--only REGEX] [--kept] [--speed] [--no-paper]

A cluster is a file or a folder, as ``--snapshot`` takes it. Each page is opened at 390, 1024 and 1440 px, light and
dark, and held against axe-core; nothing may stand on the console; the text of its PDF must hold every row of its
tables.

``--speed`` measures what ``tests.bench.pages`` measures, too; ``--no-paper`` prints nothing, as a PDF of thousands of
rows takes long; ``--kept`` takes the pages that a former run wrote. The exit code is 1 where anything was found.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.bench.pages import TARGETS, Figures, measured
from tests.browser.calls import Asked, asked, calls, write_files, write_page
from tests.browser.conftest import executable
from tests.browser.inspected import Inspector

USAGE = 2
"""Exit code from which on a command wrote no answer."""


def written(snapshot: Path, folder: Path, only: str, kept: bool) -> Iterator[tuple[str, Path, str]]:
    """Write the pages; give the name of each, its file, and why it was not written."""
    folder.mkdir(parents=True, exist_ok=True)
    about = asked(snapshot) if not kept else Asked(("a", "b"), "z", "a/b", "a")
    write_files(folder, about.pod.partition("/")[0] or "default")
    for name, call in calls(about).items():
        file = folder / f"{name.replace(' ', '-')}.html"
        if not re.search(only, name) or (kept and not file.exists()):
            continue
        code, said = (0, "") if kept else write_page(call, snapshot.resolve(), folder, file.name)
        yield name, file, "" if code not in (USAGE, 70) else f"exit {int(code)}: {said.strip()}"


def looked_at(browser: Browser, inspector: Inspector, file: Path, *, speed: bool, paper: bool) -> tuple[str, list[str]]:
    """One row of the table, and what was found."""
    inspector.open(file)
    found = inspector.findings()
    rows, lost = inspector.lost() if paper else (0, [])
    found += [f"not on paper: {row}" for row in lost[:5]]
    if len(lost) > 5:
        found.append(f"not on paper: {len(lost) - 5} more")
    found += [f"console: {text}" for text in inspector.errors()]
    cells = [f"{file.stat().st_size / 1e6:.2f}", str(rows) if paper else "-"]
    if speed:
        figures = measured(browser, file)
        cells += [f"{number:.0f}" for number in figures[1:]]
        found += [
            f"{name} {number:.1f}, over {most:g}"
            for name, number, most in zip(Figures._fields, figures, TARGETS.values(), strict=True)
            if number > most
        ]
    return " | ".join(cells), found


def run(clusters: Sequence[Path], out: Path, only: str, *, kept: bool, speed: bool, paper: bool) -> int:
    """Go through all pages and say what was found as it is found; give how much."""
    number = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable() or None, args=["--no-sandbox"])
        for cluster in clusters:
            sys.stdout.write(
                f"\n{cluster.name}\n| page | MB | rows |{' ready | map | all | back | some |' if speed else ''}\n"
            )
            inspector = Inspector(browser)
            for name, file, problem in written(cluster, out / cluster.stem, only, kept):
                if problem:
                    sys.stdout.write(f"| {name} | not written: {problem}\n")
                    continue
                cells, found = looked_at(browser, inspector, file, speed=speed, paper=paper)
                number += len(found)
                sys.stdout.write(f"| {name} | {cells} |\n" + "".join(f"  FOUND {one}\n" for one in found))
                sys.stdout.flush()
            inspector.close()
        browser.close()
    sys.stdout.write(f"\n{number} findings\n")
    return number


def main(argv: Sequence[str]) -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clusters", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--no-paper", dest="paper", action="store_false")
    given = parser.parse_args(argv)
    out = given.out or Path(tempfile.mkdtemp(prefix="kplan-every-"))
    return int(run(given.clusters, out, given.only, kept=given.kept, speed=given.speed, paper=given.paper) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
