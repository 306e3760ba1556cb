"""Verbs on nodes that are there: cordon, uncordon, label, taint, remove."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from kplan.cluster import Change, Cluster, PutNode, Remove
from kplan.cluster.owners import controller, returns
from kplan.errors import UsageError
from kplan.objects.models import Node, Taint
from kplan.scenario.effect import Effect
from kplan.scenario.names import find_nodes

UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class Cordon:
    """Nodes take no new pods, or take them again.

    Attributes:
        nodes: a name, or a label selector.
        on: False to uncordon.
    """

    nodes: str
    on: bool = True

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--{'' if self.on else 'un'}cordon {self.nodes}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        names = find_nodes(cluster, self.nodes)
        word = "cordoned" if self.on else "uncordoned"
        changed = [n for n in names if bool(cluster.unschedulable[cluster.node_index[n]]) != self.on]
        notes = () if changed else (f"{self.nodes} is {word} already",)
        changes = tuple(put(cordoned(node_of(cluster, name), on=self.on)) for name in changed)
        return Effect(changes, text=f"{_told(names)} {word}", notes=notes)


def cordoned(node: Node, *, on: bool) -> Node:
    """Copy a node with ``spec.unschedulable`` set, and with the taint that the node controller keeps beside it.

    Source: v1.37.2 pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass.
    """
    taints = [taint for taint in node.spec.taints or () if taint.key != UNSCHEDULABLE]
    if on:
        taints.append(Taint(key=UNSCHEDULABLE, effect="NoSchedule"))
    return replace(node, spec=replace(node.spec, unschedulable=on or None, taints=taints or None))


@dataclass(frozen=True, slots=True)
class Label:
    """Nodes get a label, or lose one.

    Attributes:
        nodes: a name, or a label selector.
        key: of the label.
        value: None takes it away.
    """

    nodes: str
    key: str
    value: str | None

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--label {self.nodes}:{self.key}{'-' if self.value is None else f'={self.value}'}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        names = find_nodes(cluster, self.nodes)
        changes = tuple(put(labelled(node_of(cluster, name), self.key, self.value)) for name in names)
        word = f"without label {self.key}" if self.value is None else f"labelled {self.key}={self.value}"
        return Effect(changes, text=f"{_told(names)} {word}")


def labelled(node: Node, key: str, value: str | None) -> Node:
    """Copy a node with a label set, or (None) taken away."""
    labels = {name: text for name, text in node.labels.items() if name != key}
    if value is not None:
        labels[key] = value
    return replace(node, metadata=replace(node.metadata, labels=labels))


@dataclass(frozen=True, slots=True)
class SetTaint:
    """Nodes get a taint, or lose one; NoExecute evicts the pods that do not tolerate it.

    Attributes:
        nodes: a name, or a label selector.
        key: of the taint.
        value: of the taint.
        effect_name: NoSchedule, PreferNoSchedule or NoExecute; empty (only to remove): each of them.
        remove: take it away.
    """

    nodes: str
    key: str
    value: str = ""
    effect_name: str = ""
    remove: bool = False

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--taint {self.nodes}:{self._taint}{'-' if self.remove else ''}"

    @property
    def _taint(self) -> str:
        value = f"={self.value}" if self.value else ""
        return f"{self.key}{value}{f':{self.effect_name}' if self.effect_name else ''}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        from kplan.objects.selectors import tolerated

        names = find_nodes(cluster, self.nodes)
        changes: list[Change] = []
        evicted: list[int] = []
        lost: list[int] = []
        taint = Taint(key=self.key, value=self.value or None, effect=self.effect_name)
        for name in names:
            if self.effect_name == "NoExecute" and not self.remove:
                for row in cluster.pods_on(cluster.node_index[name]):
                    pod = cluster.pods[row]
                    if controller(pod)[0] != "Node" and not tolerated(pod.pod.spec.tolerations or (), taint):
                        (evicted if returns(pod) else lost).append(row)
        changes += [Remove(row) for row in (*evicted, *lost)]
        changes += [put(tainted(node_of(cluster, name), taint, remove=self.remove)) for name in names]
        word = f"without taint {self._taint}" if self.remove else f"tainted {self._taint}"
        return Effect(tuple(changes), tuple(evicted), tuple(lost), f"{_told(names)} {word}")


def tainted(node: Node, taint: Taint, *, remove: bool = False) -> Node:
    """Copy a node with a taint in place of the one of its key and effect, or without it (any effect if it has none)."""
    others = [
        one
        for one in node.spec.taints or ()
        if one.key != taint.key or (taint.effect != one.effect and bool(taint.effect))
    ]
    return replace(node, spec=replace(node.spec, taints=[*others, *([] if remove else [taint])] or None))


@dataclass(frozen=True, slots=True)
class RemoveNode:
    """Nodes leave for good, with all that runs there; controllers make the pods again.

    Attributes:
        nodes: a name, or a label selector.
    """

    nodes: str

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--remove-node {self.nodes}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        names = find_nodes(cluster, self.nodes)
        return removal(cluster, names, f"{_told(names)} removed")


def removal(cluster: Cluster, names: list[str], text: str) -> Effect:
    """Take nodes out: their pods first, then the nodes."""
    rows = [row for name in names for row in cluster.pods_on(cluster.node_index[name])]
    evicted = tuple(row for row in rows if returns(cluster.pods[row]))
    lost = tuple(row for row in rows if not returns(cluster.pods[row]))
    waiting = [p.row for p in cluster.pods if p.waiting and _daemon_of(p, names)]
    changes: list[Change] = [*map(Remove, rows), *map(Remove, waiting), *(PutNode(name, None) for name in names)]
    return Effect(tuple(changes), evicted, (*lost, *waiting), text)


def _daemon_of(pod: object, names: list[str]) -> bool:
    """Whether a waiting pod is a DaemonSet's for one of some nodes."""
    from kplan.admission.daemons import node_of as home
    from kplan.cluster import PodInfo

    assert isinstance(pod, PodInfo)
    return controller(pod)[0] == "DaemonSet" and home(pod.pod) in names


