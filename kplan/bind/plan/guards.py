"""Guards: what was looked at before anything is written, and which flag a plan needs that was not given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kplan.bind.flags import Flags
from kplan.bind.plan.rights import missing, needs_of, unseen, writing
from kplan.bind.wire.client import Client
from kplan.bind.wire.identity import Identity
from kplan.bind.wire.leases import Responsible
from kplan.framework.doubt import Doubt
from kplan.framework.features import Features
from kplan.objects.kinds import Kind
from kplan.result.document_bind import BindGuard, BindObject, BindPlan, BindPod
from kplan.words import count, listed

ORDER = ("age", "rules", "scheduler", "doubts", "creates", "rights", "watch", "dry run", "evicts")
"""In which order guards are shown."""
DOUBTS = "doubts"
"""Name of the guards that tell a doubt each."""
AGAINST = ("needs", "no")
"""States of guards that stand against a plan."""


def age_guard(plan: BindPlan, now: Identity, flags: Flags) -> BindGuard:
    """Hold the age of what was shown against ``--max-age``, by the server's clock alone."""
    if not plan.cluster.server_time or not now.time:
        state = "needs" if flags.max_age else "ok"
        return BindGuard(name="age", state=state, text="the plan's age is unknown", flag="--max-age 0")
    age = now.time - plan.cluster.server_time
    told = f"the state of the plan was read {_ago(age)} ago"
    if flags.max_age and age > flags.max_age:
        return BindGuard(name="age", state="needs", text=told, flag=f"--max-age {math.ceil(age / 60) * 60 + 60}")
    if age < -60:
        return BindGuard(
            name="age", state="needs", text=f"the plan is from the future ({_ago(-age)})", flag="--max-age 0"
        )
    return BindGuard(name="age", state="ok", text=told)


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def scheduler_guards(
    bound: Sequence[BindPod], responsible: Mapping[str, Responsible], flags: Flags
) -> Iterator[BindGuard]:
    """Hold each schedulerName against the live schedulers; none are known of a snapshot."""
    for name in dict.fromkeys(pod.scheduler for pod in bound):
        verdict = responsible.get(name)
        who = f"schedulerName {name}"
        if verdict is None:
            yield BindGuard(
                name="scheduler", state="--", text=f"{who}: a snapshot does not tell whether a scheduler runs"
            )
        elif not verdict.live:
            yield BindGuard(name="scheduler", state="ok", text=f"{who}; {verdict.text}")
        elif flags.take_over:
            yield BindGuard(name="scheduler", state="ok", text=f"{who} is taken over; {verdict.text}")
        else:
            text = f"a live scheduler answers for {who}: {verdict.text}"
            yield BindGuard(name="scheduler", state="needs", text=text, flag="--take-over")


def doubt_guards(doubts: Sequence[Doubt], flags: Flags) -> Iterator[BindGuard]:
    """Hold the doubts that touch the plan against those that are accepted."""
    for doubt in doubts:
        accepted = flags.accepts(doubt.code)
        state, flag = ("ok", "") if accepted else ("needs", f"--accept-doubt {doubt.code}")
        yield BindGuard(name=DOUBTS, state=state, text=f"{doubt.text}{' (accepted)' if accepted else ''}", flag=flag)


def create_guards(bound: Sequence[BindPod], objects: Sequence[BindObject], flags: Flags) -> Iterator[BindGuard]:
    """Say what of manifests is created, and what stands against it."""
    for item in objects:
        if item.result == "refused":
            yield BindGuard(name="creates", state="no", text=f"{item.object}: {item.text}")
    made = [item.object for item in objects if item.result == "create"]
    made += [f"pod/{pod.pod}" for pod in bound if pod.create is not None]
    if made:
        text = f"{count(len(made), 'object')} of manifests not there: {listed(made)}"
        state, flag = ("ok", "") if flags.create else ("needs", "--create")
        yield BindGuard(name="creates", state=state, text=text, flag=flag)


def eviction_guard(bound: Sequence[BindPod], flags: Flags) -> BindGuard:
    """Name who is evicted."""
    victims = [victim.pod for pod in bound for victim in pod.evicts]
    if not victims:
        return BindGuard(name="evicts", state="ok", text="nothing")
    state, flag = ("ok", "") if flags.preempt else ("needs", "--preempt")
    down = dict.fromkeys(victim.unserved for pod in bound for victim in pod.evicts if victim.unserved)
    none = f"; 0 ready of {listed(list(down))} meanwhile" if down else ""
    text = f"{count(len(victims), 'pod')}: {listed(victims)}{none}"
    return BindGuard(name="evicts", state=state, text=text, flag=flag)


def rights_guard(client: Client, plan: BindPlan, features: Features, flags: Flags) -> BindGuard:
    """Ask for every right the plan needs, before the first write.

    Raises:
        LiveError: the server does not say.
    """
    bound = [pod for pod in plan.pods if pod.result == "bind"]
    if not bound:
        return BindGuard(name="rights", state="--", text="nothing to write")
    namespaces = {pod.pod.partition("/")[0] for pod in bound}
    namespaces |= {victim.pod.partition("/")[0] for pod in bound for victim in pod.evicts}
    made = (item.manifest["metadata"].get("namespace") for item in plan.objects if item.manifest is not None)
    namespaces |= set(filter(None, made))
    needs = needs_of(plan, features, events=flags.events)
    lacking = missing(client, needs, namespaces)
    if lacking:
        text = f"missing: {listed([str(right) for right in lacking], most=4)} (--print-rbac prints a ClusterRole)"
        return BindGuard(name="rights", state="no", text=text)
    writes = sorted(
        (right for right in writing(needs) if right.verb != "get"), key=lambda right: right.resource != _FIRST
    )
    told = (f"{_SHORT.get(right.resource, right.resource)} {right.verb}" for right in writes)
    return BindGuard(name="rights", state="ok", text=", ".join(told))


def watch_guards(client: Client, kinds: Iterable[Kind]) -> Iterator[BindGuard]:
    """Say what of the objects that the plan depends on cannot be followed; that stops nothing.

    Raises:
        LiveError: the server does not say.
    """
    blind = unseen(client, kinds)
    if blind:
        text = f"changes that others make to {listed(blind, most=9)} go unseen: no right to list and watch them"
        yield BindGuard(name=WATCH, state="--", text=text)


WATCH = "watch"
_FIRST = "pods/binding"
_SHORT = {"persistentvolumeclaims": "pvc", "persistentvolumes": "pv"}


def dry_run_guard(plan: BindPlan, refused: Sequence[tuple[str, str]] | None) -> BindGuard:
    """Say what came of the writes of a plan as a dry run.

    Args:
        plan: the plan.
        refused: objects and pods of which a write is refused, each with the reason; None where nothing was sent.
    """
    if refused is None:
        return BindGuard(name="dry run", state="--", text="not sent: it is with --apply or --server-dry-run")
    todo = [pod for pod in plan.pods if pod.result == "bind"]
    if refused:
        what, why = refused[0]
        more = f"; {len(refused) - 1:,} more refused" if len(refused) > 1 else ""
        return BindGuard(name="dry run", state="no", text=f"{what}: {why}{more}")
    text = f"the server accepts the writes of {count(len(todo), 'pod')}"
    later = sum(pod.made for pod in todo)
    if later:
        text += f"; those that bind {count(later, 'pod')} can be tried once these exist"
    return BindGuard(name="dry run", state="ok", text=text)
