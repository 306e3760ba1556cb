"""A null wherever a configuration may have one, as YAML makes of what is left empty; settings that name no file."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main

DEMO = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")
CONFIGURATION: dict[str, Any] = {
    "profiles": [
        {
            "schedulerName": "s",
            "plugins": {
                "multiPoint": {"enabled": [{"name": "NodeName"}], "disabled": [{"name": "*"}]},
                "filter": {"enabled": [{"name": "NodePorts"}], "disabled": [{"name": "TaintToleration"}]},
                "score": {"enabled": [{"name": "ImageLocality", "weight": 2}]},
            },
            "pluginConfig": [
                {"name": "PodTopologySpread", "args": {"defaultConstraints": [], "defaultingType": "List"}},
                {
                    "name": "NodeResourcesFit",
                    "args": {"scoringStrategy": {"resources": [{"name": "cpu", "weight": 1}]}},
                },
            ],
        }
    ],
    "extenders": [{"urlPrefix": "http://x", "managedResources": [{"name": "a/b"}]}],
}


def with_a_null(value: Any) -> Iterator[Any]:
    """The value with each of its parts left empty in turn."""
    places: list[tuple[Any, ...]] = []

    def walk(part: Any, path: tuple[Any, ...]) -> None:
        places.append(path)
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
            walk(inner, (*path, key))

    walk(value, ())
    for path in filter(None, places):
        made = copy.deepcopy(value)
        holder = made
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = None
        yield made


@pytest.mark.parametrize("version", ["v1", "v1beta3", "v1beta2"])
@pytest.mark.parametrize("command", [["config", "--snapshot", DEMO, "--config"], ["config", "migrate"]])
def test_a_null_in_a_configuration(
    command: list[str], version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "c.yaml"
    head = {"apiVersion": f"kubescheduler.config.k8s.io/{version}", "kind": "KubeSchedulerConfiguration"}
    answers = {}
    for number, made in enumerate(with_a_null(CONFIGURATION)):
        file.write_text(yaml.safe_dump({**head, **made}))
        answers[number] = main([*command, str(file)])
        assert answers[number] in (0, 2, 3, 4), (made, capsys.readouterr().err)
    assert len(answers) > 30


@pytest.mark.parametrize("key", ["snapshot", "policy"])
@pytest.mark.parametrize("name", ["x\\ud800", "x\\0"], ids=["half a surrogate pair", "a NUL"])
def test_a_setting_names_what_no_file_can_be_called(
    key: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kplan").mkdir()
    (tmp_path / "kplan" / "config.yaml").write_text(f'{key}: "{name}"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["check", str(tmp_path), *(["--snapshot", DEMO] if key == "policy" else [])]) == 2
    assert "cannot be read: no file can have this name" in capsys.readouterr().err
