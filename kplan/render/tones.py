"""THE table of words that tell how something ended: what colour and sign say of them, on a terminal and on a page."""

from collections.abc import Iterable
from enum import StrEnum


class Tone(StrEnum):
    """How something ended."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    HELD = "held"


_VERDICTS = {
    Tone.GOOD: ("FITS", "READY", "BOUND", "TAKES", "IDLE", "PASSES", "SAME", "EQUAL"),
    Tone.WARN: ("PREEMPTS", "PARTLY", "LOSES", "DIFFERS"),
    Tone.BAD: ("PENDING", "BLOCKED", "REFUSES", "REFUSED", "FAILS", "FAILED", "HELD", "STOPPED"),
    Tone.HELD: ("GATED",),
}
"""First words of documents. NOTHING has no tone."""
_RESULTS = {
    Tone.GOOD: "ok placed passes lands bind same confirmed moves new create created there goes",
    Tone.WARN: "main preempted loses ties elsewhere needs doubt differs waits evicted nominated open",
    Tone.BAD: "fail failed pending blocked refused lost gone no held-back",
    Tone.HELD: "stays unknown leaves not-tried --",
}
"""Results, statuses and fates of what a document lists."""

TONE_OF_VERDICT = {word: tone for tone, words in _VERDICTS.items() for word in words}
TONES: dict[str, Tone] = {
    **{word: tone for tone, words in _RESULTS.items() for word in words.split()},
    **{word.lower(): tone for word, tone in TONE_OF_VERDICT.items()},
}
"""Every such word in lower case, for the script of the page."""
_WORST_FIRST = (Tone.BAD, Tone.WARN, Tone.HELD, Tone.GOOD)


def harm(words: Iterable[str]) -> int:
    """Rank of the worst of some results, 0 for the worst: what fails stands first in every table that is no timeline.

    Args:
        words: results, verdicts or fates; one that is none of them stands behind all.
    """
    tones = (TONES.get(word.lower()) for word in words)
    return min((_WORST_FIRST.index(tone) for tone in tones if tone is not None), default=len(_WORST_FIRST))
