"""Words of a sweep: how many scenarios end well, what is in the way, and how to look closer at the worst."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.words import count

_SAID = {
    "drain": ("drain", "drains", "pods Pending"),
    "scenario": ("scenario", "scenarios", "pods Pending"),
}
"""What is left by those that do not fit, by the axis that asks: who, one or more, leaves what."""
_OTHERWISE = ("case", "cases", "pods Pending")
_CLOSER = {"drain": "its pods one by one, and what would help", "fail": "what comes back when, and what would help"}
"""What the command of this name tells of one scenario."""

ELSEWHERE = "another scheduler places it"
WORKER_DIED = "its worker died each time: it may lack memory"


def sentence(fits: int, total: int, asks: str, not_tried: int = 0) -> str:
    """Write the sentence after the verdict: ``5 of 6 drains leave pods Pending``, ``survives 0 of 3 losses``."""
    if not_tried:
        return f"of those tried: {sentence(fits, total, asks)}; {left_out(not_tried)}"
    if asks == "fail":
        return f"survives {fits:,} of {count(total, 'loss', 'losses')}"
    if asks == "workload":
        return f"{fits:,} of {count(total, 'case')} {'fits' if fits == 1 else 'fit'}"
    single, more, what = _SAID.get(asks, _OTHERWISE)
    bad = total - fits
    if not bad:
        return f"{'the' if total == 1 else 'no'} {single} leaves {'no ' if total == 1 else ''}{what}"
    return f"{bad:,} of {count(total, single, more)} {'leaves' if bad == 1 else 'leave'} {what}"


def left_out(scenarios: int) -> str:
    """Say how many scenarios are not tried: ``3 more scenarios are not tried``."""
    return f"{count(scenarios, 'more scenario', 'more scenarios')} {'is' if scenarios == 1 else 'are'} not tried"


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


def other_sweep(differing: str, versions: Sequence[str], source: str) -> str:
    """Say why results are those of another sweep.

    Args:
        differing: what differs: ``kplan``, ``grid``, ``rules``, ``state`` or ``source``.
        versions: the version of kplan that wrote them, and this one.
        source: what they are of, where that differs; empty where it is the same.
    """
    of_another = f"it is of {source}"
    return {
        "kplan": f"kplan {versions[0]} wrote them, this is {versions[-1]}",
        "grid": "it has other scenarios",
        "rules": "it goes by other rules",
        "state": of_another if source else "the cluster differs",
        "source": of_another,
    }[differing]
