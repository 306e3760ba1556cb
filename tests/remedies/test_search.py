"""Remedies: which are found, in which order, what is said of them, and that nothing is left changed."""

import re
from typing import Any

import pytest

import kplan
from kplan.objects.models import Object
from kplan.remedies.candidate import Remedies
from kplan.remedies.lab import FEWEST_TRIALS, Lab
from kplan.remedies.search import remedies
from kplan.render.text import Style
from kplan.wording.remedies import harm_of, text_of, words_of
from tests.builders import make, node, pod
from tests.remedies.carrying_out import helps, picture
from tests.studies.ask import context, document, text

ZONE = "topology.kubernetes.io/zone"
WEB = {"app": "web"}


def owned(kind: str, name: str) -> dict[str, Any]:
    return {"ownerReferences": [{"kind": kind, "name": name, "controller": True}]}


def spread(**fields: Any) -> list[dict[str, Any]]:
    rule = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}
    return [{**rule, "labelSelector": {"matchLabels": WEB}, **fields}]


def search(objects: list[Object], name: str) -> Remedies:
    """Look for remedies, and hold each against a cluster built anew."""
    asked = context(objects)
    planner = asked.planner
    info = kplan.find_pods(planner, [name])[0]
    planner.explain(info)
    counters = len(planner.cluster.counters)
    before = picture(planner.cluster, counters)
    found = remedies(planner, info)
    assert picture(planner.cluster, counters) == before
    assert [wrong for wrong in (helps(planner, name, remedy) for remedy in found.found) if wrong] == []
    return found


def told(found: Remedies) -> list[str]:
    return [f"{text_of(remedy.candidate)} -> {', '.join(remedy.effect.nodes)}" for remedy in found.found]


def test_the_greatest_request_is_exact_and_larger_sets_are_told() -> None:
    objects = [
        *(node(f"n-{i}", cpu="4") for i in range(4)),
        pod("a", node="n-0", requests={"cpu": "1763m"}),
        *(pod(f"b-{i}", node=f"n-{i}", requests={"cpu": "1800m"}) for i in (1, 2, 3)),
        pod("big", requests={"cpu": "3"}),
    ]
    answer = document(objects, "default/big")
    fix = answer.fixes[0]
    assert fix.text == "cpu request of at most 2237m (now 3000m)"
    assert fix.then == "n-0 (2200m: 4 nodes)"
    assert fix.summary == "cpu request 2237m (now 3000m) -> n-0 fits (2200m: 4 nodes)"


def test_two_resources_are_lowered_together() -> None:
    objects = [
        node("n", cpu="2", memory="4Gi"),
        pod("a", node="n", requests={"cpu": "500m", "memory": "1Gi"}),
        pod("p", requests={"cpu": "2", "memory": "4Gi"}),
    ]
    found = search(objects, "default/p")
    assert told(found)[0] == (
        "cpu request of at most 1500m (now 2000m) and memory request of at most 3Gi (now 4Gi) -> n"
    )


def test_a_request_that_would_lose_more_than_half_comes_after_the_nodes() -> None:
    objects = [node("n"), pod("a", node="n", requests={"cpu": "3900m"}), pod("p", requests={"cpu": "2"})]
    codes = [remedy.candidate.code for remedy in search(objects, "default/p").found]
    assert codes.index("lower-request") > codes.index("one-more-node")


def test_the_largest_container_gives_way() -> None:
    containers = [
        {"name": "small", "resources": {"requests": {"cpu": "500m"}}},
        {"name": "large", "resources": {"requests": {"cpu": "3"}}},
    ]
    answer = document([node("n", cpu="3"), pod("p", containers=containers)], "default/p")
    assert answer.fixes[0].text == "cpu request of container large of at most 2500m (now 3000m)"


def test_devices_keep_their_limit_equal_to_their_request() -> None:
    gpu = {"name": "m", "resources": {"requests": {"e.com/gpu": "4"}, "limits": {"e.com/gpu": "4"}}}
    answer = document([node("n", allocatable={"e.com/gpu": "3"}), pod("p", containers=[gpu])], "default/p")
    assert answer.fixes[0].text == "e.com/gpu request of at most 3 (now 4)"
    assert '"limits": {"e.com/gpu": "3"}' in answer.fixes[0].commands[-1]


