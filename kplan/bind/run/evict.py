"""Preemption: victims are evicted through the Eviction API, the pod is nominated, and bound when they are gone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from kplan.bind.flags import Flags
from kplan.bind.run.perform import BudgetRefuses, HeldBack, Performer
from kplan.bind.wire.client import Client
from kplan.bind.wire.writes import evict, pod_path
from kplan.result.document_bind import BindPod, BindVictim

_LOOK_EVERY = 0.5
_ASK_BUDGET_EVERY = 5.0


def remaining(client: Client, shown: BindPod) -> list[tuple[BindVictim, bool]]:
    """Victims that are not gone yet, and whether each is leaving already.

    Raises:
        HeldBack: a victim runs elsewhere by now.
    """
    found = []
    for victim in shown.evicts:
        pod = client.found(pod_path(victim.pod), what=f"looking at {victim.pod}")
        if pod is None or pod["metadata"]["uid"] != victim.uid:
            continue
        if pod["spec"].get("nodeName") != shown.node:
            raise HeldBack(f"{victim.pod} is not on {shown.node} any more", code="victim-elsewhere")
        if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            continue
        found.append((victim, bool(pod["metadata"].get("deletionTimestamp"))))
    return found


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
                    text = f"a budget refuses{late} to let {victim.pod} go: {refusal.message}"
                    raise HeldBack(text, code="pdb", hint="" if late else "--pdb wait waits for it") from None
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
            raise HeldBack(f"{left[0][0].pod} was not gone within {timeout:g} s", code="victim-stays")
        yield _LOOK_EVERY
