"""``kplan simulate`` on manifests as people have them: streams, folders, hooks, unknown kinds, what is refused.

KPLAN_REAL names a folder with manifests of public projects; ``../shared/real`` beside the repository if it is not set.
"""

import io
import json
import os
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest

from kplan.cli.main import main
from kplan.cli.simulate import template_paths
from kplan.errors import UsageError
from kplan.render.data import json_schema
from tests.cli.snapshots import node, write

FIXTURES = Path(__file__).parents[2] / "fixtures" / "manifests"
REAL = Path(os.environ.get("KPLAN_REAL") or Path(__file__).resolve().parents[3] / "shared" / "real") / "manifests"
SUFFIXES = (".yaml", ".yml", ".json")

WEB = dedent(
    """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: NAME}
    spec:
      selector: {matchLabels: {app: NAME}}
      template:
        metadata: {labels: {app: NAME}}
        spec: {containers: [{name: main, image: "example.invalid/m:1", resources: {requests: {cpu: "1"}}}]}
    """
)


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    return write(tmp_path, node("n-1"), node("n-2"))


def plan(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code = main(["simulate", "-o", "json", "--queue", "manifests", *words])
    captured = capsys.readouterr()
    assert code in (0, 1), captured.err
    answer: dict[str, Any] = json.loads(captured.out)
    return answer


def objects(answer: dict[str, Any]) -> list[str]:
    return [entry["object"] for entry in answer["change"]]


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir()))
def test_every_fixture_ends_well_and_drops_nothing(capsys: pytest.CaptureFixture[str], cluster: str, name: str) -> None:
    answer = plan(capsys, str(FIXTURES / name), "--snapshot", cluster)
    jsonschema.validate(answer, json.loads(json_schema("SimulationPlan")))
    for entry in answer.get("change", ()):
        if entry.get("refused") or not entry.get("expanded", True):
            assert entry["file"].endswith(name)
            assert entry["line"] > 0
            assert entry["note"]
    assert main(["simulate", str(FIXTURES / name), "--snapshot", cluster]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines if "/" not in line) <= 80


def _real() -> list[Path]:
    if not REAL.is_dir():
        return []
    return sorted(path for path in REAL.rglob("*") if path.suffix in SUFFIXES and path.is_file())


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no manifests in {REAL}: set KPLAN_REAL")
def test_every_real_manifest_ends_without_a_crash(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    made = left_out = unread = 0
    for path in _real():
        code = main(["simulate", str(path), "-o", "json", "--queue", "manifests", "--snapshot", cluster])
        captured = capsys.readouterr()
        assert code in (0, 1, 2), path
        assert "internal error" not in captured.err, path
        if code == 2:  # a template of Helm or a patch: no object of a cluster, and that is said with its place
            assert captured.err.startswith("kplan: error: "), path
            assert str(path) in captured.err, path
            unread += 1
            continue
        answer = json.loads(captured.out)
        made += answer["totals"]["pods"]
        left_out += sum(not entry.get("expanded", True) for entry in answer.get("change", ()))
    # what is there may grow; that pods are made and unknown kinds listed may not stop
    assert made > 100
    assert left_out > 10
    assert unread < len(_real()) / 5


def test_a_stream_is_read_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, cluster: str
) -> None:
    stream = "---\n# Source: chart/templates/nothing.yaml\n---\n" + WEB.replace("NAME", "web") + "---\n---\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stream.encode())))
    answer = plan(capsys, "-", "--snapshot", cluster)
    assert objects(answer) == ["deploy/default/web"]
    assert answer["change"][0]["line"] == 4


def test_files_and_folders_and_the_namespace(capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str) -> None:
    folder = tmp_path / "deploy"
    (folder / "more").mkdir(parents=True)
    (folder / "b.yaml").write_text(WEB.replace("NAME", "b"))
    (folder / "more" / "c.yml").write_text(WEB.replace("NAME", "c").replace("{name: c}", "{name: c, namespace: own}"))
    (folder / "notes.txt").write_text("not a manifest")
    single = tmp_path / "a.yaml"
    items = [json.loads(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}))]
    single.write_text(
        WEB.replace("NAME", "a") + "---\n" + json.dumps({"kind": "List", "apiVersion": "v1", "items": items})
    )
    answer = plan(capsys, str(single), "-f", str(folder), "-n", "shop", "--snapshot", cluster)
    assert objects(answer) == ["deploy/shop/a", "deploy/shop/b", "deploy/own/c"]
    assert answer["totals"]["placed"] == 3


