"""Clusters rebuilt from public bug reports: the real scheduler's verdict, and the cause a person asked for.

KPLAN_REAL names the folder; ``../shared/real`` beside the repository if it is not set.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import kplan
from kplan.api import fill_in
from kplan.sources import load_values
from tests.conformance.answer import answer
from tests.conformance.compare import Comparison
from tests.studies.ask import text

REAL = Path(os.environ.get("KPLAN_REAL") or Path(__file__).resolve().parents[3] / "shared" / "real")
REPORTS = REAL / "reports"

pytestmark = pytest.mark.skipif(not REPORTS.is_dir(), reason=f"no bug reports in {REAL}: set KPLAN_REAL")

NAMES = sorted(p.stem for p in REPORTS.glob("*.json") if not p.stem.endswith(".oracle")) if REPORTS.is_dir() else []

CAUSES = {
    "02": ["special-1, tainted, counts as an empty domain", "taint node_group=special:NoSchedule, not tolerated"],
    "04": ["node-c, tainted, counts as an empty domain", "cordoned"],
    "06": ["spread by zone", "az-3 has 0 such pods"],
    "08": ["1 domain where minDomains is 2"],
    "10": ["4 tainted nodes count as empty domains", "no help on 4 (taints)"],
    "12": ["us-east4-b", "Immediate", "other-1", "nodeSelector cloud.google.com/gke-nodepool"],
    "14": ["none of its 2 terms", "cpu", "us-east-2b"],
    "16": ["no CSIStorageCapacity"],
    "18": ['persistentvolumeclaim "nginx-logs-nginx-1" not found'],
    "20": ["no provisioner", "local-pv can be used from other nodes only"],
    "22": ["5948516Ki", "the largest node has"],
    "24": ["1288490189 bytes", "429496729"],
    "26": ["init container", "620m free"],
    "28": ["2Gi and 200Mi of overhead", "1848Mi"],
    "30": ["ip-1", "pod limit", "17 of 17"],
    "32": ["pod limit", "8 of 8", "memory"],
    "34": ["ephemeral-storage", "have none"],
    "36": ["10 cpu are free, but in pieces"],
    "38": ["n-6 has 596Mi free", "not looked at: node affinity named only n-6"],
    "40": ["n-1", "pod limit: 10 of 10", "not looked at"],
    "42": ["selects no pod, not even its own"],
    "44": ["Gt 150.1: cannot be evaluated"],
    "46": ["default/high", "fewest budgets broken", "default/low (priority 0) is spared"],
    "48": ["kept for default/p2", "stale"],
    "50": ["anti-affinity", "default/low-1"],
    "52": ["idle", "4 skipped"],
    "54": ["gate kueue.x-k8s.io/admission", "would go to n-1"],
    "56": ["FITS imex-test1/mpi-0", "node-4, node-5, node-6", "(4 of 8 nodes fit)"],
    "58": ["taint prod-only=true:NoSchedule", "stage-1 has 100m free"],
}
"""Words of the answer that name what the report's own answer names."""


def report(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((REPORTS / f"{name}.json").read_text())
    return found


@pytest.mark.parametrize("name", [n for n in NAMES if (REPORTS / f"{n}.oracle.json").is_file()])
def test_the_verdict_is_the_real_schedulers(name: str) -> None:
    expected = json.loads((REPORTS / f"{name}.oracle.json").read_text())
    asked = [pod["pod"] for pod in expected["pods"]]
    case = {"name": expected["name"], "objects": report(name)["cluster_and_pod"], "pods": asked}
    comparison = Comparison(show=5)
    comparison.add(expected, answer(case, "1.37"))
    assert comparison.good_pods == comparison.pods == len(asked), str(comparison)


@pytest.mark.parametrize("name", [n for n in NAMES if n.partition("-")[0] in CAUSES])
def test_the_answer_names_the_cause(name: str) -> None:
    found = report(name)
    state = load_values(found["cluster_and_pod"])
    fill_in(state, kplan.Scheduler.of("1.37"))
    told = " ".join(text(state.objects(), found["pod"], completeness=state.completeness).split())
    missing = [words for words in CAUSES[name.partition("-")[0]] if words not in told]
    assert not missing, told
