"""The plan of a state as the JSON that the commands write, without where the state is from."""

import json
from typing import Any

from kplan.api import Scheduler, fill_in
from kplan.objects.state import ClusterState
from kplan.render.data import to_json
from kplan.studies.context import Context
from kplan.studies.explain import explain_pods
from kplan.studies.origin import origin
from kplan.studies.simulate import SimulateOptions, simulate_pods

VERSION = "1.37.2"


def plans(state: ClusterState, *, taken: bool = True) -> str:
    """Explain every waiting pod, and simulate the queue."""
    scheduler = Scheduler.of(VERSION)
    fill_in(state, scheduler)
    about = origin(state, scheduler.features, VERSION, "as asked")
    planner = scheduler.planner(state)
    explained = explain_pods(Context(planner, about, ()), planner.waiting(), fold=True)
    planner = scheduler.planner(state, everything=False)
    simulated = simulate_pods(planner, planner.waiting(), about, SimulateOptions())
    return "\n".join(_without_origin(to_json(one), taken=taken) for one in (explained, simulated))


def _without_origin(text: str, *, taken: bool) -> str:
    document: dict[str, Any] = json.loads(text)
    found = [part for part in document.values() if isinstance(part, dict) and "k8sVersion" in part]
    assert len(found) == 1
    assert found[0].pop("source")
    for fold in document.get("folds", ()):
        fold.pop("waitsSeconds", None)  # each reading is a moment later
    if not taken:
        found[0].pop("taken", None)
    return json.dumps(document, indent=1)
