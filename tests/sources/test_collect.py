"""One ClusterState of many objects: duplicates, namespaces, completeness, what a snapshot says of itself."""

import io
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.objects.kinds import KINDS
from kplan.sources import load, load_values, table


def pod(name, **metadata):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}}


def node(name, **metadata):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, **metadata}}


def versions(state):
    return [(item.key, item.metadata.resource_version) for item in state.objects()]


DUPLICATES = [
    (
        "of equal names the newest is kept",
        [pod("a", resourceVersion="10"), pod("a", resourceVersion="9")],
        [("default/a", "10")],
        "1 duplicate Pod object left out, the newest of each kept: default/a",
    ),
    (
        "versions are compared as numbers",
        [pod("a", resourceVersion="9"), pod("a", resourceVersion="10")],
        [("default/a", "10")],
        "1 duplicate Pod object left out, the newest of each kept: default/a",
    ),
    (
        "without versions the last that was read is kept",
        [pod("a", labels={"x": "1"}), pod("a", labels={"x": "2"}), pod("a", resourceVersion="")],
        [("default/a", "")],
        "2 duplicate Pod objects left out, the newest of each kept: default/a",
    ),
    (
        "a uid that was copied with the YAML does not make two pods one",
        [pod("a", uid="u", resourceVersion="2"), pod("b", uid="u", resourceVersion="1")],
        [("default/a", "2"), ("default/b", "1")],
        "",
    ),
    (
        "an object repeats the one of its name, whatever uids they have",
        [
            pod("a", uid="u", resourceVersion="1"),
            pod("b", uid="v", resourceVersion="2"),
            pod("b", uid="u", resourceVersion="3"),
        ],
        [("default/a", "1"), ("default/b", "3")],
        "1 duplicate Pod object left out, the newest of each kept: default/b",
    ),
    (
        "a pod made anew under its name is another object, and newer",
        [pod("web-0", uid="new", resourceVersion="20"), pod("web-0", uid="old", resourceVersion="10")],
        [("default/web-0", "20")],
        "1 duplicate Pod object left out, the newest of each kept: default/web-0",
    ),
    (
        "many are counted, and a few named",
        [pod(name) for name in "abcde" for _ in range(2)],
        [(f"default/{name}", None) for name in "abcde"],
        "5 duplicate Pod objects left out, the newest of each kept: default/a, default/b, default/c and 2 more",
    ),
]


@pytest.mark.parametrize(
    ("objects", "kept", "note"), [row[1:] for row in DUPLICATES], ids=[row[0] for row in DUPLICATES]
)
def test_each_object_is_there_once(objects, kept, note):
    state = load_values(objects)
    assert versions(state) == kept
    assert state.completeness.notes == ((note,) if note else ())
    assert state.completeness.counts == {"Pod": len(kept)}


def test_equal_names_of_other_kinds_and_namespaces_are_other_objects():
    state = load_values([pod("a"), pod("a", namespace="x"), node("a")])
    assert [item.key for item in state.objects()] == ["a", "default/a", "x/a"]
    assert state.completeness.notes == ()


def test_a_namespaced_object_without_one_is_in_default():
    assert load_values([pod("a"), pod("b", namespace="")]).pods[1].namespace == "default"


def test_a_cluster_scoped_object_has_no_namespace_even_if_it_names_one():
    assert load_values([node("n", namespace="default")]).nodes[0].key == "n"


OBJECTS = [node(f"n{i}") for i in range(3)] + [
    pod(f"p{i}", namespace=f"ns-{i % 2}", resourceVersion=str(i)) for i in range(5)
]
OBJECTS += [
    pod("p1", namespace="ns-1", resourceVersion="9"),
    {"apiVersion": "example.com/v1", "kind": "Node", "metadata": {"name": "n0"}},
]


