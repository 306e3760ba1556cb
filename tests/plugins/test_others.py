"""Plugins of others: the example package, installed as any would be, and what becomes of plugins that nobody brings."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.snapshots import node, pod, write

PACKAGE = Path(__file__).parents[1] / "plugin_package"
LICENCE, LICENCES = "example.com/licence", "example.com/licences"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, its entry points included, as pip lays them down."""
    folder = tmp_path_factory.mktemp("installed")
    built = tmp_path_factory.mktemp("built")
    for part in (
        "pyproject.toml",
        "kplan_licences/__init__.py",
        "kplan_licences/broken.py",
        "kplan_licences/failing.py",
    ):
        (built / part).parent.mkdir(exist_ok=True)
        (built / part).write_bytes((PACKAGE / part).read_bytes())
    words = [
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--target",
        str(folder),
        str(built),
    ]
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], check=True)
    return folder


def labelled(item: dict[str, Any], **labels: str) -> dict[str, Any]:
    item["metadata"].setdefault("labels", {}).update({f"example.com/{key}": value for key, value in labels.items()})
    return item


def config(folder: Path, plugin: str = "LicenceFit", **args: Any) -> str:
    profile: dict[str, Any] = {"plugins": {"multiPoint": {"enabled": [{"name": plugin, "weight": 5}]}}}
    if args:
        profile["pluginConfig"] = [{"name": plugin, "args": args}]
    header = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    path = folder / "sched.yaml"
    path.write_text(yaml.safe_dump({**header, "profiles": [profile]}))
    return str(path)


def run(where: Path | None, *words: str) -> tuple[int, Any]:
    env = {**os.environ, "PYTHONPATH": str(where)} if where else dict(os.environ)
    command = [sys.executable, "-m", "kplan", *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stderr


def cluster(folder: Path, *pods: dict[str, Any]) -> str:
    nodes = [labelled(node("few"), licences="1"), labelled(node("many"), licences="4"), node("none")]
    return write(folder, *nodes, *pods)


def asked(folder: Path, where: Path | None, *pods: dict[str, Any], plugin: str = "LicenceFit", **args: Any) -> Any:
    words = ("--snapshot", cluster(folder, *pods), "--config", config(folder, plugin, **args), "-o", "json")
    return run(where, "explain", "pod", "new", *words)


def needing(name: str, on: str = "", **spec: Any) -> dict[str, Any]:
    return labelled(pod(name, cpu="100m", on=on, **spec), licence="cad")


def reasons(found: Any) -> dict[str, int]:
    return {reason["message"]: group["count"] for group in found["groups"] for reason in group["reasons"]}


def test_its_filter_refuses_and_its_scores_decide(tmp_path: Path, installed: Path) -> None:
    code, found = asked(tmp_path, installed, needing("new"), enough=4)
    assert (code, found["verdict"], found["node"]) == (0, "FITS", "many")
    assert not [doubt for doubt in found.get("doubts", ()) if doubt["code"] == "plugin-not-modelled"]
    assert reasons(found) == {"node(s) had no licences": 1}


def test_a_licence_that_is_used_is_gone(tmp_path: Path, installed: Path) -> None:
    held = [needing(f"old-{i}", on="many") for i in range(4)]
    code, found = asked(tmp_path, installed, needing("new"), needing("old", on="few"), *held)
    assert (code, found["verdict"]) == (0, "PENDING")
    assert reasons(found) == {"node(s) had no licences": 1, "node(s) had no licence left": 2}


def test_evictions_give_licences_back(tmp_path: Path, installed: Path) -> None:
    held = [needing(f"old-{i}", on="many") for i in range(4)]
    code, found = asked(tmp_path, installed, needing("new", priority=10), needing("old", on="few"), *held)
    assert (code, found["verdict"]) == (0, "PREEMPTS")


def test_a_pod_that_needs_none_goes_anywhere(tmp_path: Path, installed: Path) -> None:
    _, found = asked(tmp_path, installed, pod("new", cpu="1"))
    assert (found["verdict"], reasons(found) if found.get("groups") else {}) == ("FITS", {})


def test_the_configuration_shows_it_with_its_arguments(tmp_path: Path, installed: Path) -> None:
    _, found = run(installed, "config", "--config", config(tmp_path, enough=4), "-o", "json")
    profile = found["profiles"][0]
    points = {point["point"] for point in profile["points"] for one in point["plugins"] if one["name"] == "LicenceFit"}
    assert points == {"preFilter", "filter", "score"}
    assert [(one["name"], one["value"]) for one in profile["arguments"] if one["plugin"] == "LicenceFit"] == [
        ("enough", 4)
    ]
    added = [one for one in profile["differences"] if one["code"] == "added"]
    assert [one["plugin"] for one in added] == ["LicenceFit"]


def test_one_that_nobody_brings_is_listed_and_doubted(tmp_path: Path) -> None:
    _, found = asked(tmp_path, None, needing("new"))
    assert found["verdict"] == "FITS"
    assert "plugin-not-modelled" in [doubt["code"] for doubt in found["doubts"]]


def test_one_that_breaks_the_contract_is_refused_by_name(tmp_path: Path, installed: Path) -> None:
    code, error = asked(tmp_path, installed, needing("new"), plugin="BrokenFit")
    assert code == 2
    assert "plugin BrokenFit of kplan-licences (kplan_licences.broken:BrokenFit) calls itself 'SomethingElse'" in error


def test_one_that_fails_when_it_is_asked_ends_in_a_line_that_names_it(installed: Path, tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), pod("web"))
    code, said = run(
        installed, "explain", "pod", "web", "--snapshot", snapshot, "--config", config(tmp_path, "FailingFit")
    )
    assert code == 2
    assert "Traceback" not in said
    assert "plugin FailingFit of kplan-licences (kplan_licences.failing:FailingFit) fails in filter" in said
    assert "ZeroDivisionError: " in said


def test_one_that_holds_a_pod_at_permit_is_told(installed: Path, tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), pod("patient"))
    rules = ("--snapshot", snapshot, "--config", config(tmp_path, "FailingFit"), "-o", "json")
    held = "plugin FailingFit holds it at Permit: waits for its licence"
    _, answer = run(installed, "explain", "pod", "patient", *rules)
    assert (answer["verdict"], answer["permit"]) == ("FITS", held)
    _, plan = run(installed, "simulate", *rules)
    assert [(step["node"], step["permit"]) for step in plan["steps"]] == [("a", held)]
