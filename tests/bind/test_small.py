"""Digests, rights, leases, flags, permit plugins, and the words of the question."""

from typing import Any

import msgspec
import pytest
import yaml

from kplan.bind.flags import Flags
from kplan.bind.plan.fields import changed, node_fields, pod_fields
from kplan.bind.plan.profiles import permit_plugins
from kplan.bind.plan.rights import Needs, missing, writing
from kplan.bind.wire.leases import elects, find_responsible, own_lease
from kplan.bind.wire.resources import PODS, ApiResource
from kplan.cli.binding import Terminal
from kplan.cli.main import main
from kplan.render.text.bind import question
from kplan.result.document_bind import BindTotals
from tests.bind.fakes import FakeClient, answer
from tests.builders import node, pod

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, []),
        ({"labels": {"app": "other"}}, ["labels"]),
        ({"priority": 5}, ["priority"]),
        ({"requests": {"cpu": "2"}}, ["containers[0].resources"]),
        ({"schedulingGates": [{"name": "wait"}]}, ["schedulingGates"]),
        ({"node": "node-a"}, []),
        ({"metadata": {"annotations": {"a": "b"}}}, []),
    ],
    ids=["nothing", "labels", "priority", "requests", "gates", "the node itself", "annotations"],
)
def test_a_change_of_a_pod_is_named_if_scheduling_reads_it(change: dict[str, Any], fields: list[str]) -> None:
    before = pod_fields(pod("a", requests={"cpu": "1"}))
    assert changed(before, pod_fields(pod("a", **{"requests": {"cpu": "1"}, **change}))) == fields


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, []),
        ({"unschedulable": True}, ["unschedulable"]),
        ({"taints": ["gpu:NoSchedule"]}, ["taints"]),
        ({"labels": {"zone": "b"}}, ["labels"]),
        ({"cpu": "8"}, ["allocatable"]),
        ({"images": [{"names": ["app:1"], "sizeBytes": 1}]}, []),
    ],
    ids=["nothing", "cordoned", "tainted", "labels", "allocatable", "images only weigh"],
)
def test_a_change_of_a_node_is_named_if_a_filter_reads_it(change: dict[str, Any], fields: list[str]) -> None:
    assert changed(node_fields(node("n")), node_fields(node("n", **change))) == fields


def test_rights_are_those_of_the_flags_and_no_others() -> None:
    assert [str(right) for right in writing(Needs())] == ["pods get", "pods/binding create"]
    assert [str(right) for right in writing(Needs(claims=True, volumes=True))] == [
        "persistentvolumeclaims get", "persistentvolumeclaims update", "persistentvolumes get",
        "persistentvolumes update", "pods get", "pods/binding create",
    ]  # fmt: skip
    assert [str(right) for right in writing(Needs(preempt=True, creates=frozenset({PODS}), events=True))] == [
        "persistentvolumeclaims get", "pods create", "pods get", "pods/binding create", "pods/eviction create",
        "pods/status patch", "events create",
    ]  # fmt: skip


def test_what_manifests_bring_takes_the_right_to_create_it_and_to_ask_for_it() -> None:
    creates = frozenset(
        {ApiResource("apps", "deployments"), ApiResource("scheduling.k8s.io", "priorityclasses", False)}
    )
    found = writing(Needs(creates=creates))
    assert [(str(right), right.namespaced) for right in found] == [
        ("persistentvolumeclaims get", True),
        ("pods get", True),
        ("pods/binding create", True),
        ("deployments create", True),
        ("deployments get", True),
        ("replicasets get", True),
        ("priorityclasses create", False),
        ("priorityclasses get", False),
    ]


