"""Answer conformance cases in the oracle's format, through kplan's public API.

    python tests/conformance/answer.py --k8s-version 1.37 < cases.jsonl > answers.jsonl

Reads one case a line (``name``, ``mode``, ``objects``, ``config``, ``pods``, ``featureGates``, ``preempt``), prints one
answer a line in the order read. A case that cannot be answered gets ``{"name": ..., "error": "..."}``.
"""

import argparse
import dataclasses
import json
import sys
from typing import Any

from msgspec.structs import replace

import kplan
from kplan.cluster import Cluster, PodInfo
from kplan.errors import KplanError
from kplan.framework.codes import Code
from kplan.framework.features import Features
from kplan.framework.preemption import NodeStatus
from kplan.objects.requests import set_resource_defaults
from kplan.objects.state import ClusterState
from kplan.pipeline.groups.cycle import group_in
from kplan.pipeline.planner import Planner
from kplan.plugins.shared.devices.usage import device_usage
from kplan.result import Outcome
from kplan.result.group import GroupOutcome
from kplan.sources import load_values


def answer(case: dict[str, Any], version: str) -> dict[str, Any]:
    """Answer one case."""
    try:
        return _answer(case, version)
    except KplanError as error:
        return {"name": case.get("name"), "error": str(error)}


def _answer(case: dict[str, Any], version: str) -> dict[str, Any]:
    scheduler = kplan.Scheduler.of(
        version, gates=case.get("featureGates") or {}, config=case.get("config"), unknown="refuse", validate=False
    )
    if case.get("mode") == "groups":
        return group_answers(case, scheduler)
    state = complete(load_values(case["objects"]))
    for pod in state.pods:
        set_resource_defaults(pod, scheduler.request_rules)
    preempt = bool(case.get("preempt"))
    planner = scheduler.planner(state, preempt=preempt, ambiguous=False, move_nominations=False, bind=False)
    cluster = planner.cluster
    todo: list[Any] = []
    if case.get("pods"):
        for name in case["pods"]:
            if name not in cluster.pod_index:
                return {"name": case["name"], "error": f"no pod {name}"}
            todo.append(cluster.pods[cluster.pod_index[name]])
    else:
        todo = planner.queue.sort(pod for pod in cluster.pods if pod.waiting)
    out: dict[str, Any] = {"name": case["name"], "pods": []}
    gated = []
    features = scheduler.features
    for pod in todo:
        before, _ = devices(cluster, features)
        if pod.scheduler_name not in planner.pipelines:
            error = f'profile not found for scheduler name "{pod.scheduler_name}"'
            out["pods"].append({"pod": pod.key, "feasible": [], "best": [], "error": error})
            continue
        outcome = asked(planner, pod) if case.get("mode") == "simulate" else planner.explain(pod)
        out["pods"].append(pod_answer(outcome, cluster))
        after, capacity = devices(cluster, features)
        if after - before:
            told = out["pods"][-1].get("preempted", {}).get("then") or out["pods"][-1]
            told["devices"] = sorted(after - before)
            if capacity:
                told["capacity"] = capacity
        if outcome.kept_out:
            gated.append(pod.key)
    if gated:
        out["gated"] = sorted(gated)
    if planner.terminating():
        out["terminating"] = planner.terminating()
    return out


def group_answers(case: dict[str, Any], scheduler: kplan.Scheduler) -> dict[str, Any]:
    """Answer a case whose groups have their turns as the scheduler gives them."""
    state = complete(load_values(case["objects"]))
    for pod in state.pods:
        set_resource_defaults(pod, scheduler.request_rules)
    planner = scheduler.planner(state, ambiguous=False)
    cluster = planner.cluster
    out: dict[str, Any] = {"name": case["name"], "pods": [], "groups": []}
    gated: list[str] = []
    turns: dict[int, GroupOutcome] = {}
    outcomes: dict[int, Outcome] = {}
    for pod in planner.waiting():
        planner.preempt = group_in(planner, pod) is not None  # pods that are in no group evict nobody here
        outcome = planner.step(pod).outcome
        if outcome.group is None:
            out["pods"].append(pod_answer(outcome, cluster))
            gated += [pod.key] if outcome.kept_out else []
            continue
        outcomes[pod.row] = outcome
        turns.setdefault(id(outcome.group), outcome.group)
    for turn in turns.values():
        out["groups"].append(turn_answer(turn, outcomes, cluster))
    if gated:
        out["gated"] = sorted(gated)
    if planner.terminating():
        out["terminating"] = planner.terminating()
    return out


