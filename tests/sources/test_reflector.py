"""A reflector goes on whatever a server does in between, and says when it gives up."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec
import pytest

from kplan.errors import LiveError
from kplan.objects.kinds import BY_MODEL
from kplan.objects.models import Object, Pod
from kplan.sources.live import follow
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.reflector import Changed, Listed, News, Reflector
from tests.builders import node, pod
from tests.sources.fakeserver import Asked, FakeServer, Told, kubeconfig_for, lists_of

PODS = "/api/v1/pods"
Watching = Callable[[], Told]


def event(item: Object, version: int, what: str = "ADDED") -> dict[str, Any]:
    raw = msgspec.to_builtins(item)
    raw["metadata"]["resourceVersion"] = str(version)
    return {"type": what, "object": raw}


def error(code: int) -> dict[str, Any]:
    return {"type": "ERROR", "object": {"kind": "Status", "code": code, "message": "too old"}}


BOOKMARK = {"type": "BOOKMARK", "object": {"kind": "Pod", "metadata": {"resourceVersion": "99"}}}


class Scripted(FakeServer):
    """Answers the watches of pods one after another from a list, the lists of pods from another; then 403 for ever."""

    def __init__(self, watches: list[Told], lists: list[Told] | None = None) -> None:
        super().__init__(self._answer)
        self._watches, self._lists = list(watches), list(lists or [])

    def _answer(self, asked: Asked) -> Told | None:
        if asked.path == "/readyz":
            return None
        script = self._watches if asked.watches else self._lists
        return script.pop(0) if script else Told(403, {"message": "no more"})

    def versions(self) -> list[str]:
        return [asked.query["resourceVersion"] for asked in self.asked if asked.watches]


def news_of(
    folder: Path, server: FakeServer, number: int, *, patient: bool = False, waits: list[float] | None = None
) -> list[News]:
    """What a reflector of pods tells first."""
    queue: SimpleQueue[News] = SimpleQueue()
    paused = waits if waits is not None else []
    connection = connect(kubeconfig=kubeconfig_for(server.url, folder), qps=0)
    connection._sleep = lambda seconds: None
    reflector = Reflector(connection, BY_MODEL[Pod], "7", queue.put, patient=patient, pause=paused.append)
    reflector.start()
    found = [queue.get(timeout=10) for _ in range(number)]
    reflector.close()
    connection.close()
    return found


def told(news: News) -> str:
    if isinstance(news, Changed):
        name = news.item.key if news.item is not None else "-"
        return f"{'gone' if news.gone else 'there'} {name} {news.version}"
    if isinstance(news, Listed):
        return f"listed {', '.join(item.key for item in news.listing.collector.state('').objects())}"
    return f"ended {news.error.code if isinstance(news.error, LiveError) else type(news.error).__name__}"


PASSING = {
    "busy": Told(429, headers={"Retry-After": "1"}),
    "an error of the server": Told(500),
    "a proxy without a server": Told(502),
    "a restarting server": Told(503),
    "forbidden for a moment": Told(403),
    "cut off": Told(cut=True),
    "a line that is cut": Told(lines=["not an event"]),
    "ended by the server": Told(lines=[]),
}


@pytest.mark.parametrize("answer", PASSING.values(), ids=PASSING)
def test_it_goes_on_from_the_last_version_after_what_passes(tmp_path: Path, answer: Told) -> None:
    watches = [Told(lines=[event(pod("a"), 8)]), answer, Told(lines=[event(pod("b"), 9), BOOKMARK])]
    with Scripted(watches) as server:
        news = news_of(tmp_path, server, 3)
        assert [told(one) for one in news] == ["there default/a 8", "there default/b 9", "there - 99"]
        assert server.versions()[:3] == ["7", "8", "8"]


FORGOTTEN = {
    "410 at once": Told(410),
    "410 in the stream": Told(lines=[error(410)]),
    "another error in the stream": Told(lines=[error(500)]),
}


@pytest.mark.parametrize("answer", FORGOTTEN.values(), ids=FORGOTTEN)
def test_a_past_that_is_forgotten_is_listed_again_even_if_the_list_fails_first(tmp_path: Path, answer: Told) -> None:
    lists = [Told(503)] * 5 + [Told(403), lists_of(pod("b"), version="20")[PODS]]
    with Scripted([answer, Told(lines=[event(pod("b"), 21, "DELETED")])], lists) as server:
        news = news_of(tmp_path, server, 2)
        assert [told(one) for one in news] == ["listed default/b", "gone default/b 21"]
        assert server.versions()[:2] == ["7", "20"]


def test_a_right_that_is_missing_ends_it_after_some_tries(tmp_path: Path) -> None:
    waits: list[float] = []
    with Scripted([]) as server:
        assert [told(one) for one in news_of(tmp_path, server, 1, waits=waits)] == ["ended forbidden"]
        assert len(server.versions()) == 4
    assert waits == [2.0, 4.0, 8.0]


def test_a_server_that_is_away_for_minutes_is_waited_for_and_then_told(tmp_path: Path) -> None:
    waits: list[float] = []
    with Scripted([Told(503)] * 100) as server:
        assert [told(one) for one in news_of(tmp_path, server, 1, waits=waits)] == ["ended api-server"]
    assert 240 < sum(waits) < 360
    assert max(waits) == 10


def test_one_that_is_patient_never_gives_up(tmp_path: Path) -> None:
    with Scripted([Told(503)] * 50 + [Told(lines=[event(pod("a"), 8)])]) as server:
        assert [told(one) for one in news_of(tmp_path, server, 1, patient=True)] == ["there default/a 8"]


def test_an_object_that_cannot_be_understood_is_told_and_ends_nothing(tmp_path: Path) -> None:
    broken = {"metadata": {"name": "x", "namespace": "default", "resourceVersion": "8"}, "spec": {"priority": "high"}}
    watches = [Told(lines=[{"type": "ADDED", "object": broken}, event(pod("b"), 9)])]
    with Scripted(watches) as server:
        assert [told(one) for one in news_of(tmp_path, server, 2)] == ["there default/x 8", "there default/b 9"]


def test_a_bug_ends_the_command_and_not_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Iterator[bytes]:
        raise ZeroDivisionError

    monkeypatch.setattr(Connection, "lines", fails)
    with Scripted([]) as server:
        assert [told(one) for one in news_of(tmp_path, server, 1)] == ["ended ZeroDivisionError"]


def test_a_cluster_is_followed_through_a_503_of_every_watch(tmp_path: Path) -> None:
    lists = lists_of(node("node-a"), pod("a"))
    seen: dict[str, int] = {}

    def answers(asked: Asked) -> Told | None:
        if not asked.watches:
            return lists.get(asked.path)
        seen[asked.path] = seen.get(asked.path, 0) + 1
        if seen[asked.path] == 1:
            return Told(503)
        if asked.path == PODS and seen[PODS] == 2:
            return Told(lines=[event(pod("late"), 8)])
        time.sleep(0.2)
        return Told(lines=[])

    with FakeServer(answers) as server, follow(kubeconfig=kubeconfig_for(server.url, tmp_path), qps=0) as following:
        end = time.monotonic() + 20
        while "late" not in [one.name for one in following.state().pods] and time.monotonic() < end:
            following.wait(1)
        assert [one.name for one in following.state().pods] == ["a", "late"]


READS = {"an error": Told(500), "a proxy": Told(502), "busy": Told(429), "cut off": Told(cut=True)}


@pytest.mark.parametrize("answer", READS.values(), ids=READS)
def test_one_failure_among_the_reads_is_asked_about_again(
    tmp_path: Path, answer: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kplan.sources.live import read

    monkeypatch.setattr("kplan.sources.live.connection._FIRST_PAUSE", 0.0)
    lists = lists_of(node("node-a"), pod("a"))
    failed: list[str] = []

    def answers(asked: Asked) -> Told | None:
        if asked.path == PODS and not failed:
            failed.append(asked.path)
            return answer
        return lists.get(asked.path)

    with FakeServer(answers) as server:
        state = read(kubeconfig=kubeconfig_for(server.url, tmp_path), qps=0)
    assert ([one.name for one in state.pods], failed) == (["a"], [PODS])
