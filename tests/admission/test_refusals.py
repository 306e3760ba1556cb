"""What the API server refuses in metadata, selectors and placement: fields and words of 1.37.2, written by hand."""

import pytest

from tests.admission.manifests import expand_text
from tests.objects.test_formats import LABEL, NAME, PERCENT, SUBDOMAIN, VALUE

HEAD = "apiVersion: apps/v1\nkind: KIND\nmetadata: META\nspec:\n"
TEMPLATE = '{metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: "m:1"}]}}'


def workload(kind: str, *fields: str, metadata: str = "{name: a}", template: str = TEMPLATE) -> str:
    body = HEAD.replace("KIND", kind).replace("META", metadata)
    selector = [] if any(field.startswith("selector") for field in fields) else ["selector: {matchLabels: {app: a}}"]
    return body + "".join(f"  {field}\n" for field in [*fields, *selector, f"template: {template}"])


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        pytest.param(
            workload("Deployment", metadata="{name: Web}"), f'metadata.name: Invalid value: "Web": {SUBDOMAIN}',
            id="a name in capitals",
        ),
        pytest.param(
            workload("StatefulSet", "serviceName: a", metadata="{name: a.b}"),
            'metadata.name: Invalid value: "a.b": must not contain dots', id="a StatefulSet's name has no dots",
        ),
        pytest.param(
            workload("Deployment", metadata="{name: a, labels: {app: 'x y'}}"),
            f'metadata.labels: Invalid value: "x y": {VALUE}', id="a label's value with a space",
        ),
        pytest.param(
            workload("Deployment", metadata="{name: a, annotations: {'a b': x}}"),
            f'metadata.annotations: Invalid value: "a b": name part {NAME}', id="an annotation's key with a space",
        ),
        pytest.param(
            workload("Deployment", "selector: {}"),
            "spec.selector: Invalid value: {}: empty selector is invalid for deployment", id="an empty selector",
        ),
        pytest.param(
            workload("Deployment", "selector: {matchExpressions: [{key: app, operator: In}]}"),
            "[spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or "
            "'NotIn', spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"In\"}]}: "
            "invalid label selector]",
            id="a requirement without values",
        ),
        pytest.param(
            workload("Deployment", "progressDeadlineSeconds: 5", "minReadySeconds: 5"),
            "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
            id="a deadline before anything can be ready",
        ),
        pytest.param(
            workload("Deployment", "strategy: {rollingUpdate: {maxSurge: '25'}}"),
            f'spec.strategy.rollingUpdate.maxSurge: Invalid value: "25": {PERCENT}', id="a share that is none",
        ),
        pytest.param(
            workload("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 101%}}"),
            'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
            id="more than all",
        ),
        pytest.param(
            workload("DaemonSet", "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}"),
            "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is "
            "non-zero",
            id="a DaemonSet surges or lets go, not both",
        ),
        pytest.param(
            workload("DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 0}}"),
            "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
            id="a DaemonSet that may not move",
        ),
        pytest.param(
            workload("StatefulSet", "serviceName: a", "updateStrategy: {rollingUpdate: {partition: -1}}"),
            "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
            id="a negative partition",
        ),
        pytest.param(
            workload("StatefulSet", "serviceName: A"), f'spec.serviceName: Invalid value: "A": {LABEL}',
            id="a service that cannot be",
        ),
        pytest.param(
            workload("ReplicaSet", template=TEMPLATE.replace("spec: {", "spec: {activeDeadlineSeconds: 5, ")),
            "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
            id="pods that run for ever have no deadline",
        ),
        pytest.param(
            workload("Deployment", template=TEMPLATE.replace("spec: {", "spec: {nodeSelector: {disk: 'a b'}, ")),
            f'spec.template.spec.nodeSelector: Invalid value: "a b": {VALUE}', id="a node selector's value",
        ),
        pytest.param(
            workload("Deployment", template=TEMPLATE.replace("spec: {", "spec: {tolerations: [{key: 'a b'}], ")),
            f'spec.template.spec.tolerations[0].key: Invalid value: "a b": name part {NAME}', id="a toleration's key",
        ),
        pytest.param(
            workload(
                "Deployment", template=TEMPLATE.replace("name: c", "name: c, ports: [{name: WEB, containerPort: 1}]")
            ),
            '[spec.template.spec.containers[0].ports[0].name: Invalid value: "WEB": must contain only alpha-numeric '
            'characters (a-z, 0-9), and hyphens (-), spec.template.spec.containers[0].ports[0].name: Invalid value: '
            '"WEB": must contain at least one letter (a-z)]',
            id="a port in capitals",
        ),
        pytest.param(
            workload("Deployment", template=TEMPLATE.replace("name: c", "name: c, resources: {claims: [{name: gpu}]}")),
            'spec.template.spec.containers[0].resources.claims[0]: Not found: "gpu": must be one of the names in '
            "pod.spec.resourceClaims which is empty",
            id="a claim for devices that the pod does not have",
        ),
    ],
)  # fmt: skip
def test_workloads(manifest: str, message: str) -> None:
    (one,) = expand_text(manifest).refused
    assert one.why.partition(" is invalid: ")[2] == message


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param(
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: a, operator: In, values: ['x y']}]}]}}}",
            "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
            f'matchExpressions[0].values[0]: Invalid value: "x y": {VALUE}',
            id="a value of a required node affinity",
        ),
        pytest.param(
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "
            "{matchExpressions: [{key: a, operator: In, values: ['x y']}]}}]}}",
            "", id="a value of a preferred one is let through",
        ),
        pytest.param(
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, "
            "matchLabelKeys: [a]}]",
            "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is "
            "not set",
            id="label keys without a selector",
        ),
        pytest.param(
            "schedulingGates: [{name: 'a b'}]", f'spec.schedulingGates[0]: Invalid value: "a b": name part {NAME}',
            id="a gate's name",
        ),
        pytest.param(
            "tolerations: [{key: a, operator: Gt, value: '05'}]",
            'spec.tolerations[0].value: Invalid value: "05": must be a valid decimal integer in canonical form',
            id="a number to compare with",
        ),
        pytest.param(
            "resourceClaims: [{name: gpu}]",
            'spec.resourceClaims[0]: Invalid value: {"Name":"gpu","ResourceClaimName":null,'
            '"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
            id="a claim of nothing",
        ),
    ],
)  # fmt: skip
def test_pods(spec: str, message: str) -> None:
    body = f'{spec}, containers: [{{name: c, image: "m:1"}}]'
    text = f"{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{{body}}}}}"
    assert [one.why.partition(" is invalid: ")[2] for one in expand_text(text).refused] == (
        [message] if message else []
    )


def test_a_label_of_a_template_is_found_where_it_is_written() -> None:
    body = (
        "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {app: a}}\n"
        '  template:\n    metadata:\n      labels:\n        app: a\n        bad: "x y"\n'
        '    spec: {containers: [{name: c, image: "m:1"}]}\n'
    )
    (one,) = expand_text(body).refused
    assert [(field.path, field.line, field.column) for field in one.problems] == [("spec.template.labels", 10, 9)]


def test_objects_that_make_no_pods_are_checked_for_their_names() -> None:
    found = expand_text("{apiVersion: v1, kind: Service, metadata: {name: 1web}, spec: {}}")
    assert [one.key for one in found.refused] == ["default/1web"]
    assert not found.objects
