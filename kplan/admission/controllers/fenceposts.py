"""Fenceposts: how many pods may be too many, and too few, while a workload replaces its pods."""

from kplan.objects.int_or_percent import scaled
from kplan.objects.models.workloads import UpdateStrategy

QUARTER = "25%"


def fenceposts(max_surge: object, max_unavailable: object, replicas: int) -> tuple[int, int]:
    """Work out how many pods may be too many and too few; both zero allows one to be missing.

    Source: ResolveFenceposts in pkg/controller/deployment/util/deployment_util.go.
    """
    surge = scaled(max_surge, replicas, up=True)
    unavailable = scaled(max_unavailable, replicas, up=False)
    return surge, unavailable if surge or unavailable else 1


def fenceposts_of(strategy: UpdateStrategy | None, replicas: int) -> tuple[int, int]:
    """Work out the same of the strategy of a Deployment that runs."""
    if strategy is not None and strategy.type == "Recreate":
        return 0, replicas
    given = strategy.rolling_update if strategy is not None else None
    surge = given.max_surge if given is not None else None
    unavailable = given.max_unavailable if given is not None else None
    bounds = fenceposts(QUARTER if surge is None else surge, QUARTER if unavailable is None else unavailable, replicas)
    return bounds[0], min(bounds[1], replicas)
