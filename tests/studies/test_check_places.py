"""Findings of a check stand at the field that their cause is about: reviews show what stands at a changed line."""

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.studies.checking import deployment, item, node, write

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: small
        image: example.invalid/a
        resources:
          requests:
            cpu: 500m
      - name: large
        image: example.invalid/a
        resources:
          limits:
            memory: 1Gi
            cpu: "9"
"""


def findings(folder: Path, manifest: str, *cluster: dict[str, Any], options: tuple[str, ...] = ()) -> list[Any]:
    snapshot = write(folder / "cluster.json", item("Namespace", "shop"), *cluster)
    (folder / "web.yaml").write_text(manifest)
    out = folder / "found.json"
    main(["check", str(folder / "web.yaml"), *options, "--snapshot", snapshot, "-o", f"json={out}"])
    found: list[Any] = json.loads(out.read_text())["findings"]
    return found


@pytest.mark.parametrize(
    ("spec", "taints", "place"),
    [
        pytest.param("", "", (21, 13), id="the container that asks for most, by its limit if that is all it has"),
        pytest.param("      nodeSelector:\n        disk: ssd\n", "", (22, 7), id="the selector that no node matches"),
        pytest.param("", "dedicated", (1, 0), id="the object where the field is not written"),
        pytest.param(
            "      tolerations:\n      - {key: other, operator: Exists}\n", "dedicated", (22, 7), id="the tolerations"
        ),
    ],
)
def test_a_pod_that_fits_no_node_is_told_of_at_the_field_in_its_way(
    tmp_path: Path, spec: str, taints: str, place: tuple[int, int]
) -> None:
    text = MANIFEST if not (spec or taints) else MANIFEST.replace('"9"', '"1"')
    tainted = {"taints": [{"key": taints, "effect": "NoSchedule"}]} if taints else {}
    nodes = [node("a", **tainted), node("b", **tainted)]
    [found] = [one for one in findings(tmp_path, text + spec, *nodes) if one["rule"] == "does-not-fit"]
    assert (found["line"], found.get("column", 0)) == place


def test_of_several_templates_none_is_blamed(tmp_path: Path) -> None:
    two = json.dumps({"apiVersion": "v1", "kind": "List", "items": [deployment("web", "9"), deployment("api", "9")]})
    found = findings(tmp_path, two.replace('{"apiVersion": "apps', '\n{"apiVersion": "apps'), node("a"))
    assert [one["line"] for one in found if one["rule"] == "does-not-fit"] == [2, 3]


def test_what_helps_is_looked_for_of_the_first_three_and_of_all_where_that_is_asked(tmp_path: Path) -> None:
    apps = "\n---\n".join(json.dumps(deployment(f"web-{i}", f"{6 + i}")) for i in range(4))
    tried = [one.get("attempt", "") for one in findings(tmp_path, apps, node("a"))]
    assert [bool(text) for text in tried] == [True, True, True, False]
    every = [one.get("attempt", "") for one in findings(tmp_path, apps, node("a"), options=("--all-fixes",))]
    assert every[:3] == tried[:3]
    assert every[3]
