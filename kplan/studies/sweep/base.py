"""The base of a sweep: the state that every scenario begins with and the rules to go by, packed to be handed over."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import msgspec
from msgspec import Struct

from kplan import __version__
from kplan.cluster import build
from kplan.config import SchedulerConfiguration
from kplan.errors import UsageError
from kplan.extenders import Budget, HttpExtender
from kplan.framework.extender import ExtenderCaller
from kplan.framework.features import Features
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.pipeline import Pipeline, Planner, bind_profiles
from kplan.sources.loading import collector_paused
from kplan.sources.originals import FileOriginals
from kplan.studies.sweep.scenario import SweepScenario

_QUICK = 1
"""Level of packing: a state shrinks to a twentieth even so."""
_encoder = msgspec.json.Encoder(order="deterministic", enc_hook=repr)


@dataclass(frozen=True)
class SweepRules:
    """Rules of a scheduler, and the state as it is by them.

    Attributes:
        features: version and gates.
        configuration: profiles.
        requests: how this version counts what pods request.
        state: the state, with requests filled in by this version.
        calls: how often each process may ask the extenders of the configuration; 0 where they are not asked.
        path: of the file that the state is from, for objects as they were read; empty for none.
        as_scheduler: schedulerName that every pod is taken to have; empty for its own.
    """

    features: Features
    configuration: SchedulerConfiguration
    requests: RequestRules
    state: ClusterState
    calls: int = 0
    path: str = ""
    as_scheduler: str = ""

    @property
    def key(self) -> tuple[int, RequestRules]:
        """What the columns of the state depend on."""
        return id(self.state), self.requests

    @cached_property
    def callers(self) -> tuple[ExtenderCaller, ...]:
        """What asks the extenders, in this process; none where they are not asked."""
        if not self.calls:
            return ()
        budget, originals = Budget(self.calls), FileOriginals(self.path)
        return tuple(HttpExtender(extender, budget, originals) for extender in self.configuration.extenders)

    def __getstate__(self) -> dict[str, object]:
        """Leave connections behind: each process makes its own."""
        return {name: value for name, value in self.__dict__.items() if name != "callers"}

    def pipelines(self) -> dict[str, Pipeline]:
        """Make the plugins of every profile."""
        return bind_profiles(self.configuration, self.features, self.callers)

    def planner(self) -> Planner:
        """Build a planner over columns of its own."""
        cluster = build(self.state, self.requests, self.as_scheduler)
        return Planner(cluster, self.pipelines(), everything=False)


class Base(Struct, frozen=True):
    """What all scenarios of a sweep have in common.

    Attributes:
        rules: rules that a scenario may go by; several may share one state.
    """

    rules: tuple[SweepRules, ...]


class PackedBase(Struct, frozen=True):
    """A base on its way to another process.

    Attributes:
        digest: of what is in it.
        kplan: the version that packed it.
        content: the base.
    """

    digest: str
    kplan: str
    content: bytes

    def base(self) -> Base:
        """Unpack it.

        Raises:
            UsageError: another version of kplan has packed it.
        """
        if self.kplan != __version__:
            raise UsageError(
                f"a worker has kplan {__version__}, and this is {self.kplan}",
                code="other-kplan",
                hint=f"pip install 'kplan[dask]=={self.kplan}' on every worker",
            )
        with collector_paused():
            base = pickle.loads(zlib.decompress(self.content))
        assert isinstance(base, Base)
        return base


def pack(base: Base, digest: str) -> PackedBase:
    """Pack a base, to be unpacked by the same version of kplan."""
    packer = _Packer()
    with collector_paused():
        pickle.Pickler(packer, protocol=pickle.HIGHEST_PROTOCOL).dump(base)
    return PackedBase(digest, __version__, packer.content())


class _Packer:
    """A file that packs what is written to it, piece by piece: between two of them an interrupt is heard."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(_QUICK)
        self._packed: list[bytes] = []

    def write(self, piece: bytes) -> int:
        """Take a piece; a large state comes in some of 64 KiB."""
        self._packed.append(self._packer.compress(piece))
        return len(piece)

    def content(self) -> bytes:
        """All that was written, packed."""
        return b"".join((*self._packed, self._packer.flush()))


def apart(state: ClusterState) -> ClusterState:
    """Copy a state whose objects other rules may fill in otherwise."""
    with collector_paused():
        copy = pickle.loads(pickle.dumps(state, protocol=pickle.HIGHEST_PROTOCOL))
    assert isinstance(copy, ClusterState)
    return copy


class Digests(Struct, frozen=True):
    """What two sweeps are told apart by.

    Attributes:
        state: of the objects.
        rules: of versions, gates and configurations, and of kplan itself.
        scenarios: of the scenarios, in order.
    """

    state: str
    rules: str
    scenarios: str

    @property
    def base(self) -> str:
        """Digest of state and rules."""
        return sha256(f"{self.state} {self.rules}".encode()).hexdigest()[:16]


def digests(base: Base, scenarios: Iterable[SweepScenario]) -> Digests:
    """Work out what a sweep is told apart by."""
    states = list({id(rule.state): rule.state for rule in base.rules}.values())
    objects = sha256()
    for state in states:
        for item in state.objects():
            objects.update(_encoder.encode(item))
    rules = sha256(__version__.encode())
    for rule in base.rules:
        number = next(i for i, state in enumerate(states) if state is rule.state)
        rules.update(_encoder.encode((rule.features, rule.configuration, rule.requests, number)))
        if rule.calls or rule.as_scheduler:
            rules.update(_encoder.encode((rule.calls > 0, rule.as_scheduler)))
    told = sha256()
    for scenario in scenarios:
        kinds = [type(step).__name__ for step in scenario.steps]
        told.update(_encoder.encode((scenario, type(scenario.question).__name__, kinds)))
    return Digests(*(digest.hexdigest()[:16] for digest in (objects, rules, told)))