def turn_answer(turn: GroupOutcome, outcomes: dict[int, Outcome], cluster: Cluster) -> dict[str, Any]:
    """One cycle of a group."""
    out: dict[str, Any] = {"group": turn.group}
    if turn.gated:
        return out | {"gated": {cluster.pods[row].key: status(one) for row, one in turn.gated.items()}}
    if turn.groups:
        out["of"] = {one.group.rpartition("/")[2]: condition_answer(one) for one in turn.of}
    else:
        out["condition"] = condition_answer(turn)
    members = ((row, outcomes[row]) for row in turn.pods)
    out["members"] = sorted(
        (member_answer(outcome, cluster) for _, outcome in members), key=lambda one: str(one["pod"])
    )
    if turn.victims:
        out["victims"] = sorted(cluster.pods[row].key for row in turn.victims)
    if turn.then is not None:
        out["then"] = turn_answer(turn.then, {row: after(outcomes[row]) for row in turn.pods}, cluster)
    return out


def condition_answer(turn: GroupOutcome) -> dict[str, Any]:
    """What the scheduler writes into the status of a group."""
    reasons = {Code.SUCCESS: "Scheduled", Code.ERROR: "SchedulerError"}
    return {
        "status": "True" if turn.placed else "False",
        "reason": reasons.get(turn.status.code, "Unschedulable"),
        "message": ", ".join(turn.status.reasons),
    }


def after(outcome: Outcome) -> Outcome:
    """The attempt after a preemption."""
    return outcome.preempted.then if outcome.preempted is not None else outcome


def member_answer(outcome: Outcome, cluster: Cluster) -> dict[str, Any]:
    """What became of one pod of a group."""
    if outcome.placement is not None:
        return {"pod": outcome.pod, "code": "Success", "placed": cluster.node_name(outcome.placement.node)}
    code = "Error" if outcome.error else "Unschedulable"
    out = {"pod": outcome.pod, "code": code, "message": outcome.error or outcome.fit_error}
    if outcome.nominated_to >= 0:
        out["nominated"] = cluster.node_name(outcome.nominated_to)
    return out


def asked(planner: Planner, pod: PodInfo) -> Outcome:
    """Place a pod, unless scoring its only node fails: the oracle scores that, too, and goes on without placing it."""
    with planner.trial() as trial:
        outcome = trial.step(pod).outcome
        if outcome.last.scores is None or not outcome.last.scores.problem:
            trial.keep()
    return outcome


def complete(state: ClusterState) -> ClusterState:
    """Say that the objects of a case are all there are."""
    counts = {"ResourceClaim": 0, "DeviceClass": 0, "ResourceSlice": 0, **state.completeness.counts}
    return dataclasses.replace(state, completeness=replace(state.completeness, counts=counts))


def devices(cluster: Cluster, features: Features) -> tuple[set[str], dict[str, str]]:
    """What counts as allocated, and what is taken of devices that are shared, in the oracle's words."""
    usage = device_usage(cluster, consumable=features.enabled("DRAConsumableCapacity"))
    capacity = {}
    for device in usage.shares:
        taken = usage.capacity(device)
        if taken is not None:
            capacity[str(device)] = ",".join(sorted(f"{name}={amount}" for name, amount in taken.items()))
    return {*map(str, usage.holders), *(f"{device} {taken}" for device, taken in capacity.items())}, capacity


def status(value: NodeStatus | None) -> dict[str, Any] | None:
    if value is None:
        return None
    if value.code is Code.SUCCESS:
        return {"code": "Success"}
    out: dict[str, Any] = {"code": value.code.value}
    if value.plugin:
        out["plugin"] = value.plugin
    if value.reasons:
        out["reasons"] = list(value.reasons)
    return out


