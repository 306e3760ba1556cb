"""The document of a plan: what would be written, what stands against it, and what to run next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kplan.bind.flags import Flags
from kplan.bind.plan.guards import AGAINST, DOUBTS, ORDER, create_guards, doubt_guards, eviction_guard, scheduler_guards
from kplan.bind.wire.leases import DEFAULT_NAME, Responsible
from kplan.framework.doubt import Doubt
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_bind import (
    BindGuard,
    BindManifests,
    BindObject,
    BindPlan,
    BindPod,
    BindTarget,
    BindTotals,
)
from kplan.words import count, joined

CONFIG_DOUBT = "scheduler-config-assumed"


class Circumstances(Struct, frozen=True):
    """What a plan is held against.

    Attributes:
        origin: where the state is from.
        cluster: the cluster.
        responsible: who answers for each schedulerName; empty for a snapshot, where that cannot be known.
        doubts: about version and configuration.
        objects: of manifests, but for bare pods, in the order in which they are created.
        notes: what else to say.
        command: the command so far, for what to run next.
        rules: version, gates and profiles the plan is made by.
        manifests: where the manifests are; None for a plan without any.
    """

    origin: Origin
    cluster: BindTarget
    responsible: Mapping[str, Responsible] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    objects: tuple[BindObject, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = "kplan bind"
    rules: Mapping[str, str] = field(default_factory=dict)
    manifests: BindManifests | None = None

    def answers(self, name: str) -> bool:
        """Whether a live scheduler answers for a schedulerName."""
        return name in self.responsible and self.responsible[name].live


def make_plan(
    pods: Sequence[BindPod], about: Circumstances, flags: Flags, guards: Sequence[BindGuard] = ()
) -> BindPlan:
    """Make the document of a plan.

    Args:
        pods: what would become of each, in the order in which they are bound.
        about: what it is held against.
        flags: what may be done.
        guards: what else was looked at.
    """
    bound = [pod for pod in pods if pod.result == "bind"]
    doubts = _doubts(bound, about)
    own = (
        *scheduler_guards(bound, about.responsible, flags),
        *doubt_guards(doubts, flags),
        *create_guards(bound, about.objects, flags),
        eviction_guard(bound, flags),
    )
    looked = sorted((*own, *guards), key=lambda guard: ORDER.index(guard.name))
    against = [guard for guard in looked if guard.state in AGAINST]
    refused = any(item.result == "refused" for item in about.objects)
    verdict = "REFUSED" if refused or (bound and against) else "READY" if bound else "NOTHING"
    return BindPlan(
        api_version=API_VERSION,
        verdict=verdict,
        sentence=_sentence(len(bound), len(pods), verdict, about.objects),
        totals=totals(pods, about.objects),
        pods=tuple(pods),
        objects=about.objects,
        guards=tuple(looked),
        cluster=about.cluster,
        origin=about.origin,
        because=_because(pods, against, verdict, about.objects),
        attempt=_attempt(verdict, about, against),
        doubts=doubts,
        notes=about.notes,
        rules=dict(about.rules),
        manifests=about.manifests,
    )


def totals(pods: Sequence[BindPod], objects: Sequence[BindObject] = ()) -> BindTotals:
    """Count the writes of a plan."""
    bound = [pod for pod in pods if pod.result == "bind"]
    claims = [claim for pod in bound for claim in pod.claims]
    return BindTotals(
        pods=len(pods),
        bindings=len(bound),
        claims=sum(1 for claim in claims if not claim.volume),
        volumes=sum(1 for claim in claims if claim.volume),
        device_claims=len({claim.claim for pod in bound for claim in pod.devices}),
        evictions=sum(len(pod.evicts) for pod in bound),
        creations=sum(1 for pod in bound if pod.create is not None),
        objects=sum(1 for item in objects if item.result == "create"),
    )


def first_pods(pods: Sequence[BindPod], most: int) -> Iterator[BindPod]:
    """Leave the pods of a saved plan beyond ``--max-pods`` unbound; 0 for no limit."""
    bound = 0
    for pod in pods:
        bound += pod.result == "bind"
        if most and bound > most and pod.result == "bind":
            cause = Cause(code="max-pods", text=f"beyond --max-pods {most}")
            yield replace(pod, result="pending", because=cause)
        else:
            yield pod


def refusal(plan: BindPlan) -> str:
    """Every flag and right that is missing, each with its whole reason: for those who do not see the plan."""
    against = [_reason(guard) for guard in plan.guards if guard.state in AGAINST]
    return "; ".join(against) or (plan.because.text if plan.because is not None else plan.sentence)


def attempt_of(plan: BindPlan, file: str, flags: Flags, words: str = "") -> str:
    """What to run next with a plan that is saved to a file; empty if nothing helps.

    Args:
        plan: the plan.
        file: its name.
        flags: what may be done.
        words: options that name the cluster and choose the rules.
    """
    if not plan.attempt or not plan.cluster.uid:
        return ""
    needs = _flags(guard for guard in plan.guards if guard.state == "needs")
    return f"kplan bind --plan {shlex.quote(file)}{words}{flags.words()}{needs} --apply"


def _because(
    pods: Sequence[BindPod], against: Sequence[BindGuard], verdict: str, objects: Sequence[BindObject]
) -> Cause | None:
    """Every flag that is missing, each with its reason; else why the first pod is not bound, or is not made.

    Doubts are named alone: their reasons are long, and stand at their guards.
    """
    if verdict == "REFUSED":
        codes = list(dict.fromkeys(guard.flag.split()[-1] for guard in against if guard.name == DOUBTS and guard.flag))
        named = (f"{count(len(codes), 'doubt')} not accepted: {joined(codes)}",) if codes else ()
        needs = [_reason(guard) for guard in against if guard.name != DOUBTS]
        text = "; ".join((*needs, *named))
        return Cause(code="flags-needed" if all(g.flag for g in against) else "refused", text=text)
    first = next((pod for pod in pods if pod.result != "bind"), None)
    short = next((item for item in objects if item.refused_pods), None)
    if first is None and short is not None:
        return Cause(code="refused", text=f"{short.object}: {short.text}")
    if first is None or first.because is None:
        return None
    return Cause(code=first.because.code, text=f"{first.pod}: {first.because.text}")


def _flags(guards: Iterable[BindGuard]) -> str:
    """Flags of guards, each once, with a space before it."""
    return "".join(dict.fromkeys(f" {guard.flag}" for guard in guards))


def _reason(guard: BindGuard) -> str:
    return f"{guard.flag}: {guard.text}" if guard.flag else guard.text


def _sentence(bound: int, shown: int, verdict: str, objects: Sequence[BindObject]) -> str:
    lost = sum(item.refused_pods for item in objects)
    pods = shown + lost
    of = f"{bound:,} of {count(pods, 'pod')}"
    if verdict == "REFUSED":
        return f"{of} would be bound, but not {'with these flags' if bound else 'so'}; nothing was written"
    tail = f"; {count(lost, 'pod')} of {_whose(objects)}" if lost else ""
    return f"{of} would be bound{tail}; nothing was written" if pods else "no pod waits there; nothing was written"


def _whose(objects: Sequence[BindObject]) -> str:
    """Say of which objects the server refuses pods, though it takes the objects."""
    short = [item.object for item in objects if item.refused_pods]
    if len(short) == 1:
        return f"{short[0]} would be refused, which itself is accepted"
    return f"{len(short):,} objects that are accepted would be refused"


def _attempt(verdict: str, about: Circumstances, against: Sequence[BindGuard]) -> str:
    """What to run next: a plan of a snapshot is saved first, as only a cluster can be written to."""
    if verdict == "NOTHING" or any(not guard.flag for guard in against):
        return ""
    return f"{about.command}{_flags(against)} {'--apply' if about.cluster.server else '--save-plan plan.json'}"


def _doubts(bound: Sequence[BindPod], about: Circumstances) -> tuple[Doubt, ...]:
    """Doubts that touch a pod that is bound; how the cluster's own scheduler is configured touches only its pods."""
    own = any(pod.scheduler == DEFAULT_NAME or about.answers(pod.scheduler) for pod in bound)
    general = [doubt for doubt in about.doubts if doubt.code != CONFIG_DOUBT or own]
    return tuple(dict.fromkeys([*(general if bound else []), *(doubt for pod in bound for doubt in pod.doubts)]))
