"""Measure what people wait for, and write docs/performance.md: each target beside its figure.

    python -m tests.bench.page [--only NAME]... [--small]

Figures are CPU seconds (user and system) of a process of its own, as those differ little on a machine that does other
work, too. They are kept in ``figures.json`` beside this file, so that a part can be measured anew; the page is made of
all of them, and names what falls short of its target and what was not measured. ``--small`` uses small clusters and
writes nothing: it shows that all of it runs. KPLAN_CLUSTER_CAPACITY names the program that ``capacities.py`` tells how
to build.

Most parts run on one core, and pieces of work beside them tell how fast it is meanwhile (``pace.py``). On a machine of
another pace than that where the targets were set a figure is told as it would be there, and as it was measured.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.bench import growth
from tests.bench.pace import REFERENCE, Pace, one_core
from tests.bench.parts import PARALLEL, PARTS, SMALL, Bench, Size
from tests.bench.targets import ASKED, MOST_EXPONENT, NODES, ROWS, SWEPT, Row

HERE = Path(__file__).parent
FIGURES = HERE / "figures.json"
PAGE = HERE.parents[1] / "docs" / "performance.md"
ALIKE = 0.15
"""Machines that differ by no more than this share are of one pace."""

HEAD = """\
# How fast kplan is

*Written by `make bench` from what it measured; the targets stand in `tests/bench/targets.py`.*

CPU seconds (user and system) of a process of its own, Python's start and imports among them; rates of the pipeline are
pods a second of CPU. Where nothing else is said the cluster has 5,000 nodes, 30,000 pods that run and 1,000 that wait,
of mixed templates, and is read from JSON each time (`--no-cache`). One core does all of it.

They are of Python 3.11 as Debian builds it, but for those that were kept from earlier: the two ratios to real programs,
and sweeps. With a Python built without optimisation by profile, as pyenv builds it unless told otherwise, `capacity`
took 7 to 10 % more where it was tried, and the loop by which machines are compared half as long again: what is divided
by that is flattered.

