"""A run: the pods of a plan one after another, those that wait for volumes or victims beside the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from kplan.bind import volumes
from kplan.bind.client import Client
from kplan.bind.cycle import Cycle
from kplan.bind.events import failed, scheduled
from kplan.bind.flags import Flags
from kplan.bind.guards import model_of, read_node, read_pod
from kplan.bind.journal import Journal
from kplan.bind.live import LiveCluster
from kplan.bind.perform import BudgetRefuses, HeldBack, Performer
from kplan.bind.stop import Stopped
from kplan.bind.writes import Finding, Write, bind, bound, create, evict, nominate, pod_path
from kplan.errors import LiveError
from kplan.objects.models import Pod
from kplan.objects.requests import RequestRules
from kplan.result.document import API_VERSION, Cause
from kplan.result.document_bind import BindPlan, BindPod, BindResult, BoundPod

CONFIRM_WITHIN = 30.0
"""An assumption that the watch does not confirm in this time is dropped [seconds]."""
_POLL = 0.2

Progress = Callable[[int, int], None]
"""Told how many pods are settled, of how many."""


@dataclass
class _Active:
    due: float
    cycle: Cycle
    steps: Iterator[float]


@dataclass
class Run:
    """A run over one plan.

    Attributes:
        client: the server.
        live: the cluster as it is.
        plan: what was shown.
        flags: what may be done.
        journal: where all is noted.
        name: of the run, as in the journal.
        before: what became of pods in the run that this one resumes, by ``namespace/name``.
        resumed: whether it goes on where another stopped.
        progress: told how far it is.
    """

    client: Client
    live: LiveCluster
    plan: BindPlan
    flags: Flags
    journal: Journal
    name: str
    before: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    resumed: bool = False
    progress: Progress = lambda done, total: None
    results: dict[str, BoundPod] = field(default_factory=dict)
    stopped: str = ""
    writes: int = 0
    _active: list[_Active] = field(default_factory=list)
    _rehearsed: set[tuple[str, str]] = field(default_factory=set)

    def go(self) -> BindResult:
        """Carry the plan out; whatever goes wrong with one pod is no reason for the others."""
        started = _now()
        todo = [pod for pod in self.plan.pods if pod.result == "bind"]
        failure: LiveError | None = None
        try:
            with self.client.stop.on_interrupt():
                todo = [pod for pod in todo if not self._settled_before(pod)]
                self._rehearse(todo)
                self._bind(todo)
                self._confirm_all()
        except Stopped:
            self.stopped = "interrupted"
        except LiveError as error:
            self.stopped, failure = "server", error
        finally:
            self._close()
        return self._result(started, failure)

    def _settled_before(self, shown: BindPod) -> bool:
        """Ask the server what became of a pod in the run that is resumed."""
        if not self.resumed:
            return False
        noted = self.before.get(shown.pod)
        if noted is not None and noted.get("result") == "held-back":
            self._settle(BoundPod(**{**noted, "kept": tuple(noted.get("kept", ()))}), note=False)
            return True
        uid = shown.uid
        if shown.create is not None:
            raw = self.client.found(pod_path(shown.pod), what=f"asking for pod {shown.pod}")
            if raw is None or create(shown.create, shown.pod, self.name).ask(self.client).finding is not Finding.DONE:
                return False
            uid = raw["metadata"]["uid"]
        if bound(self.client, shown.pod, uid, shown.node).finding is not Finding.DONE:
            return False
        raw = self.client.found(pod_path(shown.pod), what=f"asking for pod {shown.pod}") or {}
        at = _bound_at(model_of(raw, Pod)) if raw else ""
        if noted is None and self.flags.events:
            self._report(scheduled(shown.pod, uid, shown.node, self.name))
        text = "" if noted is not None else "as the server says"
        self._settle(
            BoundPod(pod=shown.pod, result="bound", node=shown.node, at=at, confirmed=True, text=text),
            note=noted is None,
        )
        return True

    def _rehearse(self, todo: list[BindPod]) -> None:
        """Send every write as a dry run before the first one is made; what is refused is held back."""
        for shown, problem in rehearse(
            self._performer(), todo, self.live.cluster.rules, self.flags, resumed=self.resumed
        ):
            self._hold(shown, problem, ())
        todo[:] = [pod for pod in todo if pod.pod not in self.results]

    def _bind(self, todo: list[BindPod]) -> None:
        for shown in todo:
            self.client.stop.check()
            self._advance_due()
            self._drop_unconfirmed()
            cycle = Cycle(shown, self.live, self._performer(), self.flags, self.name)
            self._advance(_Active(0.0, cycle, cycle.steps()))
        while self._active:
            self.client.stop.sleep(_POLL)
            self._advance_due()
            self._drop_unconfirmed()
        if self.flags.events:
            for shown in self.plan.pods:
                if shown.result == "pending" and shown.message and shown.uid:
                    self._report(failed(shown.pod, shown.uid, shown.message, self.name))

    def _performer(self) -> Performer:
        return Performer(self.client, self.journal, self._rehearsed)

    def _advance_due(self) -> None:
        now = time.monotonic()
        due = [one for one in self._active if one.due <= now]
        self._active = [one for one in self._active if one.due > now]
        for one in due:
            self._advance(one)

    def _advance(self, one: _Active) -> None:
        """Let a pod go on until it waits, is bound or is held back."""
        shown = one.cycle.shown
        try:
            wait = next(one.steps)
        except StopIteration:
            self.writes += len(one.cycle.performer.sent)
            self._settle(BoundPod(pod=shown.pod, result="bound", node=shown.node, at=_now()))
        except HeldBack as problem:
            self.writes += len(one.cycle.performer.sent)
            self._hold(shown, problem, one.cycle.kept)
        except (Stopped, LiveError):
            self.writes += len(one.cycle.performer.sent)
            self._leave(one)
            raise
        else:
            one.due = time.monotonic() + wait
            self._active.append(one)

    def _leave(self, one: _Active) -> None:
        """Note a pod that was on its way when the run stopped; the journal leaves it open."""
        pod = one.cycle.shown
        text = "on its way when the run stopped: --resume asks the server"
        self.results[pod.pod] = BoundPod(pod=pod.pod, result="open", node=pod.node, text=text, kept=one.cycle.kept)

    def _close(self) -> None:
        """Let pods that still wait take back what they assumed."""
        for one in self._active:
            one.steps.close()  # type: ignore[attr-defined]
            self.writes += len(one.cycle.performer.sent)
            self._leave(one)
        self._active = []

    def _hold(self, shown: BindPod, problem: HeldBack, kept: tuple[str, ...]) -> None:
        text = problem.message
        self._settle(
            BoundPod(pod=shown.pod, result="held-back", node=shown.node, code=problem.code, text=text, kept=kept)
        )

    def _settle(self, pod: BoundPod, *, note: bool = True) -> None:
        self.results[pod.pod] = pod
        if note:
            self.journal.pod(_plain(pod))
        total = sum(1 for shown in self.plan.pods if shown.result == "bind")
        self.progress(len(self.results), total)

    def _drop_unconfirmed(self) -> None:
        """Drop assumptions that did not arrive, unless the server knows of them after all."""
        self.live.follow()
        for key in self.live.unconfirmed(CONFIRM_WITHIN):
            assumed = self.live.assumed[key]
            found = bound(self.client, key, assumed.uid, assumed.node)
            if found.finding is Finding.DONE:
                assumed.confirmed = True
                continue
            self.live.revert(key)
            text = f"its binding was written but did not arrive within {CONFIRM_WITHIN:g} s"
            why = found.text or "the server says that it is not bound"
            self._hold(self._shown(key), HeldBack(f"{text}: {why}", code="unconfirmed"), ())

    def _confirm_all(self) -> None:
        """Wait until the watch has shown every binding."""
        while self._unconfirmed() and not self.client.stop.asked:
            self._drop_unconfirmed()
            if self._unconfirmed():
                time.sleep(_POLL / 4)

    def _unconfirmed(self) -> bool:
        return any(one.written and not one.confirmed for one in self.live.assumed.values())

    def _report(self, write: Write) -> None:
        """Report an event; a refusal changes nothing about the pod."""
        with suppress(HeldBack):
            self._performer().carry_out(write)

    def _shown(self, key: str) -> BindPod:
        return next(pod for pod in self.plan.pods if pod.pod == key)

    def _result(self, started: str, failure: LiveError | None) -> BindResult:
        self.live.follow()
        pods = []
        for shown in self.plan.pods:
            if shown.result != "bind":
                continue
            found = self.results.get(shown.pod) or BoundPod(pod=shown.pod, result="not-tried", node=shown.node)
            assumed = self.live.assumed.get(shown.pod)
            if found.result == "bound" and assumed is not None:
                found = BoundPod(**{**_fields(found), "confirmed": assumed.confirmed})
            pods.append(found)
        result = summary(pods, self.stopped, failure)
        if not self.stopped:
            self.journal.end(result[0])
        return BindResult(
            api_version=API_VERSION,
            verdict=result[0],
            sentence=result[1],
            because=result[2],
            pods=tuple(pods),
            cluster=self.plan.cluster,
            started=started,
            ended=_now(),
            journal=self.journal.path,
            writes=self.writes,
            attempt=f"kplan bind --resume {self.journal.path}" if self.stopped and self.journal.path else "",
        )


def rehearse(
    performer: Performer, todo: list[BindPod], rules: RequestRules, flags: Flags, *, resumed: bool = False
) -> Iterator[tuple[BindPod, HeldBack]]:
    """Send the writes of pods as dry runs; yields the pods of which one is refused.

    Raises:
        LiveError: the server does not answer.
        Stopped: it was asked to stop.
    """
    for shown in todo:
        try:
            for write in _first_writes(performer.client, shown, rules):
                try:
                    performer.rehearse(write)
                except BudgetRefuses:
                    if flags.pdb != "wait":
                        raise
        except HeldBack as problem:
            yield shown, problem


def _first_writes(client: Client, shown: BindPod, rules: RequestRules) -> Iterator[Write]:
    """Yield the writes of a pod that can be tried before it is its turn."""
    if shown.create is not None:
        write = create(shown.create, shown.pod, "rehearsal")
        if client.found(pod_path(shown.pod), what=f"asking for pod {shown.pod}") is None:
            yield write
        return
    pod = read_pod(client, shown, rules)
    read_node(client, shown)
    yield from volumes.writes(client, shown.claims, shown.node)
    if shown.evicts:
        yield nominate(shown.pod, shown.uid, shown.node)
    for victim in shown.evicts:
        raw = client.found(pod_path(victim.pod), what=f"looking at {victim.pod}")
        if raw is not None and raw["metadata"]["uid"] == victim.uid and not raw["metadata"].get("deletionTimestamp"):
            yield evict(victim.pod, victim.uid, shown.pod)
    yield bind(shown.pod, shown.uid, shown.node, pod.metadata.resource_version or "")


def summary(pods: list[BoundPod], stopped: str, failure: LiveError | None) -> tuple[str, str, Cause | None]:
    """Verdict, sentence and the first cause of a result."""
    count = {word: sum(1 for pod in pods if pod.result == word) for word in ("bound", "held-back", "open", "not-tried")}
    of = f"{count['bound']:,} of {len(pods):,} {'pod' if len(pods) == 1 else 'pods'}"
    held = f"; {count['held-back']:,} held back" if count["held-back"] else ""
    rest = f"; {count['open']:,} on the way" if count["open"] else ""
    rest += f"; {count['not-tried']:,} not tried" if count["not-tried"] else ""
    first = next((pod for pod in pods if pod.result == "held-back"), None)
    cause = Cause(code=first.code, text=first.text) if first is not None else None
    if failure is not None:
        cause = Cause(code=failure.code, text=failure.message)
    elif stopped:
        cause = Cause(code="interrupted", text="it was asked to stop")
    if stopped:
        verdict = "STOPPED"
    elif count["bound"] == len(pods):
        verdict = "BOUND"
    else:
        verdict = "PARTLY" if count["bound"] else "HELD"
    return verdict, f"{of}{held}{rest}", cause


def _bound_at(pod: Pod) -> str:
    conditions = (c for c in pod.status.conditions or () if c.type == "PodScheduled" and c.status == "True")
    return next((condition.last_transition_time or "" for condition in conditions), "")


def _fields(pod: BoundPod) -> dict[str, Any]:
    return {name: getattr(pod, name) for name in pod.__struct_fields__}


def _plain(pod: BoundPod) -> dict[str, Any]:
    return {name: value for name, value in _fields(pod).items() if value not in ("", (), False)}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
