"""What each command says of devices, word for word, and the same in JSON: a manifest with its template, a full cluster.

``two``: nodes a and b of four GPUs each, of which one is used; ``eight``: all are used. ``pairs``: a Deployment of
eight pods, each with two GPUs by a template that the manifest brings. So two pods of it fit where two GPUs are used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.cli.test_devices import asked, cluster, workload, write


def made(folder: Path) -> None:
    """Write the files that the calls name."""
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "pair", "namespace": "ml"},
        "spec": {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu", "count": 2}}]}}},
    }
    pairs = workload("Deployment", "new", 8)
    pairs["spec"]["template"]["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = "pair"
    write(folder / "pairs.json", template, pairs)
    write(folder / "two.json", *cluster(2))
    write(folder / "eight.json", *cluster(8))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path)
    monkeypatch.chdir(tmp_path)


TEXTS: dict[str, tuple[int, str]] = {
    "simulate -f pairs.json --snapshot two.json": (
        1,
        """\
PARTLY   2 of 8 pods are placed, 6 not, for 1 cause
Because  the claim of its entry gpu wants 2 of gpu: a has 1 free of 4 (used by
         ml/st-0, ml/new-f8c55d78d-ffn86); c: no device of gpu
Try      3 more nodes like a -> all 8 replicas land

Change   deploy/ml/new  new, 8 pods; ResourceClaim of its entry gpu from
         template pair
Pods     2 placed + 6 not placed + 0 gated = 8
Steps    #  pod                     node
         3  ml/new-f8c55d78d-5dhgn  Pending  devices-in-use
         4  ml/new-f8c55d78d-sl5wr  Pending  devices-in-use
         5  ml/new-f8c55d78d-rj5pc  Pending  devices-in-use
         6  ml/new-f8c55d78d-6pdq5  Pending  devices-in-use
         7  ml/new-f8c55d78d-bcblc  Pending  devices-in-use
         8  ml/new-f8c55d78d-zgmpj  Pending  devices-in-use
         1  ml/new-f8c55d78d-ffn86  a        one of 2 that tie; takes gpu-1,
                                             gpu-2
         2  ml/new-f8c55d78d-kmc6l  b        takes gpu-1, gpu-2
Why      6 not placed, most first, as each was tried
      6  the claim of its entry gpu wants 2 of gpu: a has 1 free of 4 (used by
           ml/st-0, ml/new-f8c55d78d-ffn86); c: no device of gpu
           deploy/ml/new 6
Nearest  for ml/new-f8c55d78d-5dhgn
      2  devices of gpu in use
           a needs 2, free 1 of 4; used by ml/st-0, ml/new-f8c55d78d-ffn86
           b needs 2, free 1 of 4; used by ml/st-1, ml/new-f8c55d78d-kmc6l
         1 more group (-o wide)
Preempt  no: no eviction lifts these (3 nodes)
From     two.json, 3 nodes, 2 pods; rules of 1.37 (no version recorded)
""",
    ),
    "capacity -f pairs.json --snapshot two.json": (
        1,
        """\
PARTLY   ml/new: 2 of the 8 it asks for fit (0 run)
Because  the claim of its entry gpu wants 2 of gpu: a has 1 free of 4 (used by
         ml/st-0, ml/new-f8c55d78d-ffn86-more-1); c: no device of gpu
Try      3 more nodes like a -> all 8 fit

Where    zone  run  more  on
         -       0     2  a, b
Next     number 3 is refused on 3 of 3 nodes: devices of gpu in use
         (DynamicResources)
Nearest  a: devices in use alone
Nodes    more nodes like a (DaemonSets counted)  0  1  2  3
         replicas that fit                       2  4  6  8
From     two.json, 3 nodes, 2 pods; rules of 1.37 (no version recorded)
""",
    ),
    "fail a --snapshot eight.json": (
        1,
        """\
BLOCKED  a is lost: 0 of 4 pods placed again, 4 Pending (ml/st-0, +3)
Because  ml/st-0: the claim of its entry gpu wants 1 of gpu: b has 0 free of 4
         (used by ml/st-1, ml/st-3, +2); c: no device of gpu
Try      one more node like a -> all placed

Pods     pod      lands on  when
         ml/st-0  Pending   once the node goes
         ml/st-2  Pending   once the node goes
         ml/st-4  Pending   once the node goes
         ml/st-6  Pending   once the node goes
Time     seconds after the loss, with the defaults of the controllers
      0  a falls silent
     50  a is tainted node.kubernetes.io/unreachable:NoExecute
    350  ml/st-0, ml/st-2, +2 deleted, but Terminating while a is there
           (tolerationSeconds 300)
      -  once a is deleted, or tainted out-of-service: ml/st-0, ml/st-2, +2
         recreated, within 60 s
Why      ml/st-0, nearest first
      1  devices of gpu in use: needs 1, free 0 of 4; used by ml/st-1, ml/st-3,
           +2
           b
         1 more group (-o wide)
