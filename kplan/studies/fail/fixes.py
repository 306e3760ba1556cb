"""What would help against a loss: one or two more nodes, each tried by losing the same nodes again."""

from __future__ import annotations

from collections.abc import Iterator

from kplan.course.loss import FailRun, run_fail
from kplan.course.trying import Fix, ask_after
from kplan.pipeline import Planner
from kplan.scenario.add_node import AddNode


def lacks_room(run: FailRun) -> int:
    """Number of pods that find no node and that another node may help."""
    return sum(not one.ties for one in run.pending) + len(run.displaced)


def find_fix(planner: Planner, run: FailRun) -> Fix | None:
    """Try more nodes; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        run: the loss.
    """
    if not lacks_room(run):
        return None
    for like in _models(planner, run):
        for number in (1, 2):
            added = AddNode(like=like, count=number)
            left = ask_after(planner, [added], lambda trial: run_fail(trial, run.nodes))
            if left is None:
                break
            if not lacks_room(left):
                what = "one more node" if number == 1 else f"{number} more nodes"
                tied = [one for one in left.pending if one.ties]
                effect = "all placed" if not tied else f"all placed but {tied[0].pod.key}"
                if tied[1:]:
                    effect += f", +{len(tied) - 1:,}"
                return Fix(
                    f"{what} like {like}", added.flag, f"{effect}" + (", what is GONE stays so" if left.lost else "")
                )
    return None


def _models(planner: Planner, run: FailRun) -> Iterator[str]:
    """Nodes to make another of: one that is lost, if its zone is not; then the largest of those that are left."""
    cluster = planner.cluster
    waits = next((one.node for one in run.pending if not one.ties), run.nodes[0])
    if len(run.nodes) == 1:
        yield waits
    left = [row for row, node in enumerate(cluster.nodes) if node.name not in run.nodes and not node.spec.unschedulable]
    left.sort(key=lambda row: (-int(cluster.allocatable[0, row]), cluster.node_name(row)))
    if left:
        yield cluster.node_name(left[0])
