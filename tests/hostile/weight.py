"""How long kplan takes over inputs of an attacker, and how much memory reading them takes beside the file.

    python -m tests.hostile.weight [--megabytes 9] [--reading | --commands] [NAME]...

Each shape is one file of that size. A process of its own reads it as a cluster, or as manifests (``read``, ``land``);
others ask a question about it each (``nodes``, ``simulate``; with ``--commands`` every command that reads). Told are
seconds of CPU of an ordinary machine (one that takes 0.15 for the loop of ``pace``; each process times it before and
behind its question), the exit code, and the memory at the most beyond that of a process that has read nothing, in
megabytes and as times the file. ``--only COMMAND`` asks some of the questions. Promised is that reading never takes
1 GB, nor more than four times the file (five where it is YAML, or manifests) or 50 MB, and an answer within 10 seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kplan.__main__ import OBJECTS_BETWEEN_COLLECTIONS
from kplan.cli.main import main as command_line
from kplan.errors import KplanError
from kplan.sources import load, load_objects
from tests.hostile.compact import COMPACT, HEAVY, cluster
from tests.hostile.dear import DEAR, MANIFESTS, brought, dear, dear_documents, in_documents
from tests.hostile.samples import budget, node, pod, workload

ROOT = Path(__file__).parents[2]
LAND = str(ROOT / "kplan" / "data" / "demo.yaml")
MEGABYTE = 1_000_000
PATIENCE = 900
LOOP, ORDINARY = 2_000_000, 0.15
"""Rounds of a loop, and the seconds of CPU that an ordinary machine takes for them."""


def listed(items: Sequence[Any]) -> bytes:
    """A List as JSON."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()


