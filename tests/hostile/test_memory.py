"""What reading holds in memory at the most, beside the size of the file.

What kubectl writes is counted in bytes that Python was given; files made to be heavy by what their process is given.
"""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.errors import SourceError
from kplan.sources import bounds, load, load_objects, repeated_texts, scalars, scale, yaml_lines
from tests.hostile.compact import COMPACT, cluster
from tests.hostile.samples import node, pod
from tests.hostile.weight import MEGABYTE, SHAPES, aim, asked

PODS = 400
TIMES = 4
"""How many times its size a file as kubectl writes it may take."""


def running(number: int) -> dict[str, Any]:
    """A pod as an API server gives it: most of it says nothing about placement."""
    environment = [{"name": f"SETTING_{at}", "value": f"value {at} of app-{number}"} for at in range(20)]
    container = {"name": "main", "image": f"registry.example/app-{number}:v1", "env": environment}
    fields = {f"f:setting-{at}": {"f:value": {}} for at in range(30)}
    made = pod(f"p{number}", "n0", {"labels": {"app": f"app-{number}"}}, containers=[container])
    return {**made, "metadata": {**made["metadata"], "managedFields": [{"manager": "kubectl", "fieldsV1": fields}]}}


def as_json(items: list[Any]) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=4).encode()


def as_yaml(items: list[Any]) -> bytes:
    return yaml.dump({"apiVersion": "v1", "items": items, "kind": "List"}, Dumper=yaml.CSafeDumper).encode()


def most(read: Callable[[], object]) -> int:
    """Bytes that Python held at the most while something was read, beside what it held before."""
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", [as_json, as_yaml])
def test_a_dump_takes_less_than_four_times_its_size(
    form: Callable[[list[Any]], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_lines, "_lines", {})  # lines of other tests would be remembered, and moved, in this one
    monkeypatch.setattr(scalars, "_plain_cache", {})
    file = tmp_path / "s"
    size = file.write_bytes(form([node("n0"), *map(running, range(PODS))]))
    assert size > 4 * yaml_lines.SMALL
    load(file)  # what Python keeps from then on, of modules and of tables, is no part of a file
    read = []
    assert most(lambda: read.append(load(file))) < TIMES * size
    assert len(read[0].pods) == PODS


@pytest.mark.parametrize("shape", COMPACT)
def test_a_cluster_as_a_program_writes_it_takes_less_than_four_times_its_size(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kplan.sources.scale.LEAST_WEIGHT", 0)  # that of a file of many times this size
    monkeypatch.setattr("kplan.sources.scale.HEAVIEST", 9)
    monkeypatch.setattr("kplan.sources.documents.WORTH_IT", 0)
    file = tmp_path / "s.json"
    size = file.write_bytes(cluster(COMPACT[shape], 1_500_000))
    load(file)
    repeated_texts.forget()
    read = []
    assert most(lambda: read.append(load(file))) < TIMES * size + scale._TABLES
    assert len(list(read[0].objects())) > 1_000


def test_ten_times_the_objects_of_manifests_take_no_more_memory_than_the_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kplan.sources.manifests.MOST_OBJECTS", 100)
    least, most_objects = tmp_path / "least.json", tmp_path / "most.json"
    least.write_bytes(as_json([pod(f"p{number}") for number in range(100)]))
    size = most_objects.write_bytes(as_json([pod(f"p{number}") for number in range(1000)]))

    def refused() -> None:
        with pytest.raises(SourceError, match="more than 100 objects, the most that kplan takes from manifests"):
            load_objects(most_objects)

    assert most(refused) < most(lambda: load_objects(least)) + 2 * size


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_made_to_be_heavy_takes_no_more_than_one_as_kubectl_writes_it(shape: str) -> None:
    for row in asked(shape, 9 * MEGABYTE, reading=True):
        assert row["code"] in (0, 2), row
        assert row["code"] == 0 or shape not in COMPACT or row["command"] == "land", row
        assert row["more"] <= aim(shape, row["command"], row["size"] / MEGABYTE), row


def test_how_many_objects_manifests_hold() -> None:
    assert bounds.MOST_OBJECTS == 10_000
