"""Manifests: objects in the order they were written, with their places."""

import io

import pytest

from kplan.errors import SourceError
from kplan.objects.models import Deployment, Pod
from kplan.sources import load_objects

STREAM = """\
# Source: chart/templates/x.yaml
apiVersion: example.com/v1
kind: Database
metadata:
  name: db
spec: &spec
  size: 3
---
# empty
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    generateName: job-
  more: [1, null]
- apiVersion: v1
  kind: Pod
  metadata:
    name: a
    namespace: x
"""


def read(text, **options):
    return load_objects("-", stdin=io.BytesIO(text.encode()), **options)


def test_objects_come_in_order_with_their_places():
    manifests = read(STREAM)
    assert [(one.api_version, one.kind, one.file, one.line) for one in manifests.objects] == [
        ("example.com/v1", "Database", "standard input", 2),
        ("apps/v1", "Deployment", "standard input", 11),
        ("v1", "Pod", "standard input", 19),
        ("v1", "Pod", "standard input", 24),
    ]
    assert [type(one.item) for one in manifests.objects] == [type(None), Deployment, Pod, Pod]
    assert [(one.item.namespace, one.item.name) for one in manifests.objects if one.item] == [
        ("default", "web"),
        ("default", ""),
        ("x", "a"),
    ]
    assert manifests.broken_objects == []


def test_each_object_is_there_as_it_was_written_too():
    database, _, pod, _ = read(STREAM).objects
    assert database.raw == {
        "apiVersion": "example.com/v1",
        "kind": "Database",
        "metadata": {"name": "db"},
        "spec": {"size": 3},
    }
    assert pod.raw["more"] == [1, None]


def test_objects_without_a_namespace_get_the_one_that_is_asked_for():
    manifests = read(STREAM, namespace="team")
    assert [one.item.namespace for one in manifests.objects if one.item] == ["team", "team", "x"]


def test_equal_objects_are_all_there():
    text = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}\n'
    assert [one.line for one in read(text * 3).objects] == [1, 2, 3]


def test_an_object_without_any_name_is_broken():
    (broken,) = read("apiVersion: v1\nkind: Pod\nspec: {}\n").broken_objects
    assert (broken.kind, broken.place, broken.problem) == ("Pod", "standard input:1:1: metadata", "name is missing")


def test_a_broken_object_is_left_out_with_its_place():
    manifests = read(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  parallelism: NUM_NODES\n---\n" + STREAM
    )
    assert len(manifests.objects) == 4
    (broken,) = manifests.broken_objects
    assert broken.place == "standard input:5:3: spec.parallelism"
    assert broken.problem == "expected a number, got the string `NUM_NODES`"


def test_a_document_that_is_no_object_is_broken():
    (broken,) = read(STREAM + "---\n- op: add\n  path: /x\n").broken_objects
    assert broken.place == "standard input:30:3"


def test_a_folder_passes_over_patches_and_values_with_a_word(tmp_path):
    (tmp_path / "a.yaml").write_text(STREAM)
    (tmp_path / "patch.yaml").write_text("- op: add\n  path: /x\n")
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    manifests = load_objects(tmp_path)
    assert [one.kind for one in manifests.objects[4:]] == ["Kustomization"], "known by its name alone"
    assert [note.split(": ")[0] for note in manifests.notes] == [f"passed over {tmp_path}/patch.yaml:1"]


@pytest.mark.parametrize("text", ["", "# x\n", "a: b\n", "kind: List\napiVersion: v1\nitems: []\n", "a: [\n"])
def test_nothing_to_read_or_a_broken_file_stops(text):
    with pytest.raises(SourceError):
        read(text)


TWICE = """# one
a: 1
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: a, app: b}}
spec:
  replicas: 1
  template:
    spec:
      containers:
        - name: one
        - name: two
          image: x
          image: z
  replicas: 2
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: c}
    data: {a: x, b: x, a: y}
"""


def test_keys_that_are_there_twice_are_found_with_their_lines():
    found = [[(".".join(map(str, path)), line) for path, line in one.repeated_keys()] for one in read(TWICE).objects]
    assert found == [
        [("metadata.labels.app", 6), ("spec.template.spec.containers.1.image", 15), ("spec.replicas", 16)],
        [],
    ], "items of a list are left alone"
