"""Words of a plan whose what-if steps are the answer."""

from __future__ import annotations

from kplan.words import count


def steps_taken(steps: int, *, unmet: int, left: int, expected: int) -> str:
    """Write the sentence after the verdict.

    Args:
        steps: how many were taken.
        unmet: how many of them are not as expected.
        left: pods of them that have no place at the end.
        expected: how many of them a scenario expects something of.
    """
    taken = f"{count(steps, 'step')} {'is' if steps == 1 else 'are'} taken"
    if unmet:
        return f"{taken}, {unmet} not as expected"
    if left:
        return f"{taken}, and {count(left, 'pod')} of them {'has' if left == 1 else 'have'} no place at the end"
    return f"{taken}, {expected} as expected" if expected else taken
