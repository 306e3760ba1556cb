"""``kplan demo``: the commands at work on a small made-up cluster that comes with kplan."""

from __future__ import annotations

import sys
from pathlib import Path

SNAPSHOT = Path(__file__).parents[1] / "data" / "demo.yaml"
PODS = ("shop/web-7d4b9-x2v8q", "shop/db-2", "shop/search-0", "ops/billing-0", "ops/audit-0")


def demo() -> None:
    """Try it: explain and simulate on a made-up cluster of six nodes in three zones."""
    from kplan.cli.explain import answer, text
    from kplan.cli.options import Rules, Source
    from kplan.cli.session import open_session
    from kplan.cli.simulate import plan
    from kplan.render.text import Style
    from kplan.render.text.plan import simulation
    from kplan.scenario.names import Scope

    session = open_session(Source(str(SNAPSHOT)), Rules())
    everywhere = Scope(everywhere=True)
    here = Path.cwd()
    shown = SNAPSHOT.relative_to(here) if SNAPSHOT.is_relative_to(here) else SNAPSHOT
    _say(f"kplan explain pod -A --snapshot {shown}")
    document = answer(session, [], everywhere)
    sys.stdout.write(text(document, Style()))
    for name in PODS:
        _say(f"kplan explain pod {name}")
        document = answer(session, [name], everywhere)
        sys.stdout.write(text(document, Style()))
    _say("kplan simulate")
    sys.stdout.write(simulation(plan(session, [], ""), Style()))


def _say(command: str) -> None:
    first = "" if "-A" in command else "\n"
    sys.stdout.write(f"{first}$ {command}\n")
