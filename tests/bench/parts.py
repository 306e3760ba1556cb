"""Parts of what is measured: each asks kplan, in processes of their own, and gives figures by name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.bench import growth, run
from tests.bench.targets import ASKED, NODES, SWEPT
from tests.sweep_dask.cluster import dask_cluster

HERE = Path(__file__).parent
_NUMBER = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9]*)?([eE][-+]?[0-9]+)?")
"""What YAML 1.1 takes for a number, a hash like ``0190`` and ``12e4`` among them."""
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
    """The same cluster as YAML, as kubectl writes it: what would be read as a number is quoted."""
    import yaml

    class AsKubectl(yaml.CSafeDumper):
        """Differs in the style of texts alone."""

    def quoted(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if _NUMBER.fullmatch(text) else None)

    AsKubectl.add_representer(str, quoted)
    path = Path(bench.cluster("basic", bench.size.nodes, bench.size.read, 1))
    plain = path.with_suffix(".yaml")
    if not plain.exists():
        with plain.open("w") as out:
            yaml.dump(json.loads(path.read_bytes()), out, Dumper=AsKubectl, sort_keys=False)
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


PARALLEL = frozenset({"sweep", "interrupt", "real", "capacities"})
"""Parts that use all cores: programs beside kplan that do, workers, and what the clock tells."""
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
