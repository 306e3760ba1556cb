"""Ask the real scheduler how many copies of a pod fit: writes fixtures/capacity/cases.jsonl.gz.

    python -m tests.oracle.capacity_cases tests/oracle/kporacle

Each case is a cluster of the conformance corpus (1.37) with one of its waiting pods; copies of it are placed one after
the other by kube-scheduler's own code (mode ``simulate``, nothing is evicted) until one does not fit.
"""

import copy
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CASES = ROOT / "fixtures" / "capacity" / "cases.jsonl.gz"
THEMES = ("resources", "taints", "nodeaffinity", "podaffinity", "spread", "ports", "images", "mixed")
EACH = 3
COPIES = 60


def chosen() -> list[dict[str, Any]]:
    """Clusters and their pod, EACH of every theme; pods without volumes, devices and gates."""
    found = []
    for theme in THEMES:
        path = ROOT / "fixtures" / "conformance" / "1.37" / f"{theme}.jsonl.gz"
        with gzip.open(path, "rt") as lines:
            mine = [made for line in lines if (made := _case(json.loads(line)["case"], theme)) is not None]
        found += mine[:EACH]
    return found


def _case(case: dict[str, Any], theme: str) -> dict[str, Any] | None:
    if case.get("config") or case.get("featureGates"):
        return None
    waiting = [one for one in case["objects"] if one["kind"] == "Pod" and not one["spec"].get("nodeName")]
    plain = [
        one
        for one in waiting
        if not {"volumes", "resourceClaims", "schedulingGates"} & one["spec"].keys()
        and one["spec"].get("schedulerName", "default-scheduler") == "default-scheduler"
        and "deletionTimestamp" not in one["metadata"]
    ]
    if not plain:
        return None
    objects = [one for one in case["objects"] if one not in waiting]
    sample = copy.deepcopy(plain[0])
    sample["status"] = {"phase": "Pending"}
    return {"name": f"{theme}/{case['name']}", "objects": objects, "sample": sample}


def asked(case: dict[str, Any]) -> dict[str, Any]:
    """The question for the oracle: copies of the sample, in order."""
    copies = []
    for number in range(COPIES):
        one = copy.deepcopy(case["sample"])
        one["metadata"]["name"] = f"copy-{number:03}"
        one["metadata"]["uid"] = f"copy-{number:03}"
        copies.append(one)
    names = [f"{one['metadata']['namespace']}/{one['metadata']['name']}" for one in copies]
    return {
        "name": case["name"],
        "mode": "simulate",
        "objects": [*case["objects"], *copies],
        "pods": names,
        "preempt": False,
    }


def main(oracle: str) -> None:
    """Ask, and write what was answered."""
    cases = chosen()
    questions = "".join(json.dumps(asked(case)) + "\n" for case in cases)
    answers = subprocess.run([oracle], input=questions, capture_output=True, text=True, check=True).stdout
    CASES.parent.mkdir(exist_ok=True)
    with CASES.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
        for case, line in zip(cases, answers.splitlines(), strict=True):
            placed = [bool(pod.get("placed")) for pod in json.loads(line)["pods"]]
            fits = placed.index(False) if False in placed else len(placed)
            if fits < COPIES:
                file.write(json.dumps({**case, "fits": fits}).encode() + b"\n")
                print(f"{case['name']}: {fits}")


if __name__ == "__main__":
    main(sys.argv[1])
