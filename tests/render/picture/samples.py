"""Pictures of every command over the demo, and their goldens.

python -m tests.render.picture.samples          write the goldens again (look at what changes)
"""

import json
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import msgspec

from kplan.cli.main import main
from kplan.render.picture.canvas import wide
from kplan.render.picture.figure import figure
from kplan.render.picture.model import Picture
from kplan.render.picture.pictures import picture_of
from kplan.result.document_base import Document
from kplan.result.document_usage import Drawing
from kplan.result.documents import DOCUMENTS

ROOT = Path(__file__).parents[3]
GOLDENS = Path(__file__).parents[1] / "golden" / "picture"
DEMO = ("--snapshot", str(ROOT / "kplan" / "data" / "demo.yaml"))
COMMANDS: dict[str, tuple[str, ...]] = {
    "explain-pending": ("explain", "pod", "shop/search-0"),
    "explain-spread": ("explain", "pod", "shop/db-2"),
    "explain-preempts": ("explain", "pod", "ops/billing-0"),
    "explain-fits": ("explain", "pod", "shop/web-7d4b9-x2v8q"),
    "explain-many": ("explain", "pod", "-A"),
    "explain-node": ("explain", "node", "node-a"),
    "check": ("check", str(ROOT / "tests" / "render" / "picture" / "checked.yaml"), "--survive", "node"),
    "nodes": ("nodes",),
    "nodes-by": ("nodes", "--by", "zone"),
    "simulate": ("simulate",),
    "capacity": ("capacity", "deploy/shop/web", "--replicas", "12"),
    "drain": ("drain", "node-b"),
    "drain-found": ("drain", "--find"),
    "drain-rolling": ("drain", "node-b", "infra-1", "--rolling"),
    "fail": ("fail", "node-b"),
    "fail-each": ("fail", "--each", "node"),
    "moves": ("moves", "shop/search-0"),
    "audit": ("explain", "pod", "-A", "--audit"),
    "config": ("config", "--config", str(ROOT / "tests" / "render" / "picture" / "scheduler.yaml")),
    "bind": ("bind", "-A"),
    "sweep": ("sweep", "--fail-each", "zone", "--pool", "like=node-b", "--pool", "like=infra-1"),
}
"""Commands over the demo, by the name of their golden."""


@cache
def document(name: str) -> Document:
    """The document of a command, read back from its JSON."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "answer.json"
        source = () if name == "config" else DEMO
        main([*COMMANDS[name], *source, "-o", f"json={file}"])
        plain: dict[str, Any] = json.loads(file.read_text())
    return msgspec.convert(plain, DOCUMENTS[plain["kind"]])


def picture(name: str) -> Picture:
    """The picture of a command."""
    made = picture_of(document(name), Drawing())
    assert made is not None
    return made


def written(made: Picture) -> str:
    """What a picture shows, a line each: panel, what it is about, part, number, as it is told."""
    rows = [(panel, datum.label, datum.part, f"{datum.value:g}", datum.shown) for panel, datum in made.table()]
    return "".join(" | ".join(row).rstrip(" |") + "\n" for row in [(made.title, made.told), *rows])


def write() -> None:
    """Write the goldens again."""
    GOLDENS.mkdir(parents=True, exist_ok=True)
    for name in COMMANDS:
        (GOLDENS / f"{name}.txt").write_text(written(picture(name)), encoding="utf-8")


def misplaced(made: Picture) -> list[str]:
    """What of a picture stands outside its drawing, and which texts stand one upon the other."""
    found = []
    for svg in ElementTree.fromstring(figure(made)):
        width, height = map(float, svg.get("viewBox", "").split()[2:])
        texts: list[tuple[float, float, float, str]] = []
        for part in svg.iter():
            x, y = (float(part.get(name, 0)) for name in ("x", "y"))
            if part.tag == "text":
                shown = "".join(text for inner in part.iter() if inner.tag != "title" for text in [inner.text or ""])
                shown += "".join(inner.tail or "" for inner in part)
                reckoned = wide(shown)
                left = x - {"end": reckoned, "middle": reckoned / 2}.get(part.get("text-anchor", ""), 0)
                found += [f"{shown} at {y:.0f} of {height:.0f}"] * (not 0 <= y <= height)
                found += [
                    f"{shown} over {other}"
                    for a, b, at, other in texts
                    if abs(y - at) < 9 and a < left + reckoned and left < b
                ]
                texts.append((left, left + reckoned, y, shown))
            elif part.tag == "rect" and part.get("class") not in ("short-ground", "short-line"):
                down = y + float(part.get("height", 0))
                found += [f"a shape at {x:.0f}, {y:.0f}"] * (not (-1 <= x <= width and y >= -1 and down <= height + 1))
    return found


if __name__ == "__main__":
    sys.exit(write())
