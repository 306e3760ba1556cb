"""Carry remedies out as JSON tells them, by flags, edits, patches and commands of kubectl, and ask again.

A question that was asked has its command, the objects of its cluster, and the manifest that lands. Each remedy of the
answer (``howTo``) gives another question: the same command with its flags, on objects that its patch and its commands
changed, with a manifest that its edits changed. ``judge`` says whether that came to what was promised.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import yaml

import kplan
from kplan.api import fill_in
from kplan.cli.main import main
from kplan.cli.whatif import FLAGS
from kplan.cluster import to_state
from kplan.course.trial.attempts import Attempts
from kplan.remedies.search import remedies
from kplan.result.document_plan import SimulationPlan
from kplan.scenario import load_scenario, parse_step
from kplan.sources import load
from kplan.sources.snapshot import write_snapshot
from kplan.studies.by_object import by_object
from kplan.studies.what_ifs import run
from tests.remedies.carrying_out import helps

Json = dict[str, Any]
_PART = re.compile(r"([^.\[\]]+)|\[([^\]]+)\]")
_TABLES = {"pdb": "PodDisruptionBudget", "resourcequota": "ResourceQuota", "pod": "Pod", "pvc": "PersistentVolumeClaim"}


_OF_GROUP = {"group", "result", "wanted"}
"""What only that has which is told of a group."""


@dataclass(frozen=True)
class Asked:
    """A question that is put to kplan.

    Attributes:
        command: arguments, without the snapshot.
        cluster: its objects.
        manifest: what lands, as documents; ``m.yaml`` in the command.
    """

    command: tuple[str, ...]
    cluster: Sequence[Json]
    manifest: Sequence[Json] = ()

    def write(self, folder: Path) -> None:
        """Write the cluster down."""
        (folder / "c.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(self.cluster)}))

    def ask(self, folder: Path) -> tuple[int, Json]:
        """Ask in a folder; give the exit code and the answer, which is empty where the command is refused."""
        self.write(folder)
        (folder / "m.yaml").write_text(yaml.safe_dump_all(self.manifest))
        out = folder / "answer.json"
        out.unlink(missing_ok=True)
        code = main([*self.command, "--snapshot", "c.json", "-o", f"json={out}"])
        return code, json.loads(out.read_text()) if out.exists() else {}


@dataclass(frozen=True)
class Way:
    """A remedy, and what it is about.

    Attributes:
        how_to: as the answer has it.
        beside: what of the answer it stands in.
        answer: the whole of it.
    """

    how_to: Json
    beside: Json
    answer: Json

    @property
    def name(self) -> str:
        """Its code and what it changes."""
        parts = [self.how_to["code"], *self.how_to.get("flags", ())]
        return " ".join([*parts, *(edit["path"] for edit in self.how_to.get("edits", ()))])


def ways(answer: Json) -> Iterator[Way]:
    """Find all remedies of an answer, wherever they stand in it."""
    return _within(answer, answer)


ELSEWHERE = frozenset({"claim-bound", "node-healthy", "node-mended"})
"""What no command carries out: a provisioner binds a claim, somebody mends a node; their commands only describe it."""


def _within(here: Any, answer: Json) -> Iterator[Way]:
    if isinstance(here, dict):
        for key in ("howTo", "otherHowTo"):
            if key in here and here[key]["code"] not in ELSEWHERE:
                yield Way(here[key], here, answer)
        for key, value in here.items():
            if key not in ("howTo", "otherHowTo"):
                yield from _within(value, answer)
    elif isinstance(here, list):
        for value in here:
            yield from _within(value, answer)


def carried_out(asked: Asked, way: Way, folder: Path) -> Asked:
    """The question once a remedy is carried out."""
    how = way.how_to
    behind = of_the_queue(asked, way)
    cluster: list[Json] = after_its_turn(asked, folder) if behind else json.loads(json.dumps(list(asked.cluster)))
    manifest = _edited(asked.manifest, how.get("edits", ()))
    for line in how.get("commands", ()):
        _run(cluster, shlex.split(line, comments=True))
    if how.get("patch"):
        for item in _patched(cluster, way):
            item["spec"] = merged(item["spec"], how["patch"])
    flags = [part for flag in how.get("flags", ()) for part in flag.split(" ", 1)]
    # many pods are told of one after another, as they are planned
    command = asked.command
    if way.answer["kind"] == "PodExplanations":
        command = ("simulate",)
        # others that wait were not asked about: they may take what a change makes free
        alone = way.beside.keys().isdisjoint(_OF_GROUP)
        cluster = [item for item in cluster if not (alone and _waits(item)) or _key(item) in told_about(way)]
    if behind:
        command = ("simulate", "--no-preempt", *_versions(asked.command))
    if waits_behind(asked, way):
        cluster, manifest, command = landed_first(cluster, asked.manifest, way.answer), [], ("simulate", "--no-preempt")
    if "--rolling" in flags:  # in place of the other
        command = tuple(part for part in command if part != "--together")
    return Asked((*command, *flags), cluster, manifest)


def of_the_queue(asked: Asked, way: Way) -> bool:
    """Whether a remedy is of pods that wait once what-ifs are taken and all others have had their turn."""
    return way.answer["kind"] == "SimulationPlan" and not asked.manifest and "owners" in way.beside


def after_its_turn(asked: Asked, folder: Path) -> list[Json]:
    """The cluster once the what-ifs of a question are taken and each pod that waits was tried."""
    asked.write(folder)
    scheduler = _scheduler(asked.command)
    state = load("c.json")
    fill_in(state, scheduler)
    planner = scheduler.planner(state, preempt="--no-preempt" not in asked.command)
    words = [part for word in asked.command for part in (word.split("=", 1) if word.startswith("--") else [word])]
    pairs = zip(words, [*words[1:], ""], strict=True)
    steps: list[Any] = []
    for word, value in pairs:
        if word == "--scenario":
            steps += load_scenario(value).steps
        elif word.startswith("--") and word[2:] in FLAGS:
            steps.append(parse_step(word[2:], value, "default"))
    run(planner, steps)
    Attempts[object](planner, victims_return="gone" not in words).place(planner.waiting())
    write_snapshot(to_state(planner.cluster), folder / "landed.json")
    items = json.loads((folder / "landed.json").read_text())["items"]
    for item in items:  # what a plan has placed runs
        if item["kind"] == "Pod" and item["spec"].get("nodeName"):
            item.setdefault("status", {}).setdefault("phase", "Running")
    return list(items)


def _versions(command: Sequence[str]) -> list[str]:
    """The flags of a command by which the rules are chosen."""
    pairs = zip(command, [*command[1:], ""], strict=True)
    return [part for word, value in pairs if word in _RULES for part in (word, value)]


_RULES = frozenset({"--k8s-version", "--feature-gates", "--config"})


def _scheduler(command: Sequence[str]) -> kplan.Scheduler:
    named = dict(pairwise(command))
    gates = {gate.partition("=")[0]: True for gate in named.get("--feature-gates", "").split(",") if gate}
    return kplan.Scheduler.of(named.get("--k8s-version", "1.37"), gates=gates)


def waits_behind(asked: Asked, way: Way) -> bool:
    """Whether a remedy is of pods of the cluster's own queue, and holds once what lands beside them has landed."""
    if way.answer["kind"] != "SimulationPlan" or not asked.manifest or "owners" not in way.beside:
        return False
    mine = {item.name for item in by_object(msgspec.convert(way.answer, SimulationPlan))}
    return not mine & way.beside["owners"].keys()


