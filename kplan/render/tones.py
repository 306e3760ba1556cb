"""THE table of words that tell how something ended: what colour and sign say of them, on a terminal and on a page."""

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