Nearest  b: devices in use alone
Note     4 pods without a toleration of unreachable:NoExecute: the default, 300
         s, is assumed
From     eight.json, 3 nodes, 8 pods; rules of 1.37 (no version recorded)
""",
    ),
    "check -f pairs.json --snapshot two.json": (
        1,
        """\
FAILS    deploy/ml/new fails
Because  deploy/ml/new: the claim of its entry gpu wants 2 of gpu: a has 1 free
         of 4 (used by ml/st-0, ml/new-f8c55d78d-ffn86); c: no device of gpu
         (pairs.json:1)
Try      3 more nodes like a -> all 8 replicas land

Checked        object         change       result
         FAIL  deploy/ml/new  new, 8 pods  6 of 8 pods do not fit
From     two.json, of unknown age, incomplete (no PersistentVolume, no
         PersistentVolumeClaim, no StorageClass, 9 more kinds absent); rules of
         1.37 (no version recorded); 3 nodes, 2 pods
Again    kplan check pairs.json --snapshot two.json
""",
    ),
    "diff two.json eight.json": (
        1,
        """\
DIFFERS  snapshots, two.json (A) and eight.json (B): 6 pods elsewhere (6 new in
         B), 2 in the same place

Moves    pod      A  B  moved by
         ml/st-2  -  a
         ml/st-3  -  b
         ml/st-4  -  a
         ml/st-5  -  b
         ml/st-6  -  a
         ml/st-7  -  b
Packing            used  free  largest  unusable  imbalance
         cpu  A    4.2%    46       16      0.0%        2.9
              B   16.7%    40       16      0.0%       11.8
         gpu  A   25.0%     6        3      0.0%          -
              B  100.0%     0        0         -          -
         nodes in use 2 -> 2; waiting 0 -> 0; cpu against memory within a node
         4.2 -> 16.7 points
From     two.json, 3 nodes, 2 pods; rules of 1.37 (no version recorded)
From     eight.json, 3 nodes, 8 pods; rules of 1.37 (no version recorded)
""",
    ),
}


@pytest.mark.parametrize("call", TEXTS)
def test_what_a_command_says_word_for_word(call: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(call.split())
    assert (code, capsys.readouterr().out) == TEXTS[call]


IN_USE = "devices-in-use"
WANTS_2 = "the claim of its entry gpu wants 2 of gpu: a has 1 free of 4 "
WANTS_1 = (
    "the claim of its entry gpu wants 1 of gpu: b has 0 free of 4 (used by ml/st-1, ml/st-3, +2); c: no device of gpu"
)


def test_simulate_names_the_devices_that_each_pod_gets(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *["simulate", "-f", "pairs.json", "--snapshot", "two.json"])
    assert [(step["result"], step.get("devices")) for step in found["steps"]] == [
        ("placed", ["a/gpu-1", "a/gpu-2"]), ("placed", ["b/gpu-1", "b/gpu-2"]), *[("pending", None)] * 6,
    ]  # fmt: skip
    [cause] = found["causes"]
    assert (cause["count"], cause["because"]["code"]) == (6, IN_USE)
    assert cause["because"]["text"].startswith(WANTS_2)
    assert [node["name"] for node in cause["group"]["nodes"]] == ["a", "b"]
    assert found["change"][0]["note"] == "ResourceClaim of its entry gpu from template pair"


def test_capacity_says_which_devices_the_next_one_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *["capacity", "-f", "pairs.json", "--snapshot", "two.json"])
    assert found["because"]["code"] == IN_USE
    assert found["because"]["text"].startswith(WANTS_2)
    assert found["refusing"] == [{"plugin": "DynamicResources", "text": "devices of gpu in use", "nodes": 3}]
    assert (found["growth"]["fits"], found["growth"]["needed"]) == ([2, 4, 6, 8], 3)


def test_fail_says_of_each_pod_which_devices_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *["fail", "a", "--snapshot", "eight.json"])
    assert [(pod["pod"], pod["fate"], pod["because"]) for pod in found["pods"]] == [
        (f"ml/st-{number}", "pending", {"code": IN_USE, "text": WANTS_1}) for number in (0, 2, 4, 6)
    ]
    codes = [group["reasons"][0]["code"] for group in (found["group"], *found["moreGroups"])]
    assert codes == [IN_USE, "no-device-of-class"]


def test_check_finds_what_simulate_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *["check", "-f", "pairs.json", "--snapshot", "two.json"])
    [finding] = found["findings"]
    assert (finding["rule"], finding["cause"], finding["amount"]) == ("does-not-fit", IN_USE, 6)
    assert finding["text"].startswith(f"deploy/ml/new: {WANTS_2}")
    assert finding["attempt"] == "3 more nodes like a -> all 8 replicas land"
    assert found["plan"]["steps"][0]["devices"] == ["a/gpu-1", "a/gpu-2"]


def test_diff_counts_the_devices_of_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *["diff", "two.json", "eight.json"])
    told = [found[side]["packing"]["devices"]["gpu"] for side in "ab"]
    assert [(one["devices"], one["used"], one["free"], one["largest"]) for one in told] == [(8, 2, 6, 3), (8, 8, 0, 0)]


def test_diff_says_which_pods_a_taint_of_devices_keeps_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tainted for new pods alone (NoSchedule): those that are there stay, and the one that waits has no device."""
    waits = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "late", "namespace": "ml", "uid": "late"},
        "spec": {
            "containers": [{"name": "main", "image": "x", "resources": {"claims": [{"name": "gpu"}]}}],
            "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}],
        },
        "status": {"phase": "Pending", "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "late-gpu"}]},
    }  # fmt: skip
    wants = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "late", "uid": "late", "controller": True}
    claim: dict[str, Any] = {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": wants,
        "metadata": {"name": "late-gpu", "namespace": "ml", "uid": "claim-late", "ownerReferences": [owner]},
    }  # fmt: skip
    before = [*cluster(2), waits, claim]
    after = json.loads(json.dumps(before))
    for item in after:
        for device in item["spec"]["devices"] if item["kind"] == "ResourceSlice" else ():
            device["taints"] = [{"key": "broken", "effect": "NoSchedule"}]
    write(tmp_path / "before.json", *before)
    write(tmp_path / "after.json", *after)
    found = asked(capsys, "diff", "before.json", "after.json")
    [move] = found["moves"]
    assert (move["pod"], move["result"], move["plugin"]) == ("ml/late", "pending", "DynamicResources")
    assert found["because"]["text"] == (
        "ml/late: in B: the claim of its entry gpu wants 1 of gpu: those on a are tainted, which it does not tolerate"
    )
    assert [found[side]["packing"]["devices"]["gpu"]["tainted"] for side in "ab"] == [0, 6]


