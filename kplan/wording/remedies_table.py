"""Words of remedies by the code of each: what stands in braces is filled with the names and numbers it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, TypeVar

from msgspec import Struct

from kplan.remedies.about import AffinityRequirement, Named, ResourceAmount
from kplan.words import amounts, count, joined, listed

T = TypeVar("T")

_OF_THE_NODE_ITSELF = "node.kubernetes.io/"
_NAMED = 3
"""Pods that are named where it is waited for them; more are counted."""
_LONG = 22
"""Characters of labels beyond which their keys alone are told."""


class Words(Struct, frozen=True):
    """A remedy in words.

    Attributes:
        text: the change.
        short: the same for one line with what comes of it, where that reads better.
        failed: how it is named where it does not help; as ``text`` if empty.
        note: what else comes of it.
    """

    text: str
    short: str = ""
    failed: str = ""
    note: str = ""


def told(code: str, what: Named) -> Words:
    """The words of a change that its names and numbers are enough for."""
    phrase = of_code(PHRASES, code, what)
    assert phrase is not None, code
    return Words(*(fill(text, vars(what)) for text in (phrase.text, phrase.short, phrase.failed, phrase.note)))


def of_code(table: Mapping[str, T], code: str, what: Named) -> T | None:
    """Look a change up by its code and variant, and by its code where the variant says the same."""
    return table.get(f"{code} {what.variant}", table.get(code))


def fill(template: str, given: Mapping[str, object]) -> str:
    """Fill names and numbers in; a list is told as the word after the colon says."""
    return _FORMATTER.vformat(template, (), given)


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        tell = _HOW.get(format_spec)
        return tell(value) if tell is not None else str(super().format_field(value, format_spec))


_FORMATTER = _Formatter()


def _labels(pairs: tuple[tuple[str, str], ...]) -> str:
    names = joined(f"{key}={value}" for key, value in pairs)
    return _keys(pairs) if len(names) > _LONG else names


def _keys(pairs: tuple[tuple[str, str], ...]) -> str:
    return joined(key for key, _ in pairs)


def _states(taints: tuple[str, ...]) -> str:
    return joined(taint.removeprefix(_OF_THE_NODE_ITSELF).partition(":")[0] for taint in taints)


def _limits(limits: tuple[tuple[str, int, int | None], ...]) -> str:
    return ", ".join(f"{f'{driver} ' * (len(limits) > 1)}{new} (now {old})" for driver, new, old in limits)


def _requirement(requirement: AffinityRequirement) -> str:
    return f"{requirement.key} {requirement.operator} {listed(requirement.values, most=2)}".strip()


def _leaves(size: ResourceAmount | None) -> str:
    if size is None:
        return ""
    amount = amounts(size.resource, size.amount, exact=True)[0]
    return f", {amount} {size.resource}" if amount.isdecimal() else f", {amount}"


_HOW: Mapping[str, Callable[[Any], str]] = {
    "all": ", ".join,
    "and": joined,
    "few": listed,
    "two": lambda names: listed(names, most=2),
    "or-number": lambda pods: joined(pods) if len(pods) <= _NAMED else count(len(pods), "pod"),
    "ports": lambda ports: f"hostPort{'s' * (len(ports) > 1)} {joined(ports)}",
    "taints": lambda taints: joined(taint.removesuffix(":NoSchedule") for taint in taints),
    "states": _states,
    "modes": "/".join,
    "pairs": lambda pairs: " ".join(f"{key}={value}" for key, value in pairs),
    "labels": _labels,
    "keys": _keys,
    "limits": _limits,
    "requirement": _requirement,
    "of-spread": lambda key: f" (spread by {key})" if key else "",
    "leaves": _leaves,
}
"""How names and numbers are told, by the word after the colon."""

PHRASES: Mapping[str, Words] = {
    # the pod
    "tolerate-taint": Words("tolerate {names:taints}", failed="tolerating {names:taints}"),
    "drop-node-selector": Words("drop nodeSelector {pairs:labels}", failed="dropping nodeSelector {pairs:keys}"),
    "drop-node-affinity": Words(
        "drop node affinity {requirement:requirement}", failed="dropping node affinity {requirement:requirement}"
    ),
    "drop-node-affinity all": Words("drop the required node affinity", failed="dropping node affinity"),
    "fix-number": Words(
        "node affinity {requirement.key} {requirement.operator} {new} (now {requirement.values[0]}: whole numbers only)"
    ),
    "allow-value": Words("node affinity: allow {key} {new} too"),
    "spread-taints-policy": Words(
        "nodeTaintsPolicy: Honor{key:of-spread}", short="nodeTaintsPolicy: Honor on that constraint"
    ),
    "spread-affinity-policy": Words("nodeAffinityPolicy: Honor{key:of-spread}"),
    "spread-one-revision": Words(
        "matchLabelKeys: [pod-template-hash]{key:of-spread}", note="only pods of one template are counted"
    ),
    "spread-min-domains": Words("minDomains: {new} (now {old}){key:of-spread}"),
    "spread-min-domains none": Words("no minDomains (now {old}){key:of-spread}"),
    "spread-max-skew": Words("maxSkew: {new} (now {old}){key:of-spread}"),
    "spread-anyway": Words("whenUnsatisfiable: ScheduleAnyway{key:of-spread}"),
    "anti-affinity-by-node": Words("pod anti-affinity {name} by hostname (now {key})"),
    "prefer-pod-affinity": Words("pod affinity {name} preferred, not required", failed="pod affinity {name} preferred"),
    "prefer-pod-affinity both": Words("both pod affinity terms preferred, not required"),
    "prefer-pod-affinity all": Words("all {old} pod affinity terms preferred, not required"),
    "prefer-pod-anti-affinity": Words(
        "pod anti-affinity {name} preferred, not required", failed="pod anti-affinity {name} preferred"
    ),
    "prefer-pod-anti-affinity both": Words("both pod anti-affinity terms preferred, not required"),
    "prefer-pod-anti-affinity all": Words("all {old} pod anti-affinity terms preferred, not required"),
    "no-host-network": Words("the pod without hostNetwork"),
    "no-host-port": Words("the pod without {names:ports}"),
    "without-claim": Words("the pod without claim {name}"),
    "preemption-policy": Words("preemptionPolicy PreemptLowerPriority (now Never)"),
    "raise-priority": Words("priority {new} or more", short="priority {new}"),
    "raise-priority class": Words("priority {new} or more (class {name}: {old})", short="priority {new}"),
    # nodes
    "node-in-each-zone": Words("one more node in each zone, like {names:few}"),
    "uncordon": Words("uncordon {node}", failed="uncordoning {node}"),
    "remove-node": Words("remove node {node}", failed="removing {node}"),
    "pod-limit": Words("pod limit of {node} {new} (now {old})"),
    "label-node": Words("label {node} {pairs:pairs}", failed="labelling {node} {pairs:pairs}"),
    "node-healthy": Words("{node} healthy again ({names:states})"),
    "remove-taint": Words(
        "remove taint {names:taints} from {node}", failed="removing taint {names:taints} from {node}"
    ),
    # volumes and claims
    "volume-limit": Words("limit of {node} {limits:limits}"),
    "install-driver": Words("driver {names:all} installed on {node}"),
    "detach-volume": Words("detach {names:all} from {node}: no pod there uses it", failed="detaching {names:all}"),
    "class-topologies": Words("class {storage_class} without allowedTopologies"),
    "local-volume": Words("a volume of {new}, class {storage_class}, on {node}"),
    "capacity-reported": Words("{name} reports {new} for class {storage_class}"),
    "capacity-untracked": Words("storageCapacity: false on csidriver {name}", note="free space is no longer checked"),
    "claim-bound": Words("a volume for claim {name}"),
    "claim-bound new": Words("create claim {name}, bound to a volume"),
    "claim-bound again": Words("a new claim {name}, bound to a volume"),
    "smaller-claim": Words("claim {name} of at most {new} (now {old})", short="claim {name} {new} (now {old})"),
    "selected-node": Words("clear selected-node {node} of claim {name}"),
    # an object whose fixed fields a manifest changes
    "made-again": Words("delete {name}, its {new} pods with it, and create it again"),
    "made-again one": Words("delete {name}, its pod with it, and create it again"),
    "made-again idle": Words("delete {name} and create it again"),
    "made-again replaced": Words(
        "delete {name} with --cascade=orphan, so that its pods run on until each is replaced, and create it again"
    ),
    "made-again kept": Words("delete {name} with --cascade=orphan, so that its pods stay, and create it again"),
    # other pods, and budgets
    "wait": Words("wait until {names:and}, which is being deleted, is gone"),
    "wait several": Words("wait until {names:or-number}, which are being deleted, are gone"),
    "clear-nomination": Words("clear the nomination of {names:and}", failed="clearing the nomination of {names:and}"),
    "delete-nominated": Words("delete {names:and}", failed="deleting {names:and}"),
    "delete-nominated back": Words("delete {names:and}", failed="deleting {names:and}", note="its owner makes another"),
    "delete-pod": Words("delete {names:and}", failed="deleting {names:and}"),
    "evict-pods": Words("evict {names:and}"),
    "force": Words("--force: {names:two} GONE"),
    "evict-pod moves": Words("evict {names:and}{size:leaves}", note="it moves to {to}"),
    "evict-pod waits": Words("evict {names:and}{size:leaves}", note="it stays Pending"),
    "evict-pod back-alone": Words("evicting {names:and} alone (it goes back to {node})"),
    "evict-pod in-vain": Words("evicting {names:and}"),
    "evict-pod alone": Words("evicting {names:and} alone"),
    "evict-pod lost": Words("deleting {names:and}"),
    "move-pod": Words(
        "move {names:and}{size:leaves}: cordon {node}, evict it, uncordon {node}", note="it moves to {to}"
    ),
    "move-pod back": Words("evicting {names:and} (it goes back to {node})"),
    "move-pod no-room": Words("moving {names:and} (no other node has room for it)"),
    "make-room": Words("make room on {node}: --cordon {node} --evict {names:and} --uncordon {node}"),
    "one-more-replica": Words("one more replica of {name}"),
    "one-more-replica several": Words("{new} more replicas of {name}"),
    "budget-allows": Words("{name} allows 1 (now 0)"),
    "set-budget": Words("{name} {key} {new} (now {old})"),
    "set-budget instead": Words("{name} {key} {new} instead of maxUnavailable"),
    "delete-drained": Words("--then-delete: the drained nodes are deleted, and count no more"),
    "delete-drained silent": Words("--then-delete: {names:and} is deleted, and its pods with it"),
    "delete-drained silent-nodes": Words("--then-delete: {names:and} are deleted, and their pods with them"),
    "out-of-service": Words(
        "taint {names:and} out-of-service", note="only where it is off for certain: what still runs there writes on"
    ),
    "out-of-service several": Words(
        "taint {names:and} out-of-service", note="only where they are off for certain: what still runs there writes on"
    ),
    "without-grace": Words(
        "--grace-period 0: {names:and} is gone from the API at once",
        note="it may still run on {node}, a second time under its name",
    ),
    "without-grace several": Words(
        "--grace-period 0: {names:and} are gone from the API at once",
        note="they may still run on {node}, a second time under their names",
    ),
    "rolling": Words("--rolling: each node is back before the next one goes"),
    "rolling alone": Words("--rolling: {node} is uncordoned once its pods have left"),
    "rolling instead": Words("--rolling, not --together: each node is back before the next one goes"),
    "template-without-node": Words("no spec.nodeName in the template of {names:and}", note="its pods are replaced"),
    "always-allow": Words("{name} unhealthyPodEvictionPolicy AlwaysAllow"),
    "evict-unready": Words("evict {names:and} first, which is not ready (on {node})", note="its owner makes another"),
    "evict-unready several": Words(
        "evict {names:and} first, which are not ready (on {node})", note="their owners make others"
    ),
    "one-budget": Words("delete budget {names:and}, as {name} covers its pods, too"),
    # rollouts
    "no-surge": Words("maxSurge 0 (now {old}), maxUnavailable {new}"),
    "no-surge missing": Words("maxSurge 0 (now {old}), maxUnavailable {new} (now {key})"),
    "more-unavailable": Words("maxUnavailable {new} (now {old})"),
    "recreate": Words("strategy Recreate"),
    "shared-volume": Words("a volume with ReadWriteMany for {names:and}", note="if its driver can"),
    "node-mended": Words("mend {node}, so that its kubelet is heard again"),
    "other-priority-class": Words("priorityClassName {new} (now {old})"),
    "other-priority-class none": Words("no priorityClassName (now {old})"),
    "larger-quota": Words("quota {name} {key} {new} (now {old})"),
    "delete-by-force": Words(
        "delete {names:and} by force, once its node is known to be off", note="its owner makes another"
    ),
}
"""Words of each change, by its code and variant; by the code alone where no variant is told otherwise."""