"""


def busy(figures: Mapping[str, float]) -> str:
    """Say that the machine was not quiet, where it was not."""
    load, cores = figures.get("load", 0), figures.get("cores", 1)
    if load <= cores:
        return ""
    return (
        f"**Not a quiet machine**: its load average was up to {load:.0f} on {cores:.0f} cores while this was measured. "
        "Processes\nthat share cores and caches take more CPU seconds for the same work.\n\n"
    )


def page(figures: Mapping[str, float]) -> str:
    """Write the page."""
    lines = [HEAD, busy(figures), paced(figures)]
    for section in dict.fromkeys(row.section for row in ROWS):
        lines += [f"## {section}\n\n| what | target | figure | |\n|---|---|---|---|\n"]
        for row in ROWS:
            if row.section == section:
                lines.append(f"| {row.what} | {row.target} | {shown(row, figures)} |\n")
        lines.append("\n")
    lines += grown_lines(figures)
    lines += thing_lines(figures)
    lines += few_cores(figures)
    short = [row for row in ROWS if row.name in figures and row.short(figures[row.name])]
    missing = [row for row in ROWS if row.name not in figures]
    lines.append("## What falls short\n\n")
    lines += [f"- {row.what}: {told(row, figures[row.name])}, and {row.target} is the target.\n" for row in short]
    lines += [f"- {row.what}: not measured.\n" for row in missing]
    if not list(grown_lines(figures)):
        lines.append(f"- growth from {NODES[0]:,} to {NODES[-1]:,} nodes: not measured.\n")
    if lines[-1].startswith("##"):
        lines.append("Nothing that has a target.\n")
    return "".join(lines)


def shown(row: Row, figures: Mapping[str, float]) -> str:
    """The figure of a row, and what it means."""
    if row.name not in figures:
        return "not measured | "
    bounded = row.most is not None or row.least is not None
    verdict = "**short**" if row.short(figures[row.name]) else "held" if bounded else ""
    there = figures.get(PACE + row.name)
    measured = f" ({told(row, at_pace(row.name, figures[row.name], 1 / there))} measured)" if there else ""
    return f"{told(row, figures[row.name])}{measured} | {verdict}"


PACE = "pace of "
"""Begins the name under which it is kept how many times as slow the machine was on which a figure was measured."""
_UNITS = {row.name: row.unit for row in ROWS}


def at_pace(name: str, figure: float, slower: float) -> float:
    """What a figure would be on a machine so many times as fast; ratios, memory and what the clock tells stay."""
    unit = "" if name == "interrupt" else _UNITS.get(name, "s")
    return figure / slower if unit in ("s", "ms") else figure * slower if unit == "pods/s" else figure


def keep(figures: dict[str, float], name: str, figure: float, slower: float) -> None:
    """Keep a figure as it would be where the targets were set, and how many times as slow this machine is."""
    figures.pop(PACE + name, None)
    moved = at_pace(name, figure, slower)
    if moved != figure and abs(slower - 1) > ALIKE:
        figures[PACE + name] = round(slower, 3)
        figure = moved
    figures[name] = round(figure, 3)


def paced(figures: Mapping[str, float]) -> str:
    """Say that figures were measured on a machine of another pace, where that is so."""
    paces = sorted(value for name, value in figures.items() if name.startswith(PACE))
    if not paces:
        return ""
    span = " to ".join(dict.fromkeys((f"{paces[0]:.1f}", f"{paces[-1]:.1f}")))
    return (
        f"The targets were set on a machine on which Python adds up ten million squares in {REFERENCE} s of CPU. "
        f"Where that took\n{span} times as long, a figure is divided by it, and what was "
        "measured stands beside it.\n\n"
    )


def told(row: Row, figure: float) -> str:
    """A figure with its unit."""
    number = f"{figure:,.0f}" if figure >= 100 or row.unit in ("MB", "%") else f"{figure:.{1 if figure >= 1 else 2}f}"
    return f"{number}{'' if row.unit == 'x' else ' '}{row.unit}"


def grown_lines(figures: Mapping[str, float]) -> Iterator[str]:
    """The table of growth, with the exponent over the whole range measured."""
    sizes = [nodes for nodes in NODES if all(f"{asked} of {nodes:,} nodes" in figures for asked in ASKED)]
    if len(sizes) < 2:
        return
    yield "Six pods that run on each node, 200 that wait; the exponent is that between the smallest and the largest.\n"
    yield "\n"
    yield f"| question | {' | '.join(f'{nodes:,}' for nodes in sizes)} | exponent | at most {MOST_EXPONENT} |\n"
    yield f"|---|{'---|' * (len(sizes) + 2)}\n"
    for asked in ASKED:
        found = [figures[f"{asked} of {nodes:,} nodes"] for nodes in sizes]
        exponent = math.log(found[-1] / found[0]) / math.log(sizes[-1] / sizes[0])
        cells = " | ".join(f"{one:.1f} s" for one in found)
        held = "held" if exponent <= MOST_EXPONENT else "**short**"
        yield f"| `{asked}` | {cells} | {exponent:.2f} | {held} |\n"
    yield "\n"


def thing_lines(figures: Mapping[str, float]) -> Iterator[str]:
    """The table of growth by what a cluster holds, as far as it was measured."""
    rows = []
    for what, (shape, count) in growth.GROWTH.items():
        few, many = figures.get(f"{count:,} {what}"), figures.get(f"{4 * count:,} {what}")
        if few and many:
            exponent = math.log(many / few) / math.log(4)
            held = "held" if exponent <= MOST_EXPONENT else "**short**"
            asked = " ".join(growth.SHAPES[shape].words[:2]).removesuffix(" --snapshot")
            cells = f"{count:,} | {few:.1f} s | {4 * count:,} | {many:.1f} s"
            rows.append(f"| {what} | `{asked}` | {cells} | {exponent:.2f} | {held} |\n")
    if rows:
        yield "The same by what there is in a cluster, on few nodes; Python's own start is left out.\n\n"
        yield f"| what | question | n | | 4n | | exponent | at most {MOST_EXPONENT} |\n"
        yield f"|---|{'---|' * 7}\n"
        yield from rows
        yield "\n"


def few_cores(figures: Mapping[str, float]) -> Iterator[str]:
    """Say that four workers had fewer cores than they need, where that is so."""
    cores = int(figures.get("cores", 4))
    if "sweep" in figures and cores < 4:
        yield (
            f"Four workers shared {cores} cores, so that near 4x cannot be had here: what is compared is what four "
            "processes get that\nshare nothing. The scenarios are all "
            f"pairs of {SWEPT} nodes, of which one is drained before the other is lost; by the clock,\n"
            "Dask's own processes among them.\n\n"
        )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=list(PARTS), help="a part; all if none is named")
    parser.add_argument("--small", action="store_true", help="small clusters; nothing is written")
    parser.add_argument("--folder", type=Path, help="where clusters are kept for the next time")
    parser.add_argument("--write", action="store_true", help="measure nothing, write the page of what was measured")
    args = parser.parse_args(argv)
    figures: dict[str, float] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    if not (args.only or args.write):
        figures.pop("load", None)  # all is measured anew
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(SMALL if args.small else Size(), args.folder or Path(folder))
        if not args.write:
            bench.about("nodes")  # modules are compiled, and the cluster is made
        for part in [] if args.write else args.only or PARTS:
            with one_core(pinned=part not in PARALLEL), Pace() as pace:
                for name, figure in PARTS[part](bench):
                    keep(figures, name, figure, 1.0 if args.small else pace.since())
                    there = f", {figure:.2f} here" if figures[name] != round(figure, 3) else ""
                    sys.stdout.write(f"{name}: {figures[name]:.2f}{there}\n")
                    sys.stdout.flush()
                    if part != "sweep":
                        figures["load"] = max(figures.get("load", 0), round(os.getloadavg()[0], 1))
                    figures["cores"] = os.cpu_count() or 1
                    if not args.small:
                        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    if not args.small:
        PAGE.write_text(page(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