@pytest.mark.parametrize("source", ["two.json", "eight.json"])
def test_under_false_names_the_devices_are_as_many_and_the_losses_the_same(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Drivers and classes are kept, as expressions name them; all else gets other names."""
    assert main(["snapshot", "redacted.json", "--snapshot", source, "--redact"]) == 0
    capsys.readouterr()
    redacted = json.loads(Path("redacted.json").read_text())
    names = [item["metadata"]["name"] for item in redacted["items"]]
    slices = [item["spec"] for item in redacted["items"] if item["kind"] == "ResourceSlice"]
    assert not {"a", "b", "c", "one", "a-x", "st-0", "st-0-gpu-x"} & {*names, *(one["pool"]["name"] for one in slices)}
    assert not [device for one in slices for device in one["devices"] if device["name"].startswith("gpu")]
    kept = asked(capsys, "nodes", "--devices", "--snapshot", "redacted.json")["devices"]["classes"]
    used = 2 if source == "two.json" else 8
    assert [(one["devices"], one["used"], one["free"]) for one in kept.values()] == [(8, used, 8 - used)]
    nodes = [item["metadata"]["name"] for item in redacted["items"] if item["kind"] == "Node"]
    losses = [asked(capsys, "fail", name, "--snapshot", "redacted.json") for name in nodes]
    codes = sorted((found.get("because") or {}).get("code", "") for found in losses)
    assert codes == (["", "", ""] if source == "two.json" else ["", IN_USE, IN_USE])


CRASH = (
    'running Score plugins: plugin "NodeResourcesBalancedAllocation" failed with: kube-scheduler crashes here:'
    " example.com/gpu is balanced and its device class has selectors, which this plugin cannot evaluate"
)
BALANCED = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesBalancedAllocation
    args:
      resources: [{name: cpu, weight: 1}, {name: example.com/gpu, weight: 1}]
"""


def test_what_crashes_the_scheduler_itself_is_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An extended resource that is balanced, and that devices of a class with selectors serve."""
    items = cluster(0)
    served = {"extendedResourceName": "example.com/gpu", "selectors": [{"cel": {"expression": "device.driver != ''"}}]}
    requests = {"cpu": "1", "example.com/gpu": "1"}
    container = {"name": "main", "image": "x", "resources": {"requests": requests, "limits": requests}}
    for item in items:
        if item["kind"] == "DeviceClass":
            item["spec"] = served
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ml"},
        "spec": {"containers": [container]},
    }
    write(tmp_path / "balanced.json", *items, pod)
    Path("config.yaml").write_text(BALANCED)
    words = ["--snapshot", "balanced.json", "--config", "config.yaml"]
    found = asked(capsys, "explain", "pod", "p", "-n", "ml", *words)
    assert (found["verdict"], found["sentence"]) == ("PENDING", "ml/p is not placed: its scheduling cycle fails")
    assert found["because"] == {"code": "cycle-error", "text": CRASH}
    [step] = asked(capsys, "simulate", *words)["steps"]
    assert (step["result"], step["cause"], step["message"]) == ("failed", "cycle-error", CRASH)
    assert asked(capsys, "explain", "pod", "p", "-n", "ml", *words[:2])["verdict"] == "FITS"
