"""What each controller does next: one turn that makes or removes pods, until nothing is left to do."""

from __future__ import annotations

from kplan.admission import OPERATED
from kplan.course.controllers.daemon_set import daemon_set
from kplan.course.controllers.deployment import deployment
from kplan.course.controllers.replicas import leave, replicas
from kplan.course.controllers.stateful_set import SetRules, stateful_set
from kplan.course.rollout import Act
from kplan.framework.features import Features

MAX_UNAVAILABLE = "MaxUnavailableStatefulSet"
RECREATE = "StatefulSetRecreateStrategy"


def controllers(features: Features) -> dict[str, Act]:
    """THE table of controllers by kind.

    Args:
        features: the version, and the gates that are on.
    """
    rules = SetRules(
        max_unavailable=features.enabled(MAX_UNAVAILABLE),
        unready_first=features.since(37),
        recreate=features.enabled(RECREATE),
    )
    return {
        "Deployment": deployment,
        "ReplicaSet": replicas,
        "ReplicationController": replicas,
        "StatefulSet": lambda rollout: stateful_set(rollout, rules),
        "DaemonSet": daemon_set,
        "Job": leave,
        "CronJob": leave,
        OPERATED: leave,
    }
