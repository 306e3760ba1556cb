"""Where a pod lands, in words: how often on which node, and how many nodes the scheduler looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from kplan.cluster import Cluster
from kplan.reasons.common_labels import common_labels
from kplan.result.document_landing import Landing as LandingPart
from kplan.result.document_landing import LandingNode, LandingOthers, LandingSide
from kplan.result.landing import LandingShares
from kplan.words import count

NAMED = 10
"""Nodes that are named, of those that may be taken."""
_TOLD = 2
_MUCH = 0.1


def landing_part(landing: LandingShares | None, cluster: Cluster, *, evicts: bool = False) -> LandingPart | None:
    """Lay out how often each node is taken; None where that is certain or not known.

    Args:
        landing: the shares.
        cluster: the cluster.
        evicts: whether it is about the node to evict on.
    """
    if landing is None or landing.certain:
        return None
    rows, shares = landing.rows, landing.shares
    others = None
    if len(rows) > NAMED:
        rest = rows[NAMED:]
        share = round(float(shares[NAMED:].sum()), 6)
        others = LandingOthers(count=len(rest), share=share, labels=common_labels(cluster, rest))
    return LandingPart(
        examined=landing.examined,
        of=landing.of,
        nodes=tuple(
            LandingNode(node=cluster.node_name(row), share=round(share, 6))
            for row, share in zip(rows[:NAMED].tolist(), shares[:NAMED].tolist(), strict=True)
        ),
        others=others,
        text=_text(landing, cluster, evicts=evicts) if landing.sampled else "",
    )


def is_sampled(landing: LandingShares | None) -> TypeGuard[LandingShares]:
    """Whether it depends on which nodes are looked at where a pod goes."""
    return landing is not None and landing.sampled and not landing.certain


def lands_on(landing: LandingShares, cluster: Cluster, row: int, verb: str, place: str = "to") -> str:
    """``goes to zzz-big in 48 % of cases, else to one of 154 nodes``; of nodes that are not all looked at.

    Args:
        landing: the shares.
        cluster: the cluster.
        row: of the node that is named, where it is taken often enough.
        verb: what the pod does there.
        place: the word before a node.
    """
    share = float(landing.shares[landing.rows == row].sum())
    others = len(landing.rows) - 1
    if share < _MUCH and landing.alike:
        return f"{verb} {place} one of {count(others + 1, 'node')}, each equally often"
    if share < _MUCH:
        most, often = cluster.node_name(int(landing.rows[0])), percent(float(landing.shares[0]))
        return f"{verb} {place} one of {count(others + 1, 'node')}, most often {most} ({often})"
    rest = landing.rows[landing.rows != row]
    other = cluster.node_name(int(rest[0])) if others == 1 else f"one of {count(others, 'node')}"
    return f"{verb} {place} {cluster.node_name(row)} in {percent(share)} of cases, else {place} {other}"


def differs_text(a: LandingSide, b: LandingSide, moved: float, *, evicts: bool) -> str:
    """How often a pod is elsewhere, and what became of its likeliest node."""
    what = "evicts elsewhere" if evicts else "goes elsewhere"
    if a.node == b.node:
        node = f"{a.node} {percent(a.share)} -> {percent(b.share)}"
    else:
        node = f"most often {a.node} ({percent(a.share)}) -> {b.node} ({percent(b.share)})"
    return f"{what} in {percent(moved)} of cases: {node}, {a.examined:,} -> {b.examined:,} of {b.of:,} nodes looked at"


def percent(share: float) -> str:
    """A share in words: ``48 %``; neither 0 nor 100 of what is possible and not certain."""
    number = round(share * 100)
    if number == 0:
        return "<1 %"
    return ">99 %" if number == 100 and share < 1 else f"{number} %"


def _text(landing: LandingShares, cluster: Cluster, *, evicts: bool) -> str:
    rows, shares = landing.rows, landing.shares
    told = max(1, min(_TOLD, int((shares >= _MUCH).sum())))
    names = ", ".join(
        f"{cluster.node_name(row)} {percent(share)}"
        for row, share in zip(rows[:told].tolist(), shares[:told].tolist(), strict=True)
    )
    rest = rows[told:]
    if landing.alike and len(rows) > _TOLD:
        labels = common_labels(cluster, rows)
        names = f"one of {count(len(rows), 'node')}{_pool(labels)}, each equally often"
    elif len(rest):
        labels = common_labels(cluster, rest)
        otherwise = (
            cluster.node_name(int(rest[0])) if len(rest) == 1 else f"one of {count(len(rest), 'other')}{_pool(labels)}"
        )
        names += f", else {otherwise}"
    what = "nodes where evictions help are" if evicts else "nodes that fit are"
    return f"{names}: {landing.examined:,} of {landing.of:,} {what} looked at"


def _pool(labels: Sequence[str]) -> str:
    """What nodes have in common, in brackets; empty where that is nothing."""
    return f" ({', '.join(labels)})" if labels else ""
