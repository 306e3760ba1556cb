"""What every command begins with: the state, the rules, and where both are from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from kplan.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from kplan.api import Scheduler
    from kplan.objects.state import ClusterState
    from kplan.result.document import Doubt, Origin

VARIABLE = "KPLAN_SNAPSHOT"


@dataclass(frozen=True)
class Rules:
    """Options that choose the scheduler's rules."""

    k8s_version: str = ""
    feature_gates: str = ""
    config: str = ""


@dataclass
class Session:
    """A state that was read, and the rules to answer by.

    Attributes:
        state: the state; requests are filled in as the API server fills them in.
        scheduler: the rules.
        origin: where the state is from.
        started: when reading began [seconds].
        loaded: when it ended.
    """

    state: ClusterState
    scheduler: Scheduler
    origin: Origin
    started: float
    loaded: float

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Doubts about version and configuration."""
        from kplan.result.document import Doubt

        return tuple(Doubt(code=doubt.code, text=doubt.text) for doubt in self.scheduler.doubts)

    def timings(self, planned: float, rendered: float) -> dict[str, float]:
        """How long each part took [seconds]."""
        return {
            "loadSeconds": round(self.loaded - self.started, 3),
            "planSeconds": round(planned - self.loaded, 3),
            "renderSeconds": round(rendered - planned, 3),
        }


def open_session(snapshot: str, rules: Rules) -> Session:
    """Read the state and make the rules.

    Raises:
        UsageError: no source is named.
        SourceError: the source is broken.
        ConfigError: version, gates or configuration are refused.
    """
    from kplan.api import Scheduler, fill_in, load
    from kplan.cli.notes import tell_completeness
    from kplan.studies.origin import origin, version_of

    started = perf_counter()
    path = snapshot or os.environ.get(VARIABLE, "")
    if not path:
        raise UsageError(
            "no cluster to look at: a live cluster cannot be read yet",
            code="no-source",
            hint=f"--snapshot PATH or {VARIABLE}=PATH; write one with: "
            "kubectl get nodes,pods,pv,pvc,sc,csinode,pdb,priorityclass,ns -A -o json > PATH",
        )
    state = load(path)
    asked, how = version_of(state, rules.k8s_version)
    config = _configuration(rules.config)
    scheduler = Scheduler.of(asked, gates=_gates(rules.feature_gates), config=config, file=rules.config)
    fill_in(state, scheduler)
    tell_completeness(state.completeness)
    via = "" if snapshot else VARIABLE
    about = origin(state, scheduler.features, asked, how, via=via)
    return Session(state, scheduler, about, started, perf_counter())


def _configuration(path: str) -> str | None:
    if not path:
        return None
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}", code="config-unreadable") from error


def _gates(text: str) -> dict[str, bool]:
    gates: dict[str, bool] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        if value.lower() not in ("true", "false"):
            raise UsageError(f"--feature-gates: {part!r}", code="bad-gate", hint="write Name=true or Name=false")
        gates[name.strip()] = value.lower() == "true"
    return gates
