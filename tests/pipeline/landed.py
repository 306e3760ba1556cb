"""Planners over the clusters of ``tests.oracle.landing_cases``."""

from __future__ import annotations

from typing import Any

import msgspec

import kplan
from kplan.objects import models
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner


def planner_for(case: dict[str, Any]) -> Planner:
    """A planner whose scheduler is configured as a case says."""
    args = {"minCandidateNodesPercentage": case.get("minPercentage", 10)}
    args["minCandidateNodesAbsolute"] = case.get("minAbsolute", 100)
    profile = {"pluginConfig": [{"name": "DefaultPreemption", "args": args}]}
    scheduler = kplan.Scheduler.of("1.37", config=configuration(case["percent"], profile))
    objects = [msgspec.convert(one, getattr(models, one["kind"])) for one in case["objects"]]
    return Planner(scheduler.cluster(ClusterState.of(objects)), scheduler.pipelines)


def configuration(percent: int, profile: dict[str, Any]) -> dict[str, Any]:
    """A KubeSchedulerConfiguration of one profile."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "percentageOfNodesToScore": percent,
        "profiles": [profile],
    }
