"""Words of a list of nodes."""

import pytest

from kplan.result.document_nodes import ResourceTotal
from kplan.wording.nodes import leaving, more_than_containers, scarcest, sentence, waiting


@pytest.mark.parametrize(
    ("nodes", "takes", "pods", "closed", "text"),
    [
        pytest.param(0, 0, 0, {}, "0 nodes", id="none"),
        pytest.param(1, 1, 2, {}, "1 node, it takes pods; 2 pods on it", id="one"),
        pytest.param(3, 3, 0, {"cordoned": 0}, "3 nodes, all take pods; 0 pods on them", id="all are open"),
        pytest.param(
            1200, 1, 1, {"cordoned": 1198, "pod limit": 1},
            "1,200 nodes, 1 takes pods (1,198 cordoned, 1 at the pod limit); 1 pod on them", id="what closes others",
        ),
    ],
)  # fmt: skip
def test_how_many_take_pods(nodes: int, takes: int, pods: int, closed: dict[str, int], text: str) -> None:
    assert sentence(nodes, takes, pods, closed) == text


@pytest.mark.parametrize(
    ("nodes", "takes", "closed", "tainted", "text"),
    [
        (6, 6, {}, 1, "6 nodes, 5 take any pod (1 tainted); 3 pods on them"),
        (6, 3, {"control plane": 3}, 2, "6 nodes, 1 takes any pod (3 control plane, 2 tainted); 3 pods on them"),
        (1, 1, {}, 1, "1 node, 0 take any pod (1 tainted); 3 pods on it"),
    ],
)
def test_a_tainted_node_does_not_take_any_pod(
    nodes: int, takes: int, closed: dict[str, int], tainted: int, text: str
) -> None:
    assert sentence(nodes, takes, 3, closed, tainted) == text


@pytest.mark.parametrize(
    ("requested", "free", "largest", "text"),
    [
        pytest.param(0, 4000, 2000, "nothing is requested of these nodes", id="unused"),
        pytest.param(4000, 0, 0, "cpu is scarcest: none is free on the nodes that take pods", id="none is free"),
        pytest.param(1000, 2500, 2500, "cpu is scarcest: 2500m free, all on n1", id="on one node"),
        pytest.param(1000, 3000, 2000, "cpu is scarcest: 3 free, at most 2 in one piece (n1)", id="in pieces"),
    ],
)
def test_in_which_pieces_the_scarcest_resource_is_free(requested: int, free: int, largest: int, text: str) -> None:
    total = ResourceTotal(
        requested=requested, allocatable=5000, free=free, closed=0, largest=largest, largest_node="n1"
    )
    assert scarcest("cpu", total).text == text


def test_what_is_special_in_the_numbers() -> None:
    assert leaving(1, {"cpu": 500, "memory": 0}) == "1 pod is being deleted and counts until it is gone: 500m cpu"
    assert leaving(2, {"cpu": 0}) == "2 pods are being deleted and count until they are gone"
    assert waiting(1, 0, ()) == "not counted: 1 waiting pod"
    assert waiting(3, 1, ["n1"]) == "not counted: 3 waiting pods; 1 nominated, with room kept on n1"
    assert more_than_containers(0, 2, 0) == "overhead of 2 pods is counted in"
    assert more_than_containers(1, 2, 0) == "sidecars of 1 pod and overhead of 2 pods are counted in"
