"""Extenders, held against what the real kube-scheduler decided with the same ones, and what it asked them."""

import re
from typing import Any

import pytest

import kplan
from kplan.extenders import Budget
from kplan.objects.requests import set_resource_defaults
from kplan.sources import load_values
from tests.conformance.answer import pod_answer
from tests.extenders.oracle_cases import asked, read, with_port, without_port
from tests.extenders.server import extender

CASES = read()
LABEL = "extender "


def answers(case: dict[str, Any]) -> list[dict[str, Any]]:
    scheduler = kplan.Scheduler.of("1.37", config=case["config"], unknown="refuse", validate=False).calling(Budget())
    state = load_values(case["objects"])
    for pod in state.pods:
        set_resource_defaults(pod, scheduler.request_rules)
    planner = scheduler.planner(state, preempt=bool(case.get("preempt")), ambiguous=False, move_nominations=False)
    cluster = planner.cluster
    names = case.get("pods")
    todo = (
        [cluster.pods[cluster.pod_index[name]] for name in names]
        if names
        else planner.queue.sort(pod for pod in cluster.pods if pod.waiting)
    )
    found = []
    for pod in todo:
        simulated = case.get("mode") == "simulate"
        outcome = planner.step(pod).outcome if simulated else planner.explain(pod)
        found.append(_split(pod_answer(outcome, cluster)))
    return found


def _split(answer: dict[str, Any]) -> dict[str, Any]:
    """Tell extenders from plugins, as the oracle does."""
    for node in answer.get("nodes", {}).values():
        scores = node.get("scores", {})
        extenders = {name.removeprefix(LABEL): scores.pop(name) for name in list(scores) if name.startswith(LABEL)}
        if extenders:
            node["extenders"] = extenders
        for name in [name for name in node.get("filters", {}) if name.startswith(LABEL)]:
            del node["filters"][name]
    return answer


def _compared(answer: dict[str, Any]) -> dict[str, Any]:
    """What is compared: all that extenders can have a hand in."""
    nodes = answer.get("nodes") or {}
    error = answer.get("error") or ""
    preemption = answer.get("preemption") or {}
    return {
        "pod": answer["pod"],
        "error": error,
        "feasible": answer["feasible"] if not answer.get("error") else None,
        "best": answer["best"],
        "nominatedFirst": answer.get("nominatedFirst"),
        # of several nodes without a victim, the scheduler names any
        "fitError": re.sub(r'(victim pod on node) "[^"]*"', r"\1", answer.get("fitError", "")),
        "verdicts": {name: node["verdict"] for name, node in nodes.items()} if not answer.get("error") else None,
        "scores": {name: {k: v for k, v in node.get("scores", {}).items() if v} for name, node in nodes.items()},
        "extenders": {
            name: node["extenders"] for name, node in nodes.items() if any(node.get("extenders", {}).values())
        },
        "total": {name: node["total"] for name, node in nodes.items() if "total" in node},
        "candidates": {
            name: (sorted(one["pods"]), one["pdbViolations"])
            for name, one in (preemption.get("candidates") or {}).items()
        },
        "picks": preemption.get("picks", []),
        "placed": answer.get("placed"),
    }


@pytest.mark.parametrize("number", range(len(CASES)))
def test_extenders_are_asked_and_heeded_as_by_the_scheduler(number: int) -> None:
    case, answer, requests = CASES[number]
    with extender() as server:
        found = without_port(answers(with_port(case, server.port)), server.port)
        sent = asked(server)
    assert [_compared(one) for one in found] == [_compared(one) for one in answer["pods"]]
    assert sent == requests


def test_there_are_forty_that_ask() -> None:
    assert sum(bool(requests) for _, _, requests in CASES) >= 40