@settings(derandomize=True, max_examples=50, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_objects_does_not_matter(chance):
    shuffled = list(OBJECTS)
    chance.shuffle(shuffled)
    state, wanted = load_values(shuffled), load_values(OBJECTS)
    assert list(state.objects()) == list(wanted.objects())
    assert state.completeness == wanted.completeness


@settings(derandomize=True, max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_files_and_their_format_do_not_matter(tmp_path_factory, chance):
    folder = tmp_path_factory.mktemp("shuffled")
    names = [f"{number:02}" for number in range(len(OBJECTS))]
    chance.shuffle(names)
    for name, item in zip(names, OBJECTS, strict=True):
        ending = chance.choice(["yaml", "json"])
        (folder / f"{name}.{ending}").write_text(json.dumps(item, indent=2))
    assert list(load(folder).objects()) == list(load_values(OBJECTS).objects())


def test_kinds_of_other_groups_are_counted_and_not_taken_for_ours():
    state = load_values(
        [
            node("n"),
            {"apiVersion": "longhorn.io/v1beta2", "kind": "Node", "metadata": {"name": "n"}},
            {"apiVersion": "longhorn.io/v1beta2", "kind": "Node", "metadata": {"name": "m"}},
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}},
            {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"},
        ]
    )
    assert [item.name for item in state.nodes] == ["n"]
    assert state.completeness.unknown == {
        "kustomize.config.k8s.io/v1beta1/Kustomization": 1,
        "longhorn.io/v1beta2/Node": 2,
        "v1/ConfigMap": 1,
    }


def test_unknown_fields_are_fine():
    assert load_values([pod("a") | {"spec": {"fieldOfTomorrow": [{"x": None}]}}]).completeness.broken == ()


def rows(state):
    return {row.kind: row for row in table(state.completeness)}


def test_the_table_tells_present_from_empty_from_absent():
    state = load_values([pod("a"), pod("b"), {"apiVersion": "v1", "kind": "NodeList", "items": None}])
    found = rows(state)
    assert list(found) == [kind.name for kind in KINDS]
    assert (found["Pod"].presence, found["Pod"].count, found["Pod"].meaning, found["Pod"].code) == (
        "present",
        2,
        "",
        "",
    )
    assert (found["Node"].presence, found["Node"].count) == ("empty", 0)
    absent = found["PodDisruptionBudget"]
    assert (absent.presence, absent.count) == ("absent", 0)
    assert absent.meaning == "budgets are unknown: drains and preemption may be refused"
    assert absent.code == "no-poddisruptionbudgets"


def test_an_empty_list_of_no_kind_says_nothing_but_is_noted():
    state = load_values([pod("a"), {"apiVersion": "v1", "kind": "List", "items": []}])
    assert state.completeness.counts == {"Pod": 1}
    assert state.completeness.notes == ("objects: an empty list that does not name its kind",)


SNAPSHOT = {
    "apiVersion": "v1",
    "kind": "List",
    "metadata": {
        "annotations": {
            "kplan.dev/server-version": "v1.36.3",
            "kplan.dev/taken": "2026-11-01T10:00:00Z",
            "kplan.dev/kinds": "Pod, Node,PodDisruptionBudget,Unheard",
        }
    },
    "items": [pod("a")],
}


@pytest.mark.parametrize("form", [json.dumps(SNAPSHOT), json.dumps(SNAPSHOT, indent=1).replace("{\n", "{ # yaml\n", 1)])
def test_a_snapshot_says_its_version_and_time_and_which_kinds_were_asked_for(form):
    state = load("-", stdin=io.BytesIO(form.encode()))
    assert state.server_version == "v1.36.3"
    assert state.taken == "2026-11-01T10:00:00Z"
    assert state.completeness.counts == {"Node": 0, "Pod": 1, "PodDisruptionBudget": 0}


def test_two_snapshots_that_differ_are_noted():
    other = json.loads(json.dumps(SNAPSHOT).replace("v1.36.3", "v1.37.2"))
    state = load_values([SNAPSHOT, other])
    assert state.server_version == "v1.37.2"
    assert state.completeness.notes[0] == "kplan.dev/server-version is v1.36.3 in one list and v1.37.2 in another"


@pytest.mark.parametrize(
    "metadata", [None, 5, {"annotations": None}, {"annotations": [1]}, {"annotations": {"kplan.dev/taken": 5}}]
)
def test_odd_metadata_of_a_list_is_passed_over(metadata):
    state = load_values([{"apiVersion": "v1", "kind": "List", "metadata": metadata, "items": [pod("a")]}])
    assert (state.server_version, state.taken) == ("", "")


def test_a_large_list_is_one_state():
    objects = [pod(f"p{number:05}") for number in range(20_000)]
    random.Random(1).shuffle(objects)
    state = load_values(objects)
    assert [item.name for item in state.pods] == [f"p{number:05}" for number in range(20_000)]


def test_pods_of_nodes_that_are_missing_are_told_and_kept():
    placed = [{**pod(name), "spec": {"nodeName": on}} for name, on in (("a", "n"), ("b", "gone"), ("c", "gone"))]
    ended = {**pod("d"), "spec": {"nodeName": "other"}, "status": {"phase": "Succeeded"}}
    state = load_values([node("n"), *placed, ended])
    assert state.completeness.notes == ("2 pods run on nodes missing from the dump: gone",)
    assert len(state.pods) == 4
    assert load_values(placed).completeness.notes == (), "where no node is known, that is what is told"
