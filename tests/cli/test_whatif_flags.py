"""What-if flags: their order survives the parser, whatever stands between them."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplan.cli.main import main
from kplan.cli.whatif import FLAGS
from kplan.scenario import VERBS
from tests.cli.snapshots import node, owned, pod, write


@pytest.fixture
def two(tmp_path: Path) -> str:
    return write(tmp_path, node("a"), node("b"), owned(pod("web-1", on="a"), "ReplicaSet", "web"), pod("new", cpu="3"))


def test_every_verb_has_its_help_and_every_flag_its_verb() -> None:
    assert set(FLAGS) == {*VERBS, "scenario"}


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.lists(st.sampled_from([("cordon", "a"), ("uncordon", "b"), ("label", "a:x=1"), ("taint", "b:k:NoSchedule")])))
def test_the_order_of_any_mix_of_flags_is_kept(flags: list[tuple[str, str]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder), node("a"), node("b"))
        out = Path(folder) / "out.json"
        argv = ["simulate", "--snapshot", file, "-o", f"json={out}"]
        for number, (name, text) in enumerate(flags):
            argv += [f"--{name}={text}"] if number % 2 else [f"--{name}", text]
            argv += ["--strict"] if number == 1 else []
        main(argv)
        steps = [step["step"] for step in json.loads(out.read_text()).get("whatIf", [])]
    assert steps == [f"--{name} {text}" for name, text in flags]


def test_explain_after_interleaved_steps(capsys: pytest.CaptureFixture[str], two: str) -> None:
    argv = ["explain", "pod", "new", "--snapshot", two, "--cordon", "b", "--drain", "a", "-n", "default"]
    assert main([*argv, "--uncordon", "b", "--exit-code"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("FITS     default/new goes to b (1 of 2 nodes fits)\n")
    assert (
        "If       1  --cordon b\n"
        "            b cordoned\n"
        "         2  --drain a\n"
        "            a drained, 1 evicted; 0 placed, 1 Pending\n"
        "            default/web-1  a -> Pending: a and b are cordoned\n"
        "         3  --uncordon b\n"
        "            b uncordoned; 1 placed\n"
        "            default/web-1  a -> b\n"
    ) in text


def test_a_scenario_that_is_not_as_expected_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path, two: str) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("kind: Scenario\napiVersion: kplan.dev/v1\nsteps:\n- cordon: b\n- drain: a\n  expect: all placed\n")
    assert main(["simulate", "--snapshot", two, "--scenario", str(plan), "--uncordon", "a"]) == 1
    text = capsys.readouterr().out
    assert "NOT AS EXPECTED  all placed: not default/web-1-r1" in text
    answer = " ".join(text.partition("\n\n")[0].split())
    assert answer.endswith("But not as expected: --drain a, step 2 of 3: all placed: not default/web-1-r1")


def test_a_step_that_cannot_be_taken_is_a_usage_error(capsys: pytest.CaptureFixture[str], two: str) -> None:
    assert main(["explain", "pod", "new", "--snapshot", two, "--cordon", "aa"]) == 2
    assert "no node aa" in capsys.readouterr().err


def test_nodes_and_one_node_after_a_drain(capsys: pytest.CaptureFixture[str], two: str) -> None:
    assert main(["nodes", "--snapshot", two, "--drain", "a"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("NODES    2 nodes, 1 takes pods (1 cordoned); 1 pod on them\n")
    moved = "If       1  --drain a\n            a drained, 1 evicted; 1 placed\n            default/web-1  a -> b\n"
    assert moved in text
    assert main(["explain", "node", "b", "--snapshot", two, "--drain", "a"]) == 0
    text = capsys.readouterr().out
    assert moved in text
    assert "default/web-1-r1" in text


SCENARIO = "kind: Scenario\napiVersion: kplan.dev/v1\nsteps:\n"
UNMET = SCENARIO + "- cordon: b\n- drain: a\n  expect: all placed\n"


@pytest.mark.parametrize(
    ("steps", "code", "line"),
    [
        (["--cordon", "b"], 0, "FITS     no pod stays Pending after 1 step"),
        (["--cordon", "b", "--drain", "a"], 1, "PARTLY   1 pod stays Pending after 2 steps"),
        (["--cordon", "b", "--drain", "a", "--uncordon", "b"], 0, "FITS     no pod stays Pending after 3 steps"),
        (["--scenario", "unmet.yaml"], 1, "PARTLY   1 of 2 steps is not as expected"),
        (["--scenario", "met.yaml"], 0, "FITS     no pod stays Pending after 1 step, 1 as expected"),
    ],
    ids=["nothing moves", "a pod finds no place", "it does after a later step", "not as expected", "as expected"],
)
def test_without_the_queue_the_steps_are_the_answer(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    two: str,
    steps: list[str],
    code: int,
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("unmet.yaml").write_text(UNMET)
    Path("met.yaml").write_text(SCENARIO + "- drain: a\n  expect: all placed\n")
    assert main(["simulate", "--snapshot", two, "--queue", "manifests", *steps]) == code
    assert capsys.readouterr().out.startswith(f"{line}\n")


@pytest.mark.parametrize("command", [["explain", "pod", "new"], ["explain", "node", "a"], ["nodes"], ["fail", "b"]])
def test_what_is_not_as_expected_counts_in_every_command(tmp_path: Path, two: str, command: list[str]) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(UNMET)
    assert main([*command, "--snapshot", two, "--scenario", str(plan)]) == 1


def test_what_is_not_as_expected_is_a_finding_of_a_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, two: str
) -> None:
    plan, manifest = tmp_path / "plan.yaml", tmp_path / "new.yaml"
    plan.write_text(UNMET)
    manifest.write_text("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n")
    assert main(["check", str(manifest), "--snapshot", two, "--scenario", str(plan), "-o", "json"]) == 1
    [finding] = json.loads(capsys.readouterr().out)["findings"]
    assert finding == {
        "rule": "scenario",
        "object": "--drain a, step 2",
        "title": "not as expected",
        "text": "--drain a, step 2: all placed: not default/web-1-r1",
    }
