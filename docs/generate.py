"""Write docs/plugins.md from the plugins' own docstrings and the table of versions, and the figures of docs/trust.md.

What ``kplan --help`` and completion tell at once is written, too: kplan/data/help.txt and completion.txt; and what a
wheel puts into share/: a manual page, and completion for three shells.

    python -m docs.generate [--check]

With ``--check`` nothing is written; the exit status is 1 if the committed page is not what would be written.
"""

import argparse
import importlib
import inspect
import sys
from functools import partial
from pathlib import Path

from docs import figures, share
from kplan.cli.stored import completion_text, help_text
from kplan.config.versions import EVERY_POINT, NEWEST, OLDEST, default_plugins, features, old_registry, registry
from kplan.plugins.registry import OLD, REGISTRY, find

PAGE = Path(__file__).with_name("plugins.md")
DATA = Path(__file__).parents[1] / "kplan" / "data"
SHARE = Path(__file__).parents[1] / "release" / "share"

INTRODUCTION = f"""\
# Plugins

*Written by `make docs` from the plugins' docstrings and `kplan/config/versions.py`; edit those.*

The plugins of kube-scheduler 1.{OLDEST} to 1.{NEWEST} that kplan has, in the order in which the default profile of
1.{NEWEST} runs them, then those it does not run. "Default weight" is what a plugin's scores are multiplied by.
"""


OLD_ONES = """\
# Plugins of policies

No release above has these. They carry out predicates and priorities of a Policy (1.22 and earlier), and what is left of
them in a KubeSchedulerConfiguration of v1beta2 or v1beta3; `kplan/config/policy_table.py` says which.
"""


def docstring(name: str) -> str:
    """Documentation of a plugin: the docstring of its module, or of its folder where it has several modules."""
    plugin = find(name)
    assert plugin is not None
    module = importlib.import_module(plugin.__module__)
    doc = inspect.getdoc(module) or ""
    if not doc.startswith(f"{name}: "):
        doc = inspect.getdoc(importlib.import_module(module.__name__.rpartition(".")[0])) or ""
    return doc


def sections(doc: str) -> list[tuple[str, str]]:
    """Split a docstring at its headings, ``Heading:  text`` with the following lines indented."""
    found: list[tuple[str, str]] = []
    for line in doc.splitlines()[1:]:
        heading, colon, text = line.partition(":  ")
        if colon and not line.startswith(" "):
            found.append((heading, text.strip()))
        elif found and line.strip():
            heading, text = found[-1]
            found[-1] = heading, f"{text}\n{line.strip()}"
    return found


def facts(name: str) -> str:
    """Write where a plugin runs and what its scores weigh, by version where that differs."""
    if name in OLD:
        has = old_registry()[name]
        return f"Extension points: {', '.join(point[0].upper() + point[1:] for point in EVERY_POINT if point in has)}."
    points: dict[str, list[int]] = {}
    weights: dict[str, list[int]] = {}
    for minor in range(OLDEST, NEWEST + 1):
        has = registry(minor).get(name, frozenset())
        text = ", ".join(point[0].upper() + point[1:] for point in EVERY_POINT if point in has)
        points.setdefault(text or "not there", []).append(minor)
        rows = [row for row in default_plugins(features(f"1.{minor}").features) if row.name == name]
        on = "score" in has
        weight = (f"{rows[0].weight or 1}" if on else "none") if rows else "not in the default profile"
        weights.setdefault(weight, []).append(minor)
    return f"Extension points: {_by_version(points)}. Default weight: {_by_version(weights)}."


def _by_version(values: dict[str, list[int]]) -> str:
    if len(values) == 1:
        return next(iter(values))
    return "; ".join(f"{text} ({_minors(minors)})" for text, minors in values.items())


def _minors(minors: list[int]) -> str:
    first, last = f"1.{minors[0]}", f"1.{minors[-1]}"
    return first if first == last else f"{first} to {last}"


def page() -> str:
    """Write the page."""
    order = [row.name for row in default_plugins(features(f"1.{NEWEST}").features)]
    names = [name for name in order if name in REGISTRY] + [name for name in REGISTRY if name not in order]
    return "\n".join([INTRODUCTION, *map(entry, names), OLD_ONES, *map(entry, OLD)])


def entry(name: str) -> str:
    """Write the entry of one plugin."""
    doc = docstring(name)
    sentence = doc.splitlines()[0].removeprefix(f"{name}: ")
    lines = [f"## {name}", "", sentence[0].upper() + sentence[1:], "", facts(name), ""]
    for heading, text in sections(doc):
        first, *more = text.splitlines()
        lines += [f"- **{heading}**: {first}", *(f"  {line}" for line in more)]
    return "\n".join(lines) + "\n"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main() -> int:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    stored = {DATA / "help.txt": help_text, DATA / "completion.txt": completion_text}
    shared = {SHARE / name: partial(str, text) for name, text in share.files().items()}
    pages = {PAGE: page, figures.PAGE: figures.page, **stored, **shared}
    if not parser.parse_args().check:
        for path, make in pages.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(make(), encoding="utf-8")
        return 0
    stale = ["/".join(path.parts[-2:]) for path, make in pages.items() if _read(path) != make()]
    for name in stale:
        print(f"{name} is not what the sources say: run make docs", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
