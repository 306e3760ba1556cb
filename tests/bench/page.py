"""Measure what people wait for, and write docs/performance.md: each target beside its figure.

    python -m tests.bench.page [--only NAME]... [--small]

Figures are CPU seconds (user and system) of a process of its own, as those differ little on a machine that does other
work, too. They are kept in ``figures.json`` beside this file, so that a part can be measured anew; the page is made of
all of them, and names what falls short of its target and what was not measured. ``--small`` uses small clusters and
writes nothing: it shows that all of it runs. KPLAN_CLUSTER_CAPACITY names the program that ``capacities.py`` tells how
to build.

The targets were set on a machine on which ``PIECE`` takes ``REFERENCE`` seconds. On one of another pace a figure is
told as it would be there, and as it was measured beside it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.bench import growth, run
from tests.sweep_dask.cluster import dask_cluster

HERE = Path(__file__).parent
FIGURES = HERE / "figures.json"
PAGE = HERE.parents[1] / "docs" / "performance.md"
PIECE = "number = 0\nfor each in range(10**7):\n    number += each * each\n"
REFERENCE = 0.75
"""CPU seconds of the piece of work where the targets were set."""
ALIKE = 0.15
"""Machines that differ by no more than this share are of one pace."""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: m, image: x, resources: {requests: {cpu: 10m, memory: 16Mi}}}]}
"""


class Size(NamedTuple):
    """How large clusters are."""

    nodes: int = 5_000
    running: int = 30_000
    pending: int = 1_000
    replicas: int = 10_000
    read: int = 50_000


SMALL = Size(30, 120, 10, 20, 60)


class Row(NamedTuple):
    """One target.

    Attributes:
        name: of the figure.
        section: heading of the page.
        what: what is measured, in words.
        target: as required.
        unit: of the figure.
        most: what the figure may be; None where ``least`` counts.
        least: what the figure has to be.
    """

    name: str
    section: str
    what: str
    target: str
    unit: str
    most: float | None = None
    least: float | None = None

    def short(self, figure: float) -> bool:
        """Whether a figure falls short of the target."""
        return (self.most is not None and figure > self.most) or (self.least is not None and figure < self.least)


PIPELINE, STUDIES, READING, START, GROWTH = "Pipeline", "Questions", "Reading", "Start", "Growth"
ROWS = (
    Row("mixed", PIPELINE, "pods of 50 templates, mixed", "2,000 pods/s", "pods/s", least=2_000),
    Row("one-template", PIPELINE, "pods of one template", "10,000 pods/s", "pods/s", least=10_000),
    Row("preempt", PIPELINE, "a pod that evicts, all nodes full", "40 ms", "ms", most=40),
    Row("explain-large", PIPELINE, "an explanation of one pod over 150,000 pods, reading apart", "1 s", "s", most=1),
    Row("mixed-real", PIPELINE, "mixed, times the real scheduler's own code", "none", "x"),
    Row("explain", STUDIES, "`explain pod`", "none", "s"),
    Row("explain-all", STUDIES, "`explain -A`, 1,000 pods that wait", "none", "s"),
    Row("find", STUDIES, "`drain --find`", "30 s", "s", most=30),
    Row("each-node", STUDIES, "`fail --each node`", "15 s", "s", most=15),
    Row("each-zone", STUDIES, "`fail --each zone`", "6 s", "s", most=6),
    Row("drain", STUDIES, "`drain` of 714 nodes", "5 s", "s", most=5),
    Row("capacity", STUDIES, "`capacity`", "3 s", "s", most=3),
    Row("capacity-real", STUDIES, "`capacity` of 1,000 nodes, times as fast as cluster-capacity", "none", "x"),
    Row("simulate", STUDIES, "`simulate` of 10,000 replicas", "5 s", "s", most=5),
    Row("survive-zone", STUDIES, "`check --survive zone`, 10,000 replicas", "8 s", "s", most=8),
    Row("html", STUDIES, "`simulate -o html`, times the text", "1.3x", "x", most=1.3),
    Row("interrupt", STUDIES, "Ctrl-C: the slowest of nine commands to end, by the clock", "0.2 s", "s", most=0.2),
    Row("json", READING, "`nodes` of 5,000 nodes and 50,000 pods, JSON", "3 s", "s", most=3),
    Row("json-memory", READING, "its memory", "600 MB", "MB", most=600),
    Row("gz", READING, "the same, gzip", "3 s", "s", most=3),
    Row("zst", READING, "the same, zstd", "3 s", "s", most=3),
    Row("yaml", READING, "the same, YAML", "15 s", "s", most=15),
    Row("large", READING, "15,000 nodes and 150,000 pods, 1,000 planned: memory", "4,000 MB", "MB", most=4_000),
    Row("again", READING, "the second question about the JSON", "1 s", "s", most=1),
    Row("help", START, "`kplan --help`, times `python -c pass`", "2x", "x", most=2),
    Row("version", START, "`kplan --version`, times `python -c pass`", "2x", "x", most=2),
    Row("completion", START, "completion of `kplan drain --`, times `python -c pass`", "3x", "x", most=3),
    Row("sweep", GROWTH, "`sweep` of 10,000 scenarios, four workers of Dask against one, by the clock", "below", "x"),
    Row(
        "sweep-apart", GROWTH, "four processes of `sweep` that share nothing, against one after the other", "none", "x"
    ),
    Row(
        "sweep-share",
        GROWTH,
        "the first of the second, which is all that the cores can do",
        "near 100 %",
        "%",
        least=88,
    ),
)
NODES = (1_000, 2_000, 4_000, 8_000, 16_000)
"""Sizes of the clusters whose growth is told: six pods that run on each node, 200 that wait."""
ASKED = ("nodes", "simulate", "explain")
SWEPT = 100
"""Nodes whose pairs are the scenarios of a sweep: one is drained, then one is lost."""
MOST_EXPONENT = 1.15


