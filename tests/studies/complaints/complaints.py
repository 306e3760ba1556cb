"""Complaints: small clusters rebuilt from what people reported, each with the cause and a remedy it must name.

The first lines of a file say what it is: ``complaint`` (where it was reported), ``asks`` (the pod), ``cause`` (words
of the answer, as often as needed) and ``remedy`` (``the change -> what fits then``, or the beginning of it). Where pods
are placed together there may be ``gates`` and, for a remedy, ``attempt``: what would let all of them in.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import kplan
from kplan.api import fill_in
from kplan.objects.state import ClusterState
from kplan.sources import load
from kplan.studies.context import Context
from kplan.studies.origin import origin, version_of

FOLDER = Path(__file__).parents[3] / "fixtures" / "complaints"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
VERSION = "1.37"


@dataclass(frozen=True)
class Complaint:
    """One file, read."""

    asks: str
    causes: tuple[str, ...]
    remedies: tuple[str, ...]
    state: ClusterState
    attempts: tuple[str, ...]
    gates: tuple[str, ...]

    def context(self) -> Context:
        """A planner of its own over the cluster."""
        scheduler = kplan.Scheduler.of(VERSION, gates=dict.fromkeys(self.gates, True))
        planner = scheduler.planner(self.state)
        return Context(planner, origin(self.state, scheduler.features, *version_of(self.state, VERSION)))


def read(name: str) -> Complaint:
    """Read a complaint by its name."""
    path = FOLDER / f"{name}.yaml"
    said: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if not line.startswith("# "):
            break
        word, _, text = line.removeprefix("# ").partition(": ")
        said.setdefault(word, []).append(text)
    state = load(str(path))
    fill_in(state, kplan.Scheduler.of(VERSION))
    told = [tuple(said.get(word, ())) for word in ("cause", "remedy", "attempt", "gates")]
    return Complaint(said["asks"][0], told[0], told[1], state, told[2], told[3])


def golden(name: str) -> Path:
    """The file with the answer, word for word."""
    return FOLDER / f"{name}.txt"
