"""The scheduler's rules read object by object: a second opinion that shares no code with the columns.

Slow and plain on purpose: no arrays, no counters, no plugin of kplan, no compiled selector. A world is a dict of
pods by node. What a rule means was taken from kube-scheduler v1.37.2; each function names the Go function it reads.
Nodes, pods and budgets are the typed objects of ``kplan.objects.models``; nothing else of kplan is used.
One long module, so that it can be read from top to bottom beside the scheduler's source, with no layer in between.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from kplan.objects import models

UNSCHEDULABLE, UNRESOLVABLE = "Unschedulable", "UnschedulableAndUnresolvable"
SUFFIXES = {
    "m": Fraction(1, 1000), "": Fraction(1), "k": Fraction(10**3), "M": Fraction(10**6), "G": Fraction(10**9),
    "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30),
}  # fmt: skip
FOREVER = "9999-12-31T00:00:00Z"


@dataclass(frozen=True)
class World:
    """Nodes and the pods on them.

    ``moved`` remembers (pod, node, sign) of pods put in or taken out since PreFilter looked: topology spread counts
    those by rules of its own.
    """

    nodes: dict[str, models.Node]
    pods: dict[str, list[models.Pod]]
    base: dict[str, list[models.Pod]]
    namespaces: dict[str, dict[str, str]]
    budgets: tuple[models.PodDisruptionBudget, ...] = ()
    volumes: dict[str, models.PersistentVolume] = field(default_factory=dict)
    claims: dict[str, models.PersistentVolumeClaim] = field(default_factory=dict)
    csi_nodes: dict[str, models.CSINode] = field(default_factory=dict)
    moved: tuple[tuple[models.Pod, str, int], ...] = ()

    def without(self, node: str, gone: Sequence[models.Pod]) -> World:
        pods = {**self.pods, node: [p for p in self.pods[node] if all(p is not q for q in gone)]}
        return dataclasses.replace(self, pods=pods, moved=(*self.moved, *((p, node, -1) for p in gone)))

    def plus(self, node: str, back: models.Pod) -> World:
        pods = {**self.pods, node: [*self.pods[node], back]}
        return dataclasses.replace(self, pods=pods, moved=(*self.moved, (back, node, 1)))


def world_of(objects: Iterable[models.Object]) -> World:
    objects = list(objects)
    nodes = {o.name: o for o in sorted(objects, key=lambda o: o.name.encode()) if isinstance(o, models.Node)}
    pods: dict[str, list[models.Pod]] = {name: [] for name in nodes}
    for one in sorted(objects, key=lambda o: (o.namespace, o.name)):
        if (
            isinstance(one, models.Pod)
            and one.spec.node_name in nodes
            and one.status.phase not in ("Succeeded", "Failed")
        ):
            pods[one.spec.node_name].append(one)
    budgets = [o for o in objects if isinstance(o, models.PodDisruptionBudget)]
    return World(
        nodes,
        pods,
        pods,
        {o.name: dict(o.labels) for o in objects if isinstance(o, models.Namespace)},
        tuple(sorted(budgets, key=lambda o: (o.namespace, o.name))),
        {o.name: o for o in objects if isinstance(o, models.PersistentVolume)},
        {o.key: o for o in objects if isinstance(o, models.PersistentVolumeClaim)},
        {o.name: o for o in objects if isinstance(o, models.CSINode)},
    )


# Amounts


def amount(quantity: Any, unit: Fraction = Fraction(1)) -> int:
    """A quantity in a unit, rounded up."""
    text = str(quantity)
    digits = text.rstrip("kKMGim")
    return math.ceil(Fraction(digits) * SUFFIXES[text[len(digits) :]] / unit)


def unit_of(resource: str) -> Fraction:
    return Fraction(1, 1000) if resource == "cpu" else Fraction(1)


def asked(pod: models.Pod, floor: Mapping[str, int] | None = None) -> Counter[str]:
    """What the containers of a pod request together; ``floor`` stands for what a container does not name."""
    total: Counter[str] = Counter()
    for container in pod.spec.containers or ():
        named = (container.resources.requests if container.resources else None) or {}
        mine = {**(floor or {}), **{name: amount(q, unit_of(name)) for name, q in named.items()}}
        for name, number in mine.items():
            total[name] += number
    return total


FLOOR = {"cpu": 100, "memory": 200 * 2**20}


# Selectors


def selected(selector: models.LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """metav1.LabelSelector: None selects nothing, an empty one everything."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in (selector.match_labels or {}).items()):
        return False
    return all(requirement_holds(e, labels) for e in selector.match_expressions or ())


