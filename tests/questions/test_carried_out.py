"""Every remedy that an answer proposes is carried out, and the question is asked again: it comes to what was told."""

import json
import shlex
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from kplan.cli.main import main
from tests.questions.asking import Question
from tests.questions.carrying import Asked, all_ways, broken_promises
from tests.questions.keeping import brought
from tests.questions.recorded import read_documents, recorded, without
from tests.questions.settling import question
from tests.record.calls import Call
from tests.record.groups import SCENARIOS, scenario
from tests.studies.complaints.complaints import FOLDER, NAMES, VERSION, read
from tests.test_readme import ROOT, commands, examples

MODULES = [
    import_module(f"tests.questions.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("test_*.py"))
    if "\nQUESTIONS = {" in path.read_text()
]
"""All that ask questions: none is left out because nobody thought of it."""
QUESTIONS: dict[str, Question] = {
    f"{module.__name__.rpartition('.test_')[2]}: {name}": one
    for module in MODULES
    for name, one in module.QUESTIONS.items()
}


RECORDED = {
    "bind-plans": 0, "capacity-quotas": 6, "capacity-rules": 3, "capacity-workloads": 13, "check-policies": 4,
    "daemons": 16, "demo-cluster": 9, "devices": 18, "diffs": 0, "drain-after-what-ifs": 11, "drain-budgets": 12,
    "drain-fixes": 10, "drain-rollouts": 5, "drain-volumes": 3, "explain-preemption": 35, "explain-rules": 68,
    "explain-volumes": 81, "fail-crowded": 6, "fail-nodes": 6, "formats": 18, "gates-and-groups": 14, "jobs": 6,
    "lands-policies": 14, "lands-refused": 8, "lands-unserved": 10, "lands-updates": 23, "neighbours-move": 29,
    "no-nodes": 2, "node-rules": 75, "nodes-listing": 0, "not-ready": 12, "operators": 5, "operators-run": 3,
    "pods-alone": 5, "quotas": 18, "rollout-deployments": 19, "rollout-sets": 8, "scenario-files": 15,
    "schedulers-two": 2, "scores": 7, "simulate-cascades": 26, "simulate-orders": 35, "simulate-verbs": 40,
    "snapshots": 19, "spread-and-zones": 21, "stuck-rollout": 9, "sweeps": 0, "versions-and-gates": 31,
    "volumes-of-clouds": 18,
}  # fmt: skip
"""Every recorded scenario, and how many remedies the answers of its questions have that are carried out."""
ELSEWHERE = {"explain-volumes": 8, "node-rules": 3, "volumes-of-clouds": 5}
"""How many more they have that no command carries out; ``ELSEWHERE`` of ``carrying.py`` says why."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", QUESTIONS, ids=str)
def test_what_answers_to_questions_propose(name: str, tmp_path: Path) -> None:
    one = QUESTIONS[name]
    assert broken_promises(Asked(tuple(one.command.split()), one.cluster, one.manifest), tmp_path).wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_what_answers_to_complaints_propose(name: str, tmp_path: Path) -> None:
    complaint = read(name)
    objects = [item for item in yaml.safe_load_all((FOLDER / f"{name}.yaml").read_text()) if item]
    gates = ["--feature-gates", ",".join(f"{gate}=true" for gate in complaint.gates)] if complaint.gates else []
    command = ("explain", "pod", complaint.asks, "--k8s-version", VERSION, *gates)
    assert broken_promises(Asked(command, objects), tmp_path).wrong == []


@pytest.mark.parametrize("name", sorted(path.stem for path in SCENARIOS.glob("*.yaml")))
def test_what_answers_to_recorded_scenarios_propose(name: str, tmp_path: Path) -> None:
    group = scenario(SCENARIOS / f"{name}.yaml")
    (tmp_path / "out").mkdir()
    for file, text in group.files.items():
        (tmp_path / file).write_text(text)
    for file, target in group.links.items():
        (tmp_path / file).symlink_to(target)
    asked: dict[tuple[object, ...], Asked] = {}
    for call in group.calls:
        one = recorded(call, group, tmp_path)
        if one is None:
            assert proposed_by(call, tmp_path) == [], "what is no question about objects proposes nothing"
        else:  # asked once, however it is written
            asked.setdefault((one.command, call.argv[call.argv.index("--snapshot") + 1]), one)
    carried, elsewhere, wrong = 0, 0, []
    for one in asked.values():
        held = broken_promises(one, tmp_path)
        carried += len(held.carried)
        elsewhere += len(held.elsewhere)
        wrong += [f"{' '.join(one.command)}: {fault}" for fault in held.wrong]
    assert (wrong, carried, elsewhere) == ([], RECORDED[name], ELSEWHERE.get(name, 0))


@pytest.mark.parametrize(
    "line", sorted({line for block in examples() for line in commands(block) if " --snap" in line})
)
def test_what_examples_of_the_documents_propose(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    words, files = brought(shlex.split(line.partition("|")[0])[1:])
    cluster = read_documents((ROOT / line.partition("--snapshot ")[2].split()[0]).read_text())
    monkeypatch.chdir(tmp_path)
    asked = question({"words": words, "files": files, "cluster": {"items": cluster}}, tmp_path)
    assert asked is not None
    assert broken_promises(asked, tmp_path).wrong == []


def proposed_by(call: Call, folder: Path) -> list[str]:
    """Codes of what a call proposes that is run as it is; of one that is refused, or that writes no answer, none."""
    out = folder / "whole.json"
    out.unlink(missing_ok=True)
    more = [] if call.argv[0] in ("snapshot", "unredact") else ["-o", f"json={out}"]
    main([*without(call.argv, {"-o"}), *more])
    return [way.how_to["code"] for way in all_ways(json.loads(out.read_text()))] if out.exists() else []
