"""``python -m tests.record OUT``: record what every command prints."""

import argparse
import dataclasses
import gc
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.record import world
from tests.record.calls import Group

HERE = Path(__file__).parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Record into a folder, and say how many calls there were."""
    parser = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder of the record; what it holds is replaced")
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--only", default="", metavar="REGEX", help="only calls whose path in the record matches")
    parser.add_argument("--root", type=Path, default=HERE, metavar="CHECKOUT", help="checkout whose kplan is asked")
    parser.add_argument("--hash-seed", default="0", metavar="N", help="another must give the same record")
    parser.add_argument("--slow", type=int, default=0, metavar="N", help="also name the N calls that take longest")
    parser.add_argument("--list", action="store_true", help="only list the calls")
    given = parser.parse_args(arguments)
    world.fix_hash_seed(given.hash_seed)
    began = world.monotonic()
    real = os.environ.get("KPLAN_REAL")
    root = given.root.resolve()
    world.clean_environment()
    world.hold_clock()
    world.use(root)
    from tests.record.run import record_all  # what imports kplan, imports it now: from that checkout, with that clock
    from tests.record.warm import warm

    chosen = _chosen(given.only, Path(real).resolve() if real else None)
    if given.list:
        for group in chosen:
            print(*(f"{group.name}/{call.name}" for call in group.calls), sep="\n")
        return 0
    if given.out.exists():
        shutil.rmtree(given.out)
    warm()
    gc.freeze()
    took = record_all(chosen, given.out.resolve(), root, given.jobs)
    for seconds, name in sorted(took, reverse=True)[: given.slow]:
        print(f"{seconds:7.2f} s  {name}")
    calls = sum(len(group.calls) for group in chosen)
    spent = f"{sum(seconds for seconds, _ in took):.0f} s of one core, {world.monotonic() - began:.0f} s by the clock"
    print(f"{calls} calls of {len(chosen)} groups recorded in {given.out}: {spent}")
    return 0 if len(took) == calls else 1


def _chosen(only: str, real: Path | None) -> list[Group]:
    from tests.record.groups import groups

    pattern = re.compile(only)
    found = []
    for group in groups(real):
        calls = tuple(call for call in group.calls if pattern.search(f"{group.name}/{call.name}"))
        if calls:
            found.append(dataclasses.replace(group, calls=calls))
    return found


if __name__ == "__main__":
    sys.exit(main())
