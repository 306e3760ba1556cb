"""Axes as they are asked for, and their points in a cluster, with nothing left to read from files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields

from msgspec.structs import replace

from kplan.admission import expand
from kplan.cluster import Cluster, to_state
from kplan.cluster.domains import domains
from kplan.errors import UsageError
from kplan.objects.kind_words import kind_word
from kplan.objects.models import Node
from kplan.scenario import Effect, ScenarioStep, Verb, load_scenario
from kplan.scenario.add_node import AddNode, read_add_node
from kplan.scenario.manifests import AddManifest, expansion_effect
from kplan.scenario.names import find_nodes, is_workload
from kplan.sources import Manifests, load_objects
from kplan.sources.opening import is_there
from kplan.sources.reader import STDIN
from kplan.studies.capacity import Supply, load_shapes, of_manifests, of_workload
from kplan.studies.capacity.shapes import shape_pod
from kplan.studies.sweep.questions import DrainQuestion, LossQuestion, MovesQuestion, RoomQuestion
from kplan.studies.sweep.scenario import Axis, GridPoint
from kplan.wording.sweep import lost_zone

RULES = ("config", "version")
"""Axes whose points are other rules: who makes the rules makes them."""

DEFAULT = "default"
"""The configuration in use, among configurations."""


@dataclasses.dataclass(frozen=True)
class AskedAxis:
    """An axis as it was asked for.

    Attributes:
        name: ``drain``, ``fail``, ``pool``, ``workload``, ``shapes``, ``scenario``, or one of RULES.
        values: what follows the flag, or stands in the file.
        inline: scenarios that the file itself holds, by name.
    """

    name: str
    values: tuple[str, ...] = ()
    inline: Mapping[str, tuple[ScenarioStep, ...]] = field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Points:
    """Makes points.

    Attributes:
        cluster: the cluster that every scenario begins with.
        namespace: of names without one.
        replicas: of each workload; None for what its manifest says.
        sized: whether the number of nodes of a pool is looked for, so that it counts what a manifest says.
    """

    cluster: Cluster
    namespace: str = ""
    replicas: int | None = None
    sized: bool = False

    def axes(self, asked: Iterable[AskedAxis]) -> tuple[Axis, ...]:
        """Make axes, in the order in which each is asked for first; sizes of pods are workloads among others.

        Raises:
            UsageError: one names what is not there.
            SourceError: a file cannot be read.
        """
        by_name: dict[str, list[GridPoint]] = {}
        for axis in asked:
            name = "workload" if axis.name == "shapes" else axis.name
            by_name.setdefault(name, []).extend(_MAKERS[axis.name](self, axis))
        return tuple(Axis(name, tuple(points)) for name, points in by_name.items())

    def drain(self, asked: AskedAxis) -> Iterator[GridPoint]:
        """Each node by itself, of all or of those named."""
        for node in self._nodes(asked.values):
            yield GridPoint(f"drain {node}", question=DrainQuestion(node), named=node)

    def fail(self, asked: AskedAxis) -> Iterator[GridPoint]:
        """Each zone, or each node."""
        if "zone" in asked.values:
            for zone, nodes in domains(self.cluster, "zone").items():
                yield GridPoint(lost_zone(zone), question=LossQuestion(tuple(nodes)), named=f"--zone {zone}")
        for node in self._nodes([value for value in asked.values if value != "zone"]):
            yield GridPoint(f"fail {node}", question=LossQuestion((node,)), named=node)

    def pool(self, asked: AskedAxis) -> Iterator[GridPoint]:
        """Nodes of each shape."""
        for text in asked.values:
            yield GridPoint(f"pool {text}", pool=portable_node(read_add_node(text, "--pool"), self.cluster))

    def workload(self, asked: AskedAxis) -> Iterator[GridPoint]:
        """Each workload of manifests, or of the cluster."""
        for text in asked.values:
            if names_workload(text):
                supply = of_workload(self.cluster, text, self.namespace)
                yield GridPoint(supply.name, question=RoomQuestion(_light(supply), self.replicas))
                continue
            said = _said(text, self.namespace) if self.sized and text != STDIN else {}  # that is read once
            for supply in of_manifests(self.cluster, [text], self.namespace):
                replicas = said.get(supply.name) if self.replicas is None else self.replicas
                yield GridPoint(supply.name, question=RoomQuestion(_light(supply), replicas))

    def shapes(self, asked: AskedAxis) -> Iterator[GridPoint]:
        """Each size of pods that a file names."""
        for file in asked.values:
            for name, requests in load_shapes(file).items():
                supply = Supply(name, shape_pod(name, requests, self.namespace or "default"))
                yield GridPoint(f"shape {name}", question=RoomQuestion(supply, self.replicas))

    def scenario(self, asked: AskedAxis) -> Iterator[GridPoint]:
        """Each scenario, of a file of its own or of the sweep's."""
        for file in asked.values:
            scenario = load_scenario(file)
            yield self._scenario(scenario.name, scenario.steps)
        for name, steps in asked.inline.items():
            yield self._scenario(name, steps)

    def _scenario(self, name: str, steps: Iterable[ScenarioStep]) -> GridPoint:
        return GridPoint(name, tuple(portable(step, self.cluster) for step in steps), MovesQuestion())

    def _nodes(self, texts: Sequence[str]) -> list[str]:
        """Names of nodes that texts mean, each once; ``node`` means all."""
        names: dict[str, None] = {}
        for text in texts:
            named = list(self.cluster.node_index) if text == "node" else find_nodes(self.cluster, text)
            names |= dict.fromkeys(named)
        return list(names)


