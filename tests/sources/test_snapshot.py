"""A snapshot is a List that kubectl reads, holds nothing secret, and gives back the state it was made of."""

import dataclasses
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kplan.errors import SourceError
from kplan.objects.state import BrokenObject, ClusterState, Completeness, KnownScheduler
from kplan.sources import load, load_values
from kplan.sources.snapshot import KEPT_ANNOTATIONS, snapshot_bytes, write_snapshot

LAYOUTS = Path(__file__).parents[2] / "fixtures" / "layouts"
PLUGINS = Path(__file__).parents[2] / "kplan" / "plugins"


def node(name: str, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, **more},
        "status": {"allocatable": {"cpu": "4"}},
    }


def pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "a"}, "spec": spec}


def state(*objects: dict[str, Any], **about: Any) -> ClusterState:
    return dataclasses.replace(load_values(objects), server_version="v1.36.3", taken="2026-01-02T03:04:05Z", **about)


def test_it_is_a_list_with_version_time_and_kinds() -> None:
    listing = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "metadata": {}, "items": []}
    text = json.loads(snapshot_bytes(state(node("n"), pod("p", nodeName="n"), listing)))
    assert text == {
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {
            "annotations": {
                "kplan.dev/server-version": "v1.36.3",
                "kplan.dev/taken": "2026-01-02T03:04:05Z",
                "kplan.dev/kinds": "Node,Pod,PodDisruptionBudget",
            }
        },
        "items": [
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": "n"},
                "spec": {},
                "status": {"allocatable": {"cpu": "4"}},
            },
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "p", "namespace": "a"},
                "spec": {"nodeName": "n"},
                "status": {},
            },
        ],
    }


def test_empty_and_absent_kinds_stay_apart(tmp_path: Path) -> None:
    listing = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "metadata": {}, "items": []}
    write_snapshot(state(node("n"), listing), tmp_path / "s.json")
    again = load(tmp_path / "s.json")
    assert again.completeness.counts == {"Node": 1, "PodDisruptionBudget": 0}
    assert "Pod" in again.completeness.absent


@pytest.mark.parametrize(("ending", "magic"), [("json", b'{"ap'), ("json.gz", b"\x1f\x8b"), ("json.zst", b"\x28\xb5")])
def test_it_is_packed_by_its_ending_and_read_back(tmp_path: Path, ending: str, magic: bytes) -> None:
    file = tmp_path / f"s.{ending}"
    before = state(node("n"), pod("p"))
    write_snapshot(before, file)
    assert file.read_bytes().startswith(magic)
    assert dataclasses.replace(load(file), source=before.source, text=0) == before


def test_the_same_state_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        write_snapshot(state(node("n")), tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == snapshot_bytes(state(node("n")))


def test_environment_and_other_annotations_are_left_out_in_templates_too() -> None:
    container = {"name": "c", "env": [{"name": "TOKEN", "value": "secret"}], "args": ["secret"]}
    annotations = {
        "kubectl.kubernetes.io/last-applied-configuration": "secret",
        "pv.kubernetes.io/bind-completed": "yes",
    }
    metadata = {"name": "x", "namespace": "a", "annotations": annotations, "managedFields": [{"manager": "secret"}]}
    claim = {"metadata": {"annotations": annotations}, "spec": {}}
    template = {
        "metadata": {"annotations": annotations},
        "spec": {
            "containers": [container],
            "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": claim}}],
        },
    }
    objects = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]},
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata,
         "spec": {"template": template, "volumeClaimTemplates": [claim]}},
        {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata,
         "spec": {"jobTemplate": {"metadata": {"annotations": annotations}, "spec": {"template": template}}}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "secret"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "secret"}},
    ]  # fmt: skip
    text = snapshot_bytes(state(*objects)).decode()
    assert "secret" not in text
    assert "last-applied" not in text
    assert text.count('"pv.kubernetes.io/bind-completed":"yes"') == 10


