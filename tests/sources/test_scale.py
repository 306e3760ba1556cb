"""Objects are weighed beside their text, and texts that repeat are held once where that is worth it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from kplan.errors import SourceError
from kplan.objects.models import Node, Pod
from kplan.objects.models.meta import ObjectMeta
from kplan.objects.models.pod import PodSpec
from kplan.sources import load, load_objects, load_values, repeated_texts
from kplan.sources.repeated_texts import share
from kplan.sources.scale import Scales
from tests.hostile.compact import COMPACT, cluster
from tests.hostile.samples import node, of, pod

FULL = {
    "metadata": {"name": "a-name", "uid": "a-uid", "labels": {"a-label": "a-value"}, "annotations": {"x": "a-note"}},
    "spec": {
        "nodeName": "a-node",
        "containers": [{"name": "a-container", "resources": {"requests": {"cpu": "100m", "memory": 7}}}],
        "tolerations": [{"key": "a-key", "operator": "Exists", "tolerationSeconds": 5}],
        "topologySpreadConstraints": [{"labelSelector": {"matchExpressions": [{"key": "k-k", "values": ["v-v"]}]}}],
    },
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "message": "a-message"}]},
}


def decoded() -> Pod:
    return msgspec.json.decode(json.dumps(FULL), type=Pod)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated_texts, "_known", {})
    monkeypatch.setattr(repeated_texts, "_parts", {})


def test_texts_that_repeat_are_one() -> None:
    one, other = decoded(), decoded()
    assert one.spec.node_name is not other.spec.node_name
    share(one)
    share(other)
    assert msgspec.to_builtins(one) == msgspec.to_builtins(other) == msgspec.to_builtins(decoded())
    for held in (
        lambda p: p.spec.node_name,
        lambda p: p.status.phase,
        lambda p: next(iter(p.metadata.labels)),
        lambda p: p.metadata.labels["a-label"],
        lambda p: p.spec.containers[0].name,
        lambda p: p.spec.containers[0].resources.requests["cpu"],
        lambda p: p.spec.tolerations[0].operator,
        lambda p: p.spec.topology_spread_constraints[0].label_selector.match_expressions[0].values[0],
        lambda p: p.status.conditions[0].type,
    ):
        assert held(one) is held(other), held(one)


def test_parts_that_repeat_are_one() -> None:
    one, other = decoded(), decoded()
    share(one)
    hits = share(other)
    for held in (
        lambda p: p.metadata.labels,
        lambda p: p.spec.containers,
        lambda p: p.spec.tolerations,
        lambda p: p.spec.topology_spread_constraints,
        lambda p: p.status,
    ):
        assert held(one) is held(other), held(one)
        assert id(held(one)) in hits
    assert one.spec is not other.spec
    assert one.metadata is not other.metadata


def test_a_part_that_differs_is_its_own_and_what_is_in_it_is_shared() -> None:
    one, other, third = decoded(), decoded(), decoded()
    other.spec.containers.append(other.spec.containers[0])
    third.spec.containers *= 3
    other.status.phase = "Pending"
    share(one)
    share(other)
    share(third)
    assert len(one.spec.containers) == 1
    assert other.spec.containers[0] == one.spec.containers[0]  # of one that stands alone its list is held
    assert {id(part) for part in other.spec.containers} == {id(part) for part in third.spec.containers}
    assert len({id(part) for part in other.spec.containers}) == 1
    assert one.status.phase == "Running"
    assert other.status.conditions is one.status.conditions


def test_parts_that_read_alike_and_mean_something_else_are_two() -> None:
    spec = {"nodeSelector": {"cpu": "0.1m"}, "overhead": {"cpu": "0.1m"}, "containers": [{"name": "c"}]}
    one = msgspec.json.decode(json.dumps({"metadata": {"labels": {"cpu": "0.1m"}}, "spec": spec}), type=Pod)
    share(one)
    assert len({id(one.metadata.labels), id(one.spec.node_selector), id(one.spec.overhead)}) == 3


def test_resources_of_a_pod_whose_defaults_hang_on_its_containers_are_its_own() -> None:
    pods = [
        msgspec.json.decode(
            json.dumps({"spec": {"resources": {"limits": {"memory": "1Gi"}}, "containers": [{"name": "c"}]}}), type=Pod
        )
        for _ in range(2)
    ]
    for each in pods:
        share(each)
    assert pods[0].spec.resources is not pods[1].spec.resources
    assert pods[0].spec.containers is pods[1].spec.containers


def test_an_amount_of_more_than_64_bits_is_not_remembered() -> None:
    one = msgspec.json.decode(b'{"spec":{"overhead":{"cpu":%d},"nodeName":"n"}}' % 10**30, type=Pod)
    share(one)
    assert one.spec.overhead == {"cpu": 10**30}


def test_parts_that_never_repeat_are_not_held_for_ever() -> None:
    for number in range(20_000):
        share(msgspec.json.decode(b'{"spec":{"nodeSelector":{"a":"b%d"}}}' % number, type=Pod))
    assert len(repeated_texts._parts) < 6_000


def test_what_tells_objects_apart_is_not_remembered() -> None:
    share(decoded())
    assert {"a-name", "a-uid", "a-note", "a-message"}.isdisjoint(repeated_texts._known)


def test_texts_that_never_repeat_are_not_held_for_ever() -> None:
    for number in range(25_000):
        repeated_texts.remember(f"t{number}")
    assert len(repeated_texts._known) == 5_000
    repeated_texts.remember("x" * 101)
    assert len(repeated_texts._known) == 5_000


def light(number: int) -> dict[str, Any]:
    """A pod most of which says nothing about placement."""
    return pod(f"p{number}", "n0", containers=[{"name": "c", "env": [{"name": "A", "value": "b" * 4000}]}])


def written(folder: Path, *items: dict[str, Any]) -> Path:
    file = folder / "s.json"
    file.write_bytes(of(*items))
    return file


@pytest.mark.parametrize("read", [load, load_objects], ids=["a cluster", "manifests"])
def test_objects_much_heavier_than_their_text_are_refused(
    read: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kplan.sources.scale.LEAST_WEIGHT", 100_000)
    monkeypatch.setattr("kplan.sources.scale.HEAVIEST", 0)
    file = written(tmp_path, *(pod(f"p{number}", "n0") for number in range(2_000)))
    told = f"its objects take more than 100,000 bytes in memory, the most that is held of {file.stat().st_size:,} bytes"
    with pytest.raises(SourceError, match=told) as caught:
        read(file)
    assert caught.value.code == "too-large"
    read(written(tmp_path, *map(light, range(2_000))))  # as heavy, but of a longer text


def test_a_cluster_that_a_program_wrote_with_what_scheduling_reads_alone_is_read(tmp_path: Path) -> None:
    spec = {"nodeName": "n0", "containers": [{"name": "c", "resources": {"requests": {"cpu": "100m"}}}]}
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{number}", "labels": {"app": "a"}}, "spec": spec}
        for number in range(30_000)
    ]
    file = written(tmp_path, *pods)
    assert file.stat().st_size < 7_000_000  # where the objects take 30 MB
    assert len(load(file).pods) == 30_001


@pytest.mark.parametrize("shape", COMPACT)
def test_a_compact_cluster_is_read_however_large(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.sources.scale.LEAST_WEIGHT", 0)  # that of a file of many times this size
    monkeypatch.setattr("kplan.sources.scale._TABLES", 0)
    monkeypatch.setattr("kplan.sources.documents.WORTH_IT", 0)
    file = tmp_path / "s.json"
    file.write_bytes(cluster(COMPACT[shape], 1_500_000))
    assert len(list(load(file).objects())) > 1_000


def test_many_objects_of_a_hundred_bytes_with_nothing_in_common_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kplan.sources.scale.LEAST_WEIGHT", 1_000_000)
    monkeypatch.setattr("kplan.sources.documents.WORTH_IT", 0)
    meta = {"apiVersion": "v1", "kind": "Service"}
    services = [{**meta, "metadata": {"name": f"s{at}"}, "spec": {"selector": {"a": f"v{at}"}}} for at in range(8_000)]
    with pytest.raises(SourceError, match="its objects take more than"):
        load(written(tmp_path, *services))


def test_slices_of_many_devices_are_read(tmp_path: Path) -> None:
    attributes = {f"a{at}": {"int": at} for at in range(4)}
    spec = {
        "driver": "d.example", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "nodeName": "n0",
        "devices": [{"name": f"d{at}", "attributes": attributes} for at in range(120)],
    }  # fmt: skip
    slices = [
        {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"s-{number}"}, "spec": spec}
        for number in range(600)
    ]
    file = written(tmp_path, *slices)
    assert file.stat().st_size < 10_000_000  # where the objects take 40 MB
    assert len(load(file).resource_slices) == 600


def test_objects_of_yaml_are_weighed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.sources.scale.LEAST_WEIGHT", 100_000)
    monkeypatch.setattr("kplan.sources.scale.HEAVIEST", 0)
    file = tmp_path / "s.yaml"
    file.write_text("".join(f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{at}}}\n" for at in range(2_000)))
    with pytest.raises(SourceError, match="its objects take more than 100,000 bytes"):
        load(file)


def test_objects_that_never_were_text_are_not_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.sources.scale.LEAST_WEIGHT", 0)
    monkeypatch.setattr("kplan.sources.scale.HEAVIEST", 0)
    assert len(load_values([node(), *(pod(f"p{number}", "n0") for number in range(2_000))]).pods) == 2_000


def test_a_weight_is_what_python_takes() -> None:
    scale = Scales(entry=0)
    begun = scale.objects
    large = 1 << 20  # always weighed
    plain, labelled = b'{"metadata":{"name":"n","generation":1}}', b'{"metadata":{"name":"n","labels":{"%s":"v"}}}'
    scale.take(msgspec.json.decode(plain, type=Node), large)
    empty = scale.objects - begun
    scale.take(msgspec.json.decode(labelled % (b"k" * 951), type=Node), large)
    # a map of 80 bytes that holds its key with others, a key of 49 + 951, a name and a value, known by then or of 64
    assert 80 + 1000 <= scale.objects - begun - 2 * empty <= 80 + 1008 + 2 * 64


def test_a_text_that_is_the_same_object_already_counts_once() -> None:
    """A reader of YAML gives a text that it met before as it is."""
    name = "a-node-of-some-length"
    pods = [Pod(metadata=ObjectMeta(name=f"p{at}"), spec=PodSpec(node_name=name)) for at in range(2)]
    assert id(name) not in share(pods[0])
    assert id(name) in share(pods[1])


def test_a_compact_cluster_in_yaml_is_read_however_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.sources.scale.LEAST_WEIGHT", 0)
    monkeypatch.setattr("kplan.sources.scale._TABLES", 0)
    pods = json.loads(cluster(COMPACT["compact pods of their own size"], 800_000))
    file = tmp_path / "s.yaml"
    file.write_text(yaml.dump(pods, Dumper=yaml.CSafeDumper))
    assert len(list(load(file).objects())) > 1_000
