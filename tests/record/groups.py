"""Everything that is recorded, in groups: the fixtures, scenarios of its own, and real dumps where they are given."""

import gzip
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from tests.record import battery, facts
from tests.record.battery import FEW, LARGE, SMALL, WHOLE, Amount, Line, of_a_manifest
from tests.record.calls import Group, numbered
from tests.record.clusters import CLUSTERS

HERE = Path(__file__).parents[2]
"""Inputs are those of the recorder's own checkout, whichever kplan is asked."""
FIXTURES = HERE / "fixtures"
DEMO = HERE / "kplan" / "data" / "demo.yaml"
COMMANDS = Path(__file__).parent / "commands.txt"
SCENARIOS = Path(__file__).parent / "scenarios"
CHECKOUT = FIXTURES / "examples" / "checkout.yaml"

_MANY_PODS = 150
_MANIFESTS = (".yaml", ".yml", ".json", ".sed")


def groups(real: Path | None) -> Iterator[Group]:
    """Yield all groups.

    Args:
        real: folder of real dumps, manifests, questions and reports; None for none.
    """
    yield from _plain()
    for path in sorted((FIXTURES / "complaints").glob("*.yaml")):
        yield from snapshot(f"complaints/{path.stem}", path, SMALL)
    yield from snapshot("examples/demo", DEMO, WHOLE)
    yield _examples()
    for path in sorted((FIXTURES / "layouts").iterdir()):
        if path.name == "refused":
            yield _refused(path)
        else:
            yield from snapshot(f"layouts/{path.name}", path, SMALL)
    for path in sorted((FIXTURES / "manifests").glob("*.yaml")):
        yield manifest(f"manifests/{path.stem}", path)
    for path in sorted(SCENARIOS.glob("*.yaml")):
        yield scenario(path)
    yield from clusters()
    yield from corpus()
    if real is not None:
        yield from _real(real)


def snapshot(name: str, path: Path, amount: Amount) -> Iterator[Group]:
    """Every question about one snapshot."""
    found = facts.read(path)
    if found is None:
        yield Group(name, numbered([("nodes", "--snapshot", path.name)]), {path.name: path})
        return
    if len(found.waiting) + len(found.running) > _MANY_PODS:
        amount = LARGE
    lines = battery.battery(path.name, found, amount, CHECKOUT.name)
    yield Group(name, numbered(lines), {path.name: path, CHECKOUT.name: CHECKOUT})


def manifest(name: str, path: Path) -> Group:
    """What lands on the cluster of the demo."""
    lines = ((*line, "--snapshot", DEMO.name) for line in of_a_manifest(path.name))
    return Group(name, numbered(lines), {path.name: path, DEMO.name: DEMO})


def scenario(path: Path) -> Group:
    """A file with calls about a cluster: one of ``clusters.py``, a snapshot of the project, or one of its ``files``."""
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    named = told.get("cluster", "cluster.yaml")
    files = {name: text if isinstance(text, str) else _text(text) for name, text in told.get("files", {}).items()}
    links: dict[str, Path] = {}
    if named in CLUSTERS:
        source = f"{named}.json"
        files[source] = _text(CLUSTERS[named]())
    else:
        source = Path(named).name
        links = {} if source in files else {source: HERE / named}
    lines = [_asked(shlex.split(text), source) for text in told["calls"]]
    return Group(f"scenarios/{path.stem}", numbered(lines), links, files)


def _asked(words: list[str], source: str) -> Line:
    """A call about a snapshot, answered as text and as JSON unless it says otherwise."""
    if "-o" not in words and words[0] not in ("snapshot", "unredact"):
        words = [*words, *battery.TEXT_AND_JSON]
    return tuple(words if "--snapshot" in words or words[0] == "unredact" else [*words, "--snapshot", source])


def clusters() -> Iterator[Group]:
    """Every question about the clusters of scenarios."""
    for name, made in CLUSTERS.items():
        file = f"{name}.json"
        text = _text(made())
        with TemporaryDirectory() as scratch:
            path = Path(scratch) / file
            path.write_text(text, encoding="utf-8")
            found = facts.read(path)
        assert found is not None
        lines = battery.battery(file, found, WHOLE, CHECKOUT.name)
        yield Group(f"clusters/{name}", numbered(lines), {CHECKOUT.name: CHECKOUT}, {file: text})


