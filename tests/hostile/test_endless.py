"""A server may go on for ever, or say nothing at all: it is given up after a while, and that is told."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import msgspec
import pytest

from kplan.cli.main import main
from kplan.errors import LiveError
from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import Pod
from kplan.sources.live import reflector
from kplan.sources.live.connection import connect
from tests.builders import node, pod
from tests.sources.fakeserver import Asked, FakeServer, Told, kubeconfig_for, lists_of

PODS = "/api/v1/pods"


@pytest.mark.parametrize("tokens", [itertools.repeat("again"), map(str, itertools.count())], ids=["the same", "others"])
def test_a_server_that_has_always_one_page_more_is_given_up(
    tokens: Iterator[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = lists_of(node("a"), pod("p"))
    items = lists[PODS].body["items"]

    def answers(asked: Asked) -> Told | None:
        if asked.path == PODS:
            return Told(body={"metadata": {"resourceVersion": "7", "continue": next(tokens)}, "items": items})
        return lists.get(asked.path)

    with FakeServer(answers) as server:
        assert main(["nodes", "--kubeconfig", kubeconfig_for(server.url, tmp_path)]) == 5
        assert sum(asked.path == PODS for asked in server.asked) < 30
    assert "the list of pods of http://127.0.0.1:" in (err := capsys.readouterr().err)
    assert "does not end" in err


def test_a_list_of_many_pages_is_read_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lists = lists_of(node("a"))

    def answers(asked: Asked) -> Told | None:
        if asked.path != PODS:
            return lists.get(asked.path)
        number = int(asked.query.get("continue") or 0)
        more = {"continue": str(number + 1)} if number < 60 else {}
        items = [] if number % 3 else [msgspec.to_builtins(pod(f"p{number}"))]
        return Told(body={"metadata": {"resourceVersion": "7", **more}, "items": items})

    with FakeServer(answers) as server:
        assert (
            main(["explain", "pod", "-A", "-q", "--qps", "0", "--kubeconfig", kubeconfig_for(server.url, tmp_path)])
            == 0
        )
    assert capsys.readouterr().out.startswith("FITS?    all 21 waiting pods fit")


def test_a_server_that_says_later_is_not_waited_for_without_an_end(tmp_path: Path) -> None:
    with FakeServer(lambda asked: Told(429, {"message": "later"}, headers={"Retry-After": "99999"})) as server:
        waits: list[float] = []
        connection = connect(kubeconfig=kubeconfig_for(server.url, tmp_path), qps=0)
        connection._sleep = waits.append
        with pytest.raises(LiveError, match="too busy"):
            connection.get(PODS, what="listing pods")
    assert 0 < sum(waits) <= 40


def test_a_stream_that_is_silent_is_given_up_and_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reflector, "_GRACE", 0.3)
    raw = {**msgspec.to_builtins(pod("late")), "metadata": {"name": "late", "namespace": "d", "resourceVersion": "8"}}
    asked_for: list[str] = []

    def silent() -> Iterator[dict[str, object]]:
        time.sleep(5)
        yield {"type": "ADDED", "object": raw}

    def answers(asked: Asked) -> Told | None:
        asked_for.append(asked.path)
        return Told(lines=silent() if len(asked_for) == 1 else [{"type": "ADDED", "object": raw}])

    with FakeServer(answers) as server:
        news: SimpleQueue[reflector.News] = SimpleQueue()
        connection = connect(kubeconfig=kubeconfig_for(server.url, tmp_path), qps=0)
        watching = reflector.Reflector(
            connection, BY_MODEL[Pod], "7", news.put, pause=lambda seconds: None, watch_seconds=0
        )
        began = time.monotonic()
        watching.start()
        first = news.get(timeout=30)
        watching.close()
        connection.close()
    assert isinstance(first, reflector.Changed)
    assert first.version == "8"
    assert len(asked_for) >= 2
    assert time.monotonic() - began < 30
