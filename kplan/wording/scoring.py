"""Where a pod goes and why, in words: what makes a node win, or tie, or lose by how much."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kplan.cluster import Cluster
from kplan.result import Outcome
from kplan.result.document import ScoreRow
from kplan.result.document import Scores as ScoreTable
from kplan.result.document_asked import AskedNode
from kplan.result.document_base import Cause
from kplan.words import count, joined, listed

ROOM = 120
"""Characters of two lines, less the words between."""

_MEANS = {
    "NodeResourcesFit": "has more room",
    "NodeResourcesBalancedAllocation": "is used more evenly",
    "ImageLocality": "has the images",
    "NodeAffinity": "is preferred by its node affinity",
    "TaintToleration": "has fewer soft taints in the way",
    "PodTopologySpread": "spreads its pods better",
    "InterPodAffinity": "suits the pods that run there",
    "VolumeBinding": "suits its volumes better",
}


def why_there(outcome: Outcome, cluster: Cluster, table: ScoreTable | None, refused: str) -> Cause:
    """Say why the pod goes where it goes.

    Args:
        outcome: a pod that fits.
        cluster: the cluster.
        table: the scores of the best two nodes at least; None where nothing is scored.
        refused: what keeps it from the other nodes, for a pod that fits one node alone; may be empty.
    """
    name = cluster.node_name(outcome.choice)
    if outcome.nominated_first >= 0:
        return Cause(code="nominated", text=f"{name} is its nominated node, which is tried first and alone")
    if table is None:
        rest = f"; {refused}" if refused else ""
        text = f"{name} is the only node that fits{rest}" if len(cluster.nodes) > 1 else f"{name} is the only node"
        return Cause(code="only-node", text=text)
    if table.tie:
        tied = listed(table.tie)
        text = f"{tied} have the same total {table.rows[0].total}: the scheduler draws; {name} is the first by name"
        return Cause(code="tie", text=text)
    return Cause(code="highest-score", text=_beats(table.rows[0], table.rows[1], table.columns))


def _beats(best: ScoreRow, second: ScoreRow, columns: Sequence[str]) -> str:
    """Say by what one node beats another."""
    gaps = {plugin: best.plugins[plugin] - second.plugins[plugin] for plugin in columns}
    ahead = sorted((plugin for plugin in gaps if gaps[plugin] > 0), key=lambda plugin: -gaps[plugin])
    main = ahead[0]
    means = _MEANS.get(main, "scores higher")
    text = f"{best.node} {means}: {main} {best.plugins[main]}, {second.node} {second.plugins[main]}"
    behind = [plugin for plugin in gaps if gaps[plugin] < 0]
    if behind:
        tell = joined(f"{plugin} {gaps[plugin]}" for plugin in behind)
        text += f"; that outweighs {tell}" if len(text) + len(tell) < ROOM else ""
    return text


def asked_node(outcome: Outcome, cluster: Cluster, table: ScoreTable | None, node: str) -> AskedNode:
    """Tell of one node that does not refuse the pod, and why the pod goes elsewhere.

    Args:
        outcome: what became of the pod.
        cluster: the cluster.
        table: the scores of all nodes; None where nothing is scored.
        node: name of the node.
    """
    row = cluster.node_index[node]
    if outcome.gated:
        after = "fits once the gates are gone" if row in outcome.feasible else "is not looked at: the pod is gated"
        return AskedNode(node=node, text=f"{node} {after}")
    if row not in outcome.feasible:
        name = cluster.node_name(outcome.choice) if outcome.choice >= 0 else ""
        why = f"{name} is its nominated node, which is tried first and alone" if outcome.nominated_first >= 0 else ""
        return AskedNode(node=node, text=f"{node} is not looked at", why=why or outcome.error)
    if table is None:
        alone = len(outcome.feasible) == 1
        return AskedNode(node=node, text=f"{node} fits{', and is the only one: nothing is scored' if alone else ''}")
    mine, best = next(score_row for score_row in table.rows if score_row.node == node), table.rows[0]
    place = 1 + sum(score_row.total > mine.total for score_row in table.rows)
    made = AskedNode(node=node, text="", place=place, total=mine.total, best=best.total)
    if mine.total == best.total and table.tie:
        with_it = listed([name for name in table.tie if name != node])
        told = f"{node} fits, and ties with {with_it} at {mine.total}: the scheduler draws"
        return msgspec.structs.replace(made, text=told)
    if mine.chosen:
        gap = best.total - table.rows[1].total
        return msgspec.structs.replace(made, text=f"{node} fits, and wins by {gap} over {table.rows[1].node}")
    by = f"{best.total - mine.total} behind {best.node}"
    told = f"{node} fits, {place:,} of {len(table.rows):,} by score: {mine.total}, {by}"
    return msgspec.structs.replace(made, text=told, why=_beats(best, mine, table.columns))


def goes_to(outcome: Outcome, cluster: Cluster, verb: str = "goes") -> str:
    """``goes to idle``, or to one of those that tie."""
    scores = outcome.scores
    name = cluster.node_name(outcome.choice)
    if scores is not None and len(scores.best) > 1 and outcome.nominated_first < 0:
        tied = [cluster.node_name(row) for row in scores.best]
        return f"{verb} to one of {count(len(tied), 'node')} that tie at {int(scores.total.max())}: {listed(tied)}"
    return f"{verb} to {name}"