def test_the_order_is_that_of_cost() -> None:
    objects = [
        node("old", cpu="2", labels={"pool": "a"}),
        node(
            "corded", labels={"pool": "a"}, unschedulable=True, taints=["node.kubernetes.io/unschedulable:NoSchedule"]
        ),
        node("other", taints=["team=b:NoSchedule"], labels={"pool": "a"}),
        pod("x", node="old", requests={"cpu": "1"}, metadata=owned("ReplicaSet", "x")),
        pod("p", requests={"cpu": "2"}, nodeSelector={"pool": "a"}),
    ]
    costs = [int(remedy.candidate.cost) for remedy in search(objects, "default/p").found if not remedy.again]
    assert costs == sorted(costs)
    codes = [remedy.candidate.code for remedy in search(objects, "default/p").found]
    assert codes[:4] == ["tolerate-taint", "lower-request", "uncordon", "one-more-node"]


def test_a_taint_of_the_node_itself_is_not_tolerated_but_healed() -> None:
    objects = [node("n", taints=["node.kubernetes.io/disk-pressure:NoSchedule"]), pod("p")]
    assert told(search(objects, "default/p")) == [
        "one more node like n -> n-new-1",
        "n healthy again (disk-pressure) -> n",
    ]


def test_a_label_that_a_cloud_sets_is_not_set_by_hand() -> None:
    objects = [node("n", labels={"node.kubernetes.io/instance-type": "m5"}), pod("p", nodeSelector={"a.io/x": "y"})]
    assert "label n a.io/x=y -> n" in told(search(objects, "default/p"))
    objects = [node("n"), pod("p", nodeSelector={"node.kubernetes.io/instance-type": "m6"})]
    assert not [line for line in told(search(objects, "default/p")) if line.startswith("label")]


def test_what_is_behind_a_refusal_of_the_whole_pod_is_looked_for() -> None:
    # no node is looked at for a claim that is missing: the taint is met only once it is there
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "nope"}}
    found = search([node("n", taints=["a=b:NoSchedule"]), pod("p", volumes=[volume])], "default/p")
    assert [text_of(remedy.candidate) for remedy in found.found] == [
        "tolerate a=b, and create claim nope, bound to a volume",
        "create claim nope, bound to a volume, and remove taint a=b from n",
        "tolerate a=b, and the pod without claim nope",
        "remove taint a=b from n, and the pod without claim nope",
    ]
    assert (found.failed, found.nearest) == ((), None)


def test_pairs_are_looked_for_only_where_nothing_helps_alone() -> None:
    both = [node("n", taints=["a=b:NoSchedule"], labels={"disk": "hdd"}), pod("p", nodeSelector={"disk": "ssd"})]
    found = search(both, "default/p")
    assert told(found)[0] == "tolerate a=b, and drop nodeSelector disk=ssd -> n"
    one = search([*both, node("m")], "default/p")
    assert told(one)[0] == "drop nodeSelector disk=ssd -> m"
    assert not [line for line in told(one) if ", and " in line]


def test_nothing_short_of_all_is_said_plainly() -> None:
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "kubernetes.io/hostname"}
    ]}}  # fmt: skip
    objects = [
        node("n", taints=["a=b:NoSchedule"]),
        pod("p", nodeSelector={"disk": "ssd"}, affinity=near),
    ]
    found = search(objects, "default/p")
    assert found.found == ()
    said = document(objects, "default/p").no_help
    assert said is not None
    assert said.nothing == (
        "nothing short of all of these together helps, on n: taint a=b:NoSchedule, nodeSelector disk=ssd and pod "
        "affinity to app=cache"
    )


def test_an_evicted_pod_is_tried_both_ways_round() -> None:
    """The copy goes back to the roomier node unless that is cordoned meanwhile: the whole chain is the remedy."""
    objects = [
        node("n-1", labels={"tier": "db"}),
        node("n-2", cpu="2500m"),
        pod("cart", node="n-1", requests={"cpu": "2"}, metadata=owned("ReplicaSet", "cart")),
        pod("pin", node="n-1", requests={"cpu": "1"}, metadata=owned("DaemonSet", "pin")),
        pod("p", requests={"cpu": "2"}, nodeSelector={"tier": "db"}),
    ]
    found = search(objects, "default/p")
    move = next(remedy for remedy in found.found if remedy.candidate.code == "move-pod")
    words = words_of(move.candidate)
    assert (words.text, words.note) == (
        "move default/cart, 2 cpu: cordon n-1, evict it, uncordon n-1",
        "it moves to n-2",
    )
    answer = document(objects, "default/p")
    assert next(fix for fix in answer.fixes if fix.code == "move-pod").commands[0] == "kubectl cordon n-1"
    assert answer.no_help is not None
    assert "evicting default/cart alone (it goes back to n-1)" in answer.no_help.tried


