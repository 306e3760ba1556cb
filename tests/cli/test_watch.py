"""``explain pod --watch`` shows whatever has become another answer; part two of the faults, line 11."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kplan.cli import watch
from kplan.cli.main import main
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from tests.builders import node, pod

NODES = (node("a", cpu="2"), node("b"))


def watched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], *states: tuple[Object, ...]
) -> tuple[list[str], int]:
    """The first lines of the answers while a cluster goes through some states, and how many changes were told."""

    def follow(*_: Any, **__: Any) -> Iterator[ClusterState]:
        for number, objects in enumerate(states):
            yield ClusterState.of((*NODES, *objects), source="prod", server_version="v1.37.2", taken=f"moment {number}")

    monkeypatch.setattr(watch, "states", follow)
    assert main([*words, "--watch", "--for", "1", "-q"]) == 0
    out, err = capsys.readouterr()
    return [line for line in out.splitlines() if line and not line.startswith(" ")], err.count(
        "the verdict has changed"
    )


def test_that_no_pod_waits_is_an_answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    told, changes = watched(monkeypatch, capsys, ["explain", "pod", "-A"], (), (), (pod("web"),))
    words = [line.split()[0] for line in told]
    assert [word for word in words if word.rstrip("?") in ("NOTHING", "FITS")] == ["NOTHING?", "FITS"]
    assert changes == 1


def test_where_a_pod_was_bound_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    states = [(pod("web", node=where),) for where in ("", "", "a", "b")]
    told, changes = watched(monkeypatch, capsys, ["explain", "pod", "web"], *states)
    assert changes == 2
    assert [line for line in told if "runs on" in line]
