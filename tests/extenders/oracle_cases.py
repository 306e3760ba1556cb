"""Cases with extenders, and what the real kube-scheduler 1.37.2 decided with the same ones (``fixtures/extenders``).

    python -m tests.extenders.oracle_cases     # ask the oracle again; it has to be built (make oracle)

The port of the extender is written as PORT.
"""

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.extenders.server import Extender, extender

FIXTURE = Path(__file__).parents[2] / "fixtures" / "extenders" / "cases.jsonl.gz"
ORACLE = Path(__file__).parents[1] / "oracle"
HEADER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
GPU = "example.com/gpu"


def cases() -> list[dict[str, Any]]:
    """Cases of the generator's themes, each with extenders of its own."""
    made = []
    rnd = random.Random("extenders 1")
    for theme, count in (("resources", 24), ("preemption", 24), ("taints", 8), ("nominated", 12), ("images", 8)):
        lines = subprocess.run(
            [sys.executable, ORACLE / "gen.py", theme, str(count), "7700"], check=True, capture_output=True
        ).stdout.splitlines()
        for number, line in enumerate(lines):
            case = json.loads(line)
            if any(one["kind"] == "ResourceClaim" for one in case["objects"]) or "config" in case:
                continue
            case["name"] = f"{theme}-{number}"
            case["config"] = {**HEADER, "extenders": list(_extenders(rnd, theme))}
            made.append(case)
    return made


def _extenders(rnd: random.Random, theme: str) -> Iterator[dict[str, Any]]:
    for _ in range(rnd.choice([1, 1, 2, 3])):
        mode = rnd.choice(["plain", "plain", "plain", "all", "lower", "none", "firm", "error", "500", "empty", "odd"])
        if theme == "preemption":
            mode = rnd.choice(["half", "half", "one", "all", "novictim", "stranger", "500"])
        made: dict[str, Any] = {"urlPrefix": f"http://127.0.0.1:PORT/{mode}-{rnd.randint(1, 99)}"}
        if theme != "preemption" or rnd.random() < 0.3:
            made["filterVerb"] = "filter"
        if rnd.random() < 0.6:
            made |= {"prioritizeVerb": "prioritize", "weight": rnd.randint(1, 5)}
        if theme in ("preemption", "nominated"):
            made["preemptVerb"] = "preempt"
        made["nodeCacheCapable"] = rnd.random() < 0.7
        made["ignorable"] = rnd.random() < (0.6 if mode in ("error", "500", "empty", "odd", "stranger") else 0.2)
        if rnd.random() < 0.15:
            made["managedResources"] = [{"name": GPU, "ignoredByScheduler": rnd.random() < 0.5}]
        yield made


def with_port(value: Any, port: int) -> Any:
    return json.loads(json.dumps(value).replace("127.0.0.1:PORT", f"127.0.0.1:{port}"))


def without_port(value: Any, port: int) -> Any:
    return json.loads(json.dumps(value).replace(f"127.0.0.1:{port}", "127.0.0.1:PORT"))


def asked(server: Extender) -> list[Any]:
    """Each request once, in an order of its own: how often is not asked, and by whom neither."""
    return json.loads(json.dumps(sorted(set(server.asked))))


def read() -> list[tuple[dict[str, Any], dict[str, Any], list[Any]]]:
    """(case, answer, requests) of each case."""
    with gzip.open(FIXTURE, "rt") as lines:
        return [(one["case"], one["answer"], one["asked"]) for one in map(json.loads, lines)]


def ask() -> Iterator[dict[str, Any]]:
    for case in cases():
        with extender() as server:
            line = json.dumps(with_port(case, server.port))
            answer = subprocess.run([ORACLE / "kporacle"], input=line.encode(), check=True, capture_output=True).stdout
            told = without_port(json.loads(answer), server.port)
            yield {"case": case, "answer": told, "asked": asked(server)}


if __name__ == "__main__":
    FIXTURE.parent.mkdir(exist_ok=True)
    text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in ask())
    FIXTURE.write_bytes(gzip.compress(text.encode(), mtime=0))
