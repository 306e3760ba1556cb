"""kplan bind against a real API server: it shows, it writes what it showed, and nothing else."""

import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.live import bindworld
from tests.live.bindworld import HOSTNAME, STATIC, WAITING, World, provisioner, wait_for
from tests.live.controlplane import ControlPlane
from tests.live.faultproxy import READS, REVIEW, on


@pytest.fixture(scope="module")
def server() -> Iterator[ControlPlane]:
    with bindworld.serving() as running:
        yield running


@pytest.fixture
def world(server: ControlPlane, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with bindworld.world_of(server, tmp_path, request.node.name) as made:
        yield made


def test_without_apply_nothing_is_sent_but_reads_and_reviews_of_rights(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.nodes(2)
    world.pod("a")
    assert world.kplan("-n", world.name) == 0
    world.only_reads()
    out = capsys.readouterr().out
    assert out.startswith("READY    1 of 1 pod would be bound; nothing was written\nTry      kplan bind")
    assert f"{world.name}/a  {world.name}-0  one of 2 that tie" in out
    assert "ok     rights     pods/binding create" in out
    assert world.on() == {"a": ""}


def test_a_dry_run_on_the_server_is_all_that_is_sent_if_it_is_asked_for(world: World) -> None:
    world.nodes(1)
    world.pod("a")
    assert world.kplan("-n", world.name, "--server-dry-run") == 0
    sent = [request for request in world.proxy.requests if request.method not in READS and request.path != REVIEW]
    assert [(request.path.rsplit("/", 1)[-1], request.dry, request.status) for request in sent] == [
        ("binding", True, 201)
    ]
    assert world.on() == {"a": ""}


def test_what_was_shown_is_what_is_bound(world: World) -> None:
    world.nodes(3)
    for i in range(5):
        world.pod(f"p-{i}")
    plan = world.folder / "plan.json"
    assert world.kplan("-n", world.name, "--save-plan", str(plan)) == 0
    shown = {pod["pod"].partition("/")[2]: pod["node"] for pod in json.loads(plan.read_text())["pods"]}
    assert world.kplan("--plan", str(plan), "--apply", "--yes", "-o", f"json={world.result}") == 0
    assert world.on() == shown
    assert set(shown.values()) == {f"{world.name}-{i}" for i in range(3)}
    assert all(entry["confirmed"] for entry in world.told()["pods"])
    world.check_nothing_lost_or_doubled()


class Terminal(io.StringIO):
    """Standard input of somebody who answers."""

    def isatty(self) -> bool:
        return True


def test_nothing_is_written_without_an_answer(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.nodes(1)
    world.pod("a")
    assert world.kplan("-n", world.name, "--apply") == 2
    assert "nobody is there to ask: standard input is not a terminal hint: --yes" in " ".join(
        capsys.readouterr().err.split()
    )
    assert world.proxy.writes == []


@pytest.mark.parametrize(("answer", "code", "on"), [("y", 0, True), ("n", 1, False), ("", 1, False)])
def test_the_question_has_the_numbers_and_yes_is_the_only_yes(
    world: World, answer: str, code: int, on: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world.nodes(1)
    world.pod("a")
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
    assert world.kplan("-n", world.name, "--apply") == code
    assert "Write 1 binding to proxy, evict nothing? [y/N]" in " ".join(capsys.readouterr().err.split())
    assert bool(world.on()["a"]) is on
    assert world.journal.exists() is on


def test_a_question_that_was_left_open_too_long_writes_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world.nodes(1)
    world.pod("a")

    class Slow(Terminal):
        def readline(self, size: int = -1, /) -> str:
            monkeypatch.setattr("kplan.bind.flow.monotonic", lambda: time.monotonic() + 1200)
            return "y\n"

    monkeypatch.setattr("sys.stdin", Slow())
    assert world.kplan("-n", world.name, "--apply") == 2
    assert "the cluster was read 20 min before the question was answered" in " ".join(capsys.readouterr().err.split())
    assert world.proxy.writes == []


def test_every_write_is_tried_as_a_dry_run_before_the_first_one_is_made(world: World) -> None:
    world.nodes(2)
    world.pod("a")
    world.pod("b")
    assert world.apply() == 0
    sent = [
        ("dry" if request.dry else "real", request.path.split("/")[-2])
        for request in world.proxy.requests
        if request.method not in READS and request.path != REVIEW
    ]
    assert sent == [("dry", "a"), ("dry", "b"), ("real", "a"), ("real", "b")]


def test_the_binding_has_uid_and_version_as_preconditions(world: World) -> None:
    world.nodes(1)
    made = world.pod("a")
    assert world.apply() == 0
    [sent] = world.proxy.writes
    assert sent.body["metadata"]["uid"] == made["metadata"]["uid"]
    assert sent.body["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert sent.body["target"] == {"apiVersion": "v1", "kind": "Node", "name": f"{world.name}-0"}


def test_the_journal_stands_around_each_write(world: World) -> None:
    world.nodes(1)
    world.pod("a")
    assert world.apply() == 0
    lines = [{name: value for name, value in line.items() if name != "at"} for line in world.lines()]
    assert [line["kind"] for line in lines] == ["start", "before", "after", "pod", "end"]
    assert lines[1] == {
        "kind": "before",
        "n": 1,
        "write": "bind",
        "about": f"{world.name}/a",
        "text": f"bind {world.name}/a to {world.name}-0",
    }
    assert lines[2] == {"kind": "after", "n": 1, "result": "done", "status": 201}
    assert lines[4] == {"kind": "end", "verdict": "BOUND"}


def test_binding_objects_come_out_as_yaml(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.nodes(1)
    made = world.pod("a")
    assert world.kplan("-n", world.name, "-o", "yaml") == 0
    assert capsys.readouterr().out == (
        "apiVersion: v1\nkind: Binding\nmetadata:\n  name: a\n"
        f"  namespace: {world.name}\n  uid: {made['metadata']['uid']}\n"
        f"target:\n  apiVersion: v1\n  kind: Node\n  name: {world.name}-0\n"
    )


def test_a_static_volume_is_claimed_and_waited_for_before_the_pod_is_bound(world: World) -> None:
    names = world.nodes(2)
    world.volume(f"{world.name}-pv", names[1])
    world.claim("data", STATIC)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    assert world.apply() == 0
    assert world.on() == {"a": names[1]}
    claim = world.get("data", "persistentvolumeclaims")
    assert (claim["status"]["phase"], claim["spec"]["volumeName"]) == ("Bound", f"{world.name}-pv")
    assert [(r.method, r.path.rsplit("/", 1)[-1]) for r in world.proxy.writes] == [
        ("PATCH", "status"), ("PUT", f"{world.name}-pv"), ("POST", "binding"),
    ]  # fmt: skip


def test_a_pod_is_nominated_to_its_node_while_its_volumes_are_bound(world: World) -> None:
    """As the scheduler does since 1.35 (NominatedNodeNameForExpectation), so that an autoscaler counts on it."""
    names = world.nodes(1)
    world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    meanwhile: list[str] = []

    def look() -> None:
        meanwhile.append(world.get("a")["status"].get("nominatedNodeName", ""))

    with provisioner(world.server), world.proxy.fault(on("data"), before=look):
        assert world.apply() == 0
    assert meanwhile == [names[0]]
    assert world.on() == {"a": names[0]}
    assert not world.get("a")["status"].get("nominatedNodeName")  # the server clears it with the binding


def test_the_nomination_is_taken_back_where_the_volumes_are_never_bound(world: World) -> None:
    names = world.nodes(1)
    world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    assert world.apply("--volume-timeout", "1") == 1
    sent = [r.body["status"]["nominatedNodeName"] for r in world.proxy.writes if r.path.endswith("/status")]
    assert sent == [names[0], None]
    assert not world.get("a")["status"].get("nominatedNodeName")


@pytest.mark.parametrize(
    "switch", [("--k8s-version", "1.34"), ("--feature-gates", "NominatedNodeNameForExpectation=false")]
)
def test_no_nomination_where_the_scheduler_writes_none(world: World, switch: tuple[str, str]) -> None:
    names = world.nodes(1)
    world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    with provisioner(world.server):
        assert world.apply(*switch) == 0
    assert [r.path.rsplit("/", 1)[-1] for r in world.proxy.writes] == ["data", "binding"]
    assert world.on() == {"a": names[0]}


def test_a_nomination_that_is_refused_keeps_nothing_from_being_bound(world: World) -> None:
    names = world.nodes(1)
    world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    with provisioner(world.server), world.proxy.fault(on("status"), status=403):
        assert world.apply() == 0
    assert world.on() == {"a": names[0]}


BINDING_EXTENDER = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- urlPrefix: http://gpus.example:8888
  bindVerb: bind
  managedResources: [{name: example.com/gpu}]
"""


def test_pods_that_an_extender_binds_are_refused_and_no_others(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    names = world.nodes(1, extra={"example.com/gpu": "4"})
    config = world.folder / "scheduler.yaml"
    config.write_text(BINDING_EXTENDER)
    requests = {"cpu": "1", "example.com/gpu": "1"}
    world.pod(
        "a", containers=[{"name": "main", "image": "app", "resources": {"requests": requests, "limits": requests}}]
    )
    world.pod("b")
    assert world.apply("--config", str(config)) == 0
    assert world.became() == {"b": "bound"}
    told = " ".join(capsys.readouterr().err.split())
    assert "refused: the extender http://gpus.example:8888 binds it in the scheduler's place" in told
    assert world.on() == {"a": "", "b": names[0]}


def test_a_claim_that_waits_for_its_first_consumer_is_given_the_node(world: World) -> None:
    names = world.nodes(1)
    world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    with provisioner(world.server):
        assert world.apply() == 0
    assert world.on() == {"a": names[0]}
    claim = world.get("data", "persistentvolumeclaims")
    assert claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] == names[0]
    assert claim["status"]["phase"] == "Bound"


def test_a_claim_that_is_never_bound_holds_its_pod_back_and_no_other(world: World) -> None:
    world.nodes(1)
    world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    world.pod("b")
    assert world.apply("--volume-timeout", "2") == 1
    assert world.became() == {"a": "held-back", "b": "bound"}
    held = world.told()["pods"][0]
    assert held["code"] == "claim-timeout"
    assert held["text"] == f"claim {world.name}/data was not bound within 2 s"
    assert held["kept"] == [f"give claim {world.name}/data to node {world.name}-0"]
    world.check_nothing_lost_or_doubled()


def test_a_volume_that_is_made_out_of_the_nodes_reach_holds_its_pod_back(world: World) -> None:
    names = world.nodes(2)
    claim = world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])

    def make_elsewhere() -> None:
        shown = next(line["plan"] for line in world.lines() if line["kind"] == "start")["pods"][0]["node"]
        [other] = [name for name in names if name != shown]
        volume = bindworld.local_volume(f"{world.name}-made", other, "1Gi", WAITING, claim)
        world.server.post("/api/v1/persistentvolumes", volume)

    with world.proxy.fault(on("data"), after=make_elsewhere):
        assert world.apply() == 1
    [held] = world.told()["pods"]
    assert held["code"] == "volume-out-of-reach"
    assert held["text"] == (
        f"claim {world.name}/data got volume {world.name}-made, which cannot be used from {held['node']}"
    )
    assert world.on() == {"a": ""}


def test_a_claim_that_is_deleted_after_the_plan_holds_its_pod_back_and_no_other(world: World) -> None:
    """The claim is bound already, so that nothing is written to it."""
    names = world.nodes(1)
    claim = world.claim("data", WAITING)
    bound = bindworld.local_volume(f"{world.name}-old", names[0], "1Gi", WAITING, claim)
    world.server.post("/api/v1/persistentvolumes", bound)
    wait_for(lambda: world.get("data", "persistentvolumeclaims")["status"].get("phase") == "Bound", what="the claim")
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    world.pod("b")

    def leave() -> None:
        path = world.path("persistentvolumeclaims", "data")
        world.server.delete(path)
        world.server.patch(path, {"metadata": {"finalizers": None}})
        world.proxy.tells("DELETED", "data")

    with world.proxy.fault(lambda r: r.dry and r.path.endswith("/b/binding"), after=leave):
        assert world.apply() == 1
    assert world.became() == {"a": "held-back", "b": "bound"}
    held = world.told()["pods"][0]
    assert (held["code"], held["text"]) == (
        "no-fit", f'{names[0]} no longer fits it: persistentvolumeclaim "data" not found',
    )  # fmt: skip
    world.check_nothing_lost_or_doubled()


def test_a_pod_that_is_held_back_is_reported_like_one_that_the_scheduler_could_not_bind(world: World) -> None:
    world.nodes(1)
    world.claim("data", WAITING)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    assert world.apply("--volume-timeout", "1", "--events") == 1
    found = world.server.get(f"/apis/events.k8s.io/v1/namespaces/{world.name}/events")["items"]
    [told] = [item for item in found if item["reportingController"] == "kplan"]
    assert (told["reason"], told["note"]) == (
        "FailedScheduling", f"claim {world.name}/data was not bound within 1 s",
    )  # fmt: skip
    assert told["regarding"]["name"] == "a"


def test_no_more_of_a_saved_plan_is_bound_than_wanted(world: World) -> None:
    world.nodes(1)
    for name in "abc":
        world.pod(name)
    plan = world.folder / "plan.json"
    assert world.kplan("-n", world.name, "--save-plan", str(plan)) == 0
    assert world.kplan("--plan", str(plan), "--apply", "--yes", "--max-pods", "2") == 0
    assert world.bindings() == ["a", "b"]
    assert world.on()["c"] == ""


def test_an_output_that_cannot_be_written_is_refused_before_anything_is(world: World) -> None:
    world.nodes(1)
    world.pod("a")
    assert world.kplan("-n", world.name, "--apply", "--yes", "-o", "name") == 2
    assert world.proxy.requests == []


def test_events_are_like_the_schedulers(world: World) -> None:
    world.nodes(1)
    world.pod("a")
    world.pod("b", cpu="9")
    assert world.apply("--events") == 0
    found = world.server.get(f"/apis/events.k8s.io/v1/namespaces/{world.name}/events")["items"]
    told = {item["regarding"]["name"]: (item["type"], item["reason"], item["action"], item["note"]) for item in found}
    assert told["a"] == (
        "Normal", "Scheduled", "Binding", f"Successfully assigned {world.name}/a to {world.name}-0",
    )  # fmt: skip
    assert told["b"][:3] == ("Warning", "FailedScheduling", "Scheduling")
    assert told["b"][3].startswith("0/")
    assert {item["reportingController"] for item in found} == {"kplan"}


def test_a_live_scheduler_keeps_its_pods_unless_they_are_taken_over(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.nodes(1)
    world.pod("a", schedulerName="default-scheduler")
    with bindworld.lease(world.server, "kube-scheduler"):
        assert world.kplan("-n", world.name, "--accept-doubt", "all") == 0
        assert f"1 pod left to the live scheduler (--take-over): {world.name}/a" in capsys.readouterr().out
        assert world.kplan("a", "-n", world.name, "--apply", "--yes") == 2
        err = " ".join(capsys.readouterr().err.split())
        assert "--take-over: a live scheduler answers for schedulerName default-scheduler: test-holder holds" in err
        assert "--accept-doubt scheduler-config-assumed: no pod of kube-scheduler" in err
        assert not world.proxy.writes
        assert world.kplan("a", "-n", world.name, "--apply", "--yes", "--take-over", "--accept-doubt", "all") == 0
    assert world.on() == {"a": f"{world.name}-0"}


def test_a_missing_right_is_found_before_the_first_write(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.nodes(1)
    world.pod("a")
    reading = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews"], "verbs": ["create"]},
    ]
    with bindworld.only_rights(world, reading):
        assert world.kplan("-n", world.name, "--apply", "--yes") == 2
    err = " ".join(capsys.readouterr().err.split())
    assert f"refused: missing: pods/binding create in {world.name} (--print-rbac prints a ClusterRole)" in err
    assert not world.proxy.writes


def test_objects_that_may_not_be_followed_are_named_and_nothing_is_held_back(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    names = world.nodes(1)
    world.volume(f"{world.name}-pv", names[0])
    world.claim("data", STATIC)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    everything = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "create", "update", "patch"]},
                  {"apiGroups": [""], "resources": ["nodes", "pods", "persistentvolumeclaims"], "verbs": ["watch"]},
                  {"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"], "verbs": ["watch"]}]  # fmt: skip
    unseen = "changes that others make to csinodes, persistentvolumes go unseen: no right to list and watch them"
    with bindworld.only_rights(world, everything):
        assert world.kplan("-n", world.name) == 0
        assert f"-- watch {unseen}" in " ".join(capsys.readouterr().out.split())
        assert world.apply() == 0
    assert world.told()["notes"] == [unseen]
    assert world.on() == {"a": names[0]}


def test_a_namespace_that_is_labelled_after_the_plan_keeps_its_pods_off_a_node(world: World) -> None:
    [name] = world.nodes(1)
    term = {
        "topologyKey": HOSTNAME, "labelSelector": {}, "namespaceSelector": {"matchLabels": {"team": world.name}},
    }  # fmt: skip
    away = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    world.server.patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": {HOSTNAME: name}}})
    world.running("keeper", name, affinity=away)
    world.pod("a")
    world.pod("b", cpu="100m")

    def label() -> None:
        world.server.patch(f"/api/v1/namespaces/{world.name}", {"metadata": {"labels": {"team": world.name}}})
        world.proxy.tells("MODIFIED", world.name)

    with world.proxy.fault(lambda r: r.dry and r.path.endswith("/b/binding"), after=label):
        assert world.apply() == 1
    assert world.became() == {"a": "held-back", "b": "held-back"}
    assert world.told()["pods"][0]["text"] == (
        f"{name} no longer fits it: node(s) didn't satisfy existing pods anti-affinity rules"
    )


def test_a_saved_plan_is_not_applied_under_other_rules(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.nodes(1)
    world.pod("a")
    plan = str(world.folder / "plan.json")
    assert world.kplan("-n", world.name, "--k8s-version", "1.36", "--save-plan", plan) == 0
    capsys.readouterr()
    assert world.kplan("--plan", plan, "--apply", "--yes") == 2
    err = " ".join(capsys.readouterr().err.split())
    assert (
        "refused: --k8s-version 1.36: the plan was made under other rules: Kubernetes version 1.36, now 1.37; plan "
        "again, or ask for those"
    ) in err
    assert not world.proxy.writes
    assert world.kplan("--plan", plan, "--apply", "--yes", "--k8s-version", "1.36") == 0
    assert world.on() == {"a": f"{world.name}-0"}


def test_the_rights_that_are_printed_suffice(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    import yaml

    names = world.nodes(1)
    world.volume(f"{world.name}-pv", names[0])
    world.claim("data", STATIC)
    world.pod("a", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    assert world.kplan("--print-rbac", "--events") == 0
    cluster_role, role = yaml.safe_load_all(capsys.readouterr().out)
    from importlib import resources

    reader = next(yaml.safe_load_all(resources.files("kplan").joinpath("data", "rbac.yaml").read_text()))
    with bindworld.only_rights(world, [*reader["rules"], *cluster_role["rules"]], role["rules"]):
        assert world.apply("--events") == 0
    refused = [r for r in world.proxy.requests if r.status == 403 and r.method not in READS]
    assert refused == []
    assert world.on() == {"a": names[0]}


def test_manifests_are_created_only_if_that_is_asked_for(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.nodes(1)
    manifest = world.folder / "pod.yaml"
    manifest.write_text(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: made, namespace: {world.name}}}\nspec:\n"
        f"  schedulerName: kplan\n  nodeSelector: {{world: {world.name}}}\n"
        "  containers: [{name: main, image: app, command: [run, --fast]}]\n"
    )
    assert world.kplan("-f", str(manifest), "--apply", "--yes") == 2
    assert "--create: 1 object of manifests not there" in " ".join(capsys.readouterr().err.split())
    assert world.on() == {}
    assert world.kplan("-f", str(manifest), "--apply", "--yes", "--create") == 0
    assert world.on() == {"made": f"{world.name}-0"}
    assert world.get("made")["spec"]["containers"][0]["command"] == ["run", "--fast"]


def test_preemption_evicts_nominates_and_binds_when_the_victims_are_gone(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    names = world.nodes(1)
    world.running("low", names[0], "4")
    with bindworld.priority(world.server, "urgent", 1000):
        world.pod("high", "3", priorityClassName="urgent")
        assert world.kplan("-n", world.name) == 1
        out = capsys.readouterr().out
        assert f"it fits {names[0]} only after evicting 1 pod ({world.name}/low): --preempt" in " ".join(out.split())
        with bindworld.kubelet(world):
            assert world.apply("--preempt") == 0
    assert world.on() == {"high": names[0]}
    kinds = [request.path.rsplit("/", 1)[-1] for request in world.proxy.writes]
    assert kinds == ["status", "eviction", "binding"]
    world.check_nothing_lost_or_doubled()


def test_a_budget_that_refuses_holds_the_pod_back_and_clears_its_nomination(world: World) -> None:
    names = world.nodes(1)
    world.running("low", names[0], "4", labels={"app": "guarded"})
    bindworld.budget(world, "guarded")
    with bindworld.priority(world.server, "urgent2", 1000):
        world.pod("high", "3", priorityClassName="urgent2")
        assert world.apply("--preempt") == 1
    [held] = world.told()["pods"]
    assert (held["result"], held["code"]) == ("held-back", "pdb")
    assert world.on() == {"low": names[0], "high": ""}
    assert not world.get("high")["status"].get("nominatedNodeName")


def test_a_budget_that_refuses_in_the_end_clears_the_nomination_that_was_written(world: World) -> None:
    names = world.nodes(1)
    world.running("low", names[0], "4")
    refusal = {"message": "no more", "details": {"causes": [{"reason": "DisruptionBudget"}]}}
    with bindworld.priority(world.server, "urgent4", 1000):
        world.pod("high", "3", priorityClassName="urgent4")
        with world.proxy.fault(on("eviction"), status=429, body=refusal):
            assert world.apply("--preempt") == 1
    [held] = world.told()["pods"]
    assert (held["result"], held["code"]) == ("held-back", "pdb")
    assert held["text"] == f"a budget refuses to let {world.name}/low go: no more"
    assert "kept" not in held
    sent = [r.body["status"]["nominatedNodeName"] for r in world.proxy.writes if r.path.endswith("/status")]
    assert sent == [names[0], None]
    assert not world.get("high")["status"].get("nominatedNodeName")
    assert world.on() == {"low": names[0], "high": ""}


def test_nothing_is_evicted_for_a_pod_that_fits_without_by_now(world: World) -> None:
    names = world.nodes(2)
    free = world.path("pods", "low-1")
    with bindworld.priority(world.server, "urgent5", 1000), bindworld.priority(world.server, "some5", 10):
        world.running("low-0", names[0], "4")
        world.running("low-1", names[1], "4", priorityClassName="some5")  # low-0 is the one to go
        world.pod("high", "3", priorityClassName="urgent5")

        def leave() -> None:
            world.server.delete(free, {"gracePeriodSeconds": 0})
            world.proxy.tells("DELETED", "low-1")

        with world.proxy.fault(on("binding", dry=True), before=leave):
            assert world.apply("--preempt") == 1
    [held] = world.told()["pods"]
    assert held["text"] == f"it fits {names[1]} without evictions now"
    assert world.proxy.writes == []
    assert world.on() == {"low-0": names[0], "high": ""}


def test_a_budget_is_waited_for_if_that_is_asked_for(world: World) -> None:
    names = world.nodes(1)
    world.running("low", names[0], "4", labels={"app": "guarded"})
    bindworld.budget(world, "guarded")
    with bindworld.priority(world.server, "urgent3", 1000):
        world.pod("high", "3", priorityClassName="urgent3")
        with bindworld.kubelet(world), bindworld.later(4, lambda: bindworld.allow(world, "guarded")):
            assert world.apply("--preempt", "--pdb", "wait") == 0
    assert world.on() == {"high": names[0]}
    refused = [r for r in world.proxy.requests if r.path.endswith("/eviction") and r.status == 429]
    assert refused


def test_held_back_pods_are_planned_again_if_that_is_asked_for(world: World) -> None:
    names = world.nodes(2)
    world.pod("a")
    with world.proxy.fault(
        lambda r: r.dry and r.path.endswith("/binding"),
        after=lambda: bindworld.cordon(world.server, names[0]),
    ):
        assert world.apply("--replan") == 0
    assert world.on() == {"a": names[1]}


def test_a_plan_of_another_cluster_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.nodes(1)
    world.pod("a")
    plan = world.folder / "plan.json"
    assert world.kplan("-n", world.name, "--save-plan", str(plan)) == 0
    document = json.loads(plan.read_text())
    document["cluster"]["uid"] = "0000-other"
    plan.write_text(json.dumps(document))
    assert world.kplan("--plan", str(plan), "--apply", "--yes") == 2
    assert "is for another cluster" in " ".join(capsys.readouterr().err.split())
    assert not world.proxy.writes


def test_a_plan_of_a_snapshot_is_applied_to_the_cluster_it_was_taken_of(world: World) -> None:
    world.nodes(1)
    world.pod("a")
    snapshot, plan = str(world.folder / "s.json"), str(world.folder / "plan.json")
    assert main(["snapshot", snapshot, "--kubeconfig", world.kubeconfig]) == 0
    assert main(["bind", "-n", world.name, "--snapshot", snapshot, "--save-plan", plan]) == 0
    assert world.kplan("--plan", plan, "--apply", "--yes") == 0
    assert world.on() == {"a": f"{world.name}-0"}


def test_a_plan_that_is_too_old_is_refused_whatever_the_clock_of_this_machine(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.nodes(1)
    world.pod("a")
    plan = world.folder / "plan.json"
    assert world.kplan("-n", world.name, "--save-plan", str(plan)) == 0
    document = json.loads(plan.read_text())
    document["cluster"]["serverTime"] -= 3 * 3600 + 1  # told alike for a minute to come: the machine may be slow
    plan.write_text(json.dumps(document))
    assert world.kplan("--plan", str(plan), "--apply", "--yes") == 2
    err = " ".join(capsys.readouterr().err.split())
    assert "--max-age 10920: the state of the plan was read 3.0 h ago" in err
    assert world.kplan("--plan", str(plan), "--apply", "--yes", "--max-age", "10920") == 0


def test_pods_that_others_place_meanwhile_take_their_room(world: World) -> None:
    names = world.nodes(1)
    world.pod("a", "3")
    world.pod("b", "1")

    def rival() -> None:
        world.running("rival", names[0], "2")
        world.proxy.tells("ADDED", "rival")

    with world.proxy.fault(lambda r: r.dry and r.path.endswith("/a/binding"), after=rival):
        assert world.apply() == 1
    assert world.became() == {"a": "held-back", "b": "bound"}
    assert world.told()["pods"][0]["text"] == f"{names[0]} no longer fits it: Insufficient cpu"
    wait_for(lambda: world.on()["b"] == names[0])


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "pod", "-A"],
        ["explain", "pod", "a", "-n", "{name}"],
        ["explain", "node", "{name}-0"],
        ["nodes"],
        ["simulate"],
        ["check", "{manifest}"],
        ["snapshot", "{folder}/snapshot.json"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_no_other_command_ever_sends_anything_but_reads(world: World, words: list[str]) -> None:
    world.nodes(1)
    world.pod("a", schedulerName="default-scheduler")
    manifest = world.folder / "new.yaml"
    manifest.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: new}\nspec: {containers: [{name: main, image: app}]}\n"
    )
    values = {"name": world.name, "folder": str(world.folder), "manifest": str(manifest)}
    command = [word.format(**values) for word in words]
    assert main([*command, "--kubeconfig", world.kubeconfig]) in (0, 1, 4)
    assert world.proxy.requests
    assert {request.method for request in world.proxy.requests} == {"GET"}