_MAKERS: dict[str, Callable[[Points, AskedAxis], Iterator[GridPoint]]] = {
    "drain": Points.drain,
    "fail": Points.fail,
    "pool": Points.pool,
    "workload": Points.workload,
    "shapes": Points.shapes,
    "scenario": Points.scenario,
}
AXES = (*RULES, *_MAKERS)
"""Names of all axes."""


def names_workload(text: str) -> bool:
    """Whether a text is a workload of the cluster, ``deploy/x``, and no file."""
    return is_workload(text) and not is_there(text)


def _light(supply: Supply) -> Supply:
    """A workload as it is sent: without the text of its manifest; its pods are looked for where it is asked about."""
    manifest = dataclasses.replace(supply.manifest, node=None) if supply.manifest is not None else None
    return replace(supply, manifest=manifest, running=(), waiting=())


def _said(file: str, namespace: str) -> dict[str, int]:
    """How many replicas each workload of a manifest wants, by name, where it says so."""
    replicas: dict[str, int] = {}
    for manifest in load_objects([file], namespace=namespace or "default").objects:
        spec = getattr(manifest.item, "spec", None)
        if manifest.item is not None and spec is not None and hasattr(spec, "replicas"):
            name = (
                f"{kind_word(manifest.kind)}/{manifest.item.namespace or namespace or 'default'}/{manifest.item.name}"
            )
            replicas[name] = spec.replicas if spec.replicas is not None else 1
    return replicas


def merged(asked: Iterable[AskedAxis]) -> list[AskedAxis]:
    """Make one axis of those with the same name, in the order in which each name comes first.

    Raises:
        UsageError: there is no such axis.
    """
    by_name: dict[str, AskedAxis] = {}
    for axis in asked:
        if axis.name not in AXES:
            raise UsageError(f"no axis {axis.name}", code="no-such-axis", hint=f"one of: {', '.join(AXES)}")
        former = by_name.get(axis.name, AskedAxis(axis.name))
        inline = {**former.inline, **axis.inline}
        by_name[axis.name] = AskedAxis(axis.name, (*former.values, *axis.values), inline)
    return [axis for axis in by_name.values() if axis.values or axis.inline]


@dataclasses.dataclass(frozen=True, slots=True)
class ApplyLoaded:
    """Manifests that were read are applied; see AddManifest.

    Attributes:
        flag: the verb as it was typed.
        name: the files, as they are told of.
        manifests: what is in them.
    """

    flag: str
    name: str
    manifests: Manifests

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        expansion = expand(self.manifests, to_state(cluster), cluster.rules, namespace=self.manifests.namespace)
        return expansion_effect(cluster, expansion, f"{self.name} applied")


@dataclasses.dataclass(frozen=True, slots=True)
class AddLoaded(AddNode):
    """Nodes appear like one that was read from a file.

    Attributes:
        node: what each is like, with all that differs from the file.
    """

    node: Node | None = None

    def model(self, cluster: Cluster) -> tuple[Node, str]:
        """See AddNode."""
        assert self.node is not None
        return self.node, ""


def portable_node(verb: AddNode, cluster: Cluster) -> AddNode:
    """Read the file of a node that is added; a node like one that is there stays as it is.

    Raises:
        SourceError: the file is broken.
        UsageError: it does not hold one node.
    """
    if not verb.file:
        return verb
    given = {field.name: getattr(verb, field.name) for field in fields(verb)}
    return AddLoaded(**given, node=verb.model(cluster)[0])


def portable(step: Verb | ScenarioStep, cluster: Cluster) -> Verb | ScenarioStep:
    """Read the files that a step would read.

    Args:
        step: a step.
        cluster: the cluster as it is before.

    Raises:
        SourceError: a file is broken.
        UsageError: it does not hold what it should.
    """
    if isinstance(step, ScenarioStep):
        verb = portable(step.verb, cluster)
        assert not isinstance(verb, ScenarioStep)
        return replace(step, verb=verb)
    if isinstance(step, AddNode):
        return portable_node(step, cluster)
    if isinstance(step, AddManifest):
        manifests = load_objects(list(step.files), namespace=step.namespace)
        # where in the text each field stands is not needed any more, and is most of what would be sent
        manifests.objects = [dataclasses.replace(manifest_object, node=None) for manifest_object in manifests.objects]
        return ApplyLoaded(step.flag, ", ".join(step.files), manifests)
    return step
