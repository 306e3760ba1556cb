"""A pipeline of stand-in plugins: what a test says, at the points it names, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

import kplan
from kplan.framework.codes import Cost, Point, Reads
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.pipeline import Pipeline, Planner

METHODS = {
    Point.PRE_ENQUEUE: "pre_enqueue",
    Point.PRE_FILTER: "pre_filter",
    Point.FILTER: "filter",
    Point.POST_FILTER: "post_filter",
    Point.PRE_SCORE: "pre_score",
    Point.SCORE: "score",
    Point.RESERVE: "reserve",
    Point.PERMIT: "permit",
}


def stand(name: str, *, cost: Cost = Cost.COLUMNS, **methods: Callable[..., Any]) -> Any:
    """A plugin that has just these methods; each is called without the plugin itself."""
    body: dict[str, Any] = {method: staticmethod(function) for method, function in methods.items()}
    reads = Reads.NODE | Reads.USAGE | Reads.PODS
    return type(name, (), {"name": name, "cost": cost, "reads": lambda self, point, pod: reads, **body})()


def planner_of(
    objects: Iterable[Object],
    *plugins: Any,
    weights: dict[str, int] | None = None,
    version: str = "1.37",
    **options: Any,
) -> Planner:
    """A planner whose only profile runs these plugins, in this order at each point they have."""
    scheduler = kplan.Scheduler.of(version)
    default = scheduler.pipelines["default-scheduler"]
    points = {
        point.value: tuple(plugin for plugin in plugins if hasattr(plugin, method)) for point, method in METHODS.items()
    }
    points[Point.QUEUE_SORT.value] = default.at(Point.QUEUE_SORT)
    profile = replace(default.profile, weights=weights or {})
    pipeline = Pipeline(profile, default.features, {plugin.name: plugin for plugin in plugins}, points)
    return Planner(scheduler.cluster(ClusterState.of(objects)), {"default-scheduler": pipeline}, **options)