def landed_first(cluster: Sequence[Json], manifest: Sequence[Json], answer: Json) -> list[Json]:
    """The cluster once all has landed that a plan places, and all has left that leaves in it."""
    leaves = {pod for step in answer["steps"] for pod in step.get("evicts", ())}
    rolled = [step for rollout in answer.get("rollouts", ()) for step in rollout.get("steps", ())]
    leaves |= {left["pod"] for step in rolled for left in step.get("leaves", ())}
    found = [item for item in cluster if item["kind"] != "Pod" or _key(item) not in leaves]
    pods = {_key(item): item for item in found if item["kind"] == "Pod"}
    for step in answer["steps"]:
        if not step.get("node") or step["pod"] in leaves:
            continue
        if step["pod"] not in pods:
            found.append(_made(step, manifest, cluster))
            pods[step["pod"]] = found[-1]
        pods[step["pod"]]["spec"]["nodeName"] = step["node"]
        pods[step["pod"]]["status"] = {"phase": "Running"}
    return found


def _waits(item: Json) -> bool:
    promised = item.get("status", {}).get("nominatedNodeName")
    return item["kind"] == "Pod" and not item["spec"].get("nodeName") and not promised


def _key(item: Json) -> str:
    return f"{item['metadata'].get('namespace', 'default')}/{item['metadata']['name']}"


