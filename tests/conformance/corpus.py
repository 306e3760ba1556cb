"""The corpus: cases by version and theme, what the real scheduler answered, and which of them are not covered yet."""

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.conformance.answer import answer
from tests.conformance.compare import Comparison, Json, rows

CORPUS = Path(__file__).parents[2] / "fixtures" / "conformance"
VERSIONS = sorted(folder.name for folder in CORPUS.iterdir() if folder.is_dir())

GAPS = {
    "dra": "device claims: DynamicResources does not allocate devices yet",
    "gang": "pod groups: GangScheduling does not look at a group's other members yet",
}
"""What a case may use that kplan does not answer yet, and why; each is expected to fail, strictly."""


def themes(version: str) -> list[str]:
    """Names of the themes of a version."""
    return sorted(path.name.removesuffix(".jsonl.gz") for path in (CORPUS / version).glob("*.jsonl.gz"))


def cases(version: str, theme: str) -> Iterator[Json]:
    """Read the cases of a theme: ``case``, ``uses`` and ``expected``."""
    return rows(CORPUS / version / f"{theme}.jsonl.gz")


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
            good = comparison.add(row["expected"], _answered(row["case"], version, comparison))
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
