"""``kplan schema``: the JSON Schema of what ``-o json`` writes."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import Annotated

import typer

from kplan.errors import UsageError


def schema(
    kind: Annotated[str, typer.Argument(metavar="[KIND]", help="PodExplanation, SimulationPlan, ...")] = "",
) -> None:
    """What does -o json look like? The JSON Schema of one kind of document, or of all."""
    from kplan.render.data import json_schema
    from kplan.result.documents import DOCUMENTS

    known = {name.lower(): name for name in DOCUMENTS}
    if kind and kind.lower() not in known:
        close = get_close_matches(kind.lower(), known, n=1, cutoff=0.7)
        hint = f"did you mean {known[close[0]]}?" if close else f"one of: {', '.join(DOCUMENTS)}"
        raise UsageError(f"no document {kind}", code="no-such-kind", hint=hint)
    sys.stdout.write(json_schema(known[kind.lower()] if kind else ""))
