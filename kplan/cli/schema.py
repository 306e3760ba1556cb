"""``kplan schema``: the JSON Schema of what ``-o json`` writes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kplan.errors import UsageError


def schema(
    kind: Annotated[str, typer.Argument(metavar="[KIND]", help="PodExplanation, SimulationPlan, ...")] = "",
) -> None:
    """What does -o json look like? The JSON Schema of one kind of document, or of all."""
    from kplan.render.data import json_schema
    from kplan.result.documents import DOCUMENTS

    if kind and kind not in DOCUMENTS:
        raise UsageError(f"no document {kind}", code="no-such-kind", hint=f"one of: {', '.join(DOCUMENTS)}")
    sys.stdout.write(json_schema(kind))