def test_harm_is_in_capitals_and_comes_last() -> None:
    objects = [
        node("n-1"),
        node("n-2"),
        pod("lone", node="n-1", requests={"cpu": "4"}),
        pod("kept", node="n-2", requests={"cpu": "4"}, labels=WEB, metadata=owned("ReplicaSet", "kept")),
        make("PodDisruptionBudget", "web", namespace="default", spec={"selector": {"matchLabels": WEB}},
             status={"disruptionsAllowed": 0}),
        pod("p", requests={"cpu": "1"}),
    ]  # fmt: skip
    found = search(objects, "default/p").found
    assert {harm_of(remedy.candidate) for remedy in found if remedy.candidate.harm} == {
        "GONE: nothing owns it",
        "BREAKS web",
    }
    assert bool(found[-1].candidate.harm)


def test_next_ones_are_counted_where_there_are_more_of_a_template() -> None:
    objects = [
        node("w-1"),
        node("w-2"),
        node("cp", taints=["cp=:NoSchedule"]),
        pod("web-1", node="w-1", labels=WEB, requests={"cpu": "1"}),
        pod("web-2", node="w-2", labels=WEB, requests={"cpu": "1"}),
        pod("web-3", labels=WEB, requests={"cpu": "1"}, topologySpreadConstraints=spread()),
    ]
    nexts = {fix.text: fix.next_ones for fix in document(objects, "default/web-3").fixes}
    assert nexts["nodeTaintsPolicy: Honor"] == "fit too"
    assert nexts["maxSkew: 2 (now 1)"] == "1 more"
    assert nexts["one more node like w-1"] == "none"


def test_a_daemonset_pod_gets_no_other_node() -> None:
    home = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n-1"]}]}
    ]}}}  # fmt: skip
    objects = [
        node("n-1", cpu="1"),
        node("n-2"),
        pod("web", node="n-1", requests={"cpu": "1"}, metadata=owned("ReplicaSet", "web")),
        pod("ds", requests={"cpu": "500m"}, affinity=home, metadata=owned("DaemonSet", "ds")),
    ]
    codes = [remedy.candidate.code for remedy in search(objects, "default/ds").found]
    assert codes[0] == "evict-pod"
    assert "one-more-node" not in codes
    assert "drop-node-affinity" not in codes


def test_a_gated_pod_and_one_that_fits_get_none() -> None:
    gated = pod("g", schedulingGates=[{"name": "x"}])
    assert search([node("n"), gated], "default/g") == Remedies()
    assert search([node("n"), pod("p")], "default/p") == Remedies()


def test_trials_are_bounded_by_the_size_of_the_cluster() -> None:
    asked = context([*(node(f"n-{i:03}") for i in range(300)), pod("p")])
    small = Lab(asked.planner, kplan.find_pods(asked.planner, ["default/p"])[0])
    assert small.most == 240
    asked.planner.cluster.nodes *= 100
    assert Lab(asked.planner, asked.planner.cluster.pods[0]).most == FEWEST_TRIALS


@pytest.mark.parametrize(
    ("style", "shown"),
    [(Style(), 5), (Style(all_fixes=True), 7)],
    ids=["five by default", "all of them with --all-fixes"],
)
def test_five_lines_then_a_flag(style: Style, shown: int) -> None:
    objects = [
        *(node(f"t-{i}", taints=["a=b:NoSchedule"]) for i in range(2)),
        *(node(f"l-{i}", labels={"disk": "hdd"}) for i in range(2)),
        node("c", cpu="1", labels={"disk": "ssd"}),
        pod("q", node="c", requests={"cpu": "500m"}),
        pod("p", requests={"cpu": "1"}, nodeSelector={"disk": "ssd"}),
    ]
    told = text(objects, "default/p", style)
    assert re.findall(r"^ {9}(\d)  ", told, re.MULTILINE) == [str(number) for number in range(1, shown + 1)]
    assert ("--all-fixes" in told) is not style.all_fixes


def test_claims_of_devices_are_not_tried_and_that_is_said() -> None:
    claims = [{"name": "gpu", "resourceClaimName": "gpu-0"}]
    objects = [
        node("n", allocatable={"cpu": "1", "memory": "1Gi", "pods": "9"}),
        pod("p", requests={"cpu": "2"}, resourceClaims=claims),
    ]
    told = " ".join(text(objects, "default/p").split())
    assert "1 cpu request of at most 1 (now 2)" in told
    assert "not tried: claims of devices" in told
    without = [objects[0], pod("p", requests={"cpu": "2"})]
    assert "not tried" not in text(without, "default/p")
