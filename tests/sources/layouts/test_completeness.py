"""What a layout lacks is said, with what it does to a verdict."""

import pytest

import kplan
from kplan.objects.kinds import KINDS
from kplan.sources import table
from tests.sources.layouts.packing import FIXTURES

ROWS = [
    ("must-gather", "Pod", "partial", 4, "free space of the nodes is overstated", "partial-pods"),
    ("must-gather", "PriorityClass", "absent", 0, "a must-gather holds no PriorityClasses", "no-priorityclasses"),
    ("insights", "Pod", "partial", 4, "ports that are in use look free", "partial-pods"),
    ("cluster-info-dump", "PodDisruptionBudget", "absent", 0, "writes no budgets", "no-poddisruptionbudgets"),
    ("cluster-info-dump", "Pod", "partial", 4, "without --all-namespaces", "partial-pods"),
    ("cluster-info-dump", "DaemonSet", "empty", 0, "", ""),
    ("support-bundle", "CSINode", "absent", 0, "volume limits of nodes are unknown", "no-csinodes"),
    ("support-bundle", "PodDisruptionBudget", "empty", 0, "", ""),
    ("support-bundle", "PersistentVolume", "empty", 0, "", ""),
    ("support-bundle", "Pod", "present", 4, "", ""),
    ("cluster-autoscaler", "PersistentVolumeClaim", "absent", 0, "records no volumes", "no-persistentvolumeclaims"),
    ("sonobuoy-1", "Pod", "absent", 0, "every node counts as empty", "no-pods"),
    ("sonobuoy-3", "Deployment", "empty", 0, "", ""),
    ("kubectl-list", "Service", "absent", 0, "default spread of a Service's pods", "no-services"),
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_a_row_of_the_table(row):
    folder, kind, presence, count, meaning, code = row
    (found,) = [one for one in table(kplan.load(FIXTURES / folder).completeness) if one.kind == kind]
    assert (found.presence, found.count, found.code) == (presence, count, code)
    assert meaning in found.meaning


def test_sentences_of_layouts_are_about_kinds_that_exist():
    names = {kind.name for kind in KINDS}
    for folder in FIXTURES.iterdir():
        if folder.name in ("refused", "cluster-info-stream"):
            continue
        completeness = kplan.load(folder).completeness
        assert completeness.absences.keys() | completeness.partial.keys() <= names
