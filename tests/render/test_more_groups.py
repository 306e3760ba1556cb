"""Groups of nodes behind the nearest: how many they are is told, and all of them where all is shown."""

import json
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

TAINTED = {"taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}]}
CALLS = {
    "drain n-0": "n-0",
    "fail n-0": "n-0",
    "simulate": "",
    "capacity -f more.json": "",
}
"""Calls, each with the node of the pod that waits then; three groups refuse it: by their size, a cordon and a taint."""


def told(capsys: pytest.CaptureFixture[str], *call: str) -> str:
    """What a call prints."""
    main(list(call))
    return capsys.readouterr().out


@pytest.mark.parametrize(("call", "home"), CALLS.items(), ids=list(CALLS))
def test_further_groups_are_counted_and_all_of_them_told_where_all_is_shown(
    call: str, home: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    web = owned(pod("web", cpu="3", on=home), "ReplicaSet", "web")
    first = node("n-0", cpu="4" if home else "2")
    closed, tainted = node("closed", unschedulable=True), node("tainted", **TAINTED)
    cluster = write(tmp_path, first, node("n-1", cpu="2"), closed, tainted, web)
    more = pod("more", cpu="3")
    more["spec"]["containers"][0]["image"] = "example.invalid/a"
    Path("more.json").write_text(json.dumps(more))
    asked = (*call.split(), "--snapshot", cluster)
    document = json.loads(told(capsys, *asked, "-o", "json"))
    refusing = document["causes"][0] if "causes" in document else document
    assert refusing["groups"] == 3
    groups = [refusing["group"], *refusing["moreGroups"]]
    assert {group["reasons"][0]["code"] for group in groups} >= {"node-cordoned", "taint-not-tolerated"}
    assert sum(group["count"] for group in groups) >= 3
    assert "2 more groups (" in told(capsys, *asked) or "capacity" in call  # capacity tells of plugins instead
    wide = told(capsys, *asked, "-o", "wide")
    assert all(group["text"] in wide for group in groups)
    assert "more group" not in wide