def test_the_objects_that_were_written_are_not_changed() -> None:
    before = state(node("n", annotations={"note": "mine"}))
    snapshot_bytes(before)
    assert before.nodes[0].annotations == {"note": "mine"}


def test_every_annotation_that_a_plugin_reads_is_kept() -> None:
    text = "\n".join(path.read_text() for path in PLUGINS.rglob("*.py"))
    named = re.findall(r'^(\w+) = "([a-z.]+kubernetes\.io/[a-z-]+)"$', text, re.MULTILINE)
    read = {
        value for name, value in named if re.search(rf"\b{name}\b[\])]?,? ?.*annotations|annotations.*\b{name}\b", text)
    }
    assert len(read) >= 4
    assert read <= KEPT_ANNOTATIONS


def test_what_was_broken_is_remembered(tmp_path: Path) -> None:
    before = state(node("n"))
    broken = BrokenObject("Pod", "a/p", "f:1: spec", "wrong")
    known = Completeness(
        counts={"Node": 1, "Pod": 0},
        unknown={"example.com/v1/Queue": 3},
        broken=(broken,),
        notes=("one", "two"),
        layouts=("must-gather",),
        absences={"PriorityClass": "a must-gather holds none"},
        partial={"Pod": "a must-gather holds some"},
        versions={"Node": "17"},
    )
    write_snapshot(dataclasses.replace(before, completeness=known), tmp_path / "s.json")
    assert load(tmp_path / "s.json").completeness == known


def test_what_is_known_of_the_scheduler_is_remembered_without_its_credentials(tmp_path: Path) -> None:
    extender = {"urlPrefix": "https://x.example", "tlsConfig": {"keyData": "do-not-tell"}}
    configuration = {
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": "/do-not-tell"},
        "profiles": [{"schedulerName": "mine"}],
        "extenders": [extender],
    }
    before = dataclasses.replace(
        state(node("n")),
        scheduler=KnownScheduler(
            configuration, {"A": True}, "ConfigMap kube-system/scheduler-config", "it may be another"
        ),
    )
    write_snapshot(before, tmp_path / "s.json")
    assert "do-not-tell" not in (tmp_path / "s.json").read_text()
    again = load(tmp_path / "s.json")
    assert again.scheduler.configuration == {
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "mine"}],
        "extenders": [{"urlPrefix": "https://x.example"}],
    }
    assert (again.scheduler.gates, again.scheduler.origin, again.scheduler.doubt) == (
        {"A": True}, "ConfigMap kube-system/scheduler-config", "it may be another",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "{", "[]", '{"partial": 1}', '{"broken": [{"kind": 1}]}'])
def test_what_a_list_says_of_itself_and_nobody_understands_is_passed_over(text: str) -> None:
    listed = {
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"annotations": {"kplan.dev/completeness": text, "kplan.dev/scheduler": text}},
        "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}],
    }
    found = load_values([listed])
    assert found.completeness == Completeness(counts={"Node": 1})
    assert found.scheduler.configuration is None


def test_a_file_that_is_there_stays_if_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.json"
    file.write_text("old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(SourceError, match="cannot be written: No space left on device") as caught:
        write_snapshot(state(node("n")), file)
    assert caught.value.code == "unwritable"
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written: No such file or directory"):
        write_snapshot(state(node("n")), tmp_path / "none" / "s.json")


def test_annotations_of_what_node_groups_would_add_are_left_out() -> None:
    template = load_values([node("t", annotations={"team/secret": "x"})]).nodes[0]
    text = snapshot_bytes(state(node("n"), node_templates={"pool-1": (template, ())})).decode()
    assert "pool-1" in text
    assert "secret" not in text


def test_what_node_groups_would_add_comes_back(tmp_path: Path) -> None:
    dump = load(LAYOUTS / "cluster-autoscaler")
    write_snapshot(dump, tmp_path / "s.json")
    again = load(tmp_path / "s.json").node_templates
    assert list(again) == ["pool-1"]
    assert again == dump.node_templates
