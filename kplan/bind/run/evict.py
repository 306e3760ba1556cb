"""Preemption: victims are evicted through the Eviction API, the pod is nominated, and bound when they are gone."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from kplan.bind.flags import Flags
from kplan.bind.run.perform import BudgetRefuses, HeldBack, Performer
from kplan.bind.run.reread import model_of
from kplan.bind.wire.client import Client
from kplan.bind.wire.writes import evict, pod_path
from kplan.objects.models import Pod, PodDisruptionBudget
from kplan.objects.readiness import is_ready
from kplan.objects.selectors import compile_selector
from kplan.result.document_bind import BindPod, BindVictim
from kplan.words import count

_LOOK_EVERY = 0.5
_ASK_BUDGET_EVERY = 5.0


class VictimLeft(Struct, frozen=True):
    """A victim that is not gone yet.

    Attributes:
        victim: as it was shown.
        pod: as it is.
    """

    victim: BindVictim
    pod: Pod

    @property
    def leaving(self) -> bool:
        """Whether it is on its way out already."""
        return self.pod.metadata.deletion_timestamp is not None

    @property
    def counted(self) -> bool:
        """Whether its eviction takes one that a budget allows; of a pod that is not ready, only the server can tell.

        Source: kubernetes v1.37.2 pkg/registry/core/pod/storage/eviction.go Create.
        """
        return not self.leaving and is_ready(self.pod)


def remaining(client: Client, shown: BindPod) -> list[VictimLeft]:
    """Victims that are not gone yet.

    Raises:
        HeldBack: a victim runs elsewhere by now.
    """
    left = []
    for victim in shown.evicts:
        raw = client.found(pod_path(victim.pod), what=f"looking at {victim.pod}")
        if raw is None or raw["metadata"]["uid"] != victim.uid:
            continue
        pod: Pod = model_of(raw, Pod)
        if pod.spec.node_name != shown.node:
            raise HeldBack(f"{victim.pod} is not on {shown.node} any more", code="victim-elsewhere")
        if not pod.ended:
            left.append(VictimLeft(victim, pod))
    return left


def check_budgets(client: Client, left: Sequence[VictimLeft]) -> None:
    """Hold victims back whose budgets do not allow them all, before the first of them leaves for nothing.

    A dry run asks about each by itself, so that two under a budget that allows one both pass.

    Raises:
        HeldBack: a budget allows fewer than it has to.
        LiveError: the server does not answer.
    """
    counted = [victim for victim in left if victim.counted]
    spent: Counter[str] = Counter()
    for namespace in dict.fromkeys(victim.pod.namespace for victim in counted):
        budgets = _budgets(client, namespace)
        for each in (each for each in counted if each.pod.namespace == namespace):
            for budget in budgets:
                allowed = max(budget.status.disruptions_allowed or 0, 1)  # of a first victim the dry run tells
                selector = compile_selector(budget.spec.selector)
                if selector.empty or not selector.matches(each.pod.labels):
                    continue
                spent[budget.key] += 1
                if spent[budget.key] > allowed:
                    text = (
                        f"budget {budget.name} allows {count(allowed, 'eviction')}, too few to let {each.victim.pod} go"
                    )
                    raise HeldBack(text, code="pdb", hint=_WAIT)


def _budgets(client: Client, namespace: str) -> list[PodDisruptionBudget]:
    """Budgets of a namespace; none where they may not be read: the server minds them all the same."""
    reply = client.read(f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets", what="looking at budgets")
    items = reply.object().get("items") if reply.ok else ()
    raws = [raw for raw in items if isinstance(raw, dict)] if isinstance(items, list) else []
    budgets: list[PodDisruptionBudget] = [model_of(raw, PodDisruptionBudget) for raw in raws]
    return [budget for budget in budgets if budget.spec.selector is not None]


_WAIT = "--pdb wait waits for it"


def refused(victim: str, refusal: BudgetRefuses, late: str = "") -> HeldBack:
    """Say of a victim that a budget refuses to let it go."""
    text = f"a budget refuses{late} to let {victim} go: {refusal.message}"
    return HeldBack(text, code="pdb", hint="" if late else _WAIT)


def evict_all(performer: Performer, shown: BindPod, victims: Sequence[BindVictim], flags: Flags) -> Iterator[float]:
    """Evict victims, lowest priority last as they were shown; yields how long to let others go on [seconds].

    Raises:
        HeldBack: a budget refuses, or does so too long.
    """
    end = time.monotonic() + flags.evict_timeout
    for victim in victims:
        while True:
            try:
                performer.carry_out(evict(victim.pod, victim.uid, shown.pod))
                break
            except BudgetRefuses as refusal:
                if flags.pdb != "wait" or time.monotonic() >= end:
                    late = f" for {flags.evict_timeout:g} s" if flags.pdb == "wait" else ""
                    raise refused(victim.pod, refusal, late) from None
            yield _ASK_BUDGET_EVERY


def wait_gone(client: Client, shown: BindPod, timeout: float) -> Iterator[float]:
    """Wait until all victims are gone; yields how long to let others go on [seconds].

    Raises:
        HeldBack: they are not in time.
    """
    end = time.monotonic() + timeout
    while True:
        left = remaining(client, shown)
        if not left:
            return
        if time.monotonic() >= end:
            raise HeldBack(f"{left[0].victim.pod} was not gone within {timeout:g} s", code="victim-stays")
        yield _LOOK_EVERY
