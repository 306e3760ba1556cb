"""A tree may hold as many dumps as files: looking through it takes as long for each file, however many there are."""

import time
from typing import Any

import pytest

from kplan.sources import layouts
from kplan.sources.layouts import contents
from kplan.sources.reader import File
from kplan.sources.tree import Tree
from tests.sources.layouts.test_layouts import LAYOUTS

MANY = 10_000
OF_A_DUMP = {
    "support-bundle": "cluster-resources/nodes.json",
    "sonobuoy-3": "resources/cluster/core_v1_nodes.json",
    "support-bundle-kit": "yamls/cluster/v1/nodes.yaml",
    "velero": "resources/nodes/cluster/n.json",
    "must-gather": "cluster-scoped-resources/core/nodes.yaml",
    "insights": "config/node/n.json",
    "cluster-info-dump": "kube-system/replication-controllers.json",
    "cilium": "k8s-nodes-20240101-000000.yaml",
}


class Told:
    """Counts the layouts that are told of."""

    looks_back = False

    def __init__(self) -> None:
        self.described_so_often = 0

    def described(self, about: object) -> None:
        self.described_so_often += 1

    def recorded(self, annotations: object) -> None:
        pass


def tree(paths: list[str]) -> Tree:
    return Tree("t", {path: File(path, lambda: b"{}", path) for path in sorted(paths)})


def looked_through(paths: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int]:
    monkeypatch.setattr(layouts, "_opened", lambda path, stdin: tree(paths))
    sink: Any = Told()
    return [file.name for file, _ in contents("t", None, sink)], sink.described_so_often


def test_each_layout_that_is_a_tree_has_a_file_here() -> None:
    assert len(OF_A_DUMP) == len(layouts.LAYOUTS)
    assert OF_A_DUMP.keys() <= {name for name, _ in LAYOUTS}


@pytest.mark.parametrize("layout", OF_A_DUMP)
def test_as_many_dumps_as_files(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"d{number}/{OF_A_DUMP[layout]}" for number in range(MANY)]
    if layout == "cluster-info-dump":
        paths += [f"d{number}/kube-system/pods.json" for number in range(MANY)]
        paths += [f"d{number}/nodes.json" for number in range(MANY)]
    began = time.process_time()
    names, dumps = looked_through(paths, monkeypatch)
    assert time.process_time() - began < 5  # one look at all files for each dump takes minutes
    assert dumps == MANY
    assert len(names) >= MANY


def test_a_dump_in_a_dump_is_told_of_and_its_files_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = "a/b/k8s-nodes-20240101-000000.yaml"
    paths = ["a/k8s-pods-20240101-000000.yaml", inner, "a.txt", "ab/k8s-nodes-20240101-000000.yaml", "z.yaml"]
    names, dumps = looked_through(paths, monkeypatch)
    assert dumps == 3
    assert names == [inner, "a/k8s-pods-20240101-000000.yaml", "ab/k8s-nodes-20240101-000000.yaml", "z.yaml"]
