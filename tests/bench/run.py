"""Plan the same cluster with kplan and with the real scheduler's code, side by side.

    python -m tests.bench.run [--nodes 5000 --running 30000 --pending 1000] [--shape mixed]... [--small] [--no-real]
    python -m tests.bench.run --growth [SHAPE]...

Clusters come from ``make_cluster.py`` beside this file. The real scheduler is the program of ``tests/oracle/bench``:
the one KPLAN_SCHEDBENCH names, else the one ``make oracle`` built; without either, kplan runs alone. Both look at all
nodes for each pod, and reserve devices and volumes of those that they place. ``first`` and ``last`` are the mean times
of the first and of the last hundred pods: whether a pod takes longer once devices are in use. ``--growth`` tells
instead how answers grow with what they are about (``growth.py``). Of kplan, ``explain s`` is an explanation of one pod,
and ``render %`` what writing it as text and JSON takes of reading, explaining and writing together. Nothing is asserted
about absolute times: the ratio is what says something on a shared machine.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from tests.bench import growth

HERE = Path(__file__).parent
BUILT = HERE.parent / "oracle" / "schedbench"
AT_EITHER_END = 100
"""Pods at the beginning and at the end whose times are told."""
SHAPES = ("basic", "spread", "affinity", "mixed", "preempt", "devices")
COLUMNS = (
    ("shape", "{shape}"),
    ("nodes", "{nodes}"),
    ("running", "{running}"),
    ("pending", "{pending}"),
    ("who", "{who}"),
    ("load s", "{load:.1f}"),
    ("plan s", "{plan:.2f}"),
    ("pods/s", "{rate:.0f}"),
    ("first ms", "{first:.2f}"),
    ("last ms", "{last:.2f}"),
    ("ratio", "{ratio}"),
    ("placed", "{placed}"),
    ("evicting", "{preemptable}"),
    ("explain s", "{explain}"),
    ("render %", "{render}"),
    ("peak MB", "{peak}"),
)


def measure(path: str) -> dict[str, Any]:
    """Plan with kplan in this process; a preemption is worked out and not carried out, as in the real one's dry run."""
    import kplan

    began = time.perf_counter()
    state = kplan.load(path)
    planner = kplan.Scheduler.of().planner(state, everything=False, preempt=False)
    waiting = planner.waiting()
    # what was loaded stays: the collector need not walk it again and again
    gc.collect()
    gc.freeze()
    loaded = time.perf_counter()
    placed = preemptable = 0
    times: list[float] = []
    spent = time.process_time()
    for pod in waiting:
        before = time.perf_counter()
        outcome = planner.step(pod).outcome
        times.append(time.perf_counter() - before)
        placed += outcome.placement is not None
        preemptable += bool(outcome.preemption and outcome.preemption.candidates)
    took, spent = time.perf_counter() - loaded, time.process_time() - spent
    explained, rendered = explain(kplan.Scheduler.of().planner(state))
    return {
        "load": loaded - began,
        "plan": took,
        "rate": len(waiting) / took,
        "first": 1000 * fmean(times[:AT_EITHER_END]),
        "last": 1000 * fmean(times[-AT_EITHER_END:]),
        "cpu_rate": len(waiting) / max(spent, 1e-6),
        "placed": placed,
        "preemptable": preemptable,
        "explain": f"{explained:.2f}",
        "render": f"{100 * rendered / (loaded - began + explained + rendered):.1f}",
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def explain(planner: Any) -> tuple[float, float]:
    """Explain the first waiting pod; return the CPU time to work it out and that to write it, as text and as JSON."""
    from kplan.render.data import json_pieces
    from kplan.render.text import Style, explanation
    from kplan.studies.context import Context
    from kplan.studies.explain import explain_pods
    from kplan.studies.origin import origin, version_of

    state = planner.cluster.state
    features = next(iter(planner.pipelines.values())).features
    context = Context(planner, origin(state, features, *version_of(state, "")))
    began = time.process_time()
    document = explain_pods(context, planner.waiting()[:1], fold=False)
    worked_out = time.process_time()
    explanation(document, Style())
    "".join(json_pieces(document))
    return worked_out - began, time.process_time() - worked_out


def real(binary: Path, path: str) -> dict[str, Any]:
    """Plan with the real scheduler's code."""
    asked = [str(binary), "-preempt", "-reserve", path]
    told = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    return {
        "load": told["loadSeconds"],
        "plan": told["planSeconds"],
        "rate": told["podsPerSecond"],
        "first": told["firstMilliseconds"],
        "last": told["lastMilliseconds"],
        "placed": told["placed"],
        "preemptable": told["preemptable"],
        "explain": "-",
        "render": "-",
        "peak": "-",
    }


def binary() -> Path | None:
    """The real scheduler's program, if there is one."""
    named = os.environ.get("KPLAN_SCHEDBENCH")
    found = Path(named) if named else BUILT
    if named and not found.exists():
        raise SystemExit(f"KPLAN_SCHEDBENCH: no file {named}")
    return found if found.exists() else None


def row(cells: Sequence[str]) -> str:
    return "  ".join(cell.rjust(max(len(name), 8)) for cell, (name, _) in zip(cells, COLUMNS, strict=True)) + "\n"


def compare(shape: str, size: dict[str, int], scheduler: Path | None) -> None:
    """Make one cluster, measure both, and write their rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/cluster.json"
        options = [word for name, number in size.items() for word in (f"--{name}", str(number))]
        with Path(path).open("w") as out:
            make = [sys.executable, str(HERE / "make_cluster.py"), "--shape", shape, *options]
            subprocess.run(make, check=True, stdout=out)
        # a process of its own: no cluster measures the memory of the one before
        alone = [sys.executable, "-m", "tests.bench.run", "--one", path]
        mine = json.loads(subprocess.run(alone, check=True, capture_output=True, text=True).stdout)
        theirs = real(scheduler, path) if scheduler else None
    about = {"shape": shape, **size}
    ratio = f"{mine['rate'] / theirs['rate']:.1f}x" if theirs else "-"
    told = [{**about, "who": "kplan", "ratio": ratio, **mine}]
    if theirs:
        told.append({**about, "who": "real", "ratio": "", **theirs})
    for one in told:
        sys.stdout.write(row([form.format(**one) for _, form in COLUMNS]))
        sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--running", type=int, default=30000)
    parser.add_argument("--pending", type=int, default=1000)
    parser.add_argument("--shape", choices=SHAPES, action="append", help="may be given again; all shapes if absent")
    parser.add_argument("--small", action="store_true", help="500 nodes, 3,000 running and 200 pending pods")
    parser.add_argument("--no-real", action="store_true", help="leave the real scheduler out")
    parser.add_argument(
        "--growth", nargs="*", choices=list(growth.SHAPES), help="exponents between n, 2n and 4n; all if none is named"
    )
    parser.add_argument("--one", metavar="FILE", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.one:
        sys.stdout.write(json.dumps(measure(args.one)) + "\n")
        return 0
    if args.growth is not None:
        growth.report(args.growth or list(growth.SHAPES), small=args.small)
        return 0
    size = {"nodes": args.nodes, "running": args.running, "pending": args.pending}
    if args.small:
        size = {"nodes": 500, "running": 3000, "pending": 200}
    scheduler = None if args.no_real else binary()
    if scheduler is None:
        sys.stderr.write("note: without the real scheduler (KPLAN_SCHEDBENCH, or make oracle)\n")
    sys.stdout.write(row([name for name, _ in COLUMNS]))
    for shape in args.shape or SHAPES:
        # nodes are full only with 30 pods each
        full = {"running": 30 * size["nodes"], "pending": max(1, size["pending"] // 20)}
        compare(shape, {**size, **full} if shape == "preempt" else size, scheduler)
    return 0


if __name__ == "__main__":
    sys.exit(main())
