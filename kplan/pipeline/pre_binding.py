"""PreBind: what the plugins of a profile have written before a pod is bound; only ``bind`` sends it."""

from __future__ import annotations

from kplan.framework.codes import Point
from kplan.framework.writes import AnyWrite
from kplan.pipeline.cycle import Cycle


def pre_bind(cycle: Cycle, row: int) -> tuple[AnyWrite, ...]:
    """Ask the PreBind plugins of a pod.

    Args:
        cycle: of the pod, which was assumed and reserved.
        row: row of its node.
    """
    writes: list[AnyWrite] = []
    for plugin in cycle.pipeline.at(Point.PRE_BIND):
        if hasattr(plugin, "pre_bind"):
            choice = (cycle.choices.get(plugin.name) or {}).get(row)
            writes += plugin.pre_bind(cycle.pod, cycle.states.get(plugin.name), cycle.cluster, row, choice)
    return tuple(writes)
