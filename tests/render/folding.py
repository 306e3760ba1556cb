"""300 pods that wait for five causes, 60 for each: in a cluster, and as a manifest."""

from pathlib import Path
from typing import Any

from tests.cli import snapshots

CAUSES: dict[str, dict[str, Any]] = {
    "cpu": {"cpu": "9"},
    "disk": {"nodeSelector": {"disk": "ssd"}},
    "claim": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "nosuch"}}]},
    "taint": {"nodeSelector": {"kubernetes.io/hostname": "tainted"}},
    "gated": {"schedulingGates": [{"name": "example.com/wait"}]},
}
EACH = 60


def nodes() -> list[dict[str, Any]]:
    """Five nodes with room, and one that is tainted."""
    tainted = snapshots.node("tainted", taints=[{"key": "gpu", "effect": "NoSchedule"}])
    return [*(snapshots.node(f"n-{number}") for number in range(5)), tainted]


def pods() -> list[dict[str, Any]]:
    """The pods, without an owner."""
    return [
        snapshots.pod(f"{name}-{number:02}", namespace="ml", **wants)
        for name, wants in CAUSES.items()
        for number in range(EACH)
    ]


def write(folder: Path) -> tuple[str, str, str]:
    """Write a cluster in which they wait, one without them, and a manifest of them."""
    waiting = [snapshots.owned(pod, "Job", pod["metadata"]["name"].rpartition("-")[0]) for pod in pods()]
    landing = pods()
    for pod in landing:
        pod["spec"]["containers"][0]["image"] = "example.invalid/x:1"
    return (
        snapshots.write(
            folder, *nodes(), *({**pod, "status": {"phase": "Pending"}} for pod in waiting), name="full.json"
        ),
        snapshots.write(folder, *nodes(), name="empty.json"),
        snapshots.write(folder, *landing, name="landing.json"),
    )