def requirement_holds(expression: Any, labels: Mapping[str, str]) -> bool:
    has = expression.key in labels
    value = labels.get(expression.key, "")
    values = list(expression.values or ())
    if expression.operator == "In":
        return has and value in values
    if expression.operator == "NotIn":
        return not has or value not in values
    if expression.operator == "Exists":
        return has
    if expression.operator == "DoesNotExist":
        return not has
    try:
        left, right = int(value), int(values[0])
    except ValueError:
        return False
    return has and (left > right if expression.operator == "Gt" else left < right)


def node_selected(term: models.NodeSelectorTerm, node: models.Node) -> bool:
    labels, fields = term.match_expressions or (), term.match_fields or ()
    if not labels and not fields:
        return False
    named = {"metadata.name": node.name}
    return all(requirement_holds(e, node.labels) for e in labels) and all(requirement_holds(e, named) for e in fields)


def node_wanted(pod: models.Pod, node: models.Node) -> bool:
    """nodeSelector and required node affinity. Go: GetRequiredNodeAffinity, Match."""
    if any(node.labels.get(key) != value for key, value in (pod.spec.node_selector or {}).items()):
        return False
    near = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    if near is None or near.required is None:
        return True
    return any(node_selected(term, node) for term in near.required.node_selector_terms or ())


def tolerates(pod: models.Pod, taint: models.Taint, effects: Sequence[str] | None = None) -> bool:
    for t in pod.spec.tolerations or ():
        if effects is not None and (t.effect or "") not in effects:
            continue
        if t.effect and t.effect != taint.effect:
            continue
        if t.key and t.key != taint.key:
            continue
        if t.operator == "Exists" or (t.value or "") == (taint.value or ""):
            return True
    return False


def term_matches(
    term: models.PodAffinityTerm,
    owner: str,
    other: models.Pod,
    spaces: Mapping[str, Mapping[str, str]],
    *,
    listed: bool,
) -> bool:
    """Whether a term of a pod in namespace ``owner`` is about ``other``.

    Args:
        listed: for terms of the incoming pod: a namespace selector that is not empty selects among the namespaces
            there are. Else the labels of the other's namespace count, none if it is not there.
    """
    names = set(term.namespaces or ())
    if not names and term.namespace_selector is None:
        names = {owner}
    inside = other.namespace in names
    if not inside and term.namespace_selector is not None:
        selector = term.namespace_selector
        empty = not selector.match_labels and not selector.match_expressions
        inside = empty or (
            (not listed or other.namespace in spaces) and selected(selector, spaces.get(other.namespace, {}))
        )
    return inside and selected(term.label_selector, other.labels)


# Filters: each returns (code, reasons) or None


Refusal = tuple[str, list[str]]


