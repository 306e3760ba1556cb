"""Fields that the API does not have; the server's words are held against a real one in tests/live/test_unknown.py."""

import pytest

from kplan.objects.requests import RequestRules
from tests.admission.manifests import expand_text

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  SPEC: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      POD: {a: b}
      containers:
        - name: main
          image: x
          CONTAINER: []
"""


def hints(text: str, minor: int = 37) -> list[str]:
    (refused,) = expand_text(text, rules=RequestRules(minor=minor)).refused
    return [f"{one.path}: {one.hint}" for one in refused.problems]


def deployment(spec: str = "replicas", pod: str = "nodeSelector", container: str = "args") -> str:
    return DEPLOYMENT.replace("SPEC", spec).replace("POD", pod).replace("CONTAINER", container)


@pytest.mark.parametrize(
    ("text", "minor", "told"),
    [
        pytest.param(
            deployment(pod="nodeSelecter"),
            37,
            "spec.template.spec.nodeSelecter: did you mean nodeSelector?",
            id="a letter wrong",
        ),
        pytest.param(
            deployment(pod="nodeselector"),
            37,
            "spec.template.spec.nodeselector: did you mean nodeSelector?",
            id="the case counts",
        ),
        pytest.param(
            deployment(spec="nodeSelector"), 37, "spec.nodeSelector: it belongs into spec.template.spec", id="too high"
        ),
        pytest.param(
            deployment(container="tolerations"),
            37,
            "spec.template.spec.containers[0].tolerations: it belongs into spec.template.spec",
            id="too deep",
        ),
        pytest.param(
            deployment(pod="schedulingGroup"),
            35,
            "spec.template.spec.schedulingGroup: it is there from 1.36 on",
            id="a field of a later version",
        ),
        pytest.param(
            deployment(pod="workloadRef"),
            36,
            "spec.template.spec.workloadRef: it was there until 1.35",
            id="a field of an earlier version",
        ),
        pytest.param(deployment(pod="xyzzy"), 37, "spec.template.spec.xyzzy: ", id="nothing like it"),
    ],
)
def test_a_hint_says_what_was_meant(text: str, minor: int, told: str) -> None:
    assert hints(text, minor) == [told]


def test_all_are_told_in_one_answer_each_with_its_line() -> None:
    (refused,) = expand_text(deployment("nodeSelector", "nodeSelecter", "resource")).refused
    assert refused.why == (
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: '
        'unknown field "spec.nodeSelector", unknown field "spec.template.spec.containers[0].resource", '
        'unknown field "spec.template.spec.nodeSelecter"'
    )
    assert [(one.line, one.column) for one in refused.problems] == [(6, 3), (15, 11), (11, 7)]
    assert refused.told == (
        f"{refused.why}; spec.nodeSelector: it belongs into spec.template.spec; "
        "spec.template.spec.containers[0].resource: did you mean resources?; "
        "spec.template.spec.nodeSelecter: did you mean nodeSelector?"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(deployment(), id="nothing wrong"),
        pytest.param(deployment(pod="schedulingGroup").replace("{a: b}", "{podGroupName: g}"), id="new in 1.36"),
        pytest.param(
            """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  uid: 0d5ad36f-7b41-4d8e-9d8c-30a2ef0b6f9a
  managedFields: [{manager: kubectl, operation: Apply, fieldsV1: {"f:spec": {"f:replicas": {}}}}]
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}, creationTimestamp: null}, spec: {containers: [{name: c, image: x}]}}
status: {replicas: 3, sinceYesterday: true}
""",
            id="what a server wrote, its status whatever it holds",
        ),
        pytest.param(
            """
apiVersion: example.com/v1
kind: Deployment
metadata: {name: web, anything: goes}
spec: {nodeSelecter: {a: b}}
""",
            id="a custom kind",
        ),
        pytest.param(
            """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-preserve-unknown-fields: true
          properties: {nodeSelecter: {type: array, items: {type: string, default: {any: thing}}}}
""",
            id="a definition, whose properties have any name",
        ),
    ],
)
def test_what_is_no_unknown_field(text: str) -> None:
    assert expand_text(text).refused == ()


def test_pods_that_are_refused_are_counted_apart_from_objects() -> None:
    text = deployment(pod="priorityClassName").replace("{a: b}", "nobody").replace("replicas: 1", "replicas: 3")
    (refused,) = expand_text(text).refused
    assert refused.pods == 3
    assert refused.why.startswith("3 of 3 pods: pods ")
    assert refused.why.endswith("is forbidden: no PriorityClass with name nobody was found")
    spec = "{priorityClassName: nobody, containers: [{name: c, image: x}]}"
    (refused,) = expand_text(f"{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {spec}}}").refused
    assert refused.pods == 0
