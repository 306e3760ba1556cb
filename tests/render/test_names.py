"""``-o name``: what other commands take, one a line."""

from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

ZONE = "topology.kubernetes.io/zone"


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    """Three nodes, two of them in one zone; what runs on n-2 fits nowhere else, and a bare pod is there."""
    nodes = [node("n-1"), node("n-2", cpu="8"), node("n-3")]
    for item, zone in zip(nodes, "aab", strict=True):
        item["metadata"]["labels"][ZONE] = zone
    small, big = pod("small", on="n-1"), pod("big", on="n-2", cpu="6")
    return write(tmp_path, *nodes, owned(small, "ReplicaSet", "small"), owned(big, "ReplicaSet", "big"))


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        pytest.param(["nodes"], 0, "node/n-1\nnode/n-2\nnode/n-3\n", id="nodes"),
        pytest.param(["nodes", "-l", f"{ZONE}=b"], 0, "node/n-3\n", id="nodes by a label"),
        pytest.param(["drain", "--find"], 0, "node/n-3\nnode/n-1\n", id="nodes that could go"),
        pytest.param(["drain", "--find", "n-2"], 1, "", id="none that could"),
        pytest.param(["drain", "n-2"], 1, "pod/default/big\n", id="pods in the way of a drain"),
        pytest.param(["drain", "n-1"], 0, "", id="none in its way"),
        pytest.param(["fail", "--each", "node"], 1, "node/n-2\n", id="nodes whose loss is not borne"),
        pytest.param(["fail", "--each", "zone"], 1, "a\n", id="zones whose loss is not borne"),
        pytest.param(["fail", "n-2"], 1, "pod/default/big\n", id="pods that do not come back"),
    ],
)
def test_names(capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], code: int, told: str) -> None:
    assert main([*words, "-o", "name", "--snapshot", cluster]) == code
    assert capsys.readouterr().out == told


def test_names_of_nodes_are_taken_as_nodes(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["drain", "node/n-3", "node/n-1", "-q", "--snapshot", cluster]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("FITS?    n-3, n-1 can be drained")