def test_hooks_definitions_and_foreign_files_are_left_out_and_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str
) -> None:
    answer = plan(capsys, str(FIXTURES / "chart.yaml"), "--snapshot", cluster)
    assert objects(answer) == ["deploy/default/api", "CustomResourceDefinition things.example.com"]
    assert answer["change"][1]["note"] == "a CustomResourceDefinition makes no pods"
    (note,) = [note for note in answer["notes"] if "hook" in note]
    assert note.startswith("Job default/migrate (")
    assert note.endswith("left out, a Helm hook (pre-install)")
    kustomization = tmp_path / "kustomization.yaml"
    kustomization.write_text("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: k}\n")
    answer = plan(capsys, str(kustomization), "--snapshot", cluster)
    assert answer["change"][0]["note"] == "a Kustomization is for kustomize: give what kustomize build makes of it"


GADGET = dedent(
    """\
    apiVersion: example.com/v1
    kind: Gadget
    metadata: {name: g}
    spec:
      replicas: 2
      pods:
        template: {spec: {containers: [{name: main, image: "example.invalid/m:1", resources: {requests: {cpu: "1"}}}]}}
    """
)


def test_the_template_of_an_unknown_kind_can_be_pointed_at(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str
) -> None:
    manifest = tmp_path / "gadget.yaml"
    manifest.write_text(GADGET)
    answer = plan(capsys, str(manifest), "--snapshot", cluster)
    assert answer["totals"]["pods"] == 0
    assert answer["change"][0]["note"].endswith("; --pod-template says where its pod template is")
    for given in ("Gadget=spec.pods.template", "spec.pods.template"):
        answer = plan(capsys, str(manifest), "--pod-template", given, "--snapshot", cluster)
        assert (objects(answer), answer["totals"]["placed"]) == (["gadget/default/g"], 2)
    answer = plan(capsys, str(manifest), "--pod-template", "Gadget=spec.template", "--snapshot", cluster)
    assert answer["change"][0]["note"] == "spec.template: there is no pod template here"
    assert answer["change"][0]["line"] == 4


@pytest.mark.parametrize("given", ["=spec.template", "Gadget=", "spec..template", ""])
def test_what_is_no_path_of_a_template_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="not a path of fields"):
        template_paths([given])


def test_what_is_refused_has_file_line_and_field(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cluster: str
) -> None:
    monkeypatch.chdir(tmp_path)
    manifest = Path("web.yaml")
    manifest.write_text(
        dedent(
            """\
            # a comment
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              replicas: -1
              selector:
                matchLabels: {app: web}
              template:
                metadata:
                  labels:
                    app: web
                    tier: "not good!"
                spec:
                  containers:
                    - name: main
                      image: example.invalid/m:1
                      ports:
                        - {name: http, containerPort: 80}
                        - {name: http, containerPort: 81}
            """
        )
    )
    answer = plan(capsys, str(manifest), "--snapshot", cluster)
    (entry,) = answer["change"]
    assert (answer["verdict"], entry["object"], entry["refused"]) == ("BLOCKED", "Deployment default/web", True)
    assert (entry["file"], entry["line"], entry["column"]) == (str(manifest), 7, 3)
    assert [(one["path"], one["line"], one["column"]) for one in entry["problems"]] == [
        ("spec.replicas", 7, 3),
        ("spec.template.labels", 14, 9),
        ("spec.template.spec.containers[0].ports[1].name", 21, 16),
    ]
    assert main(["simulate", str(manifest), "--snapshot", cluster]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "web.yaml:7: spec.replicas: Invalid value: -1: must be greater than or equal to 0" in told
    assert 'web.yaml:21: spec.template.spec.containers[0].ports[1].name: Duplicate value: "http"' in told


def test_a_bad_quantity_in_json_has_its_line_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str
) -> None:
    manifest = tmp_path / "pod.json"
    container = {"name": "main", "image": "m", "resources": {"requests": {"cpu": "10 cores"}}}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}
    manifest.write_text(json.dumps(body, indent=2))
    (entry,) = plan(capsys, str(manifest), "--snapshot", cluster)["change"]
    assert (entry["line"], entry["problems"][0]["path"]) == (14, "spec.containers[0].resources.requests.cpu")


def test_pod_security_is_named_as_not_modelled(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str
) -> None:
    manifest = tmp_path / "web.yaml"
    labels = "{pod-security.kubernetes.io/enforce: restricted}"
    space = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: safe, labels: {labels}}}\n---\n"
    manifest.write_text(space + WEB.replace("NAME", "web"))
    answer = plan(capsys, str(manifest), "-n", "safe", "--snapshot", cluster)
    assert "namespace safe enforces PodSecurity restricted: not modelled, it may refuse pods" in answer["notes"]


