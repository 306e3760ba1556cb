"""Every remedy that an answer proposes is carried out, and the question is asked again: it comes to what was told."""

from pathlib import Path

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
from tests.studies.complaints.complaints import FOLDER, NAMES, VERSION, read

MODULES = (
    test_autoscalers, test_causes, test_drains_and_losses, test_reported_drains, test_reported_landings, test_rollouts,
    test_what_a_dump_lacks,
)  # fmt: skip
QUESTIONS: dict[str, Question] = {name: one for module in MODULES for name, one in module.QUESTIONS.items()}


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
