"""Pods that are made again, and again: their names say which pod each was, in every command and however often.

``web-1`` is followed by ``web-1-r1``, ``web-1-r2``; never is a number put behind another, as nobody knows such a pod.
"""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

MADE = re.compile(r"\b([a-z][a-z0-9-]*?)((?:-r[0-9]+)+)\b")
COMMANDS: list[list[str]] = [
    ["simulate"],
    ["explain", "pod"],
    ["explain", "node", "n-1"],
    ["nodes"],
    ["fail", "n-2"],
    ["fail", "--each", "node"],
    ["drain", "n-2"],
    ["drain", "n-1", "n-2", "n-3", "--rolling"],
    ["moves", "-f", "new.json", "--most", "1"],
    ["pack"],
    ["check", "new.json"],
    ["simulate", "new.json"],
]


def deployment(name: str, replicas: int, cpu: str) -> dict[str, Any]:
    container = {"name": "main", "image": "e/x:1", "resources": {"requests": {"cpu": cpu}}}
    template = {"metadata": {"labels": {"a": name}}, "spec": {"containers": [container], "priorityClassName": "seven"}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"a": name}}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


def tight(draw: Random) -> tuple[list[dict[str, Any]], set[str]]:
    """Four nodes that are nearly full of pods of several priorities; and the names of the pods."""
    nodes = [node(f"n-{number}", cpu="6") for number in range(1, 5)]
    pods = []
    for number in range(draw.randint(12, 18)):
        on = f"n-{number % 4 + 1}" if number < 12 else ""
        item = pod(f"app-{number}", draw.choice(["1", "2"]), on=on, priority=draw.choice([0, 0, 5, 10]))
        item["metadata"] |= {"uid": f"uid-{number}", "labels": {"a": "web"}}
        pods.append(owned(item, "ReplicaSet", "app"))
    return [*nodes, *pods], {item["metadata"]["name"] for item in pods}


def steps(draw: Random) -> list[str]:
    """What-ifs that take pods away which the ones before had made."""
    nodes = [f"n-{number}" for number in range(1, 5)]
    drawn = []
    for _ in range(draw.randint(2, 4)):
        name = draw.choice(nodes)
        drawn += draw.choice([[f"--drain={name}", f"--uncordon={name}"], [f"--evict=app-{draw.randint(0, 11)}"]])
    return [*drawn, f"--drain={draw.choice(nodes)}"]


SEVEN = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "seven"},
    "value": 7,
}


def told(words: list[str], source: str, capsys: pytest.CaptureFixture[str]) -> str:
    texts = []
    for form in ("text", "json"):
        code = main([*words, "-o", form, "--snapshot", source])
        out, err = capsys.readouterr()
        assert code in (0, 1, 4), err
        texts.append(out + err)
    return "\n".join(texts)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_made_name_says_which_pod_it_was(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.json").write_text(json.dumps(deployment("new", 3, "2")))
    seen: set[str] = set()
    for seed in range(6):
        draw = Random(seed)
        objects, names = tight(draw)
        text = told([*command, *steps(draw)], write(tmp_path, SEVEN, *objects), capsys)
        for first, again in MADE.findall(text):
            assert re.fullmatch(r"-r[1-9][0-9]*", again), f"{first}{again}"
            assert first in names or first.startswith("new-"), f"{first}{again}"
            seen.add(again)
    assert "-r2" in seen  # one that was made was taken away again


@pytest.mark.parametrize("command", [["simulate"], ["check", "new.json"], ["simulate", "new.json"]], ids=" ".join)
def test_a_pod_whose_own_name_looks_made_is_known_by_it(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pod that is called web-r1 by its cluster, as its uid says, is web-r1 to whoever looks for it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.json").write_text(json.dumps(deployment("new", 1, "1")))
    item = owned(pod("web-r1", "1", on="n-1"), "ReplicaSet", "web")
    item["metadata"]["uid"] = "4711"
    source = write(tmp_path, SEVEN, node("n-1"), node("n-2"), item)
    text = told([*command, "--drain=n-1", "--uncordon=n-1", "--drain=n-2"], source, capsys)
    assert {f"{first}{again}" for first, again in MADE.findall(text)} <= {"web-r1", "web-r1-r1", "web-r1-r2"}
