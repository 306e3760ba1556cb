"""An extender that binds in the scheduler's place: told once, and the API server is asked what came of it."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest

import kplan
from kplan.bind.flags import Flags
from kplan.bind.plan.fields import pod_fields
from kplan.bind.plan.profiles import with_profiles
from kplan.bind.run.cycle import BindingCycle
from kplan.bind.run.journal import Journal
from kplan.bind.run.live import LiveCluster
from kplan.bind.run.perform import HeldBack, Performer
from kplan.bind.wire.client import Reply
from kplan.extenders import Budget, HttpExtender
from kplan.framework.args import Extender as ExtenderArgs
from kplan.framework.args import ExtenderManagedResource
from kplan.objects.models import Pod
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document_bind import BindPod
from tests.bind.fakes import FakeClient, answer
from tests.bind.test_show import mine
from tests.builders import node
from tests.extenders.server import Extender, extender


@pytest.fixture
def server() -> Iterator[Extender]:
    with extender() as found:
        yield found


class World:
    """A cluster of one node, an API server that knows one pod, and an extender that binds.

    Attributes:
        client: the API server; ``binds`` says whether the pod is bound once the extender was asked.
    """

    def __init__(self, server: Extender, mode: str, *, binds: bool, managed: str = "") -> None:
        self.server = server
        self.binds = binds
        self.pod: Pod = mine("a", metadata={"uid": "u1"})  # type: ignore[assignment]
        config = ExtenderArgs(
            url_prefix=f"http://127.0.0.1:{server.port}/{mode}-7",
            bind_verb="bind",
            managed_resources=(ExtenderManagedResource(name=managed),) if managed else (),
            http_timeout=1_000_000_000,
        )
        callers = (HttpExtender(config, Budget()),)
        scheduler = dataclasses.replace(kplan.Scheduler.of("1.37"), callers=callers)
        cluster = scheduler.cluster(ClusterState.of([node("node-a"), self.pod], source="prod"))
        self.live = LiveCluster(Planner(cluster, with_profiles(scheduler.pipelines, ["kplan"]), everything=False))
        self.client = FakeClient(self._answer)

    def _answer(self, method: str, path: str, query: Mapping[str, str], body: Any) -> Reply:
        if method != "GET":
            return answer(200)
        if "/nodes/" in path:
            return answer(200, msgspec.to_builtins(node("node-a")))
        there = msgspec.to_builtins(self.pod)
        if self.binds and self.server.asked:
            there["spec"]["nodeName"] = "node-a"
        return answer(200, there)

    def run(self) -> None:
        shown = BindPod(
            pod="default/a", result="bind", uid="u1", node="node-a", scheduler="kplan", fields=pod_fields(self.pod)
        )
        performer = Performer(self.client, Journal(""))
        list(BindingCycle(shown, self.live, performer, Flags(events=False), "run").steps())

    @property
    def bindings(self) -> list[bool]:
        """Whether each binding that the API server got was a rehearsal."""
        return [dry for method, path, dry in self.client.sent if path.endswith("/binding")]


def test_the_extender_is_told_once_and_the_binding_is_rehearsed_alone(server: Extender) -> None:
    world = World(server, "all", binds=True)
    world.run()
    assert server.asked == [("/all-7/bind", "default/a", ("u1", "node-a"))]
    assert world.bindings == [True]


@pytest.mark.parametrize(
    ("mode", "text"), [("error", "no device left"), ("500", "failed bind with extender at URL")], ids=["no", "500"]
)
def test_one_that_says_no_is_not_asked_again(server: Extender, mode: str, text: str) -> None:
    world = World(server, mode, binds=False)
    with pytest.raises(HeldBack) as caught:
        world.run()
    assert (caught.value.code, text in caught.value.message) == ("extender-failed", True)
    assert len(server.asked) == 1
    assert world.bindings == [True]
    assert world.live.assumed == {}


def test_one_that_fails_after_it_has_bound_has_bound(server: Extender) -> None:
    world = World(server, "500", binds=True)
    world.run()
    assert len(server.asked) == 1


def test_one_that_says_that_it_is_done_is_not_believed(server: Extender) -> None:
    world = World(server, "all", binds=False)
    with pytest.raises(HeldBack) as caught:
        world.run()
    assert "it says that it is done, and the API server says that it is not" in caught.value.message


def test_a_pod_that_it_is_not_interested_in_is_bound_as_ever(server: Extender) -> None:
    world = World(server, "all", binds=False, managed="x.y/z")
    world.run()
    assert (server.asked, world.bindings) == ([], [True, False])
