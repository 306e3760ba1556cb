"""How long kplan takes over inputs of an attacker, and how much memory reading them takes beside the file.

    python -m tests.hostile.weight [--megabytes 9] [NAME]...

Each shape is one file of that size, read as a cluster and as a manifest by a process of its own. Told are seconds of
CPU, the exit code, and the memory at the most beyond that of a file of nothing, in megabytes and as times the file. The
promise is an answer within 10 seconds for files under 10 MB, and no more than four times the file, or 1 GB, to read.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.hostile.samples import budget, node, pod

LAND = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")
MEGABYTE = 1_000_000
PATIENCE = 120


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
}  # fmt: skip


def asked(name: str, number: int) -> list[dict[str, Any]]:
    """Write the file of a shape and ask two commands about it, each in a process of its own."""
    told = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        path.write_bytes(SHAPES[name](number))
        size = path.stat().st_size
        for words in (["nodes", "--snapshot", str(path)], ["simulate", str(path), "--snapshot", LAND]):
            command = [sys.executable, "-m", "tests.hostile.weight", "--one", *words]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
                told.append({"size": size, "command": words[0], **json.loads(done.stdout.splitlines()[-1])})
            except subprocess.TimeoutExpired:
                told.append({"size": size, "command": words[0], "code": -1, "seconds": float(PATIENCE), "peak": 0})
    return told


def one(words: Sequence[str]) -> None:
    """Ask in this process, and tell what it took."""
    import contextlib
    import io

    from kplan.cli.main import main as command

    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = command(list(words))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({"code": code, "seconds": time.process_time() - began, "peak": peak}) + "\n")


def main() -> int:
    """Write a row for each shape and command; 1 if one keeps no promise."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--megabytes", type=float, default=9)
    flags.add_argument("--one", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    flags.add_argument("names", nargs="*", choices=[[], *SHAPES])
    given = flags.parse_args()
    if given.one:
        one(given.one)
        return 0
    empty = {row["command"]: row["peak"] for row in asked("nothing", 0)}
    sys.stdout.write(f"{'shape':20}{'command':10}{'MB':>6}{'code':>6}{'seconds':>9}{'MB more':>9}{'times':>7}\n")
    broken = 0
    for name in given.names or SHAPES:
        for row in asked(name, int(given.megabytes * MEGABYTE)):
            more, size = max(0.0, row["peak"] - empty[row["command"]]), row["size"] / MEGABYTE
            light = more <= 40 or more <= min(1000, 4 * size)
            kept = light and row["seconds"] <= 10 and row["code"] not in (70, -1)
            broken += not kept
            times = more / max(size, 0.1)
            numbers = f"{size:6.1f}{row['code']:6}{row['seconds']:9.2f}{more:9.0f}{times:7.1f}"
            sys.stdout.write(f"{name:20}{row['command']:10}{numbers}{'' if kept else '  !'}\n")
            sys.stdout.flush()
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