def many(one: Callable[[int], Any], size: int) -> bytes:
    """As many objects as fill the size."""
    each = len(json.dumps(one(0))) + 2
    return listed([node(), *(one(number) for number in range(size // each))])


def flow(size: int) -> bytes:
    """YAML documents of a pod each."""
    one = "apiVersion: v1\nkind: Pod\nmetadata: {{name: p{}, namespace: d}}\nspec: {{containers: [{{name: c}}]}}\n---\n"
    return "".join(one.format(number) for number in range(size // len(one))).encode()


def block(size: int) -> bytes:
    """One YAML document with a very long list of labels."""
    lines = "".join(f"    k{number}: v{number}\n" for number in range(size // 18))
    return f"apiVersion: v1\nkind: Node\nmetadata:\n  name: n\n  labels:\n{lines}".encode()


def labels(number: int) -> dict[str, str]:
    return {f"k{at}": f"v{number}" for at in range(40)}


DEPLOYMENT = json.loads(workload("Deployment", replicas=1))

OF_THEIR_OWN = "compact pods that wait, each of its own size"

SHAPES: dict[str, Callable[[int], bytes]] = {
    "nothing": lambda size: listed([node()]),
    "pods": lambda size: many(lambda number: pod(f"p{number}", "n0"), size),
    "pods that wait": lambda size: many(lambda number: pod(f"p{number}"), size),
    "nodes": lambda size: many(lambda number: node(f"n{number}"), size),
    "labels": lambda size: many(lambda number: pod(f"p{number}", "n0", {"labels": labels(number)}), size),
    "empty objects": lambda size: b"[" + b"{}," * (size // 3) + b"{}]",
    "nulls": lambda size: b"[" + b"null," * (size // 5) + b"null]",
    "one long name": lambda size: listed([node(), pod("p" * size)]),
    "one long message": lambda size: listed([node(), {**pod("p"), "status": {"message": "m" * size}}]),
    "one long list": lambda size: listed([node(), pod("p", containers=[{"name": "c"}] * (size // 16))]),
    "unknown fields": lambda size: listed([node(), {**pod("p"), "x": [{"a": number} for number in range(size // 14)]}]),
    "unknown kinds": lambda size: many(lambda number: {**pod(f"p{number}"), "kind": "Unknown"}, size),
    "brackets": lambda size: b"[" * size,
    "braces and names": lambda size: b'{"a":' * (size // 5),
    "a text without end": lambda size: b'{"kind":"' + b"a" * size,
    "lists in a list": lambda size: b"[" + b"[[]]," * (size // 5) + b"[]]",
    "maps of one": lambda size: b"[" + b'{"ab":"cd"},' * (size // 12) + b"{}]",
    "maps of one behind a node": lambda size: listed([node()])[:-2] + b',{"ab":"cd"}' * (size // 12) + b"]}",
    "lists in an unknown field": lambda size: listed([node(), {**pod("p"), "x": [[[]]] * (size // 8)}]),
    "broken pods": lambda size: many(lambda number: {"apiVersion": "v1", "kind": "Pod"}, size),
    "kinds of their own": lambda size: many(lambda number: {"apiVersion": f"a{number}/v1", "kind": "X"}, size),
    "Deployments": lambda size: many(
        lambda number: {**DEPLOYMENT, "metadata": {"name": f"w{number}", "namespace": "d"}}, size
    ),
    "a List in YAML": lambda size: b"apiVersion: v1\nitems:\n" + b"".join(
        f"- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p{number}\n    uid: u-{number}\n".encode()
        for number in range(size // 72)
    ) + b"kind: List\n",
    "tolerations": lambda size: many(
        lambda number: pod(f"p{number}", tolerations=[{"key": f"k{at}-{number}"} for at in range(50)]), size
    ),
    "services": lambda size: many(
        lambda number: {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": f"s{number}", "namespace": "d"},
            "spec": {"selector": {"a": f"v{number}"}},
        },
        size,
    ),
    "numbers": lambda size: b"[" + b"1," * (size // 2) + b"1]",
    "escapes": lambda size: listed([node(), pod("p")])[:-2] + b',{"x":"' + b"\\u0041" * (size // 6) + b'"}]}',
    "documents": flow,
    "separators": lambda size: b"---\n" * (size // 4),
    "a block of labels": block,
    "YAML flow": lambda size: b"a: [" + b"b, " * (size // 3) + b"c]",
    "YAML indents": lambda size: b"\n".join(b" " * at + b"a:" for at in range(int((2 * size) ** 0.5))),
    "YAML anchors": lambda size: b"a: &a [x]\nb: [" + b"*a, " * (size // 4) + b"*a]",
    "YAML comments": lambda size: b"# x\n" * (size // 4),
    "YAML scalars": lambda size: b"a: |\n" + b"  x\n" * (size // 4),
    "spaces": lambda size: b" " * size,
    "line breaks": lambda size: b"\n" * size,
    "bytes of zero": lambda size: b"\0" * size,
    "taints": lambda size: many(
        lambda number: node(f"n{number}", spec={"taints": [{"key": f"k{at}-{number}"} for at in range(50)]}), size
    ),
    "claims": lambda size: many(
        lambda number: {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": f"c{number}", "namespace": "d"},
            "spec": {"storageClassName": "x", "accessModes": ["ReadWriteOnce"]},
        },
        size,
    ),
    "budgets": lambda size: many(
        lambda number: budget(selector={"matchLabels": {"a": f"v{number}"}}, minAvailable=number), size
    ),
    **{name: partial(cluster, one) for name, one in (COMPACT | HEAVY).items()},
    **{name: partial(dear, name) for name in DEAR},
    f"{OF_THEIR_OWN} in documents": lambda size: in_documents(SHAPES[OF_THEIR_OWN](size * 92 // 100)),
    **{f"{name} in documents": partial(dear_documents, name) for name in ("pods that evict", "pods that spread")},
}  # fmt: skip


BROUGHT = {f"{name}, brought": name for name in (*DEAR, *MANIFESTS)}
"""Shapes of which the pods are manifests, and what stands there first is the cluster; in YAML, too."""
BROUGHT |= {f"{name}, brought in documents": name for name in (*DEAR, *MANIFESTS)}


def questions_of_brought(name: str, number: int, folder: Path) -> tuple[int, list[list[str]]]:
    """Write both files; how long the manifests are, and what is asked about them."""
    there, pods = brought(BROUGHT[name], number * 92 // 100 if name.endswith("documents") else number)
    cluster, file = folder / "there", folder / "input"
    cluster.write_bytes(there)
    file.write_bytes(in_documents(pods) if name.endswith("documents") else pods)
    words = [["simulate"], ["check"], ["check", "--survive", "node"], ["capacity"], ["moves", "-f"]]
    asked = [[*first, str(file), "--snapshot", str(cluster)] for first in words]
    return file.stat().st_size, [["land", str(file)], *asked]


def aim(shape: str, command: str, size: float) -> float:
    """What reading may take beside a process that has read nothing [MB, of a size in MB]; YAML and manifests stay."""
    goes = command == "read" and shape in SHAPES and SHAPES[shape](1_000).startswith((b"{", b"["))
    return max(50, (4 if goes else 5) * size)


def every_command(file: str, out: str) -> list[list[str]]:
    """A question of each command that reads, about the file as a cluster; some about it as manifests."""
    read, good = ["--snapshot", file], str(ROOT / "fixtures" / "examples" / "checkout.yaml")
    first = "n-0" if b"n-0" in Path(file).read_bytes()[:1_000] else "n0"
    return [
        ["explain", "pod", "-A", *read],
        ["explain", "node", first, *read],
        ["nodes", *read],
        ["simulate", *read],
        ["check", good, *read],
        ["drain", first, *read],
        ["fail", first, *read],
        ["capacity", good, *read],
        ["diff", file, LAND],
        ["sweep", "-j", "1", *read],
        ["moves", "-f", good, *read],
        ["pack", *read],
        ["snapshot", out, *read],
        ["explain", "pod", "-A", "--audit", *read],
        ["explain", "pod", "-A", "--with-queue", *read],
        ["fail", "--each", "node", *read],
        ["drain", "--find", *read],
        ["nodes", "--by", "topology.kubernetes.io/zone", *read],
        ["bind", "-A", *read],
        ["simulate", file, "--snapshot", LAND],
        ["check", file, "--snapshot", LAND],
    ]


READING = {"read": load, "land": load_objects}


def asked(
    name: str, number: int, *, reading: bool, commands: bool = False, only: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Write the file of a shape, read it and ask about it, or ask some of it only, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        if name in BROUGHT:
            size, questions = questions_of_brought(name, number, Path(folder))
        else:
            path.write_bytes(SHAPES[name](number))
            size = path.stat().st_size
            questions = [["read", str(path)], ["land", str(path)]]
            if commands:
                questions += every_command(str(path), str(Path(folder) / "out"))
            elif not reading:
                questions += [["nodes", "--snapshot", str(path)], ["simulate", str(path), "--snapshot", LAND]]
        for words in questions:
            if only and _short(words) not in only:
                continue
            command = [sys.executable, "-m", "tests.hostile.weight", "--one", *words]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
                yield {"size": size, "command": _short(words), **json.loads(done.stdout.splitlines()[-1])}
            except subprocess.TimeoutExpired:
                yield {"size": size, "command": _short(words), "code": -1, "seconds": float(PATIENCE), "more": 0}


def _short(words: Sequence[str]) -> str:
    """Name a question by its command, and whether the file is its manifest."""
    lands = words[0] in ("simulate", "check") and not words[1].startswith("-") and words[-1] == LAND
    if words[0] in ("simulate", "check", "capacity", "moves") and words[-1].endswith("/there"):
        return f"{words[0]} FILE{' --survive' if '--survive' in words else ''}"
    for flag in ("--audit", "--with-queue", "--each", "--find", "--by"):
        if flag in words:
            return f"{words[0]} {flag}"
    return f"{words[0]} FILE" if lands else " ".join(words[:2]) if words[0] == "explain" else words[0]


def most_memory() -> float:
    """Memory that this program has had at the most; what ``getrusage`` tells begins with that of its parent [MB]."""
    told = Path("/proc/self/status").read_text()
    return int(told.partition("VmHWM:")[2].split()[0]) * 1024 / MEGABYTE


def pace() -> float:
    """How many times as long as an ordinary machine this one takes now."""
    began = time.process_time()
    exec(f"s=0\nfor i in range({LOOP}): s+=i*i", {})  # names of a module, as with ``python -c``
    return (time.process_time() - began) / ORDINARY


def one(words: Sequence[str]) -> None:
    """Ask in this process, and tell what it took."""
    gc.set_threshold(*OBJECTS_BETWEEN_COLLECTIONS)  # as kplan's own process does
    slower = pace()
    before, began = most_memory(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if words[0] in READING:
            code = 0
            try:
                READING[words[0]](words[1])
            except KplanError:
                code = 2
        else:
            code = command_line(list(words))
    seconds, more = time.process_time() - began, most_memory() - before
    slower = (slower + pace()) / 2
    sys.stdout.write(json.dumps({"code": code, "seconds": seconds / slower, "more": more}) + "\n")


def keep(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows in place of those of the same shape and question; docs/trust.md tells the worst of them."""
    known = json.loads(path.read_text()) if path.exists() else []
    made = {(row["shape"], row["command"]): row for row in (*known, *rows)}
    lines = [
        json.dumps({**row, "seconds": round(row["seconds"], 2), "more": round(row["more"])}) for row in made.values()
    ]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def main() -> int:
    """Write a row for each shape and question; 1 if one keeps no promise."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--megabytes", type=float, default=9)
    flags.add_argument("--reading", action="store_true", help="ask nothing about what was read")
    flags.add_argument("--commands", action="store_true", help="ask each command about it")
    flags.add_argument("--only", action="append", default=[], help="a question that is asked, and no other")
    flags.add_argument("--keep", type=Path, help="write the rows to a file, beside what it has of other shapes")
    flags.add_argument("--one", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    flags.add_argument("names", nargs="*", choices=[[], *SHAPES, *BROUGHT])
    given = flags.parse_args()
    if given.one:
        one(given.one)
        return 0
    sys.stdout.write(f"{'shape':28}{'':16}{'MB':>6}{'code':>6}{'seconds':>9}{'MB more':>9}{'times':>7}\n")
    broken = 0
    for name in given.names or SHAPES:
        much = int(given.megabytes * MEGABYTE)
        for row in asked(name, much, reading=given.reading, commands=given.commands, only=given.only):
            size, more, read = row["size"] / MEGABYTE, row["more"], row["command"] in READING
            kept = row["seconds"] <= 10 and row["code"] not in (70, -1) and not (read and more > 1000)
            broken += not kept
            if given.keep:
                keep(given.keep, [{"shape": name, **row}])
            over = "" if not read or more <= aim(name, row["command"], size) else "  over the aim"
            numbers = f"{size:6.1f}{row['code']:6}{row['seconds']:9.2f}{more:9.0f}{more / max(size, 0.1):7.1f}"
            sys.stdout.write(f"{name:28}{row['command']:16}{numbers}{over if kept else '  !'}\n")
            sys.stdout.flush()
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
