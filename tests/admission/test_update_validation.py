"""What of an object that runs may not change, as the API server refuses it."""

import pytest

from kplan.objects.requests import RequestRules
from tests.admission.manifests import deployment, expand_text, running
from tests.builders import make

CLAIMS = (
    "volumeClaimTemplates: [{metadata: {name: d}, "
    "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: %s}}}}]"
)


RUNNING_SET = {
    "replicas": 1,
    "serviceName": "db",
    "selector": {"matchLabels": {"a": "b"}},
    "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}},
    "volumeClaimTemplates": [
        {
            "metadata": {"name": "d"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "volumeMode": "Filesystem",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
    ],
}


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        pytest.param(f"serviceName: db, {CLAIMS % '1024Mi'}", [], id="the same, otherwise written"),
        pytest.param(f"replicas: 3, {CLAIMS % '1Gi'}", [], id="more replicas"),
        pytest.param(CLAIMS % "2Gi", ["spec.volumeClaimTemplates: Invalid value: field is immutable"], id="larger"),
        pytest.param("replicas: 1", ["spec.volumeClaimTemplates: Invalid value: field is immutable"], id="no claims"),
        pytest.param(
            f"serviceName: other, podManagementPolicy: Parallel, {CLAIMS % '1Gi'}",
            [
                'spec.serviceName: Invalid value: "other": field is immutable',
                'spec.podManagementPolicy: Invalid value: "Parallel": field is immutable',
            ],
            id="another service and policy",
        ),
    ],
)
def test_what_may_not_change_of_a_stateful_set_that_runs(more: str, refused: list[str]) -> None:
    text = (
        f"{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: s}}, spec: {{{more}, "
        "selector: {matchLabels: {a: b}}, "
        "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}"
    )
    found = expand_text(text, make("StatefulSet", "s", namespace="default", spec=RUNNING_SET))
    assert [f"{one.path}: {one.text}" for left in found.refused for one in left.problems] == refused


@pytest.mark.parametrize("minor", [34, 35, 36])
def test_before_1_37_one_sentence_stands_for_all_fields_of_a_stateful_set(minor: int) -> None:
    text = (
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {serviceName: other, "
        f"podManagementPolicy: Parallel, {CLAIMS % '1Gi'}, selector: {{matchLabels: {{a: b}}}}, "
        "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}"
    )
    there = make("StatefulSet", "s", namespace="default", spec=RUNNING_SET)
    (left,) = expand_text(text, there, rules=RequestRules(minor)).refused
    assert left.why == (
        'StatefulSet.apps "s" is invalid: spec: Forbidden: updates to statefulset spec for fields other than '
        "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
    )
    assert [(one.path, one.column) for one in left.problems] == [("spec", text.index("serviceName") + 1)]


def test_the_selector_of_a_deployment_that_runs_may_not_change() -> None:
    found = expand_text(deployment(2).replace("app: web", "app: shop"), *running(2))
    (left,) = found.refused
    assert left.why == (
        'Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"shop"}}: '
        "field is immutable"
    )
    assert not found.pods


def test_the_template_of_a_job_that_runs_may_not_change_unless_it_is_suspended() -> None:
    text = (
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never, "
        "nodeSelector: {a: b}, containers: [{name: c, image: x}]}}}}"
    )
    spec: dict[str, object] = {
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}
    }
    found = expand_text(text, make("Job", "j", namespace="default", spec=spec))
    assert found.refused[0].why.endswith("spec.template: Invalid value: field is immutable")
    found = expand_text(text, make("Job", "j", namespace="default", spec={**spec, "suspend": True}))
    assert not found.refused


@pytest.mark.parametrize(
    ("containers", "refused"),
    [
        pytest.param("{name: c, image: z, resources: {requests: {cpu: 1000m}}}", "", id="another image"),
        pytest.param(
            "{name: c, image: x, resources: {requests: {cpu: 2}}}", "pod updates may not change", id="request"
        ),
        pytest.param("{name: d, image: x}", "pod updates may not add or remove containers", id="container"),
    ],
)
def test_what_may_not_change_of_a_pod_that_runs(containers: str, refused: str) -> None:
    text = f"{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{containers}]}}}}"
    has = [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}, {"name": "injected"}]
    found = expand_text(text, make("Pod", "p", namespace="default", spec={"containers": has}))
    if refused:
        assert refused in found.refused[0].why
    else:
        assert not found.refused
    assert not found.pods