def _made(step: Json, manifest: Sequence[Json], cluster: Sequence[Json]) -> Json:
    """A pod that a manifest brings, or that comes in the place of one that left."""
    space, _, name = step["pod"].partition("/")
    of = step.get("owner", "").rpartition("/")[2]
    mine = [item for item in manifest if item["metadata"]["name"] in (name, of) and "spec" in item]
    item = (
        mine[0]
        if mine
        else next(one for one in cluster if one["kind"] == "Pod" and one["metadata"]["name"].startswith(of))
    )
    body = json.loads(json.dumps(item if item["kind"] == "Pod" else item["spec"]["template"]))
    labels = body.get("metadata", {}).get("labels", {})
    metadata = {"name": name, "namespace": space, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body["spec"]}


def _patched(cluster: Sequence[Json], way: Way) -> Iterator[Json]:
    """What a patch is for: the pods that are named, those of their kind that wait, and the templates of these."""
    told = told_about(way)
    owners = {tuple(owner.split("/")[1:]) for owner in way.beside.get("owners", ())}
    told = [*told, *("/".join(owner.split("/")[1:]) for owner in way.beside.get("owners", ()))]
    for item in cluster:
        space, name = item["metadata"].get("namespace", "default"), item["metadata"]["name"]
        if item["kind"] != "Pod":
            if (space, name) in owners and "template" in item.get("spec", {}):
                yield item["spec"]["template"]
        elif f"{space}/{name}" in told or (not item["spec"].get("nodeName") and _alike(item, told)):
            yield item


def told_about(way: Way) -> Sequence[str]:
    """Pods that a remedy is about, as far as they are named; of a group the one that blocks it."""
    beside = way.beside
    if beside.keys() >= _OF_GROUP:
        return [beside["blockedBy"]]
    return beside.get("pods") or [beside.get("pod") or way.answer["pod"]]


def _alike(pod: Json, told: Sequence[str]) -> bool:
    stems = {name.partition("/")[2].rpartition("-")[0] for name in told}
    grouped = pod["metadata"].get("ownerReferences") or pod["spec"].get("schedulingGroup")
    return bool(grouped) and pod["metadata"]["name"].rpartition("-")[0] in stems


