"""Carry remedies out as JSON tells them, by flags, edits, patches and commands of kubectl, and ask again.

A question that was asked has its command, the objects of its cluster, and the manifests that land. Each remedy of the
answer (``howTo``) gives another question: the same command with its flags, on objects that its patch and its commands
changed, with manifests that its edits changed. ``judge`` says whether that came to what was promised.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import yaml

import kplan
from kplan.api import fill_in
from kplan.cli.main import main
from kplan.cli.simulate import sets_of_pods
from kplan.cli.whatif import FLAGS
from kplan.cluster import to_state
from kplan.course.trial.attempts import Attempts
from kplan.pipeline import Planner
from kplan.pipeline.walk import Walk
from kplan.remedies.candidate import Remedy
from kplan.remedies.search import remedies
from kplan.scenario import load_scenario, parse_step
from kplan.scenario.together import together
from kplan.sources import load
from kplan.sources.snapshot import write_snapshot
from kplan.studies.what_ifs import run
from tests.questions.changing import edited, key_of, owner_of, patch_pods, run_kubectl, template_of, waits
from tests.questions.judging import Way, judge, waiting
from tests.remedies.carrying_out import helps

Json = dict[str, Any]
MANIFEST = "m.yaml"
ELSEWHERE = {
    "claim-bound": "a provisioner binds the claim; the command only describes it",
    "node-healthy": "somebody mends the node; the command only describes it",
    "node-mended": "somebody mends the node; the command only describes it",
}
"""Remedies that no command carries out, by code, and why."""
_LAST = "2099-01-01T00:00:00Z"
_RULES = frozenset({"--k8s-version", "--feature-gates", "--config"})


@dataclass(frozen=True)
class Asked:
    """A question that is put to kplan.

    Attributes:
        command: arguments, without the snapshot.
        cluster: its objects.
        manifest: what lands, as documents; ``m.yaml`` in the command.
        files: more that lands, documents by the name of their file.
        about: metadata of the list of objects: when it was taken, which kinds it holds.
    """

    command: tuple[str, ...]
    cluster: Sequence[Json]
    manifest: Sequence[Json] = ()
    files: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    about: Json = field(default_factory=dict)

    @property
    def lands(self) -> list[Json]:
        """All documents that land."""
        return [*self.manifest, *(item for items in self.files.values() for item in items)]

    def write(self, folder: Path) -> None:
        """Write the cluster down."""
        whole = {"apiVersion": "v1", "kind": "List", "metadata": self.about, "items": list(self.cluster)}
        (folder / "c.json").write_text(json.dumps(whole))

    def ask(self, folder: Path) -> tuple[int, Json]:
        """Ask in a folder; give the exit code and the answer, which is empty where the command is refused."""
        self.write(folder)
        for name, items in {MANIFEST: self.manifest, **self.files}.items():
            (folder / name).unlink(missing_ok=True)  # it may be a link to a fixture
            (folder / name).write_text(yaml.safe_dump_all(items))
        out = folder / "answer.json"
        out.unlink(missing_ok=True)
        code = main([*self.command, "--snapshot", "c.json", "-o", f"json={out}"])
        return code, json.loads(out.read_text()) if out.exists() else {}


def all_ways(answer: Json) -> Iterator[Way]:
    """Find all remedies of an answer, wherever they stand in it."""
    return _within(answer, answer)


def _within(here: Any, answer: Json) -> Iterator[Way]:
    if isinstance(here, dict):
        for key in ("howTo", "otherHowTo"):
            if key in here:
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
    asked = _as_told(asked, way, folder)
    cluster: list[Json] = json.loads(json.dumps(list(asked.cluster)))
    for line in how.get("commands", ()):
        run_kubectl(cluster, line)
    if how.get("patch"):
        patch_pods(cluster, *_told_about(way, cluster), how["patch"], how.get("patches", {}))
    edits = how.get("edits", ())
    manifest = edited(asked.manifest, [edit for edit in edits if edit["file"] not in asked.files])
    files = {
        name: edited(items, [edit for edit in edits if edit["file"] == name]) for name, items in asked.files.items()
    }
    flags = [part for flag in how.get("flags", ()) for part in flag.split(" ", 1)]
    command = asked.command
    if "--rolling" in flags:  # in place of the other
        command = tuple(part for part in command if part != "--together")
    return Asked((*command, *flags), cluster, manifest, files, asked.about)


def _as_told(asked: Asked, way: Way, folder: Path) -> Asked:
    """The question that a remedy of an answer belongs to: what is told of pods that wait is told once others landed."""
    if way.answer["kind"] == "PodExplanations" and "owners" in way.beside:
        # many pods are told of one after another, as they are planned; others that wait may take what becomes free
        cluster = after_its_turn(asked, folder, tried="--with-queue" in asked.command)
        told = [item for item in cluster if not waits(item) or key_of(item) in way.beside["pods"]]
        return Asked(("simulate", *_versions(asked.command)), told, about=asked.about)
    if way.answer["kind"] == "PodExplanations" and way.of_group:
        # likewise: what one group needs is told as if no other waited
        alone = [item for item in asked.cluster if not waits(item) or _group(item) in ("", way.beside["group"])]
        return Asked(("simulate", *_versions(asked.command)), alone, about=asked.about)
    if "--with-queue" in asked.command and way.answer["kind"] == "PodExplanation":
        told = way.answer["pod"]
        cluster = after_its_turn(asked, folder, before=told)
        return Asked(("explain", "pod", told, *_versions(asked.command)), cluster, about=asked.about)
    if not waiting(way):
        return asked
    command = ("simulate", "--no-preempt", *_sets(asked.command), *_versions(asked.command))
    if not asked.lands:
        return Asked(command, after_its_turn(asked, folder), about=asked.about)
    if way.answer.get("whatIf"):  # before anything lands
        asked = dataclasses.replace(asked, cluster=after_its_turn(asked, folder, tried=False))
    return Asked(command, landed_first(asked, way.answer), about=asked.about)


def _group(pod: Json) -> str:
    """``namespace/name`` of the group that a pod is placed with; empty for none."""
    name = pod["spec"].get("schedulingGroup", {}).get("podGroupName", "")
    return f"{pod['metadata'].get('namespace', 'default')}/{name}" if name else ""


def after_its_turn(asked: Asked, folder: Path, *, tried: bool = True, before: str = "") -> list[Json]:
    """The cluster once the what-ifs of a question are taken and pods that wait were tried.

    Args:
        asked: the question.
        folder: to write in.
        tried: whether any is tried.
        before: the pod that is asked about in its turn: those before it are tried; empty for all that wait.
    """
    asked.write(folder)
    scheduler = _scheduler(asked.command)
    state = load("c.json")
    fill_in(state, scheduler)
    planner = scheduler.planner(state, preempt="--no-preempt" not in asked.command)
    run(planner, _what_ifs(asked.command))
    seed = dict(_given(asked.command)).get("--seed", "0")
    planner.walk = Walk(int(seed)) if tried and "--sample" in asked.command else None
    planner.together = together(planner.cluster, _sets(asked.command)[1::2], _space(asked.command)) if tried else None
    if tried:
        queue = planner.waiting()
        run_of_all = Attempts[object](planner, victims_return="gone" not in asked.command)
        if before:  # those that leave meanwhile have their turn later
            for pod in takewhile(lambda pod: pod.key != before, queue):
                landing = run_of_all.attempt(pod)
                run_of_all.come_back(dict.fromkeys(landing.evicts, landing.node))
        else:
            run_of_all.place(queue)
    write_snapshot(to_state(planner.cluster), folder / "landed.json")
    items = json.loads((folder / "landed.json").read_text())["items"]
    for item in items:  # what a plan has placed runs
        if item["kind"] == "Pod" and item["spec"].get("nodeName"):
            item.setdefault("status", {}).setdefault("phase", "Running")
    return list(items)


def _given(command: Sequence[str]) -> list[tuple[str, str]]:
    """Each word of a command, and the one after it."""
    words = [part for word in command for part in (word.split("=", 1) if word.startswith("--") else [word])]
    return list(zip(words, [*words[1:], ""], strict=True))


def _space(command: Sequence[str]) -> str:
    """The namespace that a command names."""
    return next((value for word, value in _given(command) if word in ("-n", "--namespace")), "")


def _sets(command: Sequence[str]) -> list[str]:
    """The flags of a command by which sets of pods are placed together, each selector behind its flag."""
    asked = [value for word, value in _given(command) if word == "--all-or-nothing"]
    sets, _ = sets_of_pods(asked, [word for word, _ in _given(command)])
    return [part for one in sets for part in ("--all-or-nothing", one)]


def _what_ifs(command: Sequence[str]) -> list[Any]:
    """Steps of the what-ifs of a command, in their order."""
    space, steps = _space(command), list[Any]()
    for word, value in _given(command):
        if word == "--scenario":
            steps += load_scenario(value).steps
        elif word.startswith("--") and word[2:] in FLAGS:
            steps.append(parse_step(word[2:], value, space))
    return steps


def _versions(command: Sequence[str]) -> list[str]:
    """The flags of a command by which the rules are chosen; of several versions the first, which is answered for."""
    pairs = zip(command, [*command[1:], ""], strict=True)
    return [part for word, value in pairs if word in _RULES for part in (word, value.split(",")[0])]


def _scheduler(command: Sequence[str]) -> kplan.Scheduler:
    named = dict(pairwise(command))
    given = [gate.partition("=") for gate in named.get("--feature-gates", "").split(",") if gate]
    gates = {name: value == "true" for name, _, value in given}
    config = Path(named["--config"]).read_text() if "--config" in named else None
    return kplan.Scheduler.of(named.get("--k8s-version", "1.37").split(",")[0], gates=gates, config=config)


def landed_first(asked: Asked, answer: Json) -> list[Json]:
    """The cluster once all has landed that a plan places or that makes no pods, and all has left that leaves in it."""
    leaves = {pod for step in answer["steps"] for pod in step.get("evicts", ())}
    rolled = [step for rollout in answer.get("rollouts", ()) for step in rollout.get("steps", ())]
    leaves |= {left["pod"] for step in rolled for left in step.get("leaves", ())}
    brings = [item for item in asked.lands if template_of(item) is None and item["kind"] != "Pod"]
    names = {(item["kind"], key_of(item)) for item in brings if "name" in item["metadata"]}
    found = [
        item
        for item in asked.cluster
        if (item["kind"], key_of(item)) not in names and (item["kind"] != "Pod" or key_of(item) not in leaves)
    ]
    found += brings
    pods = {key_of(item): item for item in found if item["kind"] == "Pod"}
    for step in answer["steps"]:
        back = bool(step.get("returned"))
        if step["pod"] in leaves and not back:
            continue
        if step["pod"] not in pods:
            if not (step.get("node") or back):
                continue
            found.append(_made(step, asked))
            pods[step["pod"]] = found[-1]
        if step.get("node"):
            pods[step["pod"]]["spec"]["nodeName"] = step["node"]
            pods[step["pod"]]["status"] = {"phase": "Running"}
    return found


def _made(step: Json, asked: Asked) -> Json:
    """A pod that a manifest brings, or that comes in the place of one that left."""
    space, _, name = step["pod"].partition("/")
    of = step.get("owner", "")
    words = dict(pairwise(asked.command)).get("--pod-template", "")
    paths = dict([words.rpartition("=")[::2]]) if words else {}
    pods = [item for item in asked.cluster if item["kind"] == "Pod" and owner_of(item, asked.cluster) == of]
    before = [item for item in pods if step.get("returned")]
    before.sort(key=lambda item: _of_its_first(item["metadata"]["name"]) != _of_its_first(name))
    bodies = [
        template_of(item, paths.get(item["kind"], paths.get("", ""))) or item
        for item in (*before, *asked.lands, *pods)
        if item in pods or item["metadata"]["name"] in (name, of.rpartition("/")[2], _of_its_job(of))
    ]
    body = json.loads(json.dumps(next(body for body in bodies if "containers" in body.get("spec", {}))))
    metadata = {"name": name, "namespace": space, "labels": body.get("metadata", {}).get("labels", {})}
    if before:  # it comes back, behind those that waited
        metadata |= {"ownerReferences": before[0]["metadata"].get("ownerReferences", []), "creationTimestamp": _LAST}
    spec = {key: value for key, value in body["spec"].items() if key != "nodeName"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _of_its_first(name: str) -> str:
    """Name of the pod in whose place one came back, as often as it did."""
    return re.sub(r"-r\d+$", "", name)


def _of_its_job(owner: str) -> str:
    """Name of the CronJob that a Job of a run is named for."""
    return owner.rpartition("/")[2].rpartition("-")[0]


def _told_about(way: Way, cluster: Sequence[Json]) -> tuple[set[str], set[str]]:
    """Owners and pods that a patch is for: of a group, all of it."""
    beside = way.beside
    if way.of_group:
        item = next(item for item in cluster if item["kind"] == "Pod" and key_of(item) == beside["blockedBy"])
        group = item["spec"].get("schedulingGroup")
        mine = [one for one in cluster if waits(one) and one["spec"].get("schedulingGroup") == group]
        return {owner_of(one, cluster) for one in mine}, {key_of(one) for one in mine}
    if "owners" in beside:
        return set(beside["owners"]), set(beside.get("pods", ()))
    told = beside.get("pod") or way.answer["pod"]
    item = next(item for item in cluster if item["kind"] == "Pod" and key_of(item) == told)
    return {owner_of(item, cluster)}, {told}


@dataclass(frozen=True)
class Held:
    """What came of the remedies of an answer.

    Attributes:
        carried: codes of those that were carried out.
        elsewhere: codes of those that no command carries out.
        wrong: what is wrong with those that do not come to what was told.
    """

    carried: tuple[str, ...]
    elsewhere: tuple[str, ...]
    wrong: list[str]


def broken_promises(asked: Asked, folder: Path) -> Held:
    """Ask, carry each remedy out, and ask again."""
    _, answer = asked.ask(folder)
    found = list(all_ways(answer))
    mine = [way for way in found if way.how_to["code"] not in ELSEWHERE]
    codes = [way.how_to["code"] for way in found]
    searches: dict[tuple[str, ...], Search] = {}
    wrong = [f"{way.name}: {fault}" for way in mine if (fault := broken(asked, way, folder, searches))]
    return Held(
        tuple(code for code in codes if code not in ELSEWHERE),
        tuple(code for code in codes if code in ELSEWHERE),
        wrong,
    )


def broken(asked: Asked, way: Way, folder: Path, searches: dict[tuple[str, ...], Search]) -> str:
    """Carry a remedy out and ask again; say in what that is not as was promised, nothing where it is."""
    if _of_pods(way) and not way.by_flags:
        told = tuple(way.beside.get("pods") or [way.beside.get("pod") or way.answer["pod"]])
        if told not in searches:
            _before_it(asked, way, folder).write(folder)
            searches[told] = Search.of(asked, told[0])
        return searches[told].fault(way.how_to["code"])
    return judge(way, carried_out(asked, way, folder).ask(folder)[1])


def _of_pods(way: Way) -> bool:
    """Whether a remedy is of pods that wait, one by one, and not of what lands, leaves or is lost."""
    return waiting(way) or (way.answer["kind"] in ("PodExplanation", "PodExplanations") and not way.of_group)


def _before_it(asked: Asked, way: Way, folder: Path) -> Asked:
    """The cluster that pods are told of in, before a remedy is carried out."""
    if waiting(way) or "--with-queue" in asked.command:
        return _as_told(asked, way, folder)
    return dataclasses.replace(asked, cluster=after_its_turn(asked, folder, tried=False))


@dataclass(frozen=True)
class Search:
    """Carries out what no flag, patch or plain command does (claims, devices, drivers), on a cluster built anew.

    Attributes:
        planner: over the cluster that a pod is told of in.
        pod: the pod.
        found: what is found to help it.
        faults: what is wrong with it, by code; only of codes that were asked for.
    """

    planner: Planner
    pod: str
    found: Sequence[Remedy]
    faults: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, asked: Asked, pod: str) -> Search:
        """Search on the cluster that is written down."""
        scheduler = _scheduler(asked.command)
        state = load("c.json")
        fill_in(state, scheduler)
        planner = scheduler.planner(state)
        return cls(planner, pod, remedies(planner, planner.cluster.pods[planner.cluster.pod_index[pod]]).found)

    def fault(self, code: str) -> str:
        """Say what is wrong with what has a code; nothing where any of it helps."""
        if code not in self.faults:
            of_it = [helps(self.planner, self.pod, one) for one in self.found if one.candidate.code == code]
            self.faults[code] = "" if of_it and not all(of_it) else f"{of_it}"
        return self.faults[code]