def node_of(cluster: Cluster, name: str) -> Node:
    """Return the node of a name as it is now."""
    return cluster.nodes[cluster.node_index[name]]


def put(node: Node) -> PutNode:
    """Put a node in place of the one of its name."""
    return PutNode(node.name, node)


def read_nodes_and_rest(text: str, flag: str) -> tuple[str, str]:
    """Split ``NODE:REST``; label keys and node names hold no colon.

    Raises:
        UsageError: there is no colon.
    """
    nodes, colon, rest = text.partition(":")
    if not colon or not nodes or not rest:
        raise UsageError(f"{flag} {text}: what is before and after the colon?", code="bad-step", hint=HINTS[flag])
    return nodes, rest


HINTS = {
    "--label": "--label NODE:KEY=VALUE, or NODE:KEY- to take it away",
    "--taint": "--taint NODE:KEY=VALUE:EFFECT, or NODE:KEY:EFFECT- to take it away",
    "--priority": "--priority NAMESPACE/POD=1000, or deploy/x=1000",
    "--scale": "--scale deploy/shop/web=5",
    "--set-pdb": "--set-pdb shop/web-pdb:minAvailable=1, or maxUnavailable=25%",
}
"""The grammar of each flag that has one."""


def read_label(text: str) -> Label:
    """Read ``NODE:KEY=VALUE`` or ``NODE:KEY-``.

    Raises:
        UsageError: it is neither.
    """
    nodes, rest = read_nodes_and_rest(text, "--label")
    key, equals, value = rest.partition("=")
    if equals:
        return Label(nodes, key, value)
    if rest.endswith("-"):
        return Label(nodes, rest[:-1], None)
    raise UsageError(f"--label {text}: no value", code="bad-step", hint=HINTS["--label"])


def read_taint(text: str) -> SetTaint:
    """Read ``NODE:KEY=VALUE:EFFECT``, ``NODE:KEY:EFFECT`` or either with ``-`` behind.

    Raises:
        UsageError: it is none of them, or the effect is unknown.
    """
    nodes, rest = read_nodes_and_rest(text, "--taint")
    remove = rest.endswith("-")
    rest = rest.removesuffix("-")
    head, colon, effect = rest.rpartition(":")
    if not colon:
        head, effect = rest, ""
    key, _, value = head.partition("=")
    if effect not in EFFECTS and not (remove and not effect):
        raise UsageError(f"--taint {text}: effect {effect!r}", code="bad-step", hint=f"one of: {', '.join(EFFECTS)}")
    return SetTaint(nodes, key, value, effect, remove)


def _told(names: list[str]) -> str:
    if len(names) <= 3:
        return ", ".join(names)
    return f"{', '.join(names[:3])}, +{len(names) - 3:,}"