def corpus() -> Iterator[Group]:
    """A few cases of each theme of the conformance corpus, which asks of every plugin; the newest version alone."""
    newest = max((FIXTURES / "conformance").iterdir(), key=lambda path: int(path.name.partition(".")[2]))
    for path in sorted(newest.glob("*.jsonl.gz")):
        theme = path.name.partition(".")[0]
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            cases = list(lines)
        for at in (0, len(cases) // 2, len(cases) - 1):
            file = "cluster.json"
            made = [*_corpus(file)]
            yield Group(
                f"corpus/{theme}-{at}", numbered(made), {}, {file: _text(json.loads(cases[at])["case"]["objects"])}
            )


def _corpus(file: str) -> Iterator[Line]:
    for line in ("explain -A", "simulate", "explain -A --with-queue", "fail --each node", "sweep -j 1"):
        yield _asked(line.split(), file)
    yield ("explain", "-A", "-o", "wide", "--snapshot", file)


def _text(objects: Any) -> str:
    if isinstance(objects, list):
        objects = {"apiVersion": "v1", "kind": "List", "items": objects}
    return json.dumps(objects, indent=1)


def _examples() -> Group:
    path = FIXTURES / "examples" / "replace-node-b.yaml"
    lines: list[Line] = [
        (*line, "--scenario", path.name, "--snapshot", DEMO.name)
        for command in ("simulate", "nodes", "explain pod -A", "capacity sts/shop/cart", "drain node-c", "fail node-c")
        for line in ((*command.split(), *battery.TEXT_AND_JSON),)
    ]
    lines.append(("sweep", path.name, "-j", "1", *battery.TEXT_AND_JSON, "--snapshot", DEMO.name))
    lines.append(("simulate", "--scenario", path.name, "--queue", "manifests", "--snapshot", DEMO.name))
    return Group("examples/scenario", numbered(lines), {path.name: path, DEMO.name: DEMO})


def _refused(folder: Path) -> Group:
    paths = sorted(folder.iterdir())
    return Group("layouts/refused", numbered(("nodes", "--snapshot", path.name) for path in paths), _links(paths))


def _links(paths: list[Path]) -> dict[str, Path]:
    return {path.name: path for path in paths}


def _plain() -> Iterator[Group]:
    """What needs no cluster, and what is refused: command lines of a file, under headings."""
    sections: dict[str, list[Line]] = {}
    for text in COMMANDS.read_text(encoding="utf-8").splitlines():
        if text.startswith("# "):
            lines = sections.setdefault(text[2:], [])
        else:
            lines.append(tuple(shlex.split(text)))
    for name, lines in sections.items():
        yield Group(f"plain/{name}", numbered(lines), {DEMO.name: DEMO, CHECKOUT.name: CHECKOUT})


def _real(real: Path) -> Iterator[Group]:
    for folder in sorted(path for path in (real / "dumps").iterdir() if path.is_dir()):
        for path in _sources(folder):
            part = "" if path == folder else f"-{path.name}"
            yield from snapshot(f"real/dumps/{folder.name}{part}", path, SMALL)
    for path in sorted((real / "reports").glob("*.json")):
        if not path.name.endswith(".oracle.json"):
            yield from snapshot(f"real/reports/{path.stem}", path, FEW)
    for folder in sorted(path.parent for path in (real / "questions").glob("*/expect.json")):
        yield _question(folder)
        yield from snapshot(f"real/questions/{folder.name}/cluster", folder / "cluster.json", FEW)
    for path in sorted((real / "manifests").rglob("*")):
        if path.is_file() and path.suffix in _MANIFESTS:
            name = "-".join(path.relative_to(real / "manifests").parts)
            yield manifest(f"real/manifests/{name}", path)


def _sources(folder: Path) -> list[Path]:
    """The archives of a folder, or the folder itself."""
    archives = [path for path in sorted(folder.iterdir()) if path.name.endswith((".xz", ".gz", ".zip", ".tgz"))]
    return archives or [folder]


def _question(folder: Path) -> Group:
    told = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    lines = [(*one["command"], *battery.TEXT_AND_JSON) for one in told if "-o" not in one["command"]]
    lines += [tuple(one["command"]) for one in told if "-o" in one["command"]]
    inside = [path for path in sorted(folder.iterdir()) if path.name != "expect.json"]
    return Group(f"real/questions/{folder.name}/asked", numbered(lines), _links(inside))
