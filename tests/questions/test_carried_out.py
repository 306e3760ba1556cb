"""Every remedy that an answer proposes is carried out, and the question is asked again: it comes to what was told."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.questions import (
    test_autoscalers,
    test_causes,
    test_drains_and_losses,
    test_reported_drains,
    test_reported_landings,
    test_rollouts,
    test_what_a_dump_lacks,
)
from tests.questions.asking import Question
from tests.questions.carrying import Asked, broken_promises
from tests.record.calls import Call, Group
from tests.record.groups import SCENARIOS, scenario
from tests.studies.complaints.complaints import FOLDER, NAMES, VERSION, read

MODULES = (
    test_autoscalers, test_causes, test_drains_and_losses, test_reported_drains, test_reported_landings, test_rollouts,
    test_what_a_dump_lacks,
)  # fmt: skip
QUESTIONS: dict[str, Question] = {name: one for module in MODULES for name, one in module.QUESTIONS.items()}


RECORDED = {
    "capacity-quotas": 6, "capacity-rules": 3, "capacity-workloads": 12, "check-policies": 5, "daemons": 14,
    "demo-cluster": 9, "devices": 20, "drain-budgets": 13, "drain-fixes": 16, "drain-rollouts": 6, "drain-volumes": 6,
    "explain-rules": 66, "fail-crowded": 6, "fail-nodes": 6, "no-nodes": 2, "node-rules": 68, "not-ready": 12,
    "operators-run": 3, "pods-alone": 3, "quotas": 13, "rollout-sets": 4, "schedulers-two": 2, "scores": 7,
    "simulate-orders": 35, "stuck-rollout": 9,
}  # fmt: skip
"""Recorded scenarios that are asked, and how many remedies their answers have. Of pods that wait in the cluster's own
queue it is told what helps once the others have landed; as a what-if before them it may come to less."""
ASKS = ("capacity", "check", "drain", "explain", "fail", "moves", "pack", "simulate")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", QUESTIONS, ids=str)
def test_what_answers_to_questions_propose(name: str, tmp_path: Path) -> None:
    one = QUESTIONS[name]
    _, wrong = broken_promises(Asked(tuple(one.command.split()), one.cluster, one.manifest), tmp_path)
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_what_answers_to_complaints_propose(name: str, tmp_path: Path) -> None:
    complaint = read(name)
    objects = [item for item in yaml.safe_load_all((FOLDER / f"{name}.yaml").read_text()) if item]
    gates = ["--feature-gates", ",".join(f"{gate}=true" for gate in complaint.gates)] if complaint.gates else []
    command = ("explain", "pod", complaint.asks, "--k8s-version", VERSION, *gates)
    _, wrong = broken_promises(Asked(command, objects), tmp_path)
    assert wrong == []


@pytest.mark.parametrize("name", RECORDED)
def test_what_answers_to_recorded_scenarios_propose(name: str, tmp_path: Path) -> None:
    group = scenario(SCENARIOS / f"{name}.yaml")
    for file, text in group.files.items():
        (tmp_path / file).write_text(text)
    for file, target in group.links.items():
        (tmp_path / file).symlink_to(target)
    count, wrong = 0, []
    for call in group.calls:
        asked = recorded(call, group, tmp_path)
        if asked is not None:
            proposed, faults = broken_promises(asked, tmp_path)
            count += len(proposed)
            wrong += [f"{' '.join(asked.command)}: {fault}" for fault in faults]
    assert (wrong, count) == ([], RECORDED[name])


def recorded(call: Call, group: Group, folder: Path) -> Asked | None:
    """A recorded call as a question about objects; None where it asks something else, or of several manifests."""
    words = list(call.argv)
    if words[0] not in ASKS or "--snapshot" not in words or "--fix" in words:
        return None
    if words[0] == "simulate" and any("," in version for flag, version in pairwise(words) if flag == "--k8s-version"):
        return None  # two answers, and what waits is asked about after its turn
    source = words[words.index("--snapshot") + 1]
    pairs = list(zip(words, [*words[1:], ""], strict=True))
    left_out = {"-o", "--snapshot"}
    words = [
        word
        for number, (word, _) in enumerate(pairs)
        if word not in left_out and (number == 0 or pairs[number - 1][0] not in left_out)
    ]
    lands = [word for word, before in zip(words[1:], words, strict=False) if lands_as(word, before, group)]
    if len(lands) > 1:
        return None
    command = tuple("m.yaml" if word in lands else word for word in words)
    return Asked(command, documents(folder / source), documents(folder / lands[0]) if lands else ())


def lands_as(word: str, before: str, group: Group) -> bool:
    """Whether a word of a command line is a manifest that lands, after what stands before it."""
    return word in group.files and (before == "-f" or not before.startswith("-"))


def documents(path: Path) -> list[Any]:
    """Objects of a file, those of lists one by one."""
    found = [item for item in yaml.safe_load_all(path.read_text()) if item]
    return [inner for item in found for inner in (item["items"] if item["kind"].endswith("List") else [item])]
