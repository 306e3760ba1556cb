"""Head of the HTML page: verdict, cause and what to try, then the picture, as plain HTML that needs no script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import accumulate
from typing import Any

import msgspec

from kplan.render.bidi import shown
from kplan.render.text.shared import origin_text
from kplan.render.tones import TONE_OF_VERDICT, Tone
from kplan.result.document_base import Origin

MARKS = {"good": "\u2713", "warn": "~", "bad": "\u00d7", "none": "\u00b7"}
"""What stands beside the colour, so that nothing is told by colour alone."""
NOTES_SHOWN = 3
_NO_LINES = '<dl class="lines">\n</dl>'
DOUBTS_SHOWN = 3
DOUBT_LETTERS = 180
"""Letters of doubts that stand before the cause; what is longer is folded away, so that the answer stays in sight."""
COMMANDS = {
    "PodExplanation": "explain pod",
    "PodExplanations": "explain pods",
    "SimulationPlan": "simulate",
    "PluginReference": "plugins",
    "NodeExplanation": "explain node",
    "NodeList": "nodes",
    "CapacityReport": "capacity",
    "ClusterDiff": "diff",
    "CheckResult": "check",
    "DrainPlan": "drain",
    "FailReport": "fail",
    "MovesPlan": "moves",
    "PackPlan": "pack",
    "SweepReport": "sweep",
    "BindPlan": "bind",
    "BindResult": "bind --apply",
    "AuditReport": "explain --audit",
    "ConfigReport": "config",
    "ConfigMigration": "config migrate",
}
"""What the page is called, by kind of document: the command that gives it."""
SENTENCES = {
    "PluginReference": "the scheduler's plugins: what each checks, and what of it is not modelled",
    "ConfigReport": "the scheduler's configuration: what it runs, and what of it is not as by default",
    "ConfigMigration": "an older configuration as one of v1, with what has no equal",
}
"""First lines of documents that have none of their own."""


def name_of(plain: Mapping[str, Any]) -> str:
    """Name the kind of a document; one of a later time in words."""
    kind = str(plain.get("kind", ""))
    return COMMANDS.get(kind) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()


def title(plain: Mapping[str, Any]) -> str:
    """Give the title of the page: what its first line says."""
    return " ".join(part for part in (plain.get("verdict", ""), plain.get("sentence", "")) if part) or name_of(plain)


def head(plain: Mapping[str, Any], picture: str = "") -> str:
    """Write the lines that answer, in the order of the text; the picture stands behind what is to be tried.

    Args:
        plain: the document.
        picture: markup of its picture; empty for none.
    """
    word = str(plain.get("verdict", ""))
    tone = str(TONE_OF_VERDICT.get(word, "none")).replace(Tone.HELD, Tone.WARN)
    doubted = "?" if any(not doubt.get("allowed") for doubt in plain.get("doubts", ())) else ""
    parts = []
    if word:
        mark = f'<span class="mark" aria-hidden="true">{MARKS[tone]}</span>'
        parts.append(f'<span class="word">{mark}{escape(word + doubted)}</span>')
    sentence = plain.get("sentence") or SENTENCES.get(str(plain.get("kind")), name_of(plain))
    parts.append(f'<span class="sentence">{shown(str(sentence))}</span>')
    doubts = _doubts(plain) if "guards" not in plain else []  # each doubt is a guard of its own
    first = _short(doubts)
    answers = "".join(_line("Doubt", text) for text in first) + _folded("doubt", doubts[len(first) :], more=bool(first))
    answers += "".join(_line(label, text) for label, text in _answers(plain))
    behind = "".join(_line(label, text) for label, text in _behind(plain))
    behind += _folded("note", _texts(plain.get("notes"))[NOTES_SHOWN:], more=True)
    between = f'</dl>\n{picture}\n<dl class="lines">\n' if picture else ""
    lines = f'<dl class="lines">\n{answers}{between}{behind}</dl>'
    return f'<h1 class="verdict {tone}">{" ".join(parts)}</h1>\n{lines.replace(_NO_LINES, "")}'


def _line(label: str, text: str) -> str:
    kind = " doubt" if label == "Doubt" else ""
    return f'<div class="line{kind}"><dt>{label}</dt><dd>{shown(text)}</dd></div>\n'


def _answers(plain: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Label and text of each line under the verdict and its doubts."""
    yield from (("Because", text) for text in _texts(plain.get("because")))
    yield from (("Try", text) for text in _texts(plain.get("try") or _first_attempt(plain)))


def _behind(plain: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Label and text of the lines behind the picture."""
    yield from (("Under", text) for text in _under(plain.get("otherVersion")))
    yield from (("Queue", text) for text in _texts(plain.get("turn")))
    asked = plain.get("askedNode") or {}
    yield from (("Node", asked[key]) for key in ("text", "why") if asked.get(key))
    yield from (("Careful", text) for text in _texts(plain.get("careful")))
    yield from (("Note", text) for text in _texts(plain.get("notes"))[:NOTES_SHOWN])
    if "from" in plain:
        yield "From", _origin(plain["from"])
    sides = [side["from"] for side in (plain.get("a"), plain.get("b")) if isinstance(side, dict) and "from" in side]
    for number, side in enumerate(sides):
        yield ("From" if len(sides) == 1 else f"From {'AB'[number]}"), _origin(side)


def _under(other: Mapping[str, Any] | None) -> Iterator[str]:
    """What the answer is under the other of two versions."""
    if other is None:
        return
    if other["same"]:
        yield f"{other['rules']}: the same"
        return
    yield f"{other['rules']}: {other['verdict']} {other['sentence']}"
    yield from _texts(other.get("because"))


def _doubts(plain: Mapping[str, Any]) -> list[str]:
    """Doubts in words; of a check, which of them the repository accepts."""
    return [f"{doubt['text']}{' (allowed)' if doubt.get('allowed') else ''}" for doubt in plain.get("doubts", ())]


def _short(doubts: list[str]) -> list[str]:
    """The first doubts, as far as they leave room for the answer."""
    lengths = accumulate(map(len, doubts[:DOUBTS_SHOWN]))
    return doubts[: sum(length <= DOUBT_LETTERS for length in lengths)]


def _folded(word: str, texts: list[str], *, more: bool) -> str:
    """Fold away the doubts and notes that would hide the rest of the answer; ``more`` where others stand above."""
    if not texts:
        return ""
    items = "".join(f"<li>{shown(text)}</li>" for text in texts)
    words = word if len(texts) == 1 else f"{word}s"
    fold = f"<details><summary>{len(texts):,} {'more ' if more else ''}{words}</summary><ul>{items}</ul></details>"
    kind = " doubt" if word == "doubt" else ""
    return f'<div class="line{kind}"><dt>{words.capitalize()}</dt><dd>{fold}</dd></div>\n'


def _first_attempt(plain: Mapping[str, Any]) -> str:
    """Give the cheapest change that was tried, in one line; empty where there is none."""
    for part, key in (("fixes", "summary"), ("causes", "attempt"), ("findings", "attempt")):
        first: Mapping[str, Any] = next(iter(plain.get(part) or ()), {})
        if first.get(key):
            return str(first[key])
    return ""


def _texts(part: Any) -> list[str]:
    """Texts of a part that is a text, something with a text, or several of either."""
    if isinstance(part, str):
        return [part] if part else []
    if isinstance(part, dict):
        return _texts(part.get("text", ""))
    return [text for item in part or () for text in _texts(item)]


def _origin(source: Mapping[str, Any]) -> str:
    return origin_text(msgspec.convert(source, Origin))
