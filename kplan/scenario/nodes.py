"""Verbs on nodes that are there: cordon, uncordon, label, taint, remove."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from kplan.admission import node_of as home_of
from kplan.cluster import Change, Cluster, PodInfo, Put, PutNode, leave
from kplan.cluster.owners import controller, of_its_node
from kplan.cluster.silence import OUT_OF_SERVICE, is_silent
from kplan.objects.formats import label_key, label_value
from kplan.objects.lean import replace
from kplan.objects.models import Node, ResourceSlice, Taint, Toleration
from kplan.objects.selectors import tolerated
from kplan.objects.well_known import UNSCHEDULABLE
from kplan.scenario.daemons import pods_of_daemons
from kplan.scenario.effect import Effect, bad_step, gone_notes
from kplan.scenario.going import going
from kplan.scenario.names import find_nodes
from kplan.words import count, listed

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class Cordon(Struct, frozen=True):
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
        return Effect(changes, text=f"{listed(names)} {word}", notes=notes)


def cordoned(node: Node, *, on: bool) -> Node:
    """Copy a node with ``spec.unschedulable`` set, and with the taint that the node controller keeps beside it.

    Source: v1.37.2 pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass.
    """
    taints = [taint for taint in node.spec.taints or () if taint.key != UNSCHEDULABLE]
    if on:
        taints.append(Taint(key=UNSCHEDULABLE, effect="NoSchedule"))
    return replace(node, spec=replace(node.spec, unschedulable=on or None, taints=taints or None))


class Label(Struct, frozen=True):
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
        had = any(self.key in node_of(cluster, name).labels for name in names)
        notes = () if had or self.value is not None else (f"{self.nodes} had no such label",)
        return Effect(changes, text=f"{listed(names)} {word}", notes=notes)


def labelled(node: Node, key: str, value: str | None) -> Node:
    """Copy a node with a label set, or (None) taken away."""
    labels = {name: text for name, text in node.labels.items() if name != key}
    if value is not None:
        labels[key] = value
    return replace(node, metadata=replace(node.metadata, labels=labels))


class SetTaint(Struct, frozen=True):
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
        names = find_nodes(cluster, self.nodes)
        taint = Taint(key=self.key, value=self.value or None, effect=self.effect_name)
        evicts = self.effect_name == "NoExecute" and not self.remove
        leaving = [row for name in names for row in _not_tolerating(cluster, name, taint)] if evicts else []
        gone = going(cluster, leaving, off=self.key == OUT_OF_SERVICE)
        changes: list[Change] = [*gone.changes]
        changes += [put(tainted(node_of(cluster, name), taint, remove=self.remove)) for name in names]
        word = f"without taint {self._taint}" if self.remove else f"tainted {self._taint}"
        had = any(_same_taint(there, taint) for name in names for there in node_of(cluster, name).spec.taints or ())
        missed = () if had or not self.remove else (f"{self.nodes} had no such taint",)
        notes = (*missed, *_for_a_while(map(cluster.pods.__getitem__, leaving), taint))
        return Effect(tuple(changes), gone.evicted, gone.lost, f"{listed(names)} {word}", notes, held=gone.held)


def _not_tolerating(cluster: Cluster, node: str, taint: Taint) -> list[int]:
    """Rows of the pods on a node that a NoExecute taint evicts, some after a while; a static pod is its kubelet's.

    Source: v1.37.2 tainteviction; podgc gcTerminating for what stays Terminating on a node that is off.
    """
    pods = [cluster.pods[row] for row in cluster.pods_on(cluster.node_index[node])]
    off = taint.key == OUT_OF_SERVICE and is_silent(node_of(cluster, node))
    return [
        pod.row
        for pod in pods
        if controller(pod)[0] != "Node" and (not _stays(pod, taint) or (off and pod.terminating))
    ]


def _stays(pod: PodInfo, taint: Taint) -> bool:
    """Whether a pod tolerates a NoExecute taint for as long as it is there.

    Source: v1.37.2 tainteviction processPodOnNode, GetMatchingTolerations: the first toleration that matches counts.
    """
    matching = _matching(pod, taint)
    return matching is not None and matching.toleration_seconds is None


def _matching(pod: PodInfo, taint: Taint) -> Toleration | None:
    return next((toleration for toleration in pod.pod.spec.tolerations or () if tolerated((toleration,), taint)), None)


def _for_a_while(pods: Iterable[PodInfo], taint: Taint) -> tuple[str, ...]:
    """Say how long the pods that tolerate a NoExecute taint for a while stay."""
    seconds = [toleration.toleration_seconds or 0 for pod in pods if (toleration := _matching(pod, taint)) is not None]
    if not seconds:
        return ()
    return (f"{count(len(seconds), 'pod')} of them only after {max(seconds)} s or less (tolerationSeconds)",)


def tainted(node: Node, taint: Taint, *, remove: bool = False) -> Node:
    """Copy a node with a taint in place of the one of its key and effect, or without it (any effect if it has none)."""
    others = [there for there in node.spec.taints or () if not _same_taint(there, taint)]
    return replace(node, spec=replace(node.spec, taints=[*others, *([] if remove else [taint])] or None))


def _same_taint(there: Taint, taint: Taint) -> bool:
    """Whether a taint has the key and effect of another; any effect will do if that has none."""
    return there.key == taint.key and (not taint.effect or taint.effect == there.effect)


class RemoveNode(Struct, frozen=True):
    """Nodes leave for good, with all that runs there; controllers make the pods again.

    Attributes:
        nodes: a name, ``zone=a``, or a label selector.
        lost: whether they fail, all at once; the pods are made again once the nodes are gone from the API.
    """

    nodes: str
    lost: bool = False

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--{'fail' if self.lost else 'remove-node'} {self.nodes}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        names = find_nodes(cluster, self.nodes)
        return removal(cluster, names, f"{listed(names)} {'lost' if self.lost else 'removed'}")


def removal(cluster: Cluster, names: list[str], text: str) -> Effect:
    """Take nodes out: their pods first, then the nodes; pods of DaemonSets and static ones go with them unmissed."""
    rows = [row for name in names for row in cluster.pods_on(cluster.node_index[name])]
    gone_with = going(cluster, rows, off=True)
    evicted, lost = gone_with.evicted, gone_with.lost
    missed = tuple(row for row in lost if not of_its_node(cluster.pods[row]))
    off = (pod for pod in pods_of_daemons(cluster) if cluster.pod_node[pod.row] < 0)
    waiting = [pod.row for pod in off if pod.waiting and home_of(pod.pod) in names]
    changes: list[Change] = [*leave(cluster, (*rows, *waiting)), *(PutNode(name, None) for name in names)]
    gone = frozenset(names)
    slices: Mapping[str, ResourceSlice] = cluster.objects.table("resource_slices")
    changes += [Put("resource_slices", key, None) for key, item in slices.items() if item.spec.node_name in gone]
    return Effect(tuple(changes), evicted, missed, text, tuple(gone_notes(map(cluster.pods.__getitem__, missed))))


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
        raise bad_step(f"{flag} {text}", "NODE:WHAT is needed, with a colon")
    return nodes, rest


def read_label(text: str) -> Label:
    """Read ``NODE:KEY=VALUE`` or ``NODE:KEY-``.

    Raises:
        UsageError: it is neither.
    """
    nodes, rest = read_nodes_and_rest(text, "--label")
    key, equals, value = rest.partition("=")
    if equals:
        _check_label(f"--label {text}", key, value)
        return Label(nodes, key, value)
    if rest.endswith("-"):
        return Label(nodes, rest[:-1], None)
    raise bad_step(f"--label {text}", "no value")


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
        raise bad_step(f"--taint {text}", f"effect {effect!r}", f"one of: {', '.join(EFFECTS)}")
    if not remove:
        _check_label(f"--taint {text}", key, value)
    return SetTaint(nodes, key, value, effect, remove)


def _check_label(step: str, key: str, value: str) -> None:
    """Refuse a key or value that the API server would not take.

    Raises:
        UsageError: it is none.
    """
    for what, problems in ((f"key {key!r}", label_key(key)), (f"value {value!r}", label_value(value))):
        if problems:
            raise bad_step(step, f"{what}: {problems[0].partition(' (e.g.')[0]}")
