"""What is read of a real API server, by whom, and with which requests."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from kplan.objects.kinds import KINDS
from kplan.sources import load as load_files
from kplan.sources.live import read
from kplan.sources.snapshot import write_snapshot
from tests.live.conftest import pod
from tests.live.controlplane import ControlPlane
from tests.live.plans import plans
from tests.live.test_commands import lists

RBAC = Path(__file__).parents[2] / "kplan" / "data" / "rbac.yaml"

NOT_SERVED = {
    *("Workload", "PodGroup", "CompositePodGroup", "VerticalPodAutoscaler", "ScaledObject"),
    *("CoschedulingPodGroup", "VolcanoPodGroup", "KueueWorkload"),
}
"""Kinds that this server has not: by gates that are off, or as nobody installed them."""


def test_every_kind_is_read_with_version_time_and_context(server: ControlPlane) -> None:
    state = read(kubeconfig=str(server.kubeconfig))
    assert (state.server_version, state.source) == ("v1.37.2", "admin")
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", state.taken)
    assert state.completeness.absent == ()
    assert [node.name for node in state.nodes] == [f"node-{i}" for i in range(6)]
    assert len(state.pods) == 10
    assert state.completeness.counts["ReplicaSet"] == 0
    versions = state.completeness.versions
    assert set(versions) == {kind.name for kind in KINDS} - NOT_SERVED
    assert all(version.isdecimal() for version in versions.values())
    assert len(state.device_classes) == len(state.resource_slices) == 1
    assert state.completeness.counts["PodGroup"] == 0
    assert state.completeness.notes == ()


def test_pages_give_the_same_as_one_list(server: ControlPlane) -> None:
    pages: list[tuple[str, int, int | None]] = []
    paged = read(kubeconfig=str(server.kubeconfig), page=3, progress=lambda *page: pages.append(page))
    assert [page for page in pages if page[0] == "pods"] == [
        ("pods", 3, 10), ("pods", 6, 10), ("pods", 9, 10), ("pods", 10, 10),
    ]  # fmt: skip
    assert plans(paged, taken=False) == plans(read(kubeconfig=str(server.kubeconfig)), taken=False)


def test_pods_are_listed_after_the_last_node(server: ControlPlane) -> None:
    order: list[str] = []
    read(kubeconfig=str(server.kubeconfig), page=1, progress=lambda plural, *_: order.append(plural))
    last_node = len(order) - 1 - order[::-1].index("nodes")
    assert order.index("pods") > last_node


@pytest.mark.parametrize("ending", ["json", "json.gz", "json.zst"])
def test_a_snapshot_gives_the_same_plan_and_holds_nothing_secret(
    server: ControlPlane, tmp_path: Path, ending: str
) -> None:
    state = read(kubeconfig=str(server.kubeconfig))
    write_snapshot(state, tmp_path / f"snapshot.{ending}")
    again = load_files(tmp_path / f"snapshot.{ending}")
    assert again.completeness == state.completeness
    assert plans(again) == plans(state)
    write_snapshot(again, tmp_path / "again.json")
    text = (tmp_path / "again.json").read_text()
    assert "do-not-tell" not in text
    assert {item["kind"] for item in json.loads(text)["items"]} <= {kind.name for kind in KINDS}


def test_lists_as_kubectl_writes_them_give_the_same_plan(server: ControlPlane, tmp_path: Path) -> None:
    live = plans(read(kubeconfig=str(server.kubeconfig)), taken=False)
    assert plans(load_files(lists(server, tmp_path / "lists")), taken=False) == live


def test_the_command_writes_a_snapshot(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cluster.json.gz"
    assert main(["snapshot", str(file), "--kubeconfig", str(server.kubeconfig)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert f"wrote {file}: 6 nodes, 10 pods" in err
    assert load_files(file).server_version == "v1.37.2"


def without(rules: list[dict[str, Any]], resource: str) -> list[dict[str, Any]]:
    return [{**rule, "resources": [one for one in rule["resources"] if one != resource]} for rule in rules]


def shipped() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    role, config = yaml.safe_load_all(RBAC.read_text())
    return role["rules"], config["rules"]


class Ungranted:
    """Takes away again what was granted."""

    def __init__(self, server: ControlPlane) -> None:
        self.server = server
        self.names: list[tuple[str, str]] = []

    def grant(self, rules: list[dict[str, Any]], namespace: str = "") -> None:
        self.names.append((self.server.grant("viewer", rules, namespace=namespace or None), namespace))

    def take_away(self) -> None:
        for name, namespace in self.names:
            where = f"namespaces/{namespace}/rolebindings" if namespace else "clusterrolebindings"
            self.server.delete(f"/apis/rbac.authorization.k8s.io/v1/{where}/{name}")


@pytest.fixture
def rights(server: ControlPlane) -> Any:
    granted = Ungranted(server)
    yield granted
    granted.take_away()


def test_the_cluster_role_that_ships_suffices_and_only_reading_is_done(server: ControlPlane, rights: Ungranted) -> None:
    reader, config = shipped()
    rights.grant(reader)
    rights.grant(config, "kube-system")
    before = len(server.audit_events("viewer"))
    state = read("viewer", str(server.kubeconfig))
    assert state.completeness.absent == ()
    assert plans(state, taken=False) == plans(read(kubeconfig=str(server.kubeconfig)), taken=False)
    events = server.audit_events("viewer")[before:]
    assert {event["verb"] for event in events} <= {"get", "list", "watch"}
    assert {event["responseStatus"]["code"] for event in events} <= {200, 404}
    asked = {event["objectRef"]["resource"] for event in events if "resource" in event.get("objectRef", {})}
    assert asked == {"configmaps", *(kind.plural for kind in KINDS if kind.name not in NOT_SERVED)}


def test_a_viewer_without_volumes_gets_all_else_and_is_told_what_that_means(
    server: ControlPlane, rights: Ungranted
) -> None:
    rights.grant(without(shipped()[0], "persistentvolumes"))
    state = read("viewer", str(server.kubeconfig))
    assert state.completeness.absent == ("PersistentVolume",)
    assert state.completeness.absences == {
        "PersistentVolume": "no access to persistentvolumes: bound volumes are out of reach on every node"
    }
    assert len(state.pods) == 10


def test_a_snapshot_of_that_viewer_remembers_what_is_absent(
    server: ControlPlane, rights: Ungranted, tmp_path: Path
) -> None:
    rights.grant(without(shipped()[0], "persistentvolumes"))
    state = read("viewer", str(server.kubeconfig))
    write_snapshot(state, tmp_path / "s.json")
    assert load_files(tmp_path / "s.json").completeness == state.completeness


CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def test_without_any_trace_of_the_scheduler_the_defaults_are_only_assumed(server: ControlPlane) -> None:
    scheduler = read(kubeconfig=str(server.kubeconfig)).scheduler
    assert (scheduler.configuration, scheduler.origin) == (None, "")
    assert scheduler.doubt.endswith("the defaults are assumed (--config FILE names it)")


def test_a_config_map_with_a_usual_name_is_read(server: ControlPlane) -> None:
    path = "/api/v1/namespaces/kube-system/configmaps"
    server.post(path, {"metadata": {"name": "kube-scheduler-config"}, "data": {"config.yaml": CONFIGURATION}})
    try:
        scheduler = read(kubeconfig=str(server.kubeconfig)).scheduler
    finally:
        server.delete(f"{path}/kube-scheduler-config")
    assert scheduler.configuration == yaml.safe_load(CONFIGURATION)
    assert scheduler.origin == "ConfigMap kube-system/kube-scheduler-config"
    assert scheduler.doubt == ""


@pytest.mark.parametrize(
    ("arguments", "gates", "doubt"),
    [
        pytest.param(["--feature-gates=A=true,B=false"], {"A": True, "B": False}, "", id="no --config: the defaults"),
        pytest.param(["--config", "/etc/s.yaml"], {}, "the file /etc/s.yaml on its node", id="a file out of reach"),
    ],
)
def test_a_static_pod_shows_its_arguments(
    server: ControlPlane, arguments: list[str], gates: dict[str, bool], doubt: str
) -> None:
    path = "/api/v1/namespaces/kube-system/pods"
    static = pod("kube-scheduler-node-0", nodeName="node-0")
    static["metadata"]["labels"] = {"component": "kube-scheduler"}
    static["spec"]["containers"][0]["command"] = ["kube-scheduler", *arguments]
    server.post(path, static)
    try:
        scheduler = read(kubeconfig=str(server.kubeconfig)).scheduler
    finally:
        server.delete(f"{path}/kube-scheduler-node-0", {"gracePeriodSeconds": 0})
    assert scheduler.origin == "arguments of pod kube-system/kube-scheduler-node-0"
    assert scheduler.gates == gates
    assert doubt in scheduler.doubt
    assert bool(doubt) == bool(scheduler.doubt)


def test_nothing_but_reading_was_done_as_a_whole(server: ControlPlane) -> None:
    assert {event["verb"] for event in server.audit_events("viewer")} <= {"get", "list", "watch"}
    by_kplan = [event for event in server.audit_events() if event.get("userAgent", "").startswith("kplan")]
    assert len(by_kplan) > 100
    others = [event for event in by_kplan if event["verb"] not in ("get", "list", "watch")]
    assert {event["objectRef"]["resource"] for event in others} <= {"selfsubjectaccessreviews"}


def test_devices_are_read_in_the_version_that_the_server_has_and_groups_where_there_are_any(
    other_server: ControlPlane, tmp_path: Path
) -> None:
    claims = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
    groups = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups"
    request = {"name": "gpu", "deviceClassName": "big", "count": 2}
    other_server.post(claims, {"metadata": {"name": "two"}, "spec": {"devices": {"requests": [request]}}})
    gang = {"schedulingPolicy": {"gang": {"minCount": 4}}}
    other_server.post(groups, {"metadata": {"name": "train"}, "spec": gang})
    try:
        state = read(kubeconfig=str(other_server.kubeconfig))
    finally:
        other_server.delete(f"{claims}/two")
        other_server.delete(f"{groups}/train")
    write_snapshot(state, tmp_path / "s.json")
    for found in (state, load_files(tmp_path / "s.json")):
        (claim,), (group,) = found.resource_claims, found.pod_groups
        exact = claim.spec.devices.requests[0].exactly  # type: ignore[index]
        assert (exact.device_class_name, exact.count, exact.allocation_mode) == ("big", 2, "ExactCount")  # type: ignore[union-attr]
        assert group.spec.scheduling_policy.gang.min_count == 4  # type: ignore[union-attr]
        assert {"DeviceClass", "ResourceSlice", "Workload"} <= set(found.completeness.counts)
