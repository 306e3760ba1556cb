"""Sweep files: axes as their flags would give them, files beside the file, and errors with their place."""

from pathlib import Path

import pytest

from kplan.errors import SourceError
from kplan.scenario.drain import Drain
from kplan.scenario.nodes import Cordon
from kplan.studies.sweep import load_sweep

HEAD = "apiVersion: kplan.dev/v1\nkind: Sweep\n"


def write(folder: Path, text: str) -> str:
    file = folder / "sweep.yaml"
    file.write_text(text)
    return str(file)


def test_axes_are_read_as_their_flags_are(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    found = load_sweep(
        write(
            tmp_path,
            f"""{HEAD}replicas: 12
axes:
  - config: [default, new.yaml]
  - version: [1.36, "1.37"]
  - drain: node
  - fail: [zone, node-a]
  - pool: [like=node-a, {{cpu: 16, memory: 64Gi}}, {{file: n.yaml}}]
  - workload: [web.yaml, deploy/shop/db]
  - shapes: sizes.yaml
  - scenario:
      as it is: []
      one: [{{cordon: node-a}}, {{drain: node-b, expect: all placed}}]
""",
        )
    )
    assert found.replicas == 12
    assert [(axis.name, axis.values) for axis in found.axes[:-1]] == [
        ("config", ("default", f"{tmp_path}/new.yaml")),
        ("version", ("1.36", "1.37")),
        ("drain", ("node",)),
        ("fail", ("zone", "node-a")),
        ("pool", ("like=node-a", "cpu=16,memory=64Gi", f"file={tmp_path}/n.yaml")),
        ("workload", (f"{tmp_path}/web.yaml", "deploy/shop/db")),
        ("shapes", (f"{tmp_path}/sizes.yaml",)),
    ]
    inline = found.axes[-1].inline
    assert inline["as it is"] == ()
    assert [step.verb for step in inline["one"]] == [Cordon("node-a"), Drain("node-b")]
    assert inline["one"][1].words == ("all placed",)


def test_a_scenario_is_a_sweep_over_itself(tmp_path: Path) -> None:
    file = write(tmp_path, "apiVersion: kplan.dev/v1\nkind: Scenario\nsteps: [{cordon: node-a}]\n")
    (axis,) = load_sweep(file).axes
    assert (axis.name, axis.values) == ("scenario", (file,))


REFUSED = [
    ("another kind", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n", "neither one Sweep nor one Scenario"),
    ("a field that there is not", f"{HEAD}axis:\n  - fail: zone\n", "sweep.yaml:3:1: axis: no field axis"),
    ("no axes", HEAD, "sweep.yaml:1:1: axes: no axes"),
    ("an unknown axis", f"{HEAD}axes:\n  - moon: full\n", "sweep.yaml:4:5: axes[0].moon: no axis moon"),
    ("an axis with two names", f"{HEAD}axes:\n  - {{fail: zone, drain: node}}\n", "axes[0]: an axis is a mapping"),
    ("an unknown verb", f"{HEAD}axes:\n  - scenario: {{x: [{{fly: a}}]}}\n", "axes[0].scenario.x[0].fly: no verb fly"),
    ("steps that are no list", f"{HEAD}axes:\n  - scenario: {{x: a}}\n", "axes[0].scenario.x: a scenario is a list"),
    ("a value that is none", f"{HEAD}axes:\n  - drain: [{{a: b}}]\n", "axes[0].drain[0]: a value is a text"),
    (
        "replicas that are no number",
        f"{HEAD}replicas: many\naxes: [{{fail: zone}}]\n",
        "replicas: replicas is a number",
    ),
]


@pytest.mark.parametrize(("text", "problem"), [pytest.param(*rest, id=name) for name, *rest in REFUSED])
def test_a_broken_file_is_refused_with_the_place(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SourceError) as refused:
        load_sweep(write(tmp_path, text))
    assert problem in str(refused.value)
