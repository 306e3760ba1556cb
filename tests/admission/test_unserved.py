"""Kinds and versions that no server of 1.34 to 1.37 has, in kubectl's words."""

import pytest

from kplan.admission.validation.api import api_of
from kplan.admission.validation.unserved import unserved
from kplan.objects.requests import RequestRules
from tests.admission.manifests import expand_text
from tests.builders import make


def nothing(kind: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("api_version", "kind", "minor", "hint"),
    [
        pytest.param("extensions/v1beta1", "Deployment", 37, "write apps/v1", id="a group that is gone"),
        pytest.param("extensions/v1beta1", "Ingress", 34, "write networking.k8s.io/v1", id="a kind that moved"),
        pytest.param("apps/v1beta1", "StatefulSet", 37, "write apps/v1", id="the first beta"),
        pytest.param("apps/v1beta2", "DaemonSet", 34, "write apps/v1", id="the second beta"),
        pytest.param("batch/v1beta1", "CronJob", 36, "write batch/v1", id="a cron job"),
        pytest.param("policy/v1beta1", "PodDisruptionBudget", 35, "write policy/v1", id="a budget"),
        pytest.param("autoscaling/v2beta2", "HorizontalPodAutoscaler", 37, "write autoscaling/v2", id="the newest"),
        pytest.param("scheduling.k8s.io/v1beta1", "PriorityClass", 37, "write scheduling.k8s.io/v1", id="a class"),
        pytest.param("v1", "Deployment", 37, "write apps/v1", id="without its group"),
        pytest.param("v2", "Pod", 37, "write v1", id="a version of core that never was"),
        pytest.param("app/v1", "Deployment", 37, "write apps/v1", id="a group without a dot is no one else's"),
        pytest.param("apps/v1", "Deploymnt", 37, "did you mean Deployment?", id="a letter missing"),
        pytest.param("apps/v1", "deployment", 37, "did you mean Deployment?", id="not in capitals"),
        pytest.param("apps/v1", "CronJobs", 37, "did you mean CronJob (batch/v1)?", id="a plural, of another group"),
        pytest.param("v1", "Gadget", 37, "", id="nothing like it"),
        pytest.param(
            "policy/v1beta1",
            "PodSecurityPolicy",
            37,
            "it is gone since 1.25: a label of the namespace asks for Pod Security admission",
            id="a kind that is gone",
        ),
        pytest.param(
            "resource.k8s.io/v1beta1",
            "ResourceClaim",
            37,
            "resource.k8s.io/v1beta1 is off unless the server runs with --runtime-config=resource.k8s.io/v1beta1=true; "
            "write resource.k8s.io/v1",
            id="a beta that is off, and became stable",
        ),
        pytest.param(
            "scheduling.k8s.io/v1alpha2",
            "PodGroup",
            35,
            "scheduling.k8s.io/v1alpha2 has it from 1.36 on",
            id="not there yet",
        ),
        pytest.param(
            "scheduling.k8s.io/v1alpha1",
            "Workload",
            37,
            "scheduling.k8s.io/v1alpha1 had it until 1.35; write scheduling.k8s.io/v1beta1, which is off "
            "unless the server runs with --runtime-config=scheduling.k8s.io/v1beta1=true",
            id="an alpha that is gone",
        ),
    ],
)
def test_what_no_server_has(api_version: str, kind: str, minor: int, hint: str) -> None:
    found = unserved(api_version, kind, api_of(minor), nothing)
    assert found is not None
    assert found.text == f'no matches for kind "{kind}" in version "{api_version}"'
    assert found.hint == hint


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        pytest.param("apps/v1", "Deployment", id="what is served"),
        pytest.param("networking.k8s.io/v1", "IPAddress", id="a kind that kplan does not read"),
        pytest.param("apiextensions.k8s.io/v1", "CustomResourceDefinition", id="a definition"),
        pytest.param("gateway.networking.k8s.io/v1", "Gateway", id="a custom group of the project's own"),
        pytest.param("autoscaling.k8s.io/v1", "VerticalPodAutoscaler", id="a group that begins like one"),
        pytest.param("apps.kruise.io/v1beta1", "StatefulSet", id="a custom kind of a known name"),
        pytest.param("kustomize.config.k8s.io/v1beta1", "Kustomization", id="what kustomize reads"),
        pytest.param("scheduling.k8s.io/v1beta1", "PodGroup", id="off, and there is no other version to write"),
    ],
)
def test_what_a_server_may_have(api_version: str, kind: str) -> None:
    assert unserved(api_version, kind, api_of(37), nothing) is None


def test_a_beta_that_the_cluster_shows_is_on() -> None:
    assert (
        unserved("resource.k8s.io/v1beta1", "ResourceClaim", api_of(34), lambda kind: kind == "ResourceClaim") is None
    )


BUDGET = """
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1}
"""


def test_it_is_refused_at_its_line_and_does_not_land() -> None:
    found = expand_text(BUDGET)
    (refused,) = found.refused
    assert str(refused) == (
        "PodDisruptionBudget default/web (standard input:2): "
        'no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"; write policy/v1'
    )
    assert not found.objects
    assert not found.silent


CLASS = """
apiVersion: scheduling.k8s.io/v1beta1
kind: PriorityClass
metadata: {name: high}
value: 5
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {priorityClassName: high, containers: [{name: c, image: x}]}
"""


def test_what_is_refused_serves_no_pod() -> None:
    told = [one.why for one in expand_text(CLASS).refused]
    assert told == [
        'no matches for kind "PriorityClass" in version "scheduling.k8s.io/v1beta1"',
        'pods "p" is forbidden: no PriorityClass with name high was found',
    ]


GROUP = """
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
"""


def test_what_is_off_by_default_is_noted_where_nothing_shows_that_it_is_on() -> None:
    off = "scheduling.k8s.io/v1beta1 is off unless the server runs with --runtime-config=scheduling.k8s.io/v1beta1=true"
    assert expand_text(GROUP).notes == (f"PodGroup (standard input:2): {off}",)
    there = make("PodGroup", "other")
    assert expand_text(GROUP, there).notes == ()
    assert [one.why for one in expand_text(GROUP, rules=RequestRules(minor=36)).refused] == [
        'no matches for kind "PodGroup" in version "scheduling.k8s.io/v1beta1"'
    ]


def test_objects_without_pods_are_counted() -> None:
    text = """
apiVersion: v1
kind: Service
metadata: {name: s}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: r}
"""
    found = expand_text(text)
    assert (found.silent, len(found.not_expanded)) == (2, 0)
