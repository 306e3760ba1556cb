"""Commands to be pasted name the cluster that was asked about; part two of the faults, line 10."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kplan.cli.aimed import _command
from kplan.cli.main import main
from tests.builders import node, pod
from tests.sources.fakeserver import FakeServer, kubeconfig_for, lists_of

WORDS = " --context prod --kubeconfig 'a b'"
LINES = {
    "kubectl uncordon a": f"kubectl{WORDS} uncordon a",
    "kubectl drain a && kubectl uncordon a": f"kubectl{WORDS} drain a && kubectl{WORDS} uncordon a",
    "kubectl get pod p -o json | kubectl patch --local -f - -p '{}' | kubectl replace --force -f -": (
        f"kubectl{WORDS} get pod p -o json | kubectl patch --local -f - -p '{{}}' | kubectl{WORDS} replace --force -f -"
    ),
    'kubectl patch deploy w -p \'{"a":"x | kubectl delete"}\'': (
        f'kubectl{WORDS} patch deploy w -p \'{{"a":"x | kubectl delete"}}\''
    ),
    "kplan explain pod d/p --add-node cpu=4": f"kplan explain pod d/p --add-node cpu=4{WORDS}",
    "kplan explain pod d/p  # a word": f"kplan explain pod d/p{WORDS}  # a word",
    "# kubectl is no command here": "# kubectl is no command here",
}


@pytest.mark.parametrize("line", LINES)
def test_each_command_of_a_line_is_aimed(line: str) -> None:
    assert _command(line, WORDS) == LINES[line]


@pytest.mark.parametrize("words", [["explain", "pod", "web"], ["drain", "a"], ["pack"], ["nodes"], ["simulate"]])
@pytest.mark.parametrize("context", ["bare", ""])
def test_no_command_of_an_answer_hits_another_cluster(
    words: list[str], context: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = lists_of(
        node("a", cpu="8", unschedulable=True),
        node("b", cpu="4"),
        pod("web", requests={"cpu": "5"}),
        pod("run", node="b"),
    )
    with FakeServer(lambda asked: answers.get(asked.path)) as running:
        file = kubeconfig_for(running.url, tmp_path)
        named = ["--kubeconfig", file, *(["--context", context] if context else [])]
        assert main([*words, *named, "-o", "json"]) in (0, 1, 3, 4)
    told = capsys.readouterr().out
    assert json.loads(told)["from"]["how"] == "as the server says"
    aim = f"kubectl{f' --context {context}' if context else ''} --kubeconfig {file} "
    commands = [line for line in texts_of(json.loads(told)) if line.startswith("kubectl ")]
    assert [line for line in commands if not line.startswith(aim)] == []
    assert commands or words[0] not in ("explain", "drain")


def texts_of(value: object) -> list[str]:
    """Every text in a document."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts_of(part)]
