"""Words of a sweep: how many scenarios are borne, what is in the way, and how to look closer at the worst."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.words import count

_SAID = {
    "drain": ("drain", "drains", "leaves", "leave", "nothing behind"),
    "fail": ("loss", "losses", "is", "are", "borne"),
    "workload": ("case", "cases", "fits", "fit", ""),
    "scenario": ("scenario", "scenarios", "leaves", "leave", "nothing waiting"),
}
"""What is said of those that fit, by the axis that asks: who, one or more, does what, one or more."""
_OTHERWISE = ("case", "cases", "leaves", "leave", "no pod waiting")
_CLOSER = {"drain": "its pods one by one, and what would help", "fail": "what comes back when, and what would help"}
"""What the command of this name tells of one scenario."""

ELSEWHERE = "another scheduler places it"
WORKER_DIED = "its worker died each time: it may lack memory"


def sentence(fits: int, total: int, asks: str) -> str:
    """Write the sentence after the verdict: ``1 of 6 drains leaves nothing behind``."""
    one, more, does, do, what = _SAID.get(asks, _OTHERWISE)
    return f"{fits:,} of {count(total, one, more)} {does if fits == 1 else do} {what}".rstrip()


def about_pod(pod: str, why: str) -> str:
    """Say of which pod something is the cause."""
    return f"{pod}: {why}"


def lost_zone(zone: str) -> str:
    """Name the scenario of a zone that is lost."""
    return f"fail zone {zone}"


def closer(command: str, *words: str) -> str:
    """Write the command line that tells more of one scenario, and what it tells; empty for a command that does not."""
    told = _CLOSER.get(command)
    return f"{' '.join(('kplan', command, *words))} -> {told}" if told else ""


def other_sweep(differing: str, found: Sequence[str], source: str) -> str:
    """Say why results are those of another sweep.

    Args:
        differing: what differs: ``kplan``, ``grid``, ``rules``, ``state`` or ``source``.
        found: the version of kplan that wrote them, and this one.
        source: what they are of, where that differs; empty where it is the same.
    """
    of_another = f"it is of {source}"
    return {
        "kplan": f"kplan {found[0]} wrote them, this is {found[-1]}",
        "grid": "it has other scenarios",
        "rules": "it goes by other rules",
        "state": of_another if source else "the cluster differs",
        "source": of_another,
    }[differing]