@pytest.mark.parametrize(
    ("version", "gates", "claims"),
    [
        ("1.34", [], ["get", "list", "update", "watch"]),
        ("1.35", [], ["get", "list", "update", "watch"]),
        ("1.36", ["binding"], ["create", "delete", "get", "list", "update", "watch"]),
        ("1.37", ["binding"], ["create", "delete", "get", "list", "update", "watch"]),
    ],
)
def test_rights_for_devices_are_those_of_the_version(
    version: str, gates: list[str], claims: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bind", "--print-rbac", "--k8s-version", version]) == 0
    role, _ = yaml.safe_load_all(capsys.readouterr().out)
    rules = {rule["resources"][0]: rule["verbs"] for rule in role["rules"] if "resource.k8s.io" in rule["apiGroups"]}
    assert rules.pop("resourceclaims") == claims
    assert rules.pop("resourceclaims/status") == ["update"]
    assert [rules.pop("resourceclaims/binding") for _ in gates] == [["update"] for _ in gates]
    assert sorted(rules) == ["deviceclasses", "resourceslices"]


@pytest.mark.parametrize(("version", "nominated"), [("1.34", False), ("1.35", True), ("1.36", True), ("1.37", True)])
def test_the_nomination_before_volumes_are_bound_takes_its_right_where_the_version_writes_it(
    version: str, nominated: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bind", "--print-rbac", "--k8s-version", version]) == 0
    assert ("resources: [pods/status]\n    verbs: [patch]" in capsys.readouterr().out) is nominated


def lease(holder: str, age: float, duration: int = 15) -> dict[str, Any]:
    from datetime import UTC, datetime

    renewed = datetime.fromtimestamp(NOW - age, UTC).isoformat()
    return {"spec": {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": duration}}


@pytest.mark.parametrize(
    ("name", "leases", "live"),
    [
        ("default-scheduler", {"kube-scheduler": lease("s", 2)}, True),
        ("default-scheduler", {"kube-scheduler": lease("s", 400)}, False),
        ("default-scheduler", {"kube-scheduler": lease("s", -400)}, True),
        ("default-scheduler", {"kube-scheduler": lease("", 2)}, False),
        ("default-scheduler", {}, False),
        ("default-scheduler", {"kube-scheduler": 403}, True),
        ("second-profile", {"kube-scheduler": lease("s", 2)}, True),
        ("second-profile", {"second-profile": lease("s", 2)}, True),
        ("second-profile", {"kube-scheduler": lease("s", 400), "second-profile": 403}, False),
        ("mine", {"kube-scheduler": lease("s", 2)}, False),
        ("mine", {"mine": lease("s", 2)}, True),
        ("mine", {"mine": 403}, False),
    ],
    ids=[
        "held", "expired", "from the future, so its clock is off", "given up", "no lease", "it may not be read",
        "another profile of it", "a scheduler of its own for a profile", "a profile's own may not be read",
        "a name that is no profile", "a scheduler of that name", "another may not be read",
    ],
)  # fmt: skip
def test_a_scheduler_answers_for_its_names_while_it_holds_its_lease(
    name: str, leases: dict[str, Any], live: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kplan.bind.wire.leases._SECOND_LOOK", 0.0)

    def handler(method: str, path: str, query: Any, body: Any) -> Any:
        found = leases.get(path.rsplit("/", 1)[-1], 404)
        return answer(found, date=NOW) if isinstance(found, int) else answer(200, found, date=NOW)

    found = find_responsible(FakeClient(handler), [name], ["default-scheduler", "second-profile"])
    assert found[name].live is live


def scheduler_pod(*words: str, phase: str = "Running") -> dict[str, Any]:
    container = {"command": ["kube-scheduler"], "args": list(words)}
    return {"metadata": {"name": "ks-1"}, "spec": {"containers": [container]}, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("name", "pods", "configuration", "live"),
    [
        ("default-scheduler", [scheduler_pod("--leader-elect=false")], None, True),
        ("default-scheduler", [scheduler_pod("--config=x")], "leaderElection: {leaderElect: false}", True),
        ("default-scheduler", [scheduler_pod("--leader-elect=true")], "leaderElection: {leaderElect: false}", False),
        ("default-scheduler", [scheduler_pod("--leader-elect=false", phase="Succeeded")], None, False),
        ("default-scheduler", [scheduler_pod("-v", "2")], None, False),
        ("default-scheduler", [], None, False),
        ("mine", [scheduler_pod("--leader-elect=false")], None, False),
    ],
    ids=["by its flag", "by its configuration", "the flag counts first", "it has ended", "it elects", "none runs",
         "a name that is no profile"],
)  # fmt: skip
def test_a_scheduler_that_holds_no_lease_is_known_by_its_pod(
    name: str, pods: list[Any], configuration: str | None, live: bool
) -> None:
    def handler(method: str, path: str, query: Any, body: Any) -> Any:
        there = path == "/api/v1/namespaces/kube-system/pods"
        return answer(200, {"items": pods}, date=NOW) if there else answer(404, date=NOW)

    client, elected = FakeClient(handler), elects(configuration)
    found = find_responsible(client, [name], ["default-scheduler"], own_lease(configuration), elected=elected)[name]
    assert found.live is live
    if live:
        assert found.text == "pod kube-system/ks-1 runs, and holds no lease (--leader-elect=false)"


def test_a_lease_that_is_renewed_by_a_clock_far_behind_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.wire.leases._SECOND_LOOK", 0.0)
    looks = [lease("s", 9000), lease("s", 8998)]
    client = FakeClient(lambda *request: answer(200, looks.pop(0), date=NOW))
    assert find_responsible(client, ["default-scheduler"], [])["default-scheduler"].live


def test_the_lease_that_a_configuration_names_counts() -> None:
    configuration = "leaderElection: {resourceName: second, resourceNamespace: batch}"
    assert own_lease(configuration) == ("batch", "second")
    assert own_lease(None) == ("kube-system", "kube-scheduler")

    def handler(method: str, path: str, query: Any, body: Any) -> Any:
        there = path == "/apis/coordination.k8s.io/v1/namespaces/batch/leases/second"
        return answer(200, lease("s", 2), date=NOW) if there else answer(404, date=NOW)

    found = find_responsible(FakeClient(handler), ["quick"], ["quick"], own_lease(configuration))["quick"]
    assert (found.live, found.text) == (True, "s holds the lease batch/second (renewed 2 s ago)")


def test_rights_that_are_there_everywhere_are_not_asked_for_in_each_namespace() -> None:
    asked: list[tuple[str, str]] = []

    def handler(method: str, path: str, query: Any, body: Any) -> Any:
        wanted = body["spec"]["resourceAttributes"]
        name = f"{wanted['resource']}/{wanted['subresource']}".rstrip("/")
        asked.append((f"{name} {wanted['verb']}", wanted["namespace"]))
        return answer(201, {"status": {"allowed": (name, wanted["namespace"]) not in DENIED}})

    lacking = missing(FakeClient(handler), Needs(), ["shop", "ops"])
    assert [str(right) for right in lacking] == ["pods/binding create in ops"]
    assert [where for what, where in asked if what == "pods get"] == ["", ""]  # of the watched, and of the written
    assert [where for what, where in asked if what == "pods/binding create"] == ["", "ops", "shop"]


DENIED = {("pods/binding", ""), ("pods/binding", "ops")}


def test_no_hint_names_an_option_that_there_is_not() -> None:
    import re
    from pathlib import Path

    import click
    import typer.main

    from kplan.cli.app import app
    from kplan.sources.live import failures

    group = typer.main.get_command(app)
    assert isinstance(group, click.Group)
    there = {option for command in group.commands.values() for param in command.params for option in param.opts}
    assert "--snapshot" in there
    assert set(re.findall(r"--[a-z][a-z-]+", Path(failures.__file__).read_text())) <= there | {"--print-rbac"}


def test_flags_survive_the_journal() -> None:
    flags = Flags(preempt=True, pdb="wait", accept_doubt=("a", "b"), max_pods=3, qps=0)
    assert Flags.of(msgspec.to_builtins(flags)) == flags
    assert flags.words() == " --preempt --accept-doubt a --accept-doubt b --pdb wait"


def test_unknown_permit_plugins_are_found_by_profile() -> None:
    config = """
profiles:
- schedulerName: quick
- schedulerName: gang
  plugins: {permit: {enabled: [{name: Coscheduling}, {name: GangScheduling}]}}
"""
    assert permit_plugins(config) == {"gang": ("Coscheduling",)}
    assert permit_plugins(None) == {}


@pytest.mark.parametrize(
    ("totals", "text"),
    [
        (BindTotals(pods=1, bindings=1), "Write 1 binding to prod, evict nothing?"),
        (
            BindTotals(pods=3, bindings=3, claims=1, volumes=2, evictions=2, creations=1),
            "Write 3 bindings, 1 new pod, 1 claim and 2 volumes to prod, evict 2 pods?",
        ),
    ],
    ids=["one", "everything"],
)
def test_the_question_has_the_numbers(totals: BindTotals, text: str) -> None:
    assert question(totals, "prod") == text


def test_the_bar_shows_how_far_it_is_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person = Terminal(yes=True, quiet=False)
    person.progress(1, 3)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    person.progress(1, 3)
    person.progress(3, 3)
    assert capsys.readouterr().err == "\r\x1b[K[##########....................] 1 of 3 pods\r\x1b[K"