def test_claims_for_devices_are_made_and_doubted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str
) -> None:
    manifest = tmp_path / "gpu.yaml"
    manifest.write_text(
        dedent(
            """\
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: gpu}
            spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.example.com}}]}}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: train}
            spec:
              resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
              containers: [{name: main, image: "example.invalid/m:1", resources: {claims: [{name: gpu}]}}]
            """
        )
    )
    answer = plan(capsys, str(manifest), "--snapshot", cluster)
    assert "ResourceClaim of its entry gpu from template gpu" in answer["change"][0]["note"]
    assert [doubt["code"] for doubt in answer["doubts"] if "devices" in doubt["code"]] == ["devices-not-modelled"]


def test_warnings_about_manifests_that_do_not_do_what_they_seem_to(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str
) -> None:
    manifest = tmp_path / "web.yaml"
    manifest.write_text(
        dedent(
            """\
            apiVersion: v1
            kind: Pod
            metadata: {name: odd, labels: {app: odd}}
            spec:
              affinity:
                podAntiAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                    - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: typo}}}
              topologySpreadConstraints:
                - maxSkew: 1
                  topologyKey: kubernetes.io/hostname
                  whenUnsatisfiable: DoNotSchedule
                  labelSelector: {matchLabels: {app: other}}
              containers: [{name: main, image: "example.invalid/m:1"}]
            """
        )
    )
    assert plan(capsys, str(manifest), "--snapshot", cluster)["careful"] == [
        "pod/default/odd requests no cpu and no memory: to the scheduler its pods need next to nothing",
        "pod/default/odd: pod anti-affinity app=typo selects no pod, not even its own: it keeps nothing apart",
        "pod/default/odd: spread by kubernetes.io/hostname counts app=other, which its own pods are not",
    ]


TEMPLATE = dedent(
    """\
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: gpus}
    spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
    """
)


@pytest.mark.parametrize(
    ("template", "placed", "pending", "cause"),
    [
        pytest.param(TEMPLATE, 2, 0, "", id="there"),
        pytest.param(
            TEMPLATE.replace("/v1\n", "/v1beta1\n"), 0, 2,
            "ResourceClaim not created yet, as there is no ResourceClaimTemplate gpus: no node was looked at",
            id="refused",
        ),
        pytest.param(
            "", 0, 2,
            "ResourceClaim not created yet, as there is no ResourceClaimTemplate gpus: no node was looked at",
            id="missing",
        ),
    ],
)  # fmt: skip
def test_pods_wait_for_a_claim_template_that_is_not_there(
    capsys: pytest.CaptureFixture[str],
    cluster: str,
    tmp_path: Path,
    template: str,
    placed: int,
    pending: int,
    cause: str,
) -> None:
    pods = (
        WEB.replace("NAME", "web")
        .replace("containers:", "resourceClaims: [{name: gpu, resourceClaimTemplateName: gpus}], containers:")
        .replace("spec:\n  selector", "spec:\n  replicas: 2\n  selector")
    )
    written = tmp_path / "web.yaml"
    written.write_text(f"{template}---\n{pods}")
    answer = plan(capsys, str(written), "--snapshot", cluster)
    assert (answer["totals"]["placed"], answer["totals"]["notPlaced"]) == (placed, pending)
    causes = [entry["because"]["text"] for entry in answer.get("causes", [])]
    assert causes == ([cause] if cause else [])
    said = [step["message"] for step in answer["steps"] if not step.get("node")]
    assert all(
        ": ResourceClaim not created yet." in text and text.startswith("0/2 nodes are available: ") for text in said
    )
    assert ("devices-not-modelled" in [doubt["code"] for doubt in answer["doubts"]]) == (pending == 0)


def test_the_only_change_that_helps_is_shown_wherever_its_cause_stands_and_no_device_class_is_one_of_a_node(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cluster: str
) -> None:
    """Nodes have what device plugins offer; what a device class is asked for by its own name no node ever has."""
    pods = tmp_path / "pods.yaml"
    pods.write_text(
        "\n---\n".join(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"name": name},
                    "spec": {"containers": [{"name": "c", "image": "i:1", "resources": {"limits": {resource: 1}}}]},
                }
            )
            for name, resource in (
                ("a", "deviceclass.resource.kubernetes.io/gpu.example.com"),
                ("b", "example.com/gpu"),
            )
        )
    )
    assert main(["simulate", str(pods), "--queue", "manifests", "--snapshot", cluster]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in shown if "Try" in line] == [
        "Try  one more node like n-1, with 1 example.com/gpu -> its pod lands"
    ]
    answer = plan(capsys, str(pods), "--snapshot", cluster)
    assert [cause.get("howTo", {}).get("flags") for cause in answer["causes"]] == [
        None,
        ["--add-node like=n-1,example.com/gpu=1"],
    ]
