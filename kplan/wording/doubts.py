"""Words of doubts: what of a source or of a pod kplan cannot model, and what that means for a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from kplan.words import count, listed

GROUP = "its pod group is not modelled: the scheduler may hold it back for others"
DEVICES = "the source holds no ResourceSlices: the devices that it claims count as present"
OF_SOME = {
    "devices-not-modelled": "resource claims, and the source holds no ResourceSlices: the devices count as present",
    "pod-group-not-modelled": "a pod group, which is not modelled: the scheduler may hold back one for another",
}
"""What is not modelled, by code: said once of all pods that it is true of."""
_BROKEN = {"Node": "nothing can be placed there", "Pod": "its room counts as free", "": "what it was is unknown"}
_BROKEN_VOLUME = "volumes may be judged wrongly"


def of_some(code: str, pods: int) -> str:
    """Say of how many pods something is not modelled: ``devices-not-modelled`` or ``pod-group-not-modelled``."""
    return f"{count(pods, 'pod')} {'has' if pods == 1 else 'have'} {OF_SOME[code]}"


def missing_nodes(pods: int, names: Sequence[str]) -> str:
    """Say that pods run on nodes that the source lacks."""
    where = "a node" if len(names) == 1 else "nodes"
    run = f"{count(pods, 'pod runs', 'pods run')} on {where}"
    return f"{run} that the source lacks ({listed(names)}): what fits there is unknown"


def lacks(plural: str, meaning: str) -> str:
    """Say that a source holds none of a kind, and what that means."""
    return f"the source holds no {plural}: {meaning}"


def broken(kind: str, number: int, first: str) -> str:
    """Say that objects could not be read.

    Args:
        kind: of them; empty for what has none.
        number: how many.
        first: the name or place of the first.
    """
    what = count(number, kind or "object", f"{kind or 'object'}s")
    meaning = _BROKEN.get(kind, _BROKEN_VOLUME) if kind or number == 1 else "what they were is unknown"
    return f"{what} could not be read and {'is' if number == 1 else 'are'} left out ({first}): {meaning}"


EXTENDERS_IN_A_PLAN = (
    "extenders answer for the cluster as it is: they do not know the pods that this plan has placed before or evicted"
)


EXTENDERS_OF_SOME = (
    "extenders were asked about all nodes that fit; the scheduler asks only about those that it has looked at, so "
    "another node may be taken (how often is unknown)"
)
EXTENDERS_OF_SOME_IN_A_PLAN = (
    "extenders were asked about all nodes that fit; the scheduler asks only about those that it has looked at, so "
    "pods may go elsewhere"
)
EXTENDERS_OF_SOME_EVICTIONS = (
    "extenders were asked about all nodes where evictions would help; the scheduler asks only about those that it "
    "has looked at, so another node may be chosen (how often is unknown)"
)


def other_profile(pods: int, name: str) -> str:
    """Say that no profile is responsible for pods."""
    return f"{count(pods, 'pod')} of schedulerName {name}: no profile of that name (--config)"


def terminating(pods: int) -> str:
    """Say that waiting pods are being deleted."""
    return f"{count(pods, 'pod')} being deleted: never scheduled"
