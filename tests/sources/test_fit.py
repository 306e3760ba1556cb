"""Values fitted into models as Go's decoder would, and values that decode and are yet refused."""

import pytest

from kplan.objects.models import Node, PersistentVolume, Pod, PodDisruptionBudget
from kplan.sources.checks import check, is_time
from kplan.sources.fit import Misfit, describe, fit, write_path


def pod(**spec):
    return {"metadata": {"name": "p"}, "spec": spec}


def test_null_where_an_object_belongs_is_nothing():
    item = fit({"metadata": None, "spec": None, "status": None}, Pod)
    assert item == Pod()


def test_null_where_a_list_belongs_is_no_list():
    assert fit(pod(containers=None), Pod).spec.containers is None


def test_null_in_a_map_of_strings_is_an_empty_string():
    assert fit({"metadata": {"labels": {"a": None}}}, Pod).labels == {"a": ""}


def test_null_in_a_list_is_the_empty_element():
    item = fit(pod(containers=[None], tolerations=None), Pod)
    assert [container.name for container in item.spec.containers] == [""]
    terms = [{"matchExpressions": [{"key": None, "operator": "In", "values": [None, "x"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    required = fit(pod(affinity=affinity), Pod).spec.affinity.node_affinity.required
    assert required.node_selector_terms[0].match_expressions[0].values == ["", "x"]
    assert required.node_selector_terms[0].match_expressions[0].key == ""


def test_null_as_a_quantity_is_zero():
    item = fit(pod(containers=[{"resources": {"requests": {"cpu": None}}}]), Pod)
    assert item.spec.containers[0].resources.requests == {"cpu": 0}


def test_null_where_the_model_keeps_it_is_kept():
    item = fit({"status": {"disruptedPods": {"a": None}}}, PodDisruptionBudget)
    assert item.status.disrupted_pods == {"a": None}


def test_a_whole_number_may_be_written_with_a_point():
    assert fit(pod(priority=5.0), Pod).spec.priority == 5
    assert fit({"spec": {"minAvailable": 2.0}}, PodDisruptionBudget).spec.min_available == 2


def test_unknown_fields_are_passed_over():
    assert fit({"metadata": {"name": "p", "new": 1}, "spec": {"newer": [None]}, "newest": 2}, Pod).name == "p"


MISFITS = [
    (
        "a bool for a string",
        {"metadata": {"labels": {"a": True}}},
        "metadata.labels.a",
        "expected a string, got true: put it in quotes",
    ),
    (
        "a number for a string",
        pod(nodeName=5),
        "spec.nodeName",
        "expected a string, got the number 5: put it in quotes",
    ),
    ("a map for a list", pod(containers={"a": 1}), "spec.containers", "expected a list, got a map"),
    ("a list for a map", {"metadata": []}, "metadata", "expected a map, got a list"),
    ("a list for an object", [], "", "expected a map, got a list"),
    ("a string for a map", pod(nodeSelector="x"), "spec.nodeSelector", "expected a map, got a string"),
    ("a string for a number", pod(priority="high"), "spec.priority", "expected a number, got the string `high`"),
    ("a bool for a number", pod(priority=True), "spec.priority", "expected a number, got true"),
    (
        "a fraction for a whole number",
        pod(priority=1.5),
        "spec.priority",
        "expected a whole number, got the number 1.5",
    ),
    (
        "a string for a bool",
        pod(hostNetwork="true"),
        "spec.hostNetwork",
        "expected true or false, got the string `true`",
    ),
    (
        "a bool as a quantity",
        pod(overhead={"cpu": False}),
        "spec.overhead.cpu",
        "expected a string or a number, got false",
    ),
    (
        "a list as a quantity",
        pod(overhead={"cpu": []}),
        "spec.overhead.cpu",
        "expected a string or a number, got a list",
    ),
    (
        "deep in a list, under a key with dots",
        pod(containers=[{"name": "a"}, {"resources": {"limits": {"nvidia.com/gpu": {}}}}]),
        'spec.containers[1].resources.limits["nvidia.com/gpu"]',
        "expected a string or a number, got a map",
    ),
    (
        "a long string",
        pod(priority="x" * 100),
        "spec.priority",
        "expected a number, got the string `" + "x" * 40 + "...`",
    ),
]


@pytest.mark.parametrize(("value", "path", "problem"), [row[1:] for row in MISFITS], ids=[row[0] for row in MISFITS])
def test_a_value_that_does_not_fit_is_named_with_its_path(value, path, problem):
    with pytest.raises(Misfit) as caught:
        fit(value, Pod)
    assert write_path(caught.value.path) == path
    assert caught.value.problem == problem


REFUSED = [
    (
        "a request that is no quantity",
        Pod,
        pod(containers=[{"resources": {"requests": {"memory": "1..5Gi"}}}]),
        "spec.containers[0].resources.requests.memory",
        "'1..5Gi' is not a resource quantity",
    ),
    (
        "an allocatable that is no quantity",
        Node,
        {"status": {"allocatable": {"cpu": "4", "pods": "many"}}},
        "status.allocatable.pods",
        "'many' is not a resource quantity",
    ),
    (
        "a capacity that is no quantity",
        PersistentVolume,
        {"spec": {"capacity": {"storage": "10 Gi"}}},
        "spec.capacity.storage",
        "'10 Gi' is not a resource quantity",
    ),
    (
        "an ephemeral claim that is no quantity",
        Pod,
        pod(
            volumes=[
                {
                    "name": "v",
                    "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "x"}}}}},
                }
            ]
        ),
        "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests.storage",
        "'x' is not a resource quantity",
    ),
    (
        "a priority beyond 32 bits",
        Pod,
        pod(priority=1 << 31),
        "spec.priority",
        "the number 2147483648 is out of range for 32 bits",
    ),
    (
        "a weight beyond 32 bits",
        Pod,
        pod(affinity={"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": -(1 << 40)}]}}),
        "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
        "the number -1099511627776 is out of range for 32 bits",
    ),
    (
        "a time beyond 64 bits",
        Pod,
        pod(tolerations=[{"tolerationSeconds": 1 << 63}]),
        "spec.tolerations[0].tolerationSeconds",
        "the number 9223372036854775808 is out of range for 64 bits",
    ),
    (
        "a creation time in words",
        Pod,
        {"metadata": {"creationTimestamp": "yesterday"}},
        "metadata.creationTimestamp",
        "expected a time such as 2006-01-02T15:04:05Z, got the string `yesterday`",
    ),
    (
        "a start time that is none",
        Pod,
        {"status": {"startTime": "2026-02-30T00:00:00Z"}},
        "status.startTime",
        "expected a time such as 2006-01-02T15:04:05Z, got the string `2026-02-30T00:00:00Z`",
    ),
]


@pytest.mark.parametrize(
    ("model", "value", "path", "problem"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_value_that_an_api_server_refuses_is_named_with_its_path(model, value, path, problem):
    with pytest.raises(Misfit) as caught:
        check(fit(value, model))
    assert write_path(caught.value.path) == path
    assert caught.value.problem == problem


def test_the_largest_values_are_accepted():
    check(fit(pod(priority=(1 << 31) - 1, tolerations=[{"tolerationSeconds": (1 << 63) - 1}]), Pod))


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("2026-03-11T10:00:00Z", True),
        ("2026-03-11T10:00:00.123456789Z", True),
        ("2026-03-11T10:00:00+02:00", True),
        ("2026-03-11 10:00:00Z", False),
        ("2026-03-11", False),
        ("2026-03-11T10:00:00", False),
        ("2026-03-11T25:00:00Z", False),
        ("2026-03-11T23:60:00Z", False),
        ("2026-03-31T23:59:59Z", True),
        ("2026-04-31T00:00:00Z", False),
        ("2024-02-29T00:00:00Z", True),
        ("2023-02-29T00:00:00Z", False),
        ("2020-12-28T00:00:00Z", True),
        ("2026-13-01T00:00:00Z", False),
        ("2026-01-00T00:00:00Z", False),
        ("0000-01-01T00:00:00Z", False),
        ("2026-03-11t10:00:00z", True),
        ("2026-03-11T10:00:00Z\n", False),
        ("", False),
    ],
)
def test_a_time_is_rfc_3339(text, valid):
    assert is_time(text) is valid


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (5, "the number 5"),
        ("a\nb", "the string `a\ufffdb`"),
        ([], "a list"),
        ({}, "a map"),
    ],
)
def test_a_value_is_named(value, words):
    assert describe(value) == words


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "containers", 0, "name"), "spec.containers[0].name"),
        (("metadata", "labels", "a.b/c"), 'metadata.labels["a.b/c"]'),
        ((0, "x"), "[0].x"),
    ],
)
def test_a_path_is_written(path, text):
    assert write_path(path) == text
