"""A run: what manifests need is created, then the pods of a plan are bound one after another.

Those that wait for volumes, for victims, or for their controllers to make them do so beside the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from kplan.bind.flags import Flags
from kplan.bind.run.arrivals import Arrivals, as_real
from kplan.bind.run.creating import Creating
from kplan.bind.run.cycle import BindingCycle
from kplan.bind.run.groups import left_short, mates
from kplan.bind.run.journal import Journal, JournalError
from kplan.bind.run.live import LiveCluster
from kplan.bind.run.perform import HeldBack, Performer
from kplan.bind.run.record import JournalRecord
from kplan.bind.run.rehearsal import Rehearsal
from kplan.bind.run.reporting import Reporting
from kplan.bind.run.results import Ending, became, result_of
from kplan.bind.run.resuming import settled_before
from kplan.bind.wire.client import Client
from kplan.bind.wire.stop import Stopped
from kplan.bind.wire.writes import ServerFinding, bound
from kplan.errors import KplanError, LiveError
from kplan.framework.features import Features
from kplan.result.document_bind import BindPlan, BindPod, BindResult, BoundPod
from kplan.sources.moments import time_of
from kplan.words import count

CONFIRM_WITHIN = 30.0
"""An assumption that the watch does not confirm in this time is dropped [seconds]."""
_POLL = 0.2
Progress = Callable[[int, int], None]
"""Told how many pods are settled, of how many."""


class _Active(Struct):
    """A pod on its way: when it is its turn again, and under which name it was planned."""

    due: float
    planned: BindPod
    cycle: BindingCycle
    steps: Generator[float, None, None]


@dataclass
class Run:
    """A run over one plan.

    Attributes:
        client: the server.
        live: the cluster as it is.
        plan: what was shown.
        features: version and gates of the scheduler.
        flags: what the run may do.
        journal: where all is noted.
        name: of the run, as in the journal.
        former: journal of the run that this one resumes; None if it resumes none.
        progress: told how far it is.
    """

    client: Client
    live: LiveCluster
    plan: BindPlan
    features: Features
    flags: Flags
    journal: Journal
    name: str
    former: JournalRecord | None = None
    progress: Progress = lambda done, total: None
    results: dict[str, BoundPod] = field(default_factory=dict)
    stopped: str = ""
    writes: int = 0
    _active: list[_Active] = field(default_factory=list)
    _real: dict[str, str] = field(default_factory=dict)
    _rehearsed: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._todo = [pod for pod in self.plan.pods if pod.result == "bind"]
        self._shown = {pod.pod: pod for pod in self.plan.pods}
        self._place = {pod.pod: number for number, pod in enumerate(self._todo)}
        self._arrivals = Arrivals(self.client, self.plan.pods)
        self._groups = mates(self._todo, self.results, self.features)
        self._reporting = Reporting(self._performer, self.name, self.flags.events)
        self._creating = Creating(self.plan.objects, self._performer(), self.live, self._arrivals, self.name)

    def go(self) -> BindResult:
        """Carry the plan out; whatever goes wrong with one pod is no reason for the others."""
        started = time_of(time.time())
        failure: KplanError | None = None
        try:
            with self.client.stop.on_interrupt():
                self._settle_former()
                self._rehearse()
                self._create()
                self._bind()
                self._confirm_all()
        except Stopped:
            self.stopped = "interrupted"
        except LiveError as error:
            self.stopped, failure = "server", error
        except JournalError as error:
            self.stopped, failure = "journal", error
        finally:
            self._close()
        return self._result(started, failure)

    def _open(self) -> list[BindPod]:
        """Pods that nothing was decided about, in the order of the plan."""
        return [pod for pod in self._todo if pod.pod not in self.results]

    def _settle_former(self) -> None:
        """Ask the server what became of each pod in the run that is resumed."""
        if self.former is None:
            return
        for planned, (key, uid) in self.former.matches.items():
            self._arrivals.taken(planned, uid)
            self._real[key] = planned
        for shown in self._todo:
            self._settle_from(self.former, shown)

    def _settle_from(self, former: JournalRecord, shown: BindPod) -> None:
        before = settled_before(self.client, former, shown, self.name)
        if before is None:
            return
        if before.pod.result == "held-back":
            self._reporting.held(before.key, before.uid, before.pod.code, before.pod.text)
        try:
            if not before.noted:
                self._reporting.bound(before.key, before.uid, shown.node)
        finally:  # bound it is, whatever comes of the event
            self._settle(before.pod, note=not before.noted)

    def _rehearse(self) -> None:
        """Send every write as a dry run before the first one is made; what is refused is held back."""
        rehearsal = Rehearsal(self._performer(), self.live.cluster.rules, self.features, self.flags, self.name)
        for what, problem in rehearsal.of(self.plan.objects, self._open()):
            if what in self._shown:
                self._hold(self._shown[what], problem)
            elif self._creating.problem is None:
                self._creating.hold(what, problem)

    def _create(self) -> None:
        """Create objects, if pods are yet to come of them; pods of what cannot be created are held back."""
        creating = self._creating
        if self.former is not None and not any(shown.made for shown in self._open()):
            creating.look()
            return
        try:
            if creating.problem is None:
                creating.go()
        finally:
            self.writes += len(creating.performer.sent)
        if creating.problem is not None:
            for shown in self._open():
                if shown.create is not None or (shown.owner and not creating.is_created(shown.owner)):
                    self._hold(shown, creating.problem)

    def _bind(self) -> None:
        matched = self.former.matches if self.former is not None else {}
        for shown in self._open():
            if not shown.owner or shown.pod in matched:
                self._follow()
                self._begin(shown, as_real(shown, *matched[shown.pod]) if shown.owner else shown)
        while self._active or self._arrivals.awaited:
            self.client.stop.sleep(_POLL)
            self._follow()
        self._reporting.end(self.plan.pods)

    def _follow(self) -> None:
        """Let the pods go on whose turn it is, and take in what happened."""
        self.client.stop.check()
        self._advance_due()
        self._drop_unconfirmed()
        for pod in self.live.appeared():
            planned = self._arrivals.match(pod)
            if planned is not None and planned.result == "bind" and planned.pod not in self.results:
                self.journal.match(planned.pod, pod.key, pod.metadata.uid or "")
                self._real[pod.key] = planned.pod
                self._begin(planned, as_real(planned, pod.key, pod.metadata.uid or ""))
        held = {key for key, result in self.results.items() if result.result == "held-back"}
        for shown, text in list(self._arrivals.late(self.flags.create_timeout, held)):
            self._hold(shown, HeldBack(text, code="not-made"))

    def _begin(self, planned: BindPod, shown: BindPod) -> None:
        place = self._place[planned.pod]

        def others() -> bool:
            return any(pod.pod not in self.results for pod in self._todo[:place])

        group = self._groups.get(planned.group)
        cycle = BindingCycle(shown, self.live, self._performer(), self.flags, self.name, others, group, planned.pod)
        self._advance(_Active(0.0, planned, cycle, cycle.steps()))

    def _performer(self) -> Performer:
        return Performer(self.client, self.journal, self._rehearsed)

    def _advance_due(self) -> None:
        now = time.monotonic()
        due = [active for active in self._active if active.due <= now]
        self._active = [active for active in self._active if active.due > now]
        for pod in due:
            self._advance(pod)

    def _advance(self, active: _Active) -> None:
        """Let a pod go on until it waits, is bound or is held back."""
        try:
            wait = next(active.steps)
        except StopIteration:
            self.writes += len(active.cycle.performer.sent)
            self._settle(became(active.planned, "bound", active.cycle.shown.pod, at=time_of(time.time())))
        except HeldBack as problem:
            self.writes += len(active.cycle.performer.sent)
            self._hold(active.planned, problem, active.cycle)
        except (Stopped, LiveError, JournalError):
            self._leave(active)
            raise
        else:
            active.due = time.monotonic() + wait
            self._active.append(active)

    def _leave(self, active: _Active) -> None:
        """Note a pod that was on its way when the run stopped; the journal leaves it open."""
        self.writes += len(active.cycle.performer.sent)
        if active.cycle.bound:  # its event is open
            left = became(active.planned, "bound", active.cycle.shown.pod, at=time_of(time.time()))
        else:
            text = "on its way when the run stopped: --resume asks the server"
            left = became(active.planned, "open", active.cycle.shown.pod, text=text, kept=active.cycle.kept)
        self.results[left.pod] = left

    def _close(self) -> None:
        """Let pods that still wait take back what they assumed."""
        for active in self._active:
            active.steps.close()
            self._leave(active)
        self._active = []

    def _hold(self, shown: BindPod, problem: HeldBack, cycle: BindingCycle | None = None) -> None:
        key, kept = (cycle.shown.pod, cycle.kept) if cycle is not None else (shown.pod, ())
        uid = cycle.uid if cycle is not None else shown.uid
        self._settle(became(shown, "held-back", key, code=problem.code, text=problem.message, kept=kept))
        self._reporting.held(key, uid, problem.code, problem.message)

    def _settle(self, pod: BoundPod, *, note: bool = True) -> None:
        self.results[pod.pod] = pod
        if note:
            self.journal.pod(pod)
        self.progress(len(self.results), len(self._todo))

    def _drop_unconfirmed(self) -> None:
        """Drop assumptions that did not arrive, unless the server knows of them after all."""
        self.live.follow()
        for key in self.live.unconfirmed(CONFIRM_WITHIN):
            assumed = self.live.assumed[key]
            answer = bound(self.client, key, assumed.uid, assumed.node)
            if answer.finding is ServerFinding.DONE:
                assumed.confirmed = True
                continue
            self.live.revert(key)
            text = f"its binding was written but did not arrive within {CONFIRM_WITHIN:g} s"
            why = answer.text or "the server says that it is not bound"
            self._hold(self._shown[self._real.get(key, key)], HeldBack(f"{text}: {why}", code="unconfirmed"))

    def _confirm_all(self) -> None:
        """Wait until the watch has shown every binding."""
        while self._unconfirmed() and not self.client.stop.asked:
            self._drop_unconfirmed()
            if self._unconfirmed():
                time.sleep(_POLL / 4)

    def _unconfirmed(self) -> bool:
        return any(assumed.written and not assumed.confirmed for assumed in self.live.assumed.values())

    def _result(self, started: str, failure: KplanError | None) -> BindResult:
        self.live.follow()
        pods = []
        for shown in self._todo:
            outcome = self.results.get(shown.pod) or became(shown, "not-tried")
            assumed = self.live.assumed.get(outcome.real or outcome.pod)
            if outcome.result == "bound" and assumed is not None:
                outcome = msgspec.structs.replace(outcome, confirmed=assumed.confirmed)
            pods.append(outcome)
        ending = Ending(self.stopped, failure, started, self.writes, self.journal.path)
        more = self._arrivals.more.items()
        notes = tuple(f"{owner} made {count(number, 'pod')} more than planned: left alone" for owner, number in more)
        notes += left_short(self._groups, self.live)
        result = result_of(self.plan, pods, self._creating.told(), ending, notes)
        if not self.stopped:
            try:
                self.journal.end(result.verdict)
            except JournalError as error:  # all is done: what was bound is told all the same
                return msgspec.structs.replace(result, notes=(*result.notes, error.message))
        return result