def merged(old: Any, patch: Any) -> Any:
    """A merge patch, carried out (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    new = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        else:
            new[key] = merged(new.get(key), value)
    return new


def _edited(manifest: Sequence[Json], edits: Sequence[Json]) -> list[Json]:
    """Write fields of the documents whose lines they are on."""
    changed: list[Json] = json.loads(json.dumps(list(manifest)))
    starts = [number for number, _ in enumerate(manifest)]
    lines = yaml.safe_dump_all(manifest).splitlines()
    breaks = [0, *(number for number, line in enumerate(lines, 1) if line == "---")]
    for edit in edits:
        place = max(number for number in starts if breaks[number] <= edit["line"])
        *path, last = [_step(part) for part in _PART.finditer(edit["path"])]
        here: Any = changed[place]
        for key, following in zip(path, (*path[1:], last), strict=True):
            if isinstance(here, dict) and key not in here:
                here[key] = [] if isinstance(following, int) else {}
            here = here[key]
        if not edit.get("new"):
            del here[last]
        elif isinstance(here, list) and last == len(here):
            here.append(json.loads(edit["new"]))
        else:
            here[last] = json.loads(edit["new"])
    return changed


def _step(part: re.Match[str]) -> str | int:
    name, inside = part.groups()
    return name if name is not None else int(inside) if inside.isdecimal() else inside


def _run(cluster: list[Json], words: Sequence[str]) -> None:
    """Carry out a command of kubectl; a line that is a remark alone does nothing."""
    if not words:
        return
    kubectl, verb, kind, name, *rest = words
    assert kubectl == "kubectl", words
    space = rest[rest.index("-n") + 1]
    found = [
        item
        for item in cluster
        if (item["kind"], item["metadata"]["name"], item["metadata"].get("namespace", "default"))
        == (_TABLES[kind], name, space)
    ]
    (item,) = found
    if verb == "delete":
        cluster.remove(item)
        return
    assert verb == "patch", words
    patch = json.loads(rest[rest.index("-p") + 1])
    changed = merged(item, patch)
    if _TABLES[kind] == "ResourceQuota":  # its controller writes the status
        changed["status"] = merged(changed.get("status"), {"hard": patch["spec"]["hard"]})
    cluster[cluster.index(item)] = changed


def _running(report: Json) -> int:
    workloads = report.get("workloads", ())
    return sum(workload["running"] for workload in workloads) if len(workloads) == 1 else 0


def judge(way: Way, code: int, again: Json) -> str:
    """Say in what an answer is not as was promised; empty where it is.

    Args:
        way: the remedy.
        code: exit code with it.
        again: the answer with it.
    """
    landed, wanted = way.how_to.get("landed", 0), way.how_to.get("wanted", 0)
    if way.beside.keys() >= _OF_GROUP:
        return _together(way, again, landed, wanted)
    kind = again["kind"]
    if kind in ("DrainPlan", "FailReport") and not wanted:
        return "" if again["verdict"] == "FITS" else f"{again['verdict']} {again['sentence']}"
    if kind == "FailReport":
        borne = sum(case["verdict"] == "FITS" for case in again.get("cases", ()))
        return "" if borne >= landed else f"{borne} of {landed} are borne"
    if kind == "PodExplanation":
        return _fits(way.beside, again, landed)
    if kind == "SimulationPlan":
        return _lands(way, msgspec.convert(again, SimulationPlan), landed, wanted)
    if kind == "CheckResult":
        mine = next(item for item in again["objects"] if item["object"] == way.beside["object"])
        return "" if mine["placed"] >= landed or mine["status"] == "ok" else f"{mine}"
    if kind == "CapacityReport":
        added = [shape for shape in again.get("cheapest", {}).get("shapes", ()) if shape["nodes"]]
        # pods of the workload itself that wait are placed by then, and run
        sets = again["sets"] + _running(again) - _running(way.answer)
        return "" if sets >= landed and not added else f"{sets} of {landed} sets fit, {added}"
    if kind == "MovesPlan":
        return "" if again["verdict"] == "FITS" and not again.get("moves") else f"{again['sentence']}"
    if kind == "PackPlan":
        empty = {node["node"] for node in again["found"] if node["goes"] and not node.get("moves")}
        return "" if empty >= set(way.answer["going"]) else f"{empty} are empty, not {way.answer['going']}"
    raise AssertionError(kind)


def _together(way: Way, again: Json, landed: int, wanted: int) -> str:
    """Compare how many pods of a group fit at one time."""
    name = way.beside["group"]
    now = [plan for plan in _plans(again) if plan["group"] == name]
    if landed < wanted:
        return "" if max((plan["fits"] for plan in now), default=0) >= landed else f"{now}"
    return "" if now and all(plan["result"] in ("placed", "preempted", "fits") for plan in now) else f"{now}"


def _plans(here: Any) -> Iterator[Json]:
    """What an answer tells of groups, wherever that stands in it."""
    if isinstance(here, dict):
        if here.keys() >= _OF_GROUP:
            yield here
        for value in here.values():
            yield from _plans(value)
    elif isinstance(here, list):
        for value in here:
            yield from _plans(value)


def _fits(fix: Json, again: Json, landed: int) -> str:
    found = again["verdict"], again["feasible"]
    if fix.get("evicts"):
        return "" if found[0] == "PREEMPTS" else f"{found}"
    return "" if found[0] == "FITS" and found[1] == (landed or found[1]) else f"{found}, not {landed}"


def _lands(way: Way, plan: SimulationPlan, landed: int, wanted: int) -> str:
    """Compare how many pods land with what was told of an object, or of a cause of pods that wait."""
    beside = way.beside
    name = beside.get("workload") or next(iter(beside["owners"]))
    mine = next((item for item in by_object(plan) if item.name == name), None)
    if mine is None:  # pods of the cluster's own queue
        mine_too = beside["owners"].keys()
        left = sum(cause.count for cause in plan.causes if cause.owners.keys() & mine_too)
        before = beside["count"]
        if "causes" in way.answer and not way.answer.get("change"):  # all of these owners had their turn
            before = sum(one["count"] for one in way.answer["causes"] if one.get("owners", {}).keys() & mine_too)
        fits = before - left
        return "" if fits >= landed else f"{fits} of {landed} fit"
    if not wanted:
        return "" if plan.verdict == "FITS" and not any(one.uneven for one in plan.rollouts) else plan.verdict
    done = landed < wanted or not mine.stalled
    return "" if mine.landed == landed and done else f"{mine.landed} of {landed} land, {plan.sentence}"


def broken_promises(asked: Asked, folder: Path) -> tuple[list[str], list[str]]:
    """Ask, carry each remedy out, and ask again.

    Returns:
        the codes of all remedies, and what is wrong with those that do not hold.
    """
    _, answer = asked.ask(folder)
    found = list(ways(answer))
    wrong = []
    for way in found:
        if _of_waiting(answer, way) and not _by_flags(way.how_to):
            in_turn(asked, folder).write(folder)
            fault = _on_objects(asked, told_about(way), way.how_to)
        else:
            fault = judge(way, *carried_out(asked, way, folder).ask(folder))
        wrong += [f"{way.name}: {fault}"] if fault else []
    return [way.how_to["code"] for way in found], wrong


def in_turn(asked: Asked, folder: Path) -> Asked:
    """A question that is asked after the queue had its turn, once that is so."""
    if "--with-queue" not in asked.command:
        return asked
    words = asked.command[asked.command.index("pod") + 2 :]
    first = Asked(("simulate", *(word for word in words if word != "--with-queue")), asked.cluster)
    _, plan = first.ask(folder)
    return Asked(asked.command, landed_first(asked.cluster, (), plan), asked.manifest)


def _by_flags(how_to: Json) -> bool:
    return not how_to.get("commands") and any(how_to.get(part) for part in ("flags", "edits", "patch"))


def _of_waiting(answer: Json, way: Way) -> bool:
    """Whether a remedy is of pods that wait, and not of what lands, leaves or is lost."""
    if answer["kind"] == "SimulationPlan":
        return not any(change.get("made") for change in answer.get("changes", ())) and "owners" in way.beside
    return answer["kind"] in ("PodExplanation", "PodExplanations") and way.beside.keys().isdisjoint(_OF_GROUP)


def _on_objects(asked: Asked, told: Sequence[str], how_to: Json) -> str:
    """Carry out what no flag, patch or plain command does (claims, devices, drivers) on a cluster built anew."""
    scheduler = _scheduler(asked.command)
    state = load("c.json")
    fill_in(state, scheduler)
    planner = scheduler.planner(state)
    first = planner.cluster.pods[planner.cluster.pod_index[told[0]]]
    found = [one for one in remedies(planner, first).found if one.candidate.code == how_to["code"]]
    faults = [helps(planner, told[0], one) for one in found]
    return "" if faults and not all(faults) else f"{faults}"
