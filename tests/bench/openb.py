"""Pack a cluster whose pods wait, as traces of clusters are written, and say what a plain first-fit needs.

    python -m tests.bench.openb openb.json

The file is a List of nodes and of pods in order of arrival; it is no part of kplan. First-fit takes the pods in that
order and the nodes by name, and puts each pod on the first node that has enough of everything and a label that the pod
asks for. kplan lets its scheduler place them, then packs; every pod counts as one that a controller makes again.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kplan import Scheduler
from kplan.course.moving import Movable
from kplan.course.moving.bounds import eligible
from kplan.course.moving.packing import Packed, PackSearch
from kplan.pipeline import Planner
from kplan.sources.loading import load_values

OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "trace", "uid": "trace", "controller": True}


def read(path: str) -> list[dict[str, Any]]:
    """Read a List; its pods get an owner."""
    items: list[dict[str, Any]] = json.loads(Path(path).read_text())["items"]
    for item in items:
        if item["kind"] == "Pod":
            item["metadata"]["ownerReferences"] = [OWNER]
    return items


def first_fit(planner: Planner) -> tuple[int, int]:
    """Place waiting pods by plain first-fit; give how many nodes it uses and how many pods it leaves."""
    cluster = planner.cluster
    order = np.array(sorted(range(len(cluster.nodes)), key=cluster.node_name), dtype=np.intp)
    free = (cluster.allocatable - cluster.requested)[:, order].copy()
    slots = (cluster.allowed_pods - cluster.pod_count)[order].copy()
    may: dict[int, np.ndarray[Any, np.dtype[np.bool_]]] = {}
    used, left = np.zeros(len(order), dtype=np.bool_), 0
    for pod in planner.waiting():
        kind = id(pod.pod_class)
        if kind not in may:
            may[kind] = eligible(planner, pod)[order]
        asked = np.zeros(len(free), dtype=free.dtype)
        for name, amount in pod.requests.items():
            row = cluster.resource(name)
            if row is not None:
                asked[row] = amount
        fits = may[kind] & (slots > 0) & (free[asked > 0] >= asked[asked > 0][:, None]).all(axis=0)
        at = int(fits.argmax())
        if not fits[at]:
            left += 1
            continue
        free[:, at] -= asked
        slots[at] -= 1
        used[at] = True
    return int(used.sum()), left


def packed(planner: Planner) -> tuple[int, Packed]:
    """Let the scheduler place the pods, and pack; give how many it leaves."""
    events = planner.simulate().events
    left = sum(event.outcome.last.placement is None for event in events)
    planner.preempt = False
    return left, PackSearch(planner, Movable(planner), np.ones(len(planner.cluster.nodes))).run()


def main() -> None:
    """Print both."""
    state = load_values(read(sys.argv[1]))
    nodes, left = first_fit(Scheduler.of().planner(state, everything=False))
    planner = Scheduler.of().planner(state, everything=False)
    all_nodes, pods = len(planner.cluster.nodes), len(planner.cluster.pods)
    print(f"{all_nodes} nodes, {pods} pods")
    print(f"first-fit   {nodes} nodes in use, {left} pods left")
    began = time.process_time()
    left, found = packed(planner)
    stay, took = all_nodes - len(found.emptied.nodes), time.process_time() - began
    print(f"kplan pack  {stay} nodes stay, {left} pods left; bound {found.bound:.0f}, {found.bound_alone:.0f} alone")
    print(f"            {len(found.emptied.moves)} moves; {took:.0f} s of CPU, placing included")


if __name__ == "__main__":
    main()
