"""A server that starts forbids everybody everything, which is no missing right; one that hangs holds nobody up.

Found by attack: a 403 of a restarting server was "no access"; one Ctrl-C waited 37 s for a hanging list.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kplan.bind.wire.client import Client
from kplan.bind.wire.stop import Stop, Stopped
from kplan.errors import LiveError
from kplan.sources.live.connection import connect
from kplan.sources.live.kubeconfig import find_access
from kplan.sources.live.load import take
from tests.builders import node
from tests.sources.fakeserver import Asked, FakeServer, Told, kubeconfig_for, lists_of

PODS, READY = "/api/v1/pods", "/readyz"
FORBIDDEN, OK, NOT_YET = Told(403, {"message": "no"}), Told(body="ok"), Told(500, "informer-sync failed")
LIST = lists_of()[PODS]
STARTS: dict[str, tuple[list[Told], list[Told], str, int]] = {
    "it is ready at once": ([FORBIDDEN, LIST], [OK], "read", 1),
    "it is ready later": ([FORBIDDEN] * 3 + [LIST], [NOT_YET, NOT_YET, OK], "read", 3),
    "it is ready, and means it": ([FORBIDDEN] * 2, [OK], "forbidden", 1),
    "it never is": ([FORBIDDEN] * 9, [NOT_YET] * 9, "api-server", 5),
    "it does not tell whether it is": ([FORBIDDEN], [Told(404)], "forbidden", 1),
    "it tells that to nobody either": ([FORBIDDEN], [FORBIDDEN], "forbidden", 1),
}
"""Answers to the list of pods and to whether it is ready, one after another; what comes of it; how often the second."""


@pytest.mark.parametrize("case", STARTS)
def test_a_refusal_counts_once_the_server_is_ready(case: str, tmp_path: Path) -> None:
    lists, ready, wanted, times = STARTS[case]
    scripts = {PODS: list(lists), READY: list(ready)}
    with FakeServer(lambda asked: scripts[asked.path].pop(0)) as server:
        connection = connect(kubeconfig=kubeconfig_for(server.url, tmp_path), qps=0)
        connection._sleep = lambda seconds: None
        try:
            connection.get(PODS, what="listing pods")
            came = "read"
        except LiveError as error:
            came = error.code
        assert (came, sum(asked.path == READY for asked in server.asked)) == (wanted, times)


def test_one_that_is_ready_is_asked_that_once(tmp_path: Path) -> None:
    answers = {
        **lists_of(node("n")),
        **{path: FORBIDDEN for path in ("/api/v1/services", "/api/v1/namespaces")},
        READY: OK,
    }
    with FakeServer(lambda asked: answers.get(asked.path)) as server:
        connection = connect(kubeconfig=kubeconfig_for(server.url, tmp_path), qps=0)
        for _ in range(3):
            with pytest.raises(LiveError, match="no access while listing"):
                connection.get("/api/v1/services", what="listing services")
        assert [asked.path for asked in server.asked].count(READY) == 1
        missing = {listing.kind.name: listing.missing for listing in take(connection).listings if listing.missing}
        assert missing == {"Service": "no access to services", "Namespace": "no access to namespaces"}
        assert [asked.path for asked in server.asked].count(READY) == 1


class Hanging(FakeServer):
    """Answers lists of pods when nobody is to wait for them any more, a little before a client would give up."""

    def __init__(self) -> None:
        self.asked_for_pods, self.ended, self.answered = threading.Event(), threading.Event(), threading.Event()
        answers = lists_of(node("n"))

        def answer(asked: Asked) -> Told | None:
            if asked.path == PODS:
                self.asked_for_pods.set()
                if not self.ended.wait(50):
                    self.answered.set()
            return answers.get(asked.path)

        super().__init__(answer)

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        super().__exit__()


COMMANDS = [["nodes"], ["explain", "pod", "-A"], ["snapshot", "-"], ["bind", "-A"], ["bind", "-A", "--apply", "--yes"]]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_interrupt_does_not_wait_for_an_answer(words: list[str], tmp_path: Path) -> None:
    with Hanging() as server:
        command = [sys.executable, "-m", "kplan", *words, "--kubeconfig", kubeconfig_for(server.url, tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert server.asked_for_pods.wait(60)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        assert (process.returncode, out, server.answered.is_set()) == (130, "", False)
        assert "Traceback" not in err


def test_an_error_does_not_wait_for_the_lists_that_hang(tmp_path: Path) -> None:
    with Hanging() as server:
        answers = server.answers
        server.answers = lambda asked: (
            Told(401, {"message": "no"})
            if asked.path == "/api/v1/services" and server.asked_for_pods.wait(60)
            else answers(asked)
        )
        command = [sys.executable, "-m", "kplan", "nodes", "--kubeconfig", kubeconfig_for(server.url, tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, server.answered.is_set()) == (5, False)
        assert "401 Unauthorized" in done.stderr


def test_the_first_interrupt_of_a_run_ends_a_read_that_hangs_but_no_write(tmp_path: Path) -> None:
    with Hanging() as server:
        client = Client(find_access(kubeconfig=kubeconfig_for(server.url, tmp_path)), Stop(), qps=0)

        def interrupt() -> None:
            server.asked_for_pods.wait(60)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            server.ended.set()

        for stops in (True, False):
            client.stop = Stop()
            server.asked_for_pods.clear()
            server.ended.clear()
            thread = threading.Thread(target=interrupt)
            thread.start()
            with client.stop.on_interrupt():
                if stops:
                    with pytest.raises(Stopped):
                        client.read(PODS, what="listing pods")
                else:
                    with client.stop.finishing():
                        assert client.read(PODS, what="listing pods").ok
            assert client.stop.asked
            thread.join()
