"""Objects of the whole cluster are named without a namespace, whatever the file says and wherever they are named."""

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, write

RBAC = "rbac.authorization.k8s.io/v1"
WIDE = [
    ("v1", "Node"),
    ("v1", "Namespace"),
    ("v1", "PersistentVolume"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("node.k8s.io/v1", "RuntimeClass"),
    ("resource.k8s.io/v1", "DeviceClass"),
    (RBAC, "ClusterRole"),
    (RBAC, "ClusterRoleBinding"),
    ("networking.k8s.io/v1", "IngressClass"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("apiregistration.k8s.io/v1", "APIService"),
    ("certificates.k8s.io/v1", "CertificateSigningRequest"),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
    ("policy/v1beta1", "PodSecurityPolicy"),
    ("cert-manager.io/v1", "ClusterIssuer"),
    ("external-secrets.io/v1", "ClusterSecretStore"),
    ("gateway.networking.k8s.io/v1", "GatewayClass"),
    ("karpenter.sh/v1", "NodePool"),
    ("kyverno.io/v1", "ClusterPolicy"),
    ("constraints.gatekeeper.sh/v1beta1", "K8sRequiredLabels"),
]
SPACED = [
    (RBAC, "Role"),
    ("v1", "ConfigMap"),
    ("cert-manager.io/v1", "Issuer"),
    ("policy/v1", "PodDisruptionBudget"),
    ("operators.coreos.com/v1alpha1", "ClusterServiceVersion"),
    ("cluster.x-k8s.io/v1beta1", "Cluster"),
]


def told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], *objects: dict[str, Any], cluster: Any = ()
) -> str:
    (tmp_path / "m.json").write_text(json.dumps(list(objects)))
    main([*words, "--snapshot", write(tmp_path, node("a"), *cluster)])
    return " ".join(" ".join(capsys.readouterr()).split())


def of(api: str, kind: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "x", **metadata}}


@pytest.mark.parametrize("space", [{}, {"namespace": "elsewhere"}], ids=["none written", "one written"])
@pytest.mark.parametrize(("api", "kind"), WIDE, ids=[kind for _, kind in WIDE])
def test_an_object_of_the_whole_cluster_has_no_namespace(
    api: str, kind: str, space: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a hook, written twice, left out of a manifest, and broken in one: each names it."""
    words = ["check", str(tmp_path / "m.json"), "--strict-kinds"]
    hook = of(api, kind, annotations={"helm.sh/hook": "pre-install"}, **space)
    text = told(tmp_path, capsys, words, hook, of(api, kind, **space), of(api, kind, **space))
    text += told(tmp_path, capsys, words, of(api, kind, labels=7, **space))
    assert f"{kind} x" in text
    assert "default/x" not in text
    assert "elsewhere/x" not in text


@pytest.mark.parametrize(("api", "kind"), SPACED, ids=[kind for _, kind in SPACED])
def test_any_other_object_has_one(api: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hook = of(api, kind, annotations={"helm.sh/hook": "pre-install"})
    assert f"{kind} default/x" in told(tmp_path, capsys, ["check", str(tmp_path / "m.json")], hook)


@pytest.mark.parametrize(("scope", "name"), [("Cluster", "x"), ("Namespaced", "default/x")])
def test_a_kind_is_of_the_cluster_where_its_definition_says_so(
    scope: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    definition = of("apiextensions.k8s.io/v1", "CustomResourceDefinition") | {
        "spec": {"group": "a.example", "scope": scope, "names": {"kind": "Thing", "plural": "things"}}
    }
    text = told(tmp_path, capsys, ["check", str(tmp_path / "m.json")], of("a.example/v1", "Thing"), definition)
    assert f"Thing {name}: kplan does not know what a.example/v1 Thing makes" in text


def test_a_broken_node_of_a_snapshot_has_no_namespace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = of("v1", "Node", namespace="elsewhere") | {"status": {"allocatable": 7}}
    text = told(tmp_path, capsys, ["nodes"], cluster=[broken])
    assert "Node x is left out" in text
    assert "elsewhere" not in text
