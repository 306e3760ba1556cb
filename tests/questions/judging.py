"""Say whether a remedy that was carried out came to what was promised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from kplan.objects.kind_words import kind_word
from kplan.result.document_plan import SimulationPlan
from kplan.studies.by_object import Mine, by_object

Json = dict[str, Any]
_OF_GROUP = {"group", "result", "wanted"}
"""What only that has which is told of a group."""
_NOT_FOR_A_NODE = {"volume-on-lost-node", "volume-in-lost-zone", "pod-not-ready"}
"""What pods of a lost node wait for that no other node gives."""


@dataclass(frozen=True)
class Way:
    """A remedy, and what it is about.

    Attributes:
        how_to: as the answer has it.
        beside: what of the answer it stands in.
        answer: the whole of it.
    """

    how_to: Json
    beside: Json
    answer: Json

    @property
    def name(self) -> str:
        """Its code and what it changes."""
        parts = [self.how_to["code"], *self.how_to.get("flags", ())]
        return " ".join([*parts, *(edit["path"] for edit in self.how_to.get("edits", ()))])

    @property
    def of_group(self) -> bool:
        """Whether it is of a group of pods that are placed together."""
        return self.beside.keys() >= _OF_GROUP

    @property
    def by_flags(self) -> bool:
        """Whether flags, edits and patches do all of it."""
        return not self.how_to.get("commands") and any(self.how_to.get(part) for part in ("flags", "edits", "patch"))


def judge(way: Way, again: Json) -> str:
    """Say in what an answer is not as was promised; empty where it is.

    Args:
        way: the remedy.
        again: the answer with it.
    """
    if not again:
        return "the command is refused"
    landed, wanted = way.how_to.get("landed", 0), way.how_to.get("wanted", 0)
    if way.of_group:
        return _together(way, again, landed, wanted)
    kind = again["kind"]
    if kind in ("DrainPlan", "FailReport") and not wanted:
        return "" if again["verdict"] == "FITS" else f"{again['verdict']} {again['sentence']}"
    if kind == "FailReport" and not landed:
        waits = [f"{pod['pod']}: {pod['because']['text']}" for pod in again["pods"] if _lacks_a_node(pod)]
        return "; ".join(waits)
    if kind == "FailReport":
        borne = sum(case["verdict"] == "FITS" for case in again.get("cases", ()))
        return "" if borne >= landed else f"{borne} of {landed} are borne"
    if kind == "PodExplanation":
        return _fits(way.beside, again, landed)
    if kind == "SimulationPlan":
        return _lands(way, msgspec.convert(again, SimulationPlan), landed, wanted)
    if kind == "CheckResult":
        names = _let_in(way.beside["object"])
        mine = next(item for item in again["objects"] if item["object"] in names)
        return "" if mine["status"] == "ok" or mine.get("placed", 0) >= landed else f"{mine}"
    if kind == "CapacityReport":
        added = [shape for shape in again.get("cheapest", {}).get("shapes", ()) if shape["nodes"]]
        # pods of the workload itself that wait are placed by then, and run
        sets = again["sets"] + _running(again) - _running(way.answer)
        return "" if sets >= landed and not added else f"{sets} of {landed} sets fit, {added}"
    if kind == "MovesPlan":
        return "" if again["verdict"] == "FITS" and not again.get("moves") else f"{again['sentence']}"
    if kind == "PackPlan":
        empty = {node["node"] for node in again["found"] if node["goes"] and not node.get("moves")}
        return "" if empty >= set(way.answer["going"]) else f"{empty} are empty, not {way.answer['going']}"
    raise AssertionError(kind)


def _lacks_a_node(pod: Json) -> bool:
    """Whether a pod of a lost node waits for what a node may give it."""
    return pod["fate"] == "pending" and pod["because"]["code"] not in _NOT_FOR_A_NODE


def _running(report: Json) -> int:
    workloads = report.get("workloads", ())
    return sum(workload["running"] for workload in workloads) if len(workloads) == 1 else 0


def _together(way: Way, again: Json, landed: int, wanted: int) -> str:
    """Compare how many pods of a group fit at one time."""
    name = way.beside["group"]
    now = [plan for plan in _plans(again) if plan["group"] == name]
    if landed < wanted:
        return "" if max((plan["fits"] for plan in now), default=0) >= landed else f"{now}"
    return "" if now and all(plan["result"] in ("placed", "preempted", "fits") for plan in now) else f"{now}"


def _plans(here: Any) -> Iterator[Json]:
    """What an answer tells of groups, wherever that stands in it."""
    if isinstance(here, dict):
        if here.keys() >= _OF_GROUP:
            yield here
        for value in here.values():
            yield from _plans(value)
    elif isinstance(here, list):
        for value in here:
            yield from _plans(value)


def _fits(fix: Json, again: Json, landed: int) -> str:
    found = again["verdict"], again["feasible"]
    if fix.get("evicts"):
        return "" if found[0] == "PREEMPTS" else f"{found}"
    return "" if found[0] == "FITS" and found[1] == (landed or found[1]) else f"{found}, not {landed}"


def _lands(way: Way, plan: SimulationPlan, landed: int, wanted: int) -> str:
    """Compare how many pods land with what was told of an object, or of a cause of pods that wait."""
    beside = way.beside
    if "owners" in beside and "workload" not in beside and (way.answer["kind"] != "SimulationPlan" or waiting(way)):
        # all that was placed before runs: those of these owners that find a node now waited
        fits = sum(step.result == "placed" and step.owner in beside["owners"] for step in plan.steps)
        return "" if fits >= landed else f"{fits} of {landed} fit"
    names = [beside["workload"]] if "workload" in beside else [*beside.get("owners", ()), beside.get("object", "")]
    names = [name for told in names for name in _let_in(told)]
    mine = next(item for item in by_object(plan) if not _names(item).isdisjoint(names))
    if not wanted:
        return "" if plan.verdict == "FITS" and not any(one.uneven for one in plan.rollouts) else plan.verdict
    done = landed < wanted or not mine.stalled
    return "" if mine.landed == landed and done else f"{mine.landed} of {landed} land, {plan.sentence}"


def _let_in(name: str) -> tuple[str, ...]:
    """What an object is called, and once it is let in: ``Job shop/run`` is ``job/shop/run`` then."""
    kind, _, key = name.partition(" ")
    return (name, f"{kind_word(kind)}/{key}") if key else (name,)


def waiting(way: Way) -> bool:
    """Whether a remedy of a plan is of pods that wait, and not of objects that land."""
    if way.answer["kind"] != "SimulationPlan" or "owners" not in way.beside:
        return False
    items = by_object(msgspec.convert(way.answer, SimulationPlan))
    return all(_names(item).isdisjoint(way.beside["owners"]) for item in items)


def _names(item: Mine) -> set[str]:
    """What an object is called, and what owns its pods: of a CronJob, the Job of a run."""
    return {item.name, *(step.owner for step in item.steps)}