def unschedulable(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    taint = models.Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
    if node.spec.unschedulable and not tolerates(pod, taint):
        return UNRESOLVABLE, ["node(s) were unschedulable"]
    return None


def taints(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    hard = [t for t in node.spec.taints or () if t.effect in ("NoSchedule", "NoExecute")]
    if all(tolerates(pod, taint) for taint in hard):
        return None
    return UNRESOLVABLE, ["node(s) had untolerated taint(s)"]


def node_affinity(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    return None if node_wanted(pod, node) else (UNRESOLVABLE, ["node(s) didn't match Pod's node affinity/selector"])


def ports_of(pod: models.Pod) -> list[tuple[str, str, int]]:
    return [
        (port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port)
        for container in pod.spec.containers or ()
        for port in container.ports or ()
        if port.host_port
    ]


def ports(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    for ip, protocol, number in ports_of(pod):
        for other in world.pods[node.name]:
            for ip2, protocol2, number2 in ports_of(other):
                if (protocol, number) == (protocol2, number2) and (ip == ip2 or "0.0.0.0" in (ip, ip2)):
                    return UNSCHEDULABLE, ["node(s) didn't have free ports for the requested pod ports"]
    return None


def fits(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    """Go: fitsRequest."""
    has = {name: amount(q, unit_of(name)) for name, q in (node.status.allocatable or {}).items()}
    here = world.pods[node.name]
    reasons = ["Too many pods"] if len(here) + 1 > has.get("pods", 0) else []
    code = UNSCHEDULABLE
    wants = asked(pod)
    for name in sorted(wants, key=lambda n: (n not in ("cpu", "memory", "ephemeral-storage"), n)):
        used = sum(asked(other)[name] for other in here)
        if wants[name] > 0 and wants[name] > has.get(name, 0) - used:
            reasons.append(f"Insufficient {name}")
            if wants[name] > has.get(name, 0):
                code = UNRESOLVABLE
    return (code, reasons) if reasons else None


def claims_of(pod: models.Pod, world: World) -> list[models.PersistentVolumeClaim]:
    names = [v.persistent_volume_claim.claim_name for v in pod.spec.volumes or () if v.persistent_volume_claim]
    return [world.claims[f"{pod.namespace}/{name}"] for name in names]


def volume_limits(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    """Go: CSILimits.Filter, for bound CSI volumes: distinct volumes of a driver on the node, and its limit."""

    def handles(one: models.Pod) -> set[tuple[str, str]]:
        sources = [world.volumes[claim.spec.volume_name or ""].spec.csi for claim in claims_of(one, world)]
        return {(s.driver, s.volume_handle) for s in sources if s is not None}

    there = set().union(*(handles(other) for other in world.pods[node.name]), set())
    new = handles(pod) - there
    limits = world.csi_nodes.get(node.name)
    for driver in (limits.spec.drivers or ()) if limits else ():
        count = driver.allocatable.count if driver.allocatable else None
        fresh = sum(d == driver.name for d, _ in new)
        if count is not None and fresh and fresh + sum(d == driver.name for d, _ in there) > count:
            return UNSCHEDULABLE, ["node(s) exceed max volume count"]
    return None


def volume_reach(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    """Go: VolumeBinding.Filter, for bound claims; CheckNodeAffinity looks at the node's labels and not at its name."""
    nameless = models.Node(metadata=models.ObjectMeta(name="", labels=node.metadata.labels))
    for claim in claims_of(pod, world):
        near = world.volumes[claim.spec.volume_name or ""].spec.node_affinity
        if near is not None and near.required is not None:
            terms = near.required.node_selector_terms or ()
            if not any(node_selected(term, nameless) for term in terms):
                return UNRESOLVABLE, ["node(s) didn't match PersistentVolume's node affinity"]
    return None


def volume_zone(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    """Go: VolumeZone.Filter, for the stable labels."""
    keys = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
    if not any(key in node.labels for key in keys):
        return None
    for claim in claims_of(pod, world):
        labels = world.volumes[claim.spec.volume_name or ""].labels
        for key in keys:
            if key in labels and node.labels.get(key) not in labels[key].split("__"):
                return UNRESOLVABLE, ["node(s) had no available volume zone"]
    return None


def hard_constraints(pod: models.Pod) -> list[models.TopologySpreadConstraint]:
    return [c for c in pod.spec.topology_spread_constraints or () if c.when_unsatisfiable == "DoNotSchedule"]


def spread(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    """Go: PodTopologySpread calPreFilterState, updateWithPod, Filter."""
    constraints = hard_constraints(pod)
    for c in constraints:
        if c.topology_key not in node.labels:
            return UNRESOLVABLE, ["node(s) didn't match pod topology spread constraints (missing required label)"]
        counts = spread_counts(pod, c, constraints, world)
        lowest = 0 if len(counts) < (c.min_domains or 1) else min(counts.values())
        itself = int(selected(c.label_selector, pod.labels))
        if counts.get(node.labels[c.topology_key], 0) + itself - lowest > c.max_skew:
            return UNSCHEDULABLE, ["node(s) didn't match pod topology spread constraints"]
    return None


def spread_counts(
    pod: models.Pod,
    c: models.TopologySpreadConstraint,
    constraints: Sequence[models.TopologySpreadConstraint],
    world: World,
) -> dict[str, int]:
    selector = c.label_selector
    everything = selector is not None and not selector.match_labels and not selector.match_expressions
    counts: dict[str, int] = {}
    for name, node in world.nodes.items():
        if not all(other.topology_key in node.labels for other in constraints):
            continue
        if c.node_affinity_policy != "Ignore" and not node_wanted(pod, node):
            continue
        if c.node_taints_policy == "Honor" and taints(pod, node, world) is not None:
            continue
        value = node.labels[c.topology_key]
        counts.setdefault(value, 0)
        for other in world.base[name]:
            # terminating pods do not count, and a selector of everything counts nothing
            if other.namespace == pod.namespace and not everything and other.metadata.deletion_timestamp is None:
                counts[value] += selected(selector, other.labels)
        for other, where, sign in world.moved:
            if where == name and other.namespace == pod.namespace:
                counts[value] += sign * selected(selector, other.labels)
    return counts


def near_terms(pod: models.Pod, *, anti: bool) -> Sequence[models.PodAffinityTerm]:
    affinity = pod.spec.affinity
    found = (affinity.pod_anti_affinity if anti else affinity.pod_affinity) if affinity else None
    return (found.required or ()) if found else ()


def inter_pod_affinity(pod: models.Pod, node: models.Node, world: World) -> Refusal | None:
    """Go: InterPodAffinity.Filter; satisfyPodAffinity, satisfyPodAntiAffinity, satisfyExistingPodsAntiAffinity."""
    everyone = [(other, world.nodes[where]) for where, pods in world.pods.items() for other in pods]
    spaces = world.namespaces
    terms = near_terms(pod, anti=False)

    def all_match(other: models.Pod) -> bool:
        return all(term_matches(t, pod.namespace, other, spaces, listed=True) for t in terms)

    if terms:
        friends = Counter(
            (t.topology_key, where.labels[t.topology_key])
            for other, where in everyone
            if all_match(other)
            for t in terms
            if t.topology_key in where.labels
        )
        if any(t.topology_key not in node.labels for t in terms):
            return UNRESOLVABLE, ["node(s) didn't match pod affinity rules"]
        near = all(friends[t.topology_key, node.labels[t.topology_key]] > 0 for t in terms)
        if not near and not (not friends and all_match(pod)):
            return UNRESOLVABLE, ["node(s) didn't match pod affinity rules"]
    for t in near_terms(pod, anti=True):
        for other, where in everyone:
            if shares(t.topology_key, node, where) and term_matches(t, pod.namespace, other, spaces, listed=True):
                return UNSCHEDULABLE, ["node(s) didn't match pod anti-affinity rules"]
    for other, where in everyone:
        for t in near_terms(other, anti=True):
            if shares(t.topology_key, node, where) and term_matches(t, other.namespace, pod, spaces, listed=False):
                return UNSCHEDULABLE, ["node(s) didn't satisfy existing pods anti-affinity rules"]
    return None


def shares(key: str, a: models.Node, b: models.Node) -> bool:
    return key in a.labels and key in b.labels and a.labels[key] == b.labels[key]


FILTERS = {
    "NodeUnschedulable": unschedulable,
    "TaintToleration": taints,
    "NodeAffinity": node_affinity,
    "NodePorts": ports,
    "NodeResourcesFit": fits,
    "NodeVolumeLimits": volume_limits,
    "VolumeBinding": volume_reach,
    "VolumeZone": volume_zone,
    "PodTopologySpread": spread,
    "InterPodAffinity": inter_pod_affinity,
}


def verdict(pod: models.Pod, node: str, world: World) -> tuple[str, str, list[str]] | None:
    """(plugin, code, reasons) of the first filter that refuses, or None."""
    for name, rule in FILTERS.items():
        refusal = rule(pod, world.nodes[node], world)
        if refusal is not None:
            return name, *refusal
    return None


# Scores


def least_allocated(pod: models.Pod, node: models.Node, world: World) -> int:
    score = weight = 0
    for name in ("cpu", "memory"):
        has = amount((node.status.allocatable or {}).get(name, "0"), unit_of(name))
        used = sum(asked(other, FLOOR)[name] for other in world.pods[node.name]) + asked(pod, FLOOR)[name]
        if has == 0:
            continue
        score += 0 if used > has else (has - used) * 100 // has
        weight += 1
    return score // weight if weight else 0


def balanced(pod: models.Pod, node: models.Node, world: World) -> int:
    """Go: balancedResourceScorer (1.36 and later)."""

    def evenness(extra: Mapping[str, int]) -> int:
        shares = []
        for name in ("cpu", "memory"):
            has = amount((node.status.allocatable or {}).get(name, "0"), unit_of(name))
            used = sum(asked(other)[name] for other in world.pods[node.name]) + extra.get(name, 0)
            if has:
                shares.append(min(used / has, 1.0))
        apart = abs((shares[0] - shares[1]) / 2) if len(shares) == 2 else 0.0
        return int((1 - apart) * 100.0)

    difference = 50 + evenness(asked(pod)) - evenness({})
    return 50 + (difference // 2 if difference >= 0 else -(-difference // 2))


def soft_taints(pod: models.Pod, node: models.Node, world: World) -> int:
    soft = [t for t in node.spec.taints or () if t.effect == "PreferNoSchedule"]
    return sum(not tolerates(pod, taint, ("", "PreferNoSchedule")) for taint in soft)


def preferred_nodes(pod: models.Pod, node: models.Node, world: World) -> int:
    near = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    wishes = (near.preferred or ()) if near else ()
    return sum(w.weight for w in wishes if w.preference is not None and node_selected(w.preference, node))


def images(pod: models.Pod, node: models.Node, world: World) -> int:
    """Go: sumImageScores, calculatePriority."""
    holders: dict[str, set[str]] = defaultdict(set)
    for one in world.nodes.values():
        for image in one.status.images or ():
            for name in image.names or ():
                holders[name].add(one.name)
    sizes = {name: image.size_bytes or 0 for image in node.status.images or () for name in image.names or ()}
    total = 0
    containers = pod.spec.containers or ()
    for container in containers:
        name = container.image or ""
        tagged = name if name.rfind(":") > name.rfind("/") else f"{name}:latest"
        if tagged in sizes:
            total += int(float(sizes[tagged]) * (len(holders[tagged]) / len(world.nodes)))
    low, high = 23 * 2**20, 1000 * 2**20 * len(containers)
    return 100 * (min(max(total, low), high) - low) // (high - low)


SCORES = {
    "NodeResourcesFit": least_allocated,
    "NodeResourcesBalancedAllocation": balanced,
    "TaintToleration": soft_taints,
    "NodeAffinity": preferred_nodes,
    "ImageLocality": images,
}


# Preemption


def importance(pod: models.Pod) -> tuple[int, str, str, str]:
    """Most important first: priority, then start; a pod that has not started comes last, equals by name."""
    return -(pod.spec.priority or 0), pod.status.start_time or FOREVER, pod.namespace, pod.name


def victims(pod: models.Pod, node: str, world: World) -> tuple[list[str], int] | None:
    """Keys of the pods to evict from a node, most important first, and broken budgets. Go: SelectVictimsOnNode."""
    lower = [p for p in world.pods[node] if (p.spec.priority or 0) < (pod.spec.priority or 0)]
    if not lower:
        return None
    lower.sort(key=importance)
    empty = world.without(node, lower)
    if verdict(pod, node, empty) is not None:
        return None
    breaking = breaks_budget(lower, world.budgets)
    out: list[models.Pod] = []
    now = empty
    for one in [*(p for p in lower if p.key in breaking), *(p for p in lower if p.key not in breaking)]:
        with_it = now.plus(node, one)
        if verdict(pod, node, with_it) is None:
            now = with_it
        else:
            out.append(one)
    out.sort(key=importance)
    return [p.key for p in out], sum(p.key in breaking for p in out)


def breaks_budget(pods: Sequence[models.Pod], budgets: Sequence[models.PodDisruptionBudget]) -> set[str]:
    """Go: FilterVictimsWithPDBViolation."""
    left = [budget.status.disruptions_allowed or 0 for budget in budgets]
    found = set()
    for pod in pods:
        for i, budget in enumerate(budgets):
            selector = budget.spec.selector
            if budget.namespace != pod.namespace or not pod.labels or selector is None:
                continue
            if not selector.match_labels and not selector.match_expressions:
                continue
            if not selected(selector, pod.labels) or pod.name in (budget.status.disrupted_pods or {}):
                continue
            left[i] -= 1
            if left[i] < 0:
                found.add(pod.key)
                break
    return found
