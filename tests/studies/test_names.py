"""Which pods a user means."""

import pytest

import kplan
from kplan.cluster import Cluster
from kplan.errors import UsageError
from kplan.objects.selector_text import parse_selector
from kplan.objects.state import ClusterState
from kplan.scenario.names import Scope, resolve
from kplan.studies.origin import version_of
from kplan.wording.owners import comes_back, owner_text
from tests.builders import make, node, pod


def owned(kind: str, name: str) -> dict[str, object]:
    return {"ownerReferences": [{"kind": kind, "name": name, "controller": True}]}


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    behind = owned("Deployment", "web")
    objects = [
        node("n"),
        make("ReplicaSet", "web-7d4", namespace="shop", metadata=behind),
        pod("web-7d4-a", namespace="shop", metadata=owned("ReplicaSet", "web-7d4"), node="n"),
        pod("web-7d4-b", namespace="shop", metadata=owned("ReplicaSet", "web-7d4")),
        pod("cart-9f-x", namespace="shop", labels={"pod-template-hash": "9f"}, metadata=owned("ReplicaSet", "cart-9f")),
        pod("db-0", namespace="shop", metadata=owned("StatefulSet", "db")),
        pod("db-0", namespace="ops"),
        pod("old", status={"phase": "Succeeded"}),
    ]
    return kplan.Scheduler.of("1.37").cluster(ClusterState.of(objects))


FOUND = {
    "an exact name in a namespace": ("db-0", Scope("ops"), ["ops/db-0"]),
    "namespace and name": ("shop/db-0", Scope(), ["shop/db-0"]),
    "a prefix of one that waits, beside one that runs": ("web-7d4", Scope(), ["shop/web-7d4-b"]),
    "a name that is in one namespace alone": ("cart-9f-x", Scope(), ["shop/cart-9f-x"]),
    "a Deployment means those of its pods that wait": ("deploy/web", Scope(), ["shop/web-7d4-b"]),
    "a Deployment whose ReplicaSet is not in the source": ("deployment/cart", Scope("shop"), ["shop/cart-9f-x"]),
    "a ReplicaSet": ("rs/shop/web-7d4", Scope(), ["shop/web-7d4-b"]),
    "a StatefulSet": ("sts/db", Scope(), ["shop/db-0"]),
    "a kind with its group, as kubectl writes it": ("deployment.apps/web", Scope(), ["shop/web-7d4-b"]),
}


@pytest.mark.parametrize("case", FOUND)
def test_found(case: str, cluster: Cluster) -> None:
    name, scope, expected = FOUND[case]
    assert [found.key for found in resolve(cluster, [name], scope)] == expected


NOT_FOUND = {
    "two of the same name": ("db-0", Scope(), "ambiguous-pod", "one of: ops/db-0, shop/db-0"),
    "a pod that has ended": ("old", Scope(), "no-such-pod", "default/old has ended (Succeeded)"),
    "a typing error": ("cart-9f-y", Scope(), "no-such-pod", "did you mean shop/cart-9f-x?"),
    "an owner in another namespace": ("deploy/web", Scope("ops"), "no-such-pod", "did you mean deploy/shop/web?"),
    "an owner of another kind": ("sts/web", Scope("shop"), "no-such-pod", "did you mean deploy/shop/web?"),
    "an owner misspelled": ("deploy/wbe", Scope("shop"), "no-such-pod", "did you mean deploy/shop/web?"),
    "an owner like none": ("deploy/zzz", Scope("shop"), "no-such-pod", "kplan explain pod -A lists what waits"),
    "the beginning of a name in another namespace": (
        "cart",
        Scope("ops"),
        "no-such-pod",
        "did you mean shop/cart-9f-x?",
    ),
    "the end of a name": ("9f-x", Scope(), "no-such-pod", "did you mean shop/cart-9f-x?"),
    "an owner without its kind, misspelled": ("wbe", Scope("shop"), "no-such-pod", "did you mean deploy/shop/web?"),
    "no name at all": ("", Scope("shop"), "ambiguous-pod", "one of: shop/cart-9f-x, shop/db-0, shop/web-7d4-a"),
}


@pytest.mark.parametrize("case", NOT_FOUND)
def test_not_found(case: str, cluster: Cluster) -> None:
    name, scope, code, hint = NOT_FOUND[case]
    with pytest.raises(UsageError) as raised:
        resolve(cluster, [name], scope)
    assert raised.value.code == code
    assert raised.value.hint.startswith(hint)


def test_owners_in_words(cluster: Cluster) -> None:
    pods = {item.key: item for item in cluster.pods}
    assert owner_text(pods["shop/web-7d4-a"], cluster) == "deploy/shop/web"
    assert owner_text(pods["ops/db-0"], cluster) == "pod/ops/db-0"
    assert comes_back(pods["shop/db-0"], cluster) == "yes, sts/db"
    assert comes_back(pods["ops/db-0"], cluster) == "no, no owner"


@pytest.mark.parametrize(
    ("text", "labels", "chosen"),
    [
        ("app=web", {"app": "web"}, True),
        ("app==web,tier!=db", {"app": "web"}, True),
        ("tier in (db, web)", {"tier": "web"}, True),
        ("tier notin (db),app", {"app": "x"}, True),
        ("!app", {"app": "x"}, False),
        ("app", {}, False),
    ],
)
def test_selectors_of_kubectl(text: str, labels: dict[str, str], chosen: bool) -> None:
    selector = parse_selector(text)
    assert selector is not None
    assert selector.matches(labels) is chosen


def test_the_version_of_a_source() -> None:
    kubelets = [node(f"n-{v}", nodeInfo={"kubeletVersion": v}) for v in ("v1.35.1", "v1.36.3-eks-1", "v1.9.0", "x")]
    assert version_of(ClusterState.of(kubelets), "1.34") == ("1.34", "as asked")
    assert version_of(ClusterState.of(kubelets, server_version="v1.37.1")) == ("v1.37.1", "as recorded")
    assert version_of(ClusterState.of(kubelets)) == ("v1.36.3-eks-1", "newest kubelet")
    assert version_of(ClusterState.of([node("n")])) == ("", "no version recorded")
