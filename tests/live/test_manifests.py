"""Manifests become the pods and claims that the real controllers and the real admission make of them.

Every file in manifests/ is posted to a namespace of its own, named as the file; all at once, so that one wait serves
all. The files of manifests/with-defaults/ follow once the cluster has a default PriorityClass and StorageClass. The
pods are compared as they were when the API server let them in, before a scheduler bound them, in every field that
kplan reads of a pod.
"""

import contextlib
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from kplan.admission import Expansion
from kplan.objects.models import PersistentVolumeClaim, Pod
from tests.live.controllers import (
    Json,
    Watch,
    by_name,
    controllers_running,
    differences,
    documents,
    expanded,
    read_state,
    serve,
    url_of,
    without_chance,
    without_empty,
)
from tests.live.controlplane import ControlPlane, GaveUp, wait_for

MANIFESTS = Path(__file__).parent / "manifests"
PLAIN = sorted(MANIFESTS.glob("*.yaml"))
WITH_DEFAULTS = sorted((MANIFESTS / "with-defaults").glob("*.yaml"))
FILES = [*PLAIN, *WITH_DEFAULTS]

POLICIES = ("LimitRange", "ResourceQuota", "ServiceAccount", "ResourceClaimTemplate", "ResourceClaim")
"""Kinds that have to be there before the pods."""

PATIENCE = 90.0
"""Seconds; a CronJob begins its run at a full minute."""


@dataclass
class Case:
    """One file, what kplan makes of it and what the controllers made of it."""

    path: Path
    before: Expansion
    after: Expansion
    pods: list[Json] = field(default_factory=list)
    last: list[Json] = field(default_factory=list)
    claims: list[Json] = field(default_factory=list)

    @property
    def namespace(self) -> str:
        return self.path.stem


