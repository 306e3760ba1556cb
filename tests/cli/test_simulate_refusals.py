"""The first lines about manifests that a server refuses, that no pod comes of, or that are to be built first."""

from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write

DEPLOYMENT = """apiVersion: {version}
kind: {kind}
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      {field}: {value}
      containers: [{{name: main, image: x, resources: {{requests: {{cpu: 100m}}}}}}]
"""
QUOTA = """---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few}
spec: {hard: {pods: "3"}}
"""
SILENT = """apiVersion: v1
kind: Service
metadata: {name: web}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: web}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
"""


def deployment(
    version: str = "apps/v1",
    kind: str = "Deployment",
    field: str = "nodeSelector",
    value: str = "{}",
    replicas: int = 1,
) -> str:
    return DEPLOYMENT.format(version=version, kind=kind, field=field, value=value, replicas=replicas)


@pytest.fixture
def lines(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Write one manifest, plan it, and give the exit code and the lines that answer."""
    cluster = write(tmp_path, node("n-1"), pod("there", on="n-1"))
    monkeypatch.chdir(tmp_path)

    def plan(text: str, name: str = "web.yaml", *more: str) -> tuple[int, str]:
        Path(name).write_text(text)
        code = main(["simulate", name, "--snapshot", cluster, "--queue", "manifests", *(more or ("-q",))])
        told = capsys.readouterr().out.splitlines()
        return code, "\n".join(line for line in told if not line.startswith(("Doubt", "  ")) or not more)

    return plan


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            deployment("extensions/v1beta1"),
            'web.yaml:1: no matches for kind "Deployment" in version "extensions/v1beta1"; write apps/v1',
            id="a version that is gone",
        ),
        pytest.param(
            deployment(kind="Deploymnt"),
            'web.yaml:2: no matches for kind "Deploymnt" in version "apps/v1"; did you mean Deployment?',
            id="a kind that is misspelt",
        ),
        pytest.param(
            deployment(field="nodeSelecter"),
            "web.yaml:10: spec.template.spec.nodeSelecter: unknown field; did you mean nodeSelector?",
            id="a field that is misspelt",
        ),
    ],
)
def test_what_is_refused_is_told_first_with_its_line_and_what_to_write(lines, text: str, told: str) -> None:
    code, shown = lines(text)
    kind = text.splitlines()[1].removeprefix("kind: ")
    assert code == 1
    assert " ".join(shown.split()).startswith(f"BLOCKED {kind} default/web would be refused")
    assert " ".join(told.split()) in " ".join(shown.split())


def test_pods_are_refused_where_the_workload_is_accepted(lines) -> None:
    code, shown = lines(deployment(field="priorityClassName", value="nobody", replicas=3))
    text = " ".join(shown.split())
    assert code == 1
    assert text.startswith("BLOCKED 3 pods of Deployment default/web would be refused, which itself is accepted")
    assert (
        "is forbidden: no PriorityClass with name nobody was found Try no priorityClassName (now nobody) -> all 3"
        in text
    )


def test_what_a_quota_refuses_are_pods(lines) -> None:
    code, shown = lines(deployment(replicas=5) + QUOTA, "web.yaml", "-o", "text")
    assert code == 1
    assert shown.splitlines()[0] == "PARTLY   2 of 5 pods are placed; 3 pods refused"
    assert "Refused  3 pods of Deployment default/web, which itself is accepted" in shown
    assert "Quota    default/few pods: 1 now, 3 with this, hard 3: REFUSES 3 pods" in shown


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        pytest.param("web.yaml", SILENT, "FITS nothing to place: 3 objects have no pods", id="no pods"),
        pytest.param(
            "kustomization.yaml",
            "resources: [web.yaml]\n",
            "FITS nothing to place: kplan does not know what 1 object makes Careful kustomization.yaml:1: a "
            "Kustomization is for kustomize: give what kustomize build makes of it",
            id="what has to be built first, even if it says no kind",
        ),
        pytest.param(
            "web.yaml",
            "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n",
            "FITS nothing to place: kplan does not know what 1 object makes",
            id="a custom kind",
        ),
    ],
)
def test_what_brings_no_pod_does_not_look_placed(lines, name: str, text: str, told: str) -> None:
    code, shown = lines(text, name)
    assert (code, " ".join(shown.split())) == (0, told)
