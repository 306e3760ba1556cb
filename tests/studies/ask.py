"""Ask a study about objects of a test, and lay the answer out as the terminal would."""

from collections.abc import Iterable, Mapping
from typing import Any

import kplan
from kplan.objects.models import Object
from kplan.objects.state import ClusterState
from kplan.render.text import Style, explanation
from kplan.result.document import PodExplanation
from kplan.studies.context import Context
from kplan.studies.explain import explain_pods
from kplan.studies.origin import origin, version_of


def context(
    objects: Iterable[Object], version: str = "1.37", config: Mapping[str, Any] | None = None, **about: object
) -> Context:
    state = ClusterState.of(objects, source="made-up.json", **about)
    scheduler = kplan.Scheduler.of(version, config=config)
    planner = scheduler.planner(state)
    return Context(planner, origin(state, scheduler.features, *version_of(state, version)))


def document(objects: Iterable[Object], pod: str, **options: object) -> PodExplanation:
    asked = context(objects, **options)
    found = kplan.find_pods(asked.planner, [pod])
    answer = explain_pods(asked, found, fold=False)
    assert isinstance(answer, PodExplanation)
    return answer


def text(objects: Iterable[Object], pod: str, style: Style | None = None, **options: object) -> str:
    return explanation(document(objects, pod, **options), style or Style())