def add_nodes(plane: ControlPlane) -> None:
    zone = "topology.kubernetes.io/zone"
    plane.add_node("plain-1", cpu="32", labels={zone: "a", "disk": "ssd", "cores": "32"})
    plane.add_node("plain-2", cpu="32", labels={zone: "b", "cores": "8", "sandbox": "yes"})
    plane.add_node("edge-1", cpu="32", labels={zone: "b", "pool": "edge"})
    plane.add_node("gpu-1", cpu="32", taints=[{"key": "gpu", "value": "a100", "effect": "NoSchedule"}])
    plane.add_node("drained-1", cpu="32", taints=[{"key": "maintenance", "effect": "NoExecute"}])
    plane.add_node("soft-1", cpu="32", taints=[{"key": "spare", "effect": "PreferNoSchedule"}])
    plane.add_node("cordoned-1", cpu="32", unschedulable=True)
    plane.add_node("not-ready-1", cpu="32", ready=False)
    for name, effect in (("unreachable", "NoExecute"), ("disk-pressure", "NoSchedule")):
        plane.add_node(f"{name}-1", cpu="32", taints=[{"key": f"node.kubernetes.io/{name}", "effect": effect}])
    no_network = {"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}
    plane.add_node("no-network-1", cpu="32", taints=[no_network])
    plane.add_node("windows-1", cpu="32", labels={"kubernetes.io/os": "windows"})


def post_policies(plane: ControlPlane, files: list[Path]) -> None:
    for path in files:
        plane.create_namespace(path.stem)
        for item in documents(path):
            if item["kind"] in POLICIES:
                plane.post(url_of(item, path.stem), item)
    for path in files:
        accounts = f"/api/v1/namespaces/{path.stem}/serviceaccounts/default"
        wait_for(lambda at=accounts: plane.request("GET", at)[0] == 200, what=accounts)
        quotas = f"/api/v1/namespaces/{path.stem}/resourcequotas"
        wait_for(lambda at=quotas: all("used" in one.get("status", {}) for one in plane.get(at)["items"]), what=quotas)


def post_workloads(plane: ControlPlane, files: list[Path]) -> None:
    for path in files:
        for item in documents(path):
            if item["kind"] not in POLICIES:
                plane.post(url_of(item, path.stem), item)


def make_pods(plane: ControlPlane, watch: Watch, cases: list[Case]) -> None:
    """Play kubelet until every case has its pods and nothing happens any more."""

    def done() -> bool:
        serve(plane, watch)
        there = all(len(watch.created(case.namespace)) >= len(case.after.pods) for case in cases)
        return there and watch.quiet_for() > 1.5

    with contextlib.suppress(GaveUp):  # the test of the case that lacks a pod tells
        wait_for(done, PATIENCE, 0.2, "all pods")
    for case in cases:
        case.pods = watch.created(case.namespace)
        case.last = watch.in_namespace(case.namespace)
        case.claims = plane.get(f"/api/v1/namespaces/{case.namespace}/persistentvolumeclaims")["items"]


def carry_out(plane: ControlPlane, files: list[Path]) -> list[Case]:
    bare = read_state(plane)
    post_policies(plane, files)
    state = read_state(plane)
    cases = [Case(path, expanded(path, bare, path.stem), expanded(path, state, path.stem)) for path in files]
    with Watch(plane) as watch:
        post_workloads(plane, files)
        make_pods(plane, watch, cases)
    return cases


@pytest.fixture(scope="module")
def cases() -> Iterator[dict[Path, Case]]:
    with controllers_running(scheduler=True) as plane:
        add_nodes(plane)
        for item in documents(MANIFESTS / "cluster" / "classes.yaml"):
            plane.post(url_of(item, ""), item)
        found = carry_out(plane, PLAIN)
        for item in documents(MANIFESTS / "cluster" / "defaults.yaml"):
            plane.post(url_of(item, ""), item)
        time.sleep(1)  # admission learns of classes by a watch
        found += carry_out(plane, WITH_DEFAULTS)
        yield {case.path: case for case in found}


def pod_as_read(item: Json | Pod) -> Json:
    """Write what kplan reads of a pod, without what is random and without what service accounts add."""
    pod = item if isinstance(item, Pod) else msgspec.convert(item, Pod)
    spec: Json = msgspec.to_builtins(pod.spec)
    tokens = [one["name"] for one in spec.get("volumes") or () if one["name"].startswith("kube-api-access-")]
    spec["volumes"] = by_name(one for one in spec.get("volumes") or () if one["name"] not in tokens)
    for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
        mounts = [one for one in container.get("volumeMounts") or () if one.get("name") not in tokens]
        container["volumeMounts"] = mounts
    if spec.get("serviceAccountName") == "default":
        del spec["serviceAccountName"]
    meta = pod.metadata
    owners = [(one.api_version, one.kind, one.name, one.controller) for one in meta.owner_references or ()]
    annotations = {key: text for key, text in pod.annotations.items() if not key.startswith("kubernetes.io/limit-")}
    picked = {
        "name": pod.name,
        "namespace": pod.namespace,
        "labels": pod.labels,
        "annotations": annotations,
        "owners": owners,
        "spec": spec,
        "phase": pod.status.phase,
        "gated": [one.reason for one in pod.status.conditions or () if one.reason == "SchedulingGated"],
    }
    found: Json = without_empty(msgspec.json.decode(without_chance(msgspec.json.encode(picked).decode())))  # type: ignore[assignment]
    return found


def in_order(pods: list[Json]) -> list[Json]:
    return sorted(pods, key=lambda pod: msgspec.json.encode([pod["name"], pod], order="sorted"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_pods(path: Path, cases: dict[Path, Case]) -> None:
    case = cases[path]
    real, planned = [[pod_as_read(one) for one in some] for some in (case.pods, [one.pod for one in case.after.pods])]
    assert Counter(pod["name"] for pod in planned) == Counter(pod["name"] for pod in real)
    problems = []
    for one, other in zip(in_order(real), in_order(planned), strict=True):
        problems += [f"{one['name']} {text}" for text in differences(one, other)]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_limits_and_quotas_of_the_file_count_as_those_of_the_cluster_do(path: Path, cases: dict[Path, Case]) -> None:
    """A file may bring what its pods depend on; it need not have been applied before."""
    case = cases[path]
    brought, there = [[pod_as_read(one.pod) for one in some.pods] for some in (case.before, case.after)]
    assert brought == there
    assert [str(one) for one in case.before.refused] == [str(one) for one in case.after.refused]


def claim_as_read(item: Json | PersistentVolumeClaim) -> Json:
    """Write what a claim asks for, without what binding it adds."""
    claim = item if isinstance(item, PersistentVolumeClaim) else msgspec.convert(item, PersistentVolumeClaim)
    owned = [one.kind for one in claim.metadata.owner_references or () if one.kind == "Pod"]
    annotations = {
        key: text for key, text in claim.annotations.items() if key.startswith(("example.com/", "volume.beta.k"))
        if not key.endswith("storage-provisioner")
    }  # fmt: skip
    picked = {
        "name": claim.name,
        "labels": claim.labels,
        "annotations": annotations,
        "owned": owned,
        "spec": msgspec.to_builtins(claim.spec),
        "phase": claim.status.phase,
    }
    found: Json = without_empty(picked)  # type: ignore[assignment]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_claims(path: Path, cases: dict[Path, Case]) -> None:
    case = cases[path]
    real = by_name(map(claim_as_read, case.claims))
    planned = by_name(claim_as_read(one) for one in case.after.objects if isinstance(one, PersistentVolumeClaim))
    assert [claim["name"] for claim in planned] == [claim["name"] for claim in real]
    assert not list(differences(real, planned))


def test_device_claims_are_named_as_their_controller_names_them(cases: dict[Path, Case]) -> None:
    case = cases[MANIFESTS / "device-claims.yaml"]

    def names(pods: list[Pod]) -> list[str]:
        statuses = [one for pod in pods for one in pod.status.resource_claim_statuses or ()]
        texts = [re.sub(r"-\w{5}$", "", str(one.resource_claim_name)) for one in statuses]
        return sorted(f"{one.name}: {without_chance(text)}" for one, text in zip(statuses, texts, strict=True))

    assert names([one.pod for one in case.after.pods]) == names([msgspec.convert(pod, Pod) for pod in case.last])
    assert len(names([one.pod for one in case.after.pods])) == 2
