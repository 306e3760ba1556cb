"""Add nodes: like one that is there, of a shape, from a file, or as a cluster-autoscaler would add them.

A new node has a name and a hostname label of its own, none of the taints of a node that is not ready or cordoned, no
images, and no pods but those of DaemonSets, which are placed first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from kplan.cluster import AddPods, Change, Cluster, PodInfo, Put, PutNode
from kplan.errors import UsageError
from kplan.objects.lean import replace
from kplan.objects.models import CSINode, Node, Pod, ResourceSlice
from kplan.objects.models.meta import ObjectMeta
from kplan.objects.models.node import NodeSpec, NodeStatus
from kplan.objects.quantity import value as whole
from kplan.objects.resource_names import is_scalar_resource
from kplan.objects.well_known import HOSTNAME
from kplan.objects.whole_numbers import is_natural, natural
from kplan.scenario.daemons import daemon_pods, samples_of
from kplan.scenario.effect import Effect, bad_step
from kplan.scenario.names import SHORT_LABELS, find_nodes
from kplan.scenario.places import moved, of_every_node
from kplan.sources import load_objects
from kplan.words import listed

_TRANSIENT = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler")
_WORDS = ("like", "template", "file", "count", "name")
_WORD, _RESOURCE, _LABEL = "", "resource:", "label:"
"""Before a word that would be read as the other: an amount of ``a.k8s.io/b``, a label ``example.com/rack=3``."""
_RESOURCES = ("cpu", "memory", "pods", "ephemeral-storage")
_DIGITS = tuple("0123456789")
_MEANT = {
    **dict.fromkeys(("mem", "ram"), "memory"),
    **dict.fromkeys(("cpus", "cores", "vcpu"), "cpu"),
    **dict.fromkeys(("storage", "disk"), "ephemeral-storage"),
    **dict.fromkeys(("gpu", "gpus"), "nvidia.com/gpu"),
}
"""Other words for amounts: a label of such a name and an amount for its value is none that anybody means."""


@dataclass(frozen=True, slots=True)
class AddNode:
    """Nodes appear.

    Attributes:
        like: a node to copy.
        template: a node group that a cluster-autoscaler recorded.
        file: a manifest with one Node.
        count: how many.
        name: of the node; a number is put behind it if there are several. Made up if empty.
        allocatable: resources that differ, or all of them for a shape.
        labels: labels that differ.
    """

    like: str = ""
    template: str = ""
    file: str = ""
    count: int = 1
    name: str = ""
    allocatable: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def flag(self) -> str:
        """See Verb."""
        parts = {"like": self.like, "template": self.template, "file": self.file, "name": self.name}
        words = [f"{key}={value}" for key, value in parts.items() if value]
        words += [f"{'' if _is_amount(*item) else _RESOURCE}{'='.join(item)}" for item in self.allocatable.items()]
        words += [f"{'' if _is_label(*item) else _LABEL}{'='.join(item)}" for item in self.labels.items()]
        return f"--add-node {','.join([*words, *([f'count={self.count}'] if self.count != 1 else [])])}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        model, home = self.model(cluster)
        changes: list[Change] = []
        names: list[str] = []
        taken = set(cluster.node_index)
        # all pods are looked at for these: once, however many nodes are added
        samples = samples_of(cluster, home) if not self.template else {}
        stem = self.name or f"{model.name or 'node'}-new"
        for number in range(self.count):
            name = fresh_name(stem, taken, alone=bool(self.name) and self.count == 1)
            taken.add(name)
            names.append(name)
            changes += self._one(cluster, model, name, home, number, samples)
        what = f" like {model.name}" if self.like else f" of {self.template}" if self.template else ""
        has = model.status.allocatable or {}
        notes = tuple(f"no {name} is given, so the node has none" for name in ("cpu", "memory") if name not in has)
        return Effect(tuple(changes), text=f"{listed(names)} added{what}", notes=notes)

    def _one(
        self, cluster: Cluster, model: Node, name: str, home: str, number: int, samples: Mapping[str, PodInfo]
    ) -> list[Change]:
        node = fresh_node(model, name)
        changes: list[Change] = [PutNode(name, node)]
        changes += csi_node_like(cluster, home, name)
        changes += slices_like(cluster, home, name)
        pods = (
            tuple(_moved(pod, name, number) for pod in cluster.state.node_templates[self.template][1])
            if self.template
            else daemon_pods(cluster, node, home, samples)
        )
        return [*changes, *([AddPods(pods)] if pods else [])]

    def model(self, cluster: Cluster) -> tuple[Node, str]:
        """Return the node to make others of, and the name of the node it is like; empty for none.

        Raises:
            UsageError: there is no such node or template.
            SourceError: the file is broken.
        """
        home = ""
        if self.like:
            home = find_nodes(cluster, self.like)[0]
            node = cluster.nodes[cluster.node_index[home]]
        elif self.template:
            node = self._of_template(cluster)
        elif self.file:
            node = self._of_file()
        else:
            node = Node(metadata=ObjectMeta(name="node", labels={}), spec=NodeSpec(), status=NodeStatus(allocatable={}))
            node.status.allocatable = {"pods": "110"}
        allocatable = {**(node.status.allocatable or {}), **self.allocatable}
        given = {SHORT_LABELS.get(key, key): value for key, value in self.labels.items()}
        bare = not (self.like or self.template or self.file)
        labels = moved(cluster, {**of_every_node(cluster), **node.labels} if bare else node.labels, given)
        status = replace(node.status, allocatable=allocatable)
        return replace(node, metadata=replace(node.metadata, labels=labels), status=status), home

    def _of_template(self, cluster: Cluster) -> Node:
        templates = cluster.state.node_templates
        if self.template not in templates:
            known = ", ".join(list(templates)[:5])
            hint = f"recorded here: {known}" if known else "only a snapshot of cluster-autoscaler records them"
            raise UsageError(f"no node template {self.template}", code="no-such-template", hint=hint)
        return templates[self.template][0]

    def _of_file(self) -> Node:
        nodes = [m.item for m in load_objects([self.file]).objects if isinstance(m.item, Node)]
        if len(nodes) != 1:
            raise bad_step(f"--add-node file={self.file}", f"{len(nodes)} nodes in it, one is wanted")
        return nodes[0]


_IN_BYTES = ("memory", "ephemeral-storage")
_LEAST_BYTES = 1 << 20
"""What no node has less of: a number without its unit."""


def read_add_node(text: str, flag: str = "--add-node") -> AddNode:
    """Read ``like=node-f,count=2`` or ``cpu=16,memory=64Gi,zone=a``; other words with ``=`` are labels.

    ``resource:`` and ``label:`` before a word say which of the two it is.

    Args:
        text: what follows the flag.
        flag: the flag, for errors.

    Raises:
        UsageError: a part has no ``=``, or a number cannot be read.
    """
    words: dict[str, str] = {}
    allocatable: dict[str, str] = {}
    labels: dict[str, str] = {}
    kinds = {_WORD: words, _RESOURCE: allocatable, _LABEL: labels}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise bad_step(f"{flag} {text}", f"{part!r} has no =")
        kind = _WORD if key in _WORDS else _kind_of(key, value)
        key = key.removeprefix(kind)
        if key in kinds[kind]:
            raise bad_step(f"{flag} {text}", f"{key}= is given twice", f"{flag} again for nodes of another kind")
        meant = _meant(key, value) if kind == _LABEL and not part.startswith(_LABEL) else ""
        if meant:
            raise bad_step(f"{flag} {text}", f"{key} is not a resource", f"{meant}={value}")
        kinds[kind][key] = value
    sources = [word for word in ("like", "template", "file") if word in words]
    if len(sources) > 1 or (not sources and not allocatable):
        raise bad_step(
            f"{flag} {text}", "it does not say what the node is like", "one of like=, template=, file=, or cpu="
        )
    count = words.pop("count", "1")
    if not 1 <= (natural(count) or 0) <= 100_000:
        raise bad_step(f"{flag} {text}", f"count {count!r}", "a number from 1")
    for key, amount in allocatable.items():
        _check_amount(f"{flag} {text}", key, amount)
    return AddNode(**words, count=natural(count) or 1, allocatable=allocatable, labels=labels)


def _check_amount(where: str, key: str, amount: str) -> None:
    """Refuse what is no amount of a resource that the scheduler counts."""
    if key not in _RESOURCES and not is_scalar_resource(key):
        raise bad_step(where, f"{key} is not a resource", f"{_MEANT.get(key, f'example.com/{key}')}={amount}")
    if whole(amount) < 0:
        raise bad_step(where, f"{key}={amount} is less than nothing")
    if whole(amount) < _LEAST_BYTES and key in _IN_BYTES:
        raise bad_step(where, f"{key}={amount} is {amount} bytes", f"{key}={amount}Gi")


def _meant(key: str, value: str) -> str:
    """Name the resource that a misspelt one with an amount means; empty for a label."""
    if not value.startswith(_DIGITS) or "/" in key:
        return ""
    return _MEANT.get(key) or next(iter(get_close_matches(key, _RESOURCES, n=1, cutoff=0.8)), "")


def _kind_of(key: str, value: str) -> str:
    """Whether a word is a label or an amount: what it says before its name, and else what its name looks like."""
    for kind in (_RESOURCE, _LABEL):
        if key.startswith(kind):
            return kind
    return _RESOURCE if _is_amount(key, value) else _LABEL


def _is_label(key: str, value: str) -> bool:
    """Whether a word is read as a label."""
    return key not in _WORDS and not _is_amount(key, value) and not _meant(key, value)


def _is_amount(key: str, value: str) -> bool:
    """Whether a word is read as an amount; ``nvidia.com/gpu=8``: a qualified name and a whole number."""
    if key in _RESOURCES or key.startswith("hugepages-"):
        return True
    domain, slash, _ = key.partition("/")
    return bool(slash) and not domain.endswith(("kubernetes.io", "k8s.io")) and is_natural(value)


def fresh_name(stem: str, taken: set[str], *, alone: bool = False) -> str:
    """Make a name that no node has: ``stem-1``, ``stem-2``; with ``alone`` the stem itself if it is free."""
    if alone and stem not in taken:
        return stem
    number = 1
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


def fresh_node(model: Node, name: str) -> Node:
    """Copy a node as it is when it has just joined and is ready."""
    labels = {**model.labels, HOSTNAME: name}
    taints = [taint for taint in model.spec.taints or () if not taint.key.startswith(_TRANSIENT)]
    return Node(
        metadata=ObjectMeta(name=name, labels=labels),
        spec=NodeSpec(taints=taints or None),
        status=NodeStatus(
            allocatable=model.status.allocatable,
            capacity=model.status.capacity,
            node_info=model.status.node_info,
            declared_features=model.status.declared_features,
        ),
    )


def csi_node_like(cluster: Cluster, like: str, name: str) -> list[Change]:
    """Give a node the CSI drivers and volume limits of another."""
    known = cluster.objects.csi_nodes.get(like)
    if known is None:
        return []
    return [Put.of(CSINode(metadata=ObjectMeta(name=name), spec=known.spec))]


def slices_like(cluster: Cluster, like: str, name: str) -> list[Change]:
    """Give a node the devices that drivers publish for another alone: its own pools, all of them free.

    They have no taints, which tell what has become of a device. Devices that are to be had on several nodes come to the
    new one by its labels, if they do.
    """
    slices: Mapping[str, ResourceSlice] = cluster.objects.table("resource_slices")
    changes: list[Change] = []
    for item in slices.values():
        if not like or item.spec.node_name != like:
            continue
        pool = item.spec.pool
        devices = [replace(device, taints=None) for device in item.spec.devices or ()] or None
        spec = replace(
            item.spec, devices=devices, node_name=name, pool=replace(pool, name=_renamed(pool.name, like, name))
        )
        changes.append(Put.of(ResourceSlice(metadata=ObjectMeta(name=_renamed(item.name, like, name)), spec=spec)))
    return changes


def _renamed(text: str, like: str, name: str) -> str:
    """Put another node's name in a name that begins with one; a name that does not is told apart by it."""
    return f"{name}{text.removeprefix(like)}" if text.startswith(like) else f"{text}-{name}"


def _moved(pod: Pod, node: str, number: int) -> Pod:
    """Copy a pod of a template onto the new node, where it runs from the start."""
    name = f"{pod.name}-{node}-{number}"
    metadata = replace(pod.metadata, name=name, uid=None)
    return replace(pod, metadata=metadata, spec=replace(pod.spec, node_name=node))