def pod_answer(outcome: Outcome, cluster: Cluster) -> dict[str, Any]:
    """One pod's answer."""
    name = cluster.node_name
    out: dict[str, Any] = {"pod": outcome.pod, "feasible": [], "best": []}
    if outcome.error:
        out["error"] = outcome.error
    if outcome.pre_enqueue is not None:
        out["preEnqueue"] = status(outcome.pre_enqueue)
    diagnosis = outcome.diagnosis
    if diagnosis is not None:
        if diagnosis.pre_filter is not None:
            out["preFilter"] = status(diagnosis.pre_filter)
        else:
            if diagnosis.pre_filter_plugins:
                out["preFilterNodes"] = list(diagnosis.pre_filter_nodes)
            nodes = {name(row): node_answer(outcome, i) for i, row in enumerate(diagnosis.rows)}
            out["nodes"] = nodes
            out["feasible"] = [name(row) for row in outcome.feasible]
            scores = outcome.scores
            if scores is not None:
                if scores.problem:
                    out["error"] = f"{'prescore' if 'PreScore' in scores.problem else 'score'}: {scores.problem}"
                for i, row in enumerate(scores.rows):
                    node = nodes[name(row)]
                    node["raw"] = {plugin: int(raw[i]) for plugin, raw in scores.raw.items()}
                    if scores.problem:
                        continue
                    node["scores"] = {plugin: int(score[i]) for plugin, score in scores.weighted.items()}
                    node["total"] = int(scores.total[i])
                out["best"] = [] if scores.problem else [name(row) for row in scores.best]
    if outcome.nominated_first >= 0:
        out["nominatedFirst"] = name(outcome.nominated_first)
    if outcome.fit_error:
        out["fitError"] = outcome.fit_error
    if outcome.post_filter is not None:
        out["postFilter"] = status(outcome.post_filter)
    if outcome.preemption is not None:
        out["preemption"] = preemption_answer(outcome, cluster)
    if outcome.placement is not None and not (outcome.scores is not None and outcome.scores.problem):
        out["placed"] = name(outcome.placement.node)
        if outcome.placement.volumes:
            out["volumes"] = dict(outcome.placement.volumes)
    if outcome.permit is not None:
        out["permit"] = status(outcome.permit)
    done = outcome.preempted
    if done is not None:
        out["preempted"] = {
            "node": name(done.node),
            "victims": [cluster.pods[row].key for row in done.victims],
            "clearedNominations": sorted(cluster.pods[row].key for row in done.cleared),
            "then": pod_answer(done.then, cluster),
        }
    return out


def node_answer(outcome: Outcome, position: int) -> dict[str, Any]:
    diagnosis = outcome.diagnosis
    assert diagnosis is not None
    refused = diagnosis.status.get(position)
    node: dict[str, Any] = {"verdict": status(refused) or {"code": "Success"}}
    filters = {}
    for failing in diagnosis.failing:
        where = (failing.positions == position).nonzero()[0]
        if len(where):
            at = int(where[0])
            error = failing.findings.error(at)
            reasons = (error,) if error is not None else failing.findings.reasons(at)
            if reasons:
                code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if failing.findings.unresolvable[at] else Code.UNSCHEDULABLE
                code = Code.ERROR if error is not None else code
                filters[failing.plugin] = {"code": code.value, "plugin": failing.plugin, "reasons": list(reasons)}
    if filters:
        node["filters"] = filters
    return node


def preemption_answer(outcome: Outcome, cluster: Cluster) -> dict[str, Any]:
    found = outcome.preemption
    assert found is not None
    name = cluster.node_name
    out: dict[str, Any] = {
        "eligible": found.eligible,
        "potentialNodes": [name(row) for row in found.potential],
        "candidates": {
            name(row): {"pods": [cluster.pods[p].key for p in victims.pods], "pdbViolations": victims.pdb_violations}
            for row, victims in found.candidates.items()
        },
        "picks": [name(row) for row in found.picks],
        "statuses": {name(row): status(s) for row, s in found.statuses.items()},
        "message": found.message,
    }
    if found.reason:
        out["reason"] = found.reason
    return out


def _told(case: dict[str, Any], version: str) -> dict[str, Any]:
    """Answer a case; a bug costs this case, not those after it. The tests call ``answer``, where it is seen."""
    try:
        return answer(case, version)
    except Exception as error:
        return {"name": case.get("name"), "error": f"internal error: {type(error).__name__}: {error}"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k8s-version", default="1.37")
    args = parser.parse_args()
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(_told(json.loads(line), args.k8s_version), separators=(",", ":")), flush=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
