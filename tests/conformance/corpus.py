"""The corpus: cases by version and theme, what the real scheduler answered, and which of them are not covered yet."""

import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.answer import answer
from tests.conformance.compare import Comparison, Json, rows

CORPUS = Path(__file__).parents[2] / "fixtures" / "conformance"
VERSIONS = sorted(folder.name for folder in CORPUS.iterdir() if folder.is_dir())

VARYING = Path(__file__).parents[2] / "fixtures" / "varying"
"""Cases of which the scheduler itself gives another answer from run to run, with the answers it gave: until 1.35 it
walks pools of devices in the order of a map, until 1.36 amounts of a resize under way. Any of them is right."""

GAPS: dict[str, str] = {}
"""What a case may use that kplan does not answer yet, and why; each is expected to fail, strictly."""


def themes(version: str) -> list[str]:
    """Names of the themes of a version."""
    return sorted(path.name.removesuffix(".jsonl.gz") for path in (CORPUS / version).glob("*.jsonl.gz"))


def cases(version: str, theme: str) -> Iterator[Json]:
    """Read the cases of a theme: ``case``, ``uses`` and ``expected``."""
    return rows(CORPUS / version / f"{theme}.jsonl.gz")


@cache
def varying(version: str) -> dict[str, list[Json]]:
    """Answers by name of the cases that have more than one."""
    path = VARYING / f"{version}.jsonl.gz"
    return {row["name"]: row["answers"] for row in rows(path)} if path.exists() else {}


def compare(
    version: str,
    theme: str,
    *,
    only: Callable[[set[str]], bool] = lambda uses: True,
    stop: bool = False,
    show: int = 5,
) -> Comparison:
    """Answer the cases of a theme and compare.

    Args:
        version: ``1.37``.
        theme: name of the theme.
        only: takes what a case uses; those it refuses are left out.
        stop: stop at the first difference.
        show: how many differences to keep.
    """
    comparison = Comparison(show=show)
    for row in cases(version, theme):
        if only(set(row["uses"])):
            answered = _answered(row["case"], version, comparison)
            others = varying(version).get(row["case"]["name"], ())
            shown = next((other for other in others if Comparison().add(other, answered)), row["expected"])
            good = comparison.add(shown, answered)
            if stop and not good:
                break
    return comparison


def _answered(case: dict[str, Any], version: str, comparison: Comparison) -> Json | None:
    """Answer a case; a crash is no answer (a refusal is one), and is told with the differences."""
    try:
        return answer(case, version)
    except Exception:
        comparison.tell([f"{case['name']}: crashed", traceback.format_exc(limit=-3)])
        return None
