"""What pods have alike is kept once and read back as one; what is completed for each pod stays its own."""

from pathlib import Path

import msgspec
import pytest

from kplan.api import Scheduler, fill_in
from kplan.objects.state import ClusterState
from kplan.sources import load
from kplan.sources.kept_form import decoded, encoded

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: a, labels: {app: %s}}
spec:
  resources: {limits: {cpu: 2}}
  tolerations: [{key: spot, operator: Exists}]
  containers: [{name: m, image: x, resources: {limits: {cpu: %s}}}]
---
"""


def read(tmp_path: Path, *pods: tuple[str, str, str]) -> ClusterState:
    path = tmp_path / "s.yaml"
    path.write_text("".join(POD % pod for pod in pods))
    return load(str(path))


def test_pods_of_one_template_share_what_they_have_alike(tmp_path: Path) -> None:
    state = read(tmp_path, ("a", "web", "1"), ("b", "web", "1"), ("c", "db", "100m"), ("d", "db", "100m"))
    found = decoded(encoded(state))
    assert found == state
    first, second, third, _ = (pod.spec for pod in found.pods)
    assert first.containers is second.containers
    assert first.containers is not third.containers
    assert first.tolerations is third.tolerations
    assert first.resources is not second.resources


def test_what_most_pods_have_of_their_own_stays_in_them(tmp_path: Path) -> None:
    state = read(tmp_path, ("a", "web", "1"), ("b", "db", "2"), ("c", "cache", "3"))
    text = encoded(state)
    assert decoded(text) == state
    assert b"labels" in text.split(b"tolerations")[0]  # in the pods, ahead of all tables


def test_parts_that_are_shared_are_filled_in_as_those_that_are_not(tmp_path: Path) -> None:
    state = read(tmp_path, ("a", "web", "1"), ("b", "web", "1"), ("c", "db", "100m"), ("d", "db", "100m"))
    found = decoded(encoded(state))
    scheduler = Scheduler.of("1.36")
    fill_in(found, scheduler)
    asked = [(pod.spec.resources.requests, pod.spec.containers[0].resources.requests) for pod in found.pods]
    assert asked == [
        ({"cpu": "1"}, {"cpu": 1}),
        ({"cpu": "1"}, {"cpu": 1}),
        ({"cpu": "100m"}, {"cpu": "100m"}),
        ({"cpu": "100m"}, {"cpu": "100m"}),
    ]


@pytest.mark.parametrize("wrong", [["pods", "spec", "resources"], ["pods", "spec", "containers"], ["jobs", "a", "b"]])
def test_a_table_of_another_field_or_number_of_objects_is_refused(tmp_path: Path, wrong: list[str]) -> None:
    state, _ = msgspec.msgpack.decode(encoded(read(tmp_path, ("a", "web", "1"))))
    with pytest.raises(msgspec.ValidationError):
        decoded(msgspec.msgpack.encode([state, [[*wrong, [], b"\0" * 8]]]))


def test_numbers_without_a_value_are_refused(tmp_path: Path) -> None:
    state, _ = msgspec.msgpack.decode(encoded(read(tmp_path, ("a", "web", "1"))))
    for numbers in (b"\1\0\0\0", b"\0\0\0"):
        with pytest.raises(msgspec.ValidationError):
            decoded(msgspec.msgpack.encode([state, [["pods", "spec", "tolerations", [[]], numbers]]]))
