"""The bench: where scenarios are carried out, one after the other, on columns that are built once."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller
from kplan.cluster.work import Work
from kplan.errors import KplanError, UsageError
from kplan.objects.requests import RequestRules
from kplan.pipeline import Planner
from kplan.result.document_base import Cause
from kplan.result.document_sweep import INTERNAL_ERROR, Fullest, SweepOutcome
from kplan.studies.sweep.base import Base, PackedBase
from kplan.studies.sweep.scenario import SweepScenario
from kplan.studies.what_ifs import run
from kplan.wording.not_tried import CAUSE

A_SCENARIO = 0.5
"""What one scenario may take of the work that a question about a small text may: the others need some, too."""
_OF_THEIR_NODE = ("DaemonSet", "Node")
_DIGITS = 3


class _Built(Struct, frozen=True):
    """Columns that were built.

    Attributes:
        planner: planner over them.
        own: bool[P], pods that are not of their node.
        kinds: how many classes of pods there were.
    """

    planner: Planner
    own: NDArray[np.bool_]
    kinds: int


class ScenarioBench:
    """Planners over one base, and what each scenario comes to; after each everything is as before.

    Args:
        base: state and rules.
    """

    def __init__(self, base: Base) -> None:
        self.base = base
        self._built: dict[tuple[int, RequestRules], _Built] = {}

    def planner(self, rules: int = 0) -> Planner:
        """Planner by some rules; rules that count alike share columns."""
        asked = self.base.rules[rules]
        if asked.key not in self._built:
            planner = asked.planner()
            self._built[asked.key] = _Built(planner, _own(planner.cluster.pods), len(planner.cluster.pod_classes))
        built = self._built[asked.key].planner
        return dataclasses.replace(built, pipelines=asked.pipelines())

    def answer(self, scenario: SweepScenario) -> SweepOutcome:
        """Carry a scenario out; one that cannot be is FAILED, with the reason."""
        started, work = perf_counter(), Work()
        try:
            planner = self.planner(scenario.rules)
            work = planner.cluster.work
            work.renew()  # what it takes hangs on the scenario alone, whoever carries it out
            outcome = self._answer(scenario, planner)
            if work.bounded:
                self._forget_kinds(scenario, planner.cluster)
        except UsageError as error:  # said before anything is changed
            outcome = failed(scenario, error.code, str(error))
        except KplanError as error:
            self._give_up(scenario)
            outcome = failed(scenario, error.code, str(error))
        except Exception as error:  # a bug that one scenario shows must not lose the answers of the others
            self._give_up(scenario)
            outcome = failed(scenario, INTERNAL_ERROR, _told(error))
        seconds = round(perf_counter() - started, _DIGITS)
        return msgspec.structs.replace(outcome, seconds=seconds, work=round(work.spent))

    def _give_up(self, scenario: SweepScenario) -> None:
        """Leave columns to which a change may have been carried out by half."""
        self._built.pop(self.base.rules[scenario.rules].key, None)

    def _forget_kinds(self, scenario: SweepScenario, cluster: Cluster) -> None:
        """Leave columns that know kinds of pods of this scenario alone: the next would pay for them."""
        if len(cluster.pod_classes) > self._built[self.base.rules[scenario.rules].key].kinds:
            cluster.work.charge(cluster.work.again)
            self._give_up(scenario)

    def _answer(self, scenario: SweepScenario, planner: Planner) -> SweepOutcome:
        work = planner.cluster.work
        work.charge_trial(len(planner.cluster.nodes), len(planner.cluster.pods))
        with work.within(work.most * A_SCENARIO), planner.trial() as trial:
            taken = run(trial, scenario.steps, compete=scenario.question.compete)
            answer = scenario.question.ask(trial, taken)
            told = {name: value for name, value in structs.asdict(answer).items() if name != "cluster"}
            used, fullest = self._used(answer.cluster, scenario.rules), _fullest(answer.cluster)
            if work.left:
                return failed(scenario, CAUSE.code, CAUSE.text)
            return SweepOutcome(**_named(scenario), **told, used=used, fullest=fullest)

    def _used(self, cluster: Cluster, rules: int) -> int:
        """Nodes that run more than pods that belong to their node."""
        built = self._built[self.base.rules[rules].key]
        known = built.own if cluster is built.planner.cluster else built.own[:0]
        own = np.concatenate([known, _own(cluster.pods[len(known) :])])
        node = cluster.pod_node[: len(cluster.pods)]
        return len(np.unique(node[own & (node >= 0)]))


def _own(pods: Sequence[PodInfo]) -> NDArray[np.bool_]:
    return np.array([controller(pod)[0] not in _OF_THEIR_NODE for pod in pods], dtype=np.bool_)


def failed(scenario: SweepScenario, code: str, text: str) -> SweepOutcome:
    """The outcome of a scenario that was not carried out."""
    return SweepOutcome(**_named(scenario), verdict="FAILED", because=Cause(code=code, text=text))


def _named(scenario: SweepScenario) -> dict[str, Any]:
    return {"number": scenario.number, "name": scenario.name, "at": scenario.at}


def _told(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return " ".join(f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}: {error}".split())


def _fullest(cluster: Cluster) -> Fullest | None:
    """The resource of which the least is left; the first by name of several."""
    if not cluster.nodes:
        return None
    amounts = {
        name: (cluster.requested[row].sum(), cluster.allocatable[row].sum()) for name, row in cluster.resources.items()
    }
    amounts["pods"] = (cluster.pod_count.sum(), cluster.allowed_pods.sum())
    shares = {name: int(used) * 100 // int(there) for name, (used, there) in amounts.items() if there > 0}
    if not shares:
        return None
    name = max(sorted(shares), key=shares.__getitem__)
    return Fullest(resource=name, percent=shares[name])


_benches: dict[str, ScenarioBench] = {}
"""The bench of this process, by digest of its base: one at a time."""
_handed: dict[str, PackedBase] = {}
_lock = Lock()
"""A worker may have several threads; a bench is for one."""


def hand(packed: PackedBase) -> None:
    """Keep a base for scenarios that name it by its digest."""
    _handed.clear()
    _handed[packed.digest] = packed


def work(base: PackedBase | str, scenarios: Sequence[SweepScenario]) -> list[SweepOutcome]:
    """Carry scenarios out in this process, on a bench that is built for the first of them.

    Args:
        base: the base, or the digest of one that was handed over.
        scenarios: the scenarios.

    Raises:
        UsageError: another version of kplan has packed the base.
    """
    digest = base if isinstance(base, str) else base.digest
    with _lock:
        if digest not in _benches:
            packed = _handed[base] if isinstance(base, str) else base
            _benches.clear()
            _benches[digest] = ScenarioBench(packed.base())
        return [_benches[digest].answer(scenario) for scenario in scenarios]
