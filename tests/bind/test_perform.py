"""One write: rehearsed, journalled, asked about, and never sent twice for one effect."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kplan.api import Scheduler
from kplan.bind.flags import Flags
from kplan.bind.run.journal import Journal
from kplan.bind.run.perform import BudgetRefuses, Conflict, HeldBack, Performer
from kplan.bind.run.rehearsal import Rehearsal
from kplan.bind.wire.client import Reply
from kplan.bind.wire.stop import Stop, Stopped
from kplan.bind.wire.writes import bind, evict
from kplan.result.document_bind import BindPod
from tests.bind.fakes import FakeClient, answer

POD = "/api/v1/namespaces/shop/pods/web-0"
WRITE = bind("shop/web-0", "u1", "node-a", "7")
PENDING = {"metadata": {"uid": "u1"}, "spec": {}}
BOUND = {"metadata": {"uid": "u1"}, "spec": {"nodeName": "node-a"}}
STATUS_429 = {"details": {"causes": [{"reason": "DisruptionBudget"}]}, "message": "needs 1 healthy pod"}


class Script:
    """Answers real writes by a list, and reads by the pod as it is."""

    def __init__(self, *writes: Reply | None, pods: tuple[dict[str, Any] | None, ...] = (PENDING,)) -> None:
        self.writes, self.pods = list(writes), list(pods)

    def __call__(self, method: str, path: str, query: Mapping[str, str], body: Any) -> Reply | None:
        if method == "GET":
            pod = self.pods.pop(0) if len(self.pods) > 1 else self.pods[0]
            return answer(200, pod) if pod is not None else answer(404)
        if query.get("dryRun"):
            return answer(201)
        return self.writes.pop(0)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.perform._FIRST_PAUSE", 0.0)


def run(script: Script, tmp_path: Path, write: Any = WRITE) -> tuple[list[tuple[str, str]], FakeClient]:
    """Carry a write out; returns what the journal says and the client."""
    client = FakeClient(script)
    path = tmp_path / "journal.jsonl"
    journal = Journal(str(path))
    try:
        Performer(client, journal).carry_out(write)
    finally:
        journal.close()
    return told(path), client


def told(path: Path) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(line["kind"], line.get("result", "")) for line in lines]


def test_a_write_is_tried_as_a_dry_run_and_then_made(tmp_path: Path) -> None:
    lines, client = run(Script(answer(201)), tmp_path)
    assert lines == [("before", ""), ("after", "done")]
    assert client.sent == [("POST", f"{POD}/binding", True), ("POST", f"{POD}/binding", False)]


@pytest.mark.parametrize("first", [None, answer(500), answer(503), answer(504)], ids=["lost", "500", "503", "504"])
def test_a_write_whose_answer_says_nothing_is_done_if_the_server_has_it(tmp_path: Path, first: Reply | None) -> None:
    lines, client = run(Script(first, pods=(BOUND,)), tmp_path)
    assert lines == [("before", ""), ("after", "done")]
    assert [sent for sent in client.sent if sent[0] == "POST" and not sent[2]] == [("POST", f"{POD}/binding", False)]


@pytest.mark.parametrize("first", [None, answer(500), answer(503)], ids=["lost", "500", "503"])
def test_it_is_sent_again_only_if_the_server_does_not_have_it(tmp_path: Path, first: Reply | None) -> None:
    lines, _ = run(Script(first, answer(201)), tmp_path)
    assert lines == [("before", ""), ("after", "open"), ("before", ""), ("after", "done")]


def test_a_429_is_not_asked_about_as_nothing_was_done(tmp_path: Path) -> None:
    lines, client = run(Script(answer(429), answer(201)), tmp_path)
    assert lines == [("before", ""), ("after", "later"), ("before", ""), ("after", "done")]
    assert not [sent for sent in client.sent if sent[0] == "GET"]


def test_a_conflict_that_is_this_runs_own_former_write_is_done(tmp_path: Path) -> None:
    lines, _ = run(Script(answer(409), pods=(BOUND,)), tmp_path)
    assert lines[-1] == ("after", "done")


@pytest.mark.parametrize(
    ("pod", "code"),
    [
        (None, "deleted"),
        ({"metadata": {"uid": "u2"}, "spec": {}}, "recreated"),
        ({"metadata": {"uid": "u1"}, "spec": {"nodeName": "node-b"}}, "bound-by-another"),
        ({"metadata": {"uid": "u1", "deletionTimestamp": "now"}, "spec": {}}, "pod-deleted"),
    ],
    ids=["gone", "made again", "bound elsewhere", "being deleted"],
)
def test_a_conflict_over_what_cannot_be_repaired_holds_back(tmp_path: Path, pod: Any, code: str) -> None:
    with pytest.raises(HeldBack) as caught:
        run(Script(answer(409), pods=(pod,)), tmp_path)
    assert caught.value.code == code
    assert told(tmp_path / "journal.jsonl")[-1] == ("after", "refused")


def test_a_conflict_over_a_version_is_for_the_caller_to_read_again(tmp_path: Path) -> None:
    with pytest.raises(Conflict):
        run(Script(answer(409)), tmp_path)


def test_a_refusal_is_told_in_the_servers_words(tmp_path: Path) -> None:
    with pytest.raises(HeldBack) as caught:
        run(Script(answer(403, {"message": "no\nway"})), tmp_path)
    assert (caught.value.code, caught.value.message) == ("forbidden", "bind shop/web-0 to node-a: no way")


def test_a_budget_is_told_apart_from_a_server_that_is_too_busy(tmp_path: Path) -> None:
    write = evict("shop/web-0", "u1", "shop/new")
    with pytest.raises(BudgetRefuses, match="needs 1 healthy pod"):
        run(Script(answer(429, STATUS_429)), tmp_path, write)


def test_a_write_that_fails_for_ever_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(HeldBack) as caught:
        run(Script(*[answer(500, {"message": "etcd"})] * 8), tmp_path)
    assert caught.value.message == "bind shop/web-0 to node-a failed 8 times: etcd"


def test_a_run_that_was_asked_to_stop_sends_nothing_more(tmp_path: Path) -> None:
    stop = Stop()
    stop.ask()
    client = FakeClient(Script(answer(201)), stop)
    with pytest.raises(Stopped):
        Performer(client, Journal("")).carry_out(WRITE)
    assert client.sent == []


def test_a_stop_while_a_write_is_in_flight_lets_the_server_be_asked(tmp_path: Path) -> None:
    stop = Stop()
    script = Script(pods=(BOUND,))

    def handler(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply | None:
        if method == "POST" and not query:
            stop.ask()
            return None
        return script(method, path, query, body)

    performer = Performer(FakeClient(handler, stop), Journal(""))
    performer.carry_out(WRITE)
    assert [one.text for one in performer.sent] == ["bind shop/web-0 to node-a"]


def rehearsed(*replies: Reply) -> tuple[list[str], list[str]]:
    """Try one pod's binding; returns what holds it back, and the versions that were tried."""
    left, versions = list(replies), []

    def handler(method: str, path: str, query: Mapping[str, str], body: Any) -> Reply:
        if method == "POST":
            versions.append(body["metadata"]["resourceVersion"])
            return left.pop(0)
        version = str(9 - len(left))
        metadata = {"name": "web-0", "namespace": "shop", "uid": "u1", "resourceVersion": version}
        return answer(200, {"metadata": metadata, "spec": {}} if "/pods/" in path else {"metadata": {"name": "node-a"}})

    shown = BindPod(pod="shop/web-0", result="bind", uid="u1", node="node-a")
    scheduler = Scheduler.of("1.37")
    performer = Performer(FakeClient(handler), Journal(""))
    rehearsal = Rehearsal(performer, scheduler.request_rules, scheduler.features, Flags())
    return [problem.code for _, problem in rehearsal.of((), [shown])], versions


def test_a_pod_that_is_touched_while_its_writes_are_tried_is_read_again() -> None:
    assert rehearsed(answer(409), answer(201)) == ([], ["7", "8"])


def test_a_pod_that_never_stands_still_is_held_back() -> None:
    assert rehearsed(*[answer(409)] * 5) == (["conflict"], ["4", "5", "6", "7", "8"])


def test_a_dry_run_without_a_verdict_tells_what_the_server_says(tmp_path: Path) -> None:
    client = FakeClient(lambda *request: answer(500, {"message": "This pod has more than one PodDisruptionBudget"}))
    with pytest.raises(HeldBack) as caught:
        Performer(client, Journal("")).rehearse(evict("shop/web-0", "u1", "shop/new"))
    text = "evict shop/web-0 for shop/new: no verdict on a dry run: This pod has more than one PodDisruptionBudget"
    assert (caught.value.code, caught.value.message) == ("dry-run", text)
