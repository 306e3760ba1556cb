"""Dumps that real tools wrote, where they are at hand: read, or refused with the reason, and their sums right.

KPLAN_REAL names the folder; ``../shared/real`` beside the repository if it is not set.
"""

import json
import os
from pathlib import Path

import pytest

import kplan
from kplan.cluster import build

REAL = Path(os.environ.get("KPLAN_REAL") or Path(__file__).resolve().parents[4] / "shared" / "real")
DUMPS = REAL / "dumps"

pytestmark = pytest.mark.skipif(not DUMPS.is_dir(), reason=f"no real dumps in {REAL}: set KPLAN_REAL")

FACTS = json.loads((DUMPS / "FACTS.json").read_text()) if DUMPS.is_dir() else {}
KINDS = {"nodes": "Node", "pods": "Pod", "pdbs": "PodDisruptionBudget", "pvs": "PersistentVolume"}
KINDS |= {"pvcs": "PersistentVolumeClaim", "csinodes": "CSINode"}


def path_of(name):
    folder, _, inside = name.removesuffix(")").partition(" (")
    return DUMPS / folder / inside


@pytest.mark.parametrize("name", FACTS)
def test_counts_and_sums_are_those_that_were_worked_out_apart(name):
    facts = FACTS[name]
    state = kplan.load(path_of(name))
    counts = {key: state.completeness.counts.get(kind, 0) for key, kind in KINDS.items() if key in facts}
    assert counts == {key: facts[key] for key in counts}
    assert state.completeness.broken == ()
    if "terminated_pods" in facts:
        assert sum(pod.status.phase in ("Succeeded", "Failed") for pod in state.pods) == facts["terminated_pods"]
        assert len({pod.namespace for pod in state.pods}) == facts["namespaces_with_pods"]
    assert requested(state, facts.get("requested_per_node", {})) == {
        node: {key: sums[key] for key in ("cpu_m", "memory", "pods")}
        for node, sums in facts.get("requested_per_node", {}).items()
        if "note" not in sums
    }
    absent = {node for node, sums in facts.get("requested_per_node", {}).items() if "note" in sums}
    assert absent.isdisjoint(node.name for node in state.nodes)
    named = {pod.spec.node_name for pod in state.pods if pod.status.phase not in ("Succeeded", "Failed")}
    assert absent <= named


def requested(state, nodes):
    cluster = build(state)
    row = {name: i for i, name in enumerate(cluster.resources)}
    return {
        node.name: {
            "cpu_m": int(cluster.requested[row["cpu"], i]),
            "memory": int(cluster.requested[row["memory"], i]),
            "pods": int(cluster.pod_count[i]),
        }
        for i, node in enumerate(state.nodes)
        if node.name in nodes
    }


def test_pods_that_a_must_gather_holds_twice_count_once_and_it_is_said():
    notes = kplan.load(DUMPS / "must-gather-azure").completeness.notes
    (note,) = [note for note in notes if " Pod objects" in note]
    assert note.startswith(f"{FACTS['must-gather-azure']['pods_seen_twice']} duplicate Pod objects left out")


# dump, layout, counts, version
READ = [
    ("kubectl-list-popeye", None, {"Node": 5, "Pod": 9, "PodDisruptionBudget": 5}, ""),
    ("must-gather-metal", "OpenShift must-gather", {"Node": 2, "Pod": 14, "Namespace": 3, "ResourceQuota": 1}, ""),
    (
        "must-gather-vsphere",
        "OpenShift must-gather",
        {"Node": 6, "Pod": 248, "PersistentVolume": 2, "PersistentVolumeClaim": 2, "CSINode": 6},
        "",
    ),
    ("ndjson-pallograph", None, {"Pod": 16}, ""),
    ("open-simulator-demo", None, {"Node": 9, "StorageClass": 3}, ""),
    (
        "scheduler-simulator-export/export-case1.json",
        "kube-scheduler-simulator export",
        {"Node": 0, "Pod": 0, "PersistentVolume": 0},
        "",
    ),
    (
        "scheduler-simulator-export/export-case2.json",
        "kube-scheduler-simulator export",
        {"Node": 0, "Pod": 0, "PersistentVolume": 2, "PersistentVolumeClaim": 1},
        "",
    ),
    ("sonobuoy-0.8", "sonobuoy results", {"Node": 3, "Pod": None}, "v1."),
    ("sonobuoy-0.9", "sonobuoy results", {"Node": 3, "Pod": 20, "StorageClass": 1}, "v1.8.4"),
    ("sonobuoy-current/unpacked", "sonobuoy results", {"Node": 3, "Pod": 20}, ""),
    (
        "sonobuoy-current/results-quick-no-failures.tar.gz",
        "sonobuoy results",
        {"Node": 1, "Pod": 22, "PriorityClass": 2, "ResourceQuota": 2},
        "v1.21.1",
    ),
    (
        "ts-bundle-baseline-targz",
        "troubleshoot support bundle",
        {"Node": 1, "Pod": 7, "PriorityClass": 2, "VolumeAttachment": 0, "DaemonSet": 1, "ResourceQuota": 0},
        "v1.31.2+k3s1",
    ),
    ("ts-bundle-k3s-targz", "troubleshoot support bundle", {"Pod": 8, "PodDisruptionBudget": 0}, "v1."),
    ("ts-bundle-kurl-2022", "troubleshoot support bundle", {"Node": 3, "PodDisruptionBudget": None}, "v1.23.5"),
    (
        "ts-bundle-kurl-2022/support-bundle-whole.tar.xz",
        "troubleshoot support bundle",
        {"Node": 3, "Pod": 58, "PriorityClass": None, "CSINode": None},
        "v1.23.5",
    ),
    ("ts-loose-lists", "troubleshoot support bundle", {"Node": 7, "Pod": 3, "Namespace": 5}, ""),
]


@pytest.mark.parametrize(("name", "layout", "counts", "version"), READ, ids=[row[0] for row in READ])
def test_a_dump_is_read(name, layout, counts, version):
    state = kplan.load(DUMPS / name)
    assert state.completeness.layouts == ((layout,) if layout else ())
    assert {kind: state.completeness.counts.get(kind) for kind in counts} == counts
    assert state.completeness.broken == ()
    assert state.server_version.startswith(version)


def test_every_dump_is_in_one_of_the_tables():
    tested = {path_of(name).relative_to(DUMPS).parts[0] for name in [*FACTS, *(row[0] for row in READ)]}
    assert tested == {path.name for path in DUMPS.iterdir() if path.is_dir()}


def test_old_lists_of_plugins_are_kept_as_the_simulator_wrote_them():
    state = kplan.load(DUMPS / "scheduler-simulator-export" / "export-case2.json")
    assert state.scheduler.configuration is not None
    assert "profiles" in state.scheduler.configuration
