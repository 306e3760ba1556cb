"""What the API server refuses is refused in its own words (1.37.2), with the place of it."""

import pytest

from tests.admission.manifests import deployment, expand_file, expand_text

POD = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {SPEC, containers: [{name: c, image: x, MORE}]}}"


def test_the_fixture_is_refused_as_by_a_real_server() -> None:
    found = expand_file("refused.yaml")
    told = {f"{one.kind} {one.key}": one.why for one in found.refused}
    assert not found.pods
    assert told["Deployment default/mismatch"] == (
        'Deployment.apps "mismatch" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, '
        'spec.template.metadata.labels: Invalid value: {"app":"two"}: `selector` does not match template `labels`]'
    )
    assert (
        told["Pod default/ports"] == 'Pod "ports" is invalid: spec.containers[0].ports[1].name: Duplicate value: "http"'
    )
    assert told["Pod default/words"] == (
        'Pod "words" is invalid: [spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", '
        '"OnFailure", "Never", spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero, '
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: '
        '"DoNotSchedule", "ScheduleAnyway", spec.tolerations[0].operator: Unsupported value: "Is": supported values: '
        '"Equal", "Exists", spec.tolerations[0].effect: Unsupported value: "NoRun": supported values: "NoSchedule", '
        '"PreferNoSchedule", "NoExecute"]'
    )
    assert told["Job default/always"] == (
        'Job.batch "always" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", '
        '"Never"'
    )
    assert told["Pod default/unknown-class"] == (
        'pods "unknown-class" is forbidden: no PriorityClass with name nobody was found'
    )
    assert told["Pod default/large"] == (
        'Pod "large" is invalid: spec.containers[0].resources.requests: Invalid value: "9": must be less than or equal '
        "to cpu limit of 8"
    )


def test_a_bad_quantity_has_line_and_field() -> None:
    (line,) = [str(one) for one in expand_file("refused.yaml").refused if one.key == "quantity"]
    assert line.startswith("Pod quantity (")
    assert "refused.yaml:15): " in line
    assert "spec.containers[0].resources.requests.cpu" in line


@pytest.mark.parametrize(
    ("spec", "more", "message"),
    [
        pytest.param(
            "hostPID: false", "ports: [{}]", "spec.containers[0].ports[0].containerPort: Required value", id="no port"
        ),
        pytest.param(
            "hostPID: false", "ports: [{containerPort: 70000}]",
            "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
            id="a port out of range",
        ),
        pytest.param(
            "hostPID: false", "ports: [{containerPort: 1, protocol: HTTP}]",
            'spec.containers[0].ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
            id="an unknown protocol",
        ),
        pytest.param(
            "hostNetwork: true", "ports: [{containerPort: 80}, {containerPort: 80}]",
            'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"', id="one host port twice",
        ),
        pytest.param(
            "hostPID: false", "volumeMounts: [{name: v, mountPath: /v}]",
            'spec.containers[0].volumeMounts[0].name: Not found: "v"', id="a mount of no volume",
        ),
        pytest.param(
            "hostPID: false", "resources: {requests: {cpu: -1}}",
            'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
            id="a negative request",
        ),
        pytest.param(
            "hostPID: false", "resources: {limits: {example.com/gpu: 500m}}",
            '[spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer, '
            'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer]',
            id="half a device",
        ),
        pytest.param(
            "tolerations: [{key: a, tolerationSeconds: 3}]", "tty: true",
            'spec.tolerations[0].effect: Invalid value: "": '
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
            id="seconds without NoExecute",
        ),
        pytest.param(
            "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{}]}}", "tty: true",
            "[spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: "
            "can not be empty, "
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "
            '"": name part must be non-empty, '
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "
            "\"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
            "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]",
            id="an affinity term without a topology",
        ),
        pytest.param(
            "resources: {limits: {cpu: 1}}", "resources: {limits: {cpu: 2}}",
            '[spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1, '
            'spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of '
            "1]",
            id="containers need more than their pod",
        ),
    ],
)  # fmt: skip
def test_pods(spec: str, more: str, message: str) -> None:
    found = expand_text(POD.replace("SPEC", spec).replace("MORE", more))
    (line,) = map(str, found.refused)
    assert line.endswith(f'Pod "p" is invalid: {message}')


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        pytest.param(
            "{rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}",
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
            id="nothing may move",
        ),
        pytest.param(
            "{type: Recreate, rollingUpdate: {maxSurge: 1}}",
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
            id="two strategies",
        ),
    ],
)
def test_strategies(strategy: str, message: str) -> None:
    (line,) = map(str, expand_text(deployment(1, strategy=strategy)).refused)
    assert line.partition(" is invalid: ")[2] == message