class Used(NamedTuple):
    """What a process took.

    Attributes:
        seconds: of CPU.
        peak: memory [MB].
    """

    seconds: float
    peak: float


class Bench:
    """Clusters that are made once, and processes that are measured on them.

    Attributes:
        size: of the clusters.
        folder: where they are.
        figures: by name.
    """

    def __init__(self, size: Size, folder: Path) -> None:
        self.size, self.folder = size, folder
        self.figures: dict[str, float] = {}
        self.web = folder / "web.yaml"
        self.web.write_text(WEB % size.replicas)

    def cluster(self, shape: str, nodes: int, running: int, pending: int, *more: str) -> str:
        """Make a cluster that is not there yet."""
        path = self.folder / f"{shape}-{nodes}-{running}-{pending}{'-'.join(more)}.json"
        if not path.exists():
            sizes = ["--nodes", str(nodes), "--running", str(running), "--pending", str(pending)]
            make = [sys.executable, str(HERE / "make_cluster.py"), "--shape", shape, *sizes, *more]
            with path.open("w") as out:
                subprocess.run(make, check=True, stdout=out)
        return str(path)

    def usual(self) -> str:
        """The cluster that questions are about."""
        return self.cluster("mixed", self.size.nodes, self.size.running, self.size.pending)

    def used(self, *words: str, best_of: int = 1, **env: str) -> Used:
        """Run Python in a process of its own, and tell what it took: the least of several."""
        # compiled modules are kept, as they are wherever kplan is installed; snapshots are not
        given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        where = {"XDG_CACHE_HOME": str(self.folder / "none"), "PYTHONPYCACHEPREFIX": str(self.folder / "compiled")}
        found = []
        for _ in range(best_of):
            process = subprocess.Popen(
                [sys.executable, *words],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**given, **where, **env},
                text=True,
            )
            assert process.stderr is not None
            with process.stderr:
                told = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in (0, 1, 3):
                raise SystemExit(f"{' '.join(words)}: exit code {process.returncode}: {told[:300]}")
            found.append(Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
        return min(found)

    def asked(self, *words: str, keep: bool = False, best_of: int = 1) -> Used:
        """Ask kplan."""
        return self.used("-m", "kplan", *words, *([] if keep else ["--no-cache"]), best_of=best_of)

    def about(self, *words: str) -> Used:
        """Ask kplan about the usual cluster."""
        return self.asked(*words, "--snapshot", self.usual())

    def waiting(self) -> tuple[str, str]:
        """Name and namespace of a pod that waits."""
        items = json.loads(Path(self.usual()).read_text())["items"]
        meta = next(i["metadata"] for i in items if i["kind"] == "Pod" and i["status"]["phase"] == "Pending")
        return meta["name"], meta["namespace"]

    def planned(self, *made: str, running: int = 0, nodes: int = 0, pending: int = 0) -> Mapping[str, float]:
        """Plan the pods that wait of a cluster in a process of its own."""
        size = self.size
        shape, *more = made
        path = self.cluster(shape, nodes or size.nodes, running or size.running, pending or size.pending, *more)
        alone = [sys.executable, "-m", "tests.bench.run", "--one", path]
        told: dict[str, float] = json.loads(subprocess.run(alone, check=True, capture_output=True, text=True).stdout)
        return told


def pipeline(bench: Bench) -> Iterator[tuple[str, float]]:
    """Pods a second of CPU."""
    yield "mixed", bench.planned("mixed")["cpu_rate"]
    yield "one-template", bench.planned("basic", "--templates", "1", pending=bench.size.replicas)["cpu_rate"]


def evicting(bench: Bench) -> Iterator[tuple[str, float]]:
    """Pods that evict others, on nodes that are full."""
    full = bench.planned("preempt", running=30 * bench.size.nodes, pending=max(1, bench.size.pending // 20))
    yield "preempt", 1_000 / full["cpu_rate"]
    yield "explain-large", float(full["explain"])


def large(bench: Bench) -> Iterator[tuple[str, float]]:
    """A cluster three times as large: what reading it and planning take of memory."""
    size = bench.size
    path = bench.cluster("mixed", 3 * size.nodes, 30 * size.nodes, size.pending)
    yield "large", bench.asked("simulate", "-q", "--snapshot", path).peak


def things(bench: Bench) -> Iterator[tuple[str, float]]:
    """One question where one thing is there n times, and four times as often."""
    for what, (shape, count) in growth.GROWTH.items():
        for number in (count, 4 * count) if bench.size != SMALL else (2, 8):
            yield f"{number:,} {what}", growth.seconds(shape, number)


def swept(bench: Bench) -> Iterator[tuple[str, float]]:
    """A sweep on the workers of a Dask cluster on this machine, by the clock: all pairs of nodes."""
    from distributed import Client

    nodes = SWEPT if bench.size != SMALL else 3
    path = bench.cluster("basic", nodes, 6 * nodes, 1)
    took = {}
    for workers in (1, 4):
        with tempfile.TemporaryDirectory() as folder, dask_cluster(Path(folder), workers) as running:
            with Client(scheduler_file=running.file) as client:
                client.wait_for_workers(workers, timeout=60)
            shared = ("sweep", "--drain-each", "node", "--fail-each", "node", "--dask", running.file)
            began = time.monotonic()
            bench.asked(*shared, "--snapshot", path)
            took[workers] = time.monotonic() - began
    apart = {}
    words = ("sweep", "--drain-each", "node", "--fail-each", "node", "--jobs", "1", "--snapshot", path)
    for number in (1, 4):
        began = time.monotonic()
        with ThreadPoolExecutor(number) as pool:
            list(pool.map(lambda _: bench.asked(*words), range(number)))
        apart[number] = time.monotonic() - began
    yield "sweep", took[1] / took[4]
    yield "sweep-apart", 4 * apart[1] / apart[4]
    yield "sweep-share", 100 * (took[1] / took[4]) / (4 * apart[1] / apart[4])


def interrupted(bench: Bench) -> Iterator[tuple[str, float]]:
    """From Ctrl-C to the end: the longest of all commands and moments."""
    from tests.bench import interrupts

    usual = bench.usual()
    took = [
        interrupts.interrupted([*interrupts.words_of(name, bench.web), "--snapshot", usual, "--no-cache"], at)
        for name in interrupts.ASKED
        for at in interrupts.AT
    ]
    yield "interrupt", max((clock for _, clock in filter(None, took)), default=0)


def real(bench: Bench) -> Iterator[tuple[str, float]]:
    """How many times as fast as the real scheduler's code, where its program is there."""
    program = run.binary()
    if program is not None:
        size = bench.size
        path = bench.cluster("mixed", size.nodes, size.running, max(1, size.pending // 5))
        mine = bench.planned("mixed", pending=max(1, size.pending // 5))
        yield "mixed-real", mine["rate"] / run.real(program, path)["rate"]


def capacities(bench: Bench) -> Iterator[tuple[str, float]]:
    """How many times as fast as cluster-capacity, where its program is named and servers are built."""
    from tests.bench.capacities import NODES, compared

    program = os.environ.get("KPLAN_CLUSTER_CAPACITY")
    if program:
        mine, real = compared(Path(program), NODES if bench.size != SMALL else 3)
        if mine.pods != real.pods:
            raise SystemExit(f"{mine.pods} pods fit, and for cluster-capacity {real.pods}")
        yield "capacity-real", real.seconds / mine.seconds


def explained(bench: Bench) -> Iterator[tuple[str, float]]:
    """Explanations."""
    name, namespace = bench.waiting()
    yield "explain", bench.about("explain", "pod", name, "-n", namespace).seconds
    yield "explain-all", bench.about("explain", "-A").seconds


def simulated(bench: Bench) -> Iterator[tuple[str, float]]:
    """A manifest of many replicas, as text and as a page."""
    text = bench.about("simulate", "-f", str(bench.web)).seconds
    yield "simulate", text
    yield "html", bench.about("simulate", "-f", str(bench.web), "-o", f"html={bench.folder}/page.html").seconds / text


def question(name: str, *words: str) -> Callable[[Bench], Iterator[tuple[str, float]]]:
    """One question about the usual cluster."""

    def measured(bench: Bench) -> Iterator[tuple[str, float]]:
        yield name, bench.about(*(str(bench.web) if word == "WEB" else word for word in words)).seconds

    return measured


def read(bench: Bench) -> Iterator[tuple[str, float]]:
    """One cluster in each form, and the JSON once more."""
    import gzip

    import zstandard

    path = Path(bench.cluster("basic", bench.size.nodes, bench.size.read, 1))
    whole = bench.asked("nodes", "--snapshot", str(path))
    yield "json", whole.seconds
    yield "json-memory", whole.peak
    bench.used("-m", "kplan", "nodes", "--snapshot", str(path), XDG_CACHE_HOME=str(bench.folder / "kept"))
    again = bench.used("-m", "kplan", "nodes", "--snapshot", str(path), XDG_CACHE_HOME=str(bench.folder / "kept"))
    yield "again", again.seconds
    text = path.read_bytes()
    packed = path.with_suffix(".json.gz")
    packed.write_bytes(gzip.compress(text, 1))
    yield "gz", bench.asked("nodes", "--snapshot", str(packed)).seconds
    packed = path.with_suffix(".json.zst")
    packed.write_bytes(zstandard.compress(text, 3))
    yield "zst", bench.asked("nodes", "--snapshot", str(packed)).seconds


def read_yaml(bench: Bench) -> Iterator[tuple[str, float]]:
    """The same cluster as YAML."""
    import yaml

    path = Path(bench.cluster("basic", bench.size.nodes, bench.size.read, 1))
    plain = path.with_suffix(".yaml")
    if not plain.exists():
        with plain.open("w") as out:
            yaml.dump(json.loads(path.read_bytes()), out, Dumper=yaml.CSafeDumper, sort_keys=False)
    yield "yaml", bench.asked("nodes", "--snapshot", str(plain)).seconds


def started(bench: Bench) -> Iterator[tuple[str, float]]:
    """What is told at once, against a bare Python."""
    bare = bench.used("-c", "pass", best_of=15).seconds
    yield "help", bench.used("-m", "kplan", "--help", best_of=15).seconds / bare
    yield "version", bench.used("-m", "kplan", "--version", best_of=15).seconds / bare
    shell = {"_KPLAN_COMPLETE": "complete_bash", "COMP_WORDS": "kplan drain --", "COMP_CWORD": "2"}
    yield "completion", bench.used("-m", "kplan", best_of=15, **shell).seconds / bare


def grown(bench: Bench) -> Iterator[tuple[str, float]]:
    """The same questions about clusters of more and more nodes."""
    for nodes in NODES if bench.size != SMALL else (10, 20):
        path = bench.cluster("mixed", nodes, 6 * nodes, 200 if bench.size != SMALL else 5)
        for asked in ASKED:
            words = {"explain": ("explain", "-A")}.get(asked, (asked,))
            yield f"{asked} of {nodes:,} nodes", bench.asked(*words, "--snapshot", path).seconds


PARTS: dict[str, Callable[[Bench], Iterator[tuple[str, float]]]] = {
    "large": large,  # first: a process counts as its own what the one that made it had at the most
    "start": started,
    "pipeline": pipeline,
    "evicting": evicting,
    "real": real,
    "explain": explained,
    "simulate": simulated,
    "capacity": question("capacity", "capacity", "-f", "WEB"),
    "each-node": question("each-node", "fail", "--each", "node"),
    "each-zone": question("each-zone", "fail", "--each", "zone"),
    "drain": question("drain", "drain", "-l", "pool=pool-3"),
    "survive-zone": question("survive-zone", "check", "-f", "WEB", "--survive", "zone"),
    "find": question("find", "drain", "--find"),
    "interrupt": interrupted,
    "capacities": capacities,
    "read": read,
    "yaml": read_yaml,
    "growth": grown,
    "things": things,
    "sweep": swept,  # last: its workers are what the machine is busy with for a while
}

HEAD = """\
# How fast kplan is

*Written by `make bench` from what it measured; the targets stand in `tests/bench/page.py`.*

CPU seconds (user and system) of a process of its own, Python's start and imports among them; rates of the pipeline are
pods a second of CPU. Where nothing else is said the cluster has 5,000 nodes, 30,000 pods that run and 1,000 that wait,
of mixed templates, and is read from JSON each time (`--no-cache`). One core does all of it.

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


def pace(bench: Bench) -> float:
    """How many times as long as where the targets were set a piece of work takes here."""
    return bench.used("-c", PIECE).seconds / REFERENCE


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
    return (
        f"The targets were set on a machine on which Python adds up ten million squares in {REFERENCE} s of CPU. "
        f"Where that took\n{paces[0]:.1f} to {paces[-1]:.1f} times as long, a figure is divided by it, and what was "
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
            before = 1.0 if args.small else pace(bench)
            for name, figure in PARTS[part](bench):
                sys.stdout.write(f"{name}: {figure:.2f}\n")
                sys.stdout.flush()
                after = 1.0 if args.small else pace(bench)
                keep(figures, name, figure, (before + after) / 2)
                before = after
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
