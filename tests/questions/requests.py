"""Questions that tests put to studies, as the command lines that ask them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import yaml

from kplan.config import features
from kplan.framework.features import Features
from kplan.pipeline import Planner
from kplan.scenario.drain import DrainOptions
from tests.questions.changing import KIND_WORDS

Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A command line, and the files that it names.

    Attributes:
        words: arguments; none where no command asks the same.
        files: text by the name of a file.
    """

    words: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)


def of_explain(context: Any, pods: Sequence[Any], **_: Any) -> Request:
    """``explain pod`` of pods as they are, or in their turn."""
    node = ["--node", context.node] if context.node else []
    turn = ["--with-queue"] if context.in_turn else []
    return Request(["explain", "pod", *(pod.key for pod in pods), *node, *turn])


def of_drain(_: Planner, asked: Any, *__: Any, **___: Any) -> Request:
    """``drain`` of nodes, with the flags that its options are."""
    options: DrainOptions = asked.options
    flags = {
        "--rolling": asked.rolling, "--together": asked.together, "--then-delete": asked.delete,
        "--force": options.force, "--disable-eviction": options.disable_eviction,
    }  # fmt: skip
    chosen = [f"--pod-selector={options.selector_text}"] if options.selector_text else []
    at_once = ["--grace-period=0"] if options.at_once else []
    return Request(["drain", *asked.nodes, *(flag for flag, given in flags.items() if given), *chosen, *at_once])


def of_fail(_: Planner, asked: Any, *__: Any, **___: Any) -> Request:
    """``fail`` of nodes."""
    return Request(["fail", *asked.nodes])


def of_each_failure(_: Planner, kind: str, *__: Any, only: Sequence[str] = (), **___: Any) -> Request:
    """``fail --each``."""
    named = [part for name in only for part in (["--zone", name] if kind == "zone" else [name])]
    return Request(["fail", "--each", kind, *named])


def of_capacity(_: Planner, asked: Any, *__: Any, **___: Any) -> Request:
    """``capacity`` of workloads that are there, and of manifests of those that are not."""
    brought = [supply for supply in asked.supplies if supply.asks is not None or not (supply.running or supply.waiting)]
    files = {f"{number}.yaml": _text(_manifest(supply)) for number, supply in enumerate(brought)}
    named = [f"{brought.index(supply)}.yaml" if supply in brought else supply.name for supply in asked.supplies]
    ratio = ["--ratio", ":".join(map(str, asked.ratio))] if asked.ratio else []
    replicas = [] if asked.replicas is None else ["--replicas", str(asked.replicas)]
    node = ["--node", asked.node.flag.removeprefix("--add-node ")] if asked.node is not None else []
    return Request(["capacity", *named, *ratio, *replicas, *node], files)


def _text(items: Sequence[Json]) -> str:
    """A manifest without aliases."""
    return yaml.safe_dump_all(json.loads(json.dumps(items)))


def _manifest(supply: Any) -> list[Json]:
    """Manifests whose pods are like the one that is multiplied."""
    if supply.manifest is not None:
        return [dict(supply.manifest.raw)]
    word, space, name = supply.name.split("/")
    pod = json.loads(msgspec.json.encode(supply.sample))
    for container in pod["spec"]["containers"]:
        container.setdefault("image", "example.org/it")
    classes = []
    if "priorityClassName" not in pod["spec"] and (value := pod["spec"].pop("priority", 0)):
        pod["spec"]["priorityClassName"] = f"of-{value}"
        about = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": f"of-{value}"}}
        classes = [{**about, "value": value}]
    kind = next(kind for kind, told in KIND_WORDS.items() if told == word)
    mine = {"name": name, "namespace": space}
    if kind == "Pod":
        return [*classes, {"apiVersion": "v1", "kind": kind, "metadata": mine, "spec": pod["spec"]}]
    labels = pod["metadata"].get("labels") or {"app": name}
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod["spec"]}}
    asks = {} if supply.asks is None else {"replicas": supply.asks}
    return [*classes, {"apiVersion": "apps/v1", "kind": kind, "metadata": mine, "spec": {**spec, **asks}}]


def of_simulate(planner: Planner, pods: Sequence[Any], _: Any, options: Any) -> Request:
    """``simulate`` of the pods that wait; none for chosen ones, and where manifests land."""
    if options.change or options.landed or [pod.key for pod in pods] != [pod.key for pod in planner.waiting()]:
        return Request()
    return Request(["simulate", *([] if planner.preempt else ["--no-preempt"])])


def of_check(_: Any, asked: Any, *__: Any, **___: Any) -> Request:
    """``check`` of manifests, its policy as flags."""
    rule = asked.policy
    values = {
        "require-zones": rule.require_zones or None, "max-victims": rule.max_victims,
        "headroom": None if rule.headroom is None else f"{float(rule.headroom * 100):g}%",
        "max-age": None if rule.max_age is None else f"{rule.max_age}s", "baseline": asked.baseline or None,
    }  # fmt: skip
    switches = {"no-preemption": rule.no_preemption, "quota": rule.quota, "strict-kinds": rule.strict_kinds}
    words = [part for name, value in values.items() if value is not None for part in (f"--{name}", str(value))]
    words += [f"--{name}" for name, given in switches.items() if given]
    words += [part for lost in rule.survive for part in ("--survive", lost)]
    words += [part for code in rule.allow_doubt for part in ("--allow-doubt", code)]
    return Request(["check", *_lands(asked.files, asked.namespace, asked.own, asked.templates), *words])


def of_plan(
    _: Any, files: Sequence[str], namespace: str, *, own: bool = True, preempt: bool = True, back: bool = True,
    templates: dict[str, str] | None = None, **__: Any,
) -> Request:  # fmt: skip
    """``simulate`` of manifests."""
    flags = [*([] if preempt else ["--no-preempt"]), *([] if back else ["--victims", "gone"])]
    return Request(["simulate", *_lands(files, namespace, own, templates), *flags])


def _lands(files: Sequence[str], namespace: str, own: bool, templates: dict[str, str] | None) -> list[str]:
    space = ["--namespace", namespace] if namespace else []
    paths = [
        part for kind, path in (templates or {}).items() for part in ("--pod-template", f"{kind}={path}".strip("="))
    ]
    return [*files, *space, *([] if own else ["--queue", "manifests"]), *paths]


def unknown(*_: Any, **__: Any) -> Request:
    """No command is known that asks the same; a study that proposes something has to have one."""
    return Request()


STUDIES: dict[str, Callable[..., Request]] = {
    "explain_pods": of_explain,
    "drain": of_drain,
    "fail": of_fail,
    "each_failure": of_each_failure,
    "capacity": of_capacity,
    "simulate_pods": of_simulate,
}
"""Studies that tests ask without a command, and the words that ask the same."""
OF_SESSIONS: dict[tuple[str, str], Callable[..., Request]] = {
    ("kplan.cli.check", "answer"): of_check,
    ("kplan.cli.simulate", "plan"): of_plan,
}
"""What tests ask of a session, likewise."""


def rules(mine: Features) -> list[str]:
    """The flags that choose version and gates."""
    plain = features(str(mine.version)).features.gates
    gates = [f"{gate}={'true' if gate in mine.gates else 'false'}" for gate in sorted(mine.gates ^ plain)]
    return ["--k8s-version", str(mine.version), *(["--feature-gates", ",".join(gates)] if gates else [])]
