"""Words of remedies that change the cluster: its nodes, volumes, budgets, and other pods."""

from __future__ import annotations

from kplan.remedies import about
from kplan.wording.moving import moving, step_by_step
from kplan.wording.remedies_pod import short_taints
from kplan.wording.remedies_words import Words, as_is, new_node
from kplan.words import amounts, count, joined, listed

_OF_THE_NODE_ITSELF = "node.kubernetes.io/"
_NAMED = 3
"""Pods that are named where it is waited for them; more are counted."""


def cluster_words(code: str, what: about.About) -> Words | None:
    """Put a change of the cluster in words; None for other changes."""
    return _node(code, what) or _volume(what) or _claim(what) or _pods(code, what) or _budget(what)


def _node(code: str, what: about.About) -> Words | None:
    match what:
        case about.NewNode():
            return Words(new_node(what), failed=as_is(what))
        case about.NewNodes():
            return Words(f"one more node in each zone, like {listed(what.likes)}")
        case about.OneNode(node=node):
            if code == "uncordon":
                return Words(f"uncordon {node}", failed=f"uncordoning {node}")
            return Words(f"remove node {node}", failed=f"removing {node}")
        case about.PodLimit():
            return Words(f"pod limit of {what.node} {what.limit} (now {what.old})")
        case about.Labels():
            text = f"{what.node} {' '.join(f'{key}={value}' for key, value in what.pairs)}"
            return Words(f"label {text}", failed=f"labelling {text}")
        case about.Taints(taints=taints, node=node) if node:
            if code == "node-healthy":
                states = [one.removeprefix(_OF_THE_NODE_ITSELF).partition(":")[0] for one in taints]
                return Words(f"{node} healthy again ({joined(states)})")
            text = f"taint {short_taints(taints)} from {node}"
            return Words(f"remove {text}", failed=f"removing {text}")
    return None


def _volume(what: about.About) -> Words | None:
    match what:
        case about.VolumeLimit():
            several = len(what.limits) > 1
            limits = [f"{f'{one} ' if several else ''}{limit} (now {now})" for one, limit, now in what.limits]
            return Words(f"limit of {what.node} {', '.join(limits)}")
        case about.Drivers():
            return Words(f"driver {', '.join(what.drivers)} installed on {what.node}")
        case about.Detached():
            names = ", ".join(what.volumes)
            return Words(f"detach {names} from {what.node}: no pod there uses it", failed=f"detaching {names}")
        case about.StorageClass():
            return Words(f"class {what.storage_class} without allowedTopologies")
        case about.LocalVolume():
            return Words(f"a volume of {what.size}, class {what.storage_class}, on {what.node}")
        case about.Reported():
            return Words(f"{what.provisioner} reports {what.size} for class {what.storage_class}")
        case about.Driver():
            return Words(f"storageCapacity: false on csidriver {what.driver}", note="space is no longer looked at")
    return None


def _claim(what: about.About) -> Words | None:
    match what:
        case about.NewClaim():
            made = f"create claim {what.created}" if what.created else "new claim"
            return Words(f"{made}, {'WaitForFirstConsumer' if what.late else f'class {what.storage_class}'}")
        case about.BoundClaim():
            if what.new or what.again:
                return Words(f"{'create' if what.new else 'a new'} claim {what.claim}, bound to a volume")
            return Words(f"a volume for claim {what.claim}")
        case about.SmallClaim():
            now = f"{what.size} (now {what.old})"
            return Words(f"claim {what.claim} of at most {now}", short=f"claim {what.claim} {now}")
        case about.SelectedNode():
            return Words(f"clear selected-node {what.node} of claim {what.claim}")
    return None


def _pods(code: str, what: about.About) -> Words | None:
    match what:
        case about.Pods(pods=pods):
            return _leaving(code, pods, back=what.back)
        case about.Evicted():
            return _evicted(code, what)
        case about.Moves(journey=journey):
            return Words(moving(journey), note=step_by_step(journey))
        case about.Replica():
            return Words(f"one more replica of {what.workload}")
    return None


def _leaving(code: str, pods: tuple[str, ...], *, back: bool) -> Words:
    names = joined(pods)
    if code == "wait":
        verb = "is" if len(pods) == 1 else "are"
        names = names if len(pods) <= _NAMED else count(len(pods), "pod")
        return Words(f"wait until {names}, which {verb} being deleted, {verb} gone")
    if code == "clear-nomination":
        return Words(f"clear the nomination of {names}", failed=f"clearing the nomination of {names}")
    if code == "force":
        return Words(f"--force: {listed(pods, most=2)} GONE")
    if code == "evict-pods":
        return Words(f"evict {names}")
    return Words(f"delete {names}", failed=f"deleting {names}", note="its owner makes another" if back else "")


def _evicted(code: str, what: about.Evicted) -> Words:
    pod, node = what.pod, what.node
    match what.fate:
        case "moves" | "waits":
            size = _size(what)
            note = f"it moves to {what.to}" if what.fate == "moves" else "it stays Pending"
            text = f"evict {pod}{size}"
            if code == "move-pod":
                text = f"move {pod}{size}: cordon {node}, evict it, uncordon {node}"
            elif code == "make-room":
                return Words(f"make room on {node}: --cordon {node} --evict {pod} --uncordon {node}")
            return Words(text, note=note)
        case "back":
            return Words(f"evicting {pod}{' alone' if what.alone else ''} (it goes back to {node})")
        case "no-room":
            return Words(f"moving {pod} (no other node has room for it)")
        case "in-vain":
            return Words(f"evicting {pod}{' alone' if what.alone else ''}")
        case "lost":
            return Words(f"deleting {pod}")


def _size(what: about.Evicted) -> str:
    if what.size is None:
        return ""
    amount = amounts(what.size.resource, what.size.amount)[0]
    return f", {amount} {what.size.resource}" if amount.isdecimal() else f", {amount}"


def _budget(what: about.About) -> Words | None:
    match what:
        case about.Budget():
            return Words(f"{what.budget} allows 1 (now 0)")
        case about.BudgetAsks():
            return Words(f"{what.budget} {what.field} {what.new} (now {what.old})")
    return None
