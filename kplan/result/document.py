"""What is shown of an answer: frozen structs that JSON, YAML and text are all made from.

Names are those of the parts of the text (``because``, ``groups``, ``nearest``). Every reason has a stable code, the
plain words, and the scheduler's exact text. Amounts are in the scheduler's units: cpu in millicores, else whole.

Long because the parts of one answer stand beside each other.
"""

from __future__ import annotations

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_asked import AskedNode, Turn
from kplan.result.document_base import ApiVersion, Cause, Document, Origin, Part, VerdictDocument
from kplan.result.document_devices import Devices
from kplan.result.document_group import GroupPlan
from kplan.result.document_how_to import HowTo
from kplan.result.document_landing import Landing
from kplan.result.document_queue import QueueState
from kplan.result.document_versions import OtherVersion
from kplan.result.document_whatif import WhatIfStep


class Shortage(Part, frozen=True, kw_only=True):
    """One resource a node has too little of.

    Attributes:
        resource: name; ``pods`` for the number of pods.
        needs: what the pod requests.
        free: what is left; negative where a node is over-committed.
        lacks: what is missing.
        capacity: allocatable of the node.
        kept: what of the rest is kept for nominated pods.
    """

    resource: str
    needs: int
    free: int
    lacks: int
    capacity: int
    kept: int = 0


class Reason(Part, frozen=True, kw_only=True):
    """Why a plugin refuses nodes.

    Attributes:
        code: stable kebab-case identifier.
        plugin: name as in KubeSchedulerConfiguration.
        text: plain words.
        message: the scheduler's exact text.
        evictable: whether an eviction may lift it (code Unschedulable).
        kept: whether it holds only with nominated pods counted.
    """

    code: str
    plugin: str
    text: str
    message: str
    evictable: bool
    kept: bool = False


class GroupNode(Part, frozen=True, kw_only=True):
    """A node of a group that is shown with its numbers."""

    name: str
    text: str = ""
    shortages: tuple[Shortage, ...] = ()


class Group(Part, frozen=True, kw_only=True):
    """Nodes with the same set of failing reasons.

    Attributes:
        count: nodes in it.
        text: the reasons in one phrase.
        reasons: all that is wrong, in the order of the scheduler's filters.
        nodes: the nearest of them.
        shared: labels all of them have and no other node.
        alike: what their numbers have in common; empty where they differ.
        names: all of them, nearest first; left out where many pods are explained at once.
    """

    count: int
    text: str
    reasons: tuple[Reason, ...]
    nodes: tuple[GroupNode, ...] = ()
    shared: tuple[str, ...] = ()
    alike: str = ""
    names: tuple[str, ...] = ()


class Nearest(Part, frozen=True, kw_only=True):
    """What keeps the pod from the nodes nearest to fitting."""

    text: str
    nodes: tuple[str, ...]


class Domain(Part, frozen=True, kw_only=True):
    """Domains of a spread constraint with the same number of pods.

    Attributes:
        pods: pods counted in each.
        names: domains, or the nodes where each node is its own domain.
        note: what is special about them.
    """

    pods: int
    names: tuple[str, ...]
    note: str = ""


class Domains(Part, frozen=True, kw_only=True):
    """One spread constraint over its domains."""

    topology_key: str
    selector: str
    max_skew: int
    minimum: int
    min_domains: int
    node_taints_policy: str
    node_affinity_policy: str
    rows: tuple[Domain, ...]
    notes: tuple[str, ...] = ()


class Term(Part, frozen=True, kw_only=True):
    """A pod affinity term that fails, where, and the pods it is about."""

    rule: str
    selector: str
    topology_key: str
    domain: str
    nodes: int
    pods: tuple[str, ...]
    pod_count: int
    namespaces: tuple[str, ...] = ()


class Volume(Part, frozen=True, kw_only=True):
    """A claim of the pod: its volume, or what it waits for."""

    claim: str
    volume: str = ""
    text: str = ""
    details: tuple[str, ...] = ()


class Attachment(Part, frozen=True, kw_only=True):
    """Volumes of one driver on one node."""

    node: str
    driver: str
    limit: int | None
    attached: int
    unused: tuple[str, ...]
    new: tuple[str, ...]
    present: tuple[str, ...]


class Kept(Part, frozen=True, kw_only=True):
    """A pod that takes or is kept room on a node where a nomination counts.

    Attributes:
        node: name of the node.
        pod: ``namespace/name``.
        priority: its priority.
        amounts: what it counts there, of the resources that are short.
        note: runs, nominated, or this pod.
    """

    node: str
    pod: str
    priority: int
    amounts: dict[str, int]
    note: str


class Victim(Part, frozen=True, kw_only=True):
    """A pod that would be evicted.

    Attributes:
        node: where it is.
        pod: ``namespace/name``.
        priority: its priority.
        grace_seconds: how long it may take to end.
        budget: the budget that counts for it, in words.
        breaks_budget: whether its eviction breaks that.
        comes_back: what becomes of it.
        chosen: whether it is on the node that is chosen.
        allows: how many pods of that budget may leave by its status; absent where no budget counts.
    """

    node: str
    pod: str
    priority: int
    grace_seconds: int
    budget: str
    breaks_budget: bool
    comes_back: str
    chosen: bool
    allows: int | None = None


class Preempt(Part, frozen=True, kw_only=True):
    """What evictions can do; ``text`` says why not where nothing comes of it.

    Attributes:
        text: in plain words.
        message: the scheduler's exact text.
        victims: by node, the chosen node first.
        more_nodes: further nodes that evictions would free.
        chosen: how the node was picked, a line each.
        picks: nodes that tie after all rules.
        after: what becomes of the victims on the chosen node, a line each.
        landing: how often each node is chosen, where that is not certain.
    """

    text: str = ""
    message: str = ""
    victims: tuple[Victim, ...] = ()
    more_nodes: int = 0
    chosen: tuple[str, ...] = ()
    picks: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    landing: Landing | None = None


class ScoreRow(Part, frozen=True, kw_only=True):
    """Scores of one feasible node, weighted; raw as the plugins gave them."""

    node: str
    total: int
    plugins: dict[str, int]
    raw: dict[str, int]
    chosen: bool = False
    note: str = ""


class Scores(Part, frozen=True, kw_only=True):
    """Scores of feasible nodes, winner first.

    Attributes:
        columns: plugins that do not give all nodes the same, most telling first.
        rows: nodes, by total and name; of many pods, the first of them.
        more: nodes that are left out of ``rows``.
        same: plugins that give all nodes the same.
        skipped: plugins that had nothing to say.
        tie: nodes that share the highest total.
    """

    columns: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    same: dict[str, int]
    skipped: tuple[str, ...]
    tie: tuple[str, ...]
    more: int = 0


class Event(Part, frozen=True, kw_only=True):
    """The scheduler's event text, word for word, and the one recorded in the pod's condition."""

    text: str
    recorded: str = ""
    recorded_at: str = ""


class Fix(Part, frozen=True, kw_only=True):
    """A remedy: a change that was tried, and what came of it.

    Attributes:
        number: its place, from 1; what ``--fix`` takes.
        code: stable kebab-case identifier of the kind of change.
        cost: wait, stale, loosen, request, uncordon, add-node, node, leave-out, evict, loss or not-meant.
        text: the change.
        then: which nodes fit then, in words.
        fits: number of nodes that fit then.
        nodes: the first of them.
        evicts: pods that the pod would evict then.
        next_ones: how many more pods of the same template would fit, in words; empty where there are none.
        harm: in capitals, what is lost.
        summary: the change and its effect in one line; that of the first is shown as Try.
        again: whether another of its kind comes before it, so that it is shown only where all are.
        commands: what would carry it out; nothing is run.
        how_to: the same as what-ifs and a patch, with how many nodes fit then.
    """

    number: int
    code: str
    cost: str
    text: str
    then: str
    fits: int
    summary: str
    nodes: tuple[str, ...] = ()
    evicts: tuple[str, ...] = ()
    next_ones: str = ""
    harm: str = ""
    again: bool = False
    commands: tuple[str, ...] = ()
    how_to: HowTo | None = None


class NoHelp(Part, frozen=True, kw_only=True):
    """What one would try first and does not help.

    Attributes:
        tried: in words, cheapest first.
        nothing: what it would take, where neither a change nor a pair of them helps.
        untried: what may be in the way and is not tried.
    """

    tried: tuple[str, ...] = ()
    nothing: str = ""
    untried: tuple[str, ...] = ()


class Answer(Part, frozen=True, kw_only=True):
    """All about one pod: what a PodExplanation holds, and one entry of PodExplanations.

    Attributes:
        pod: ``namespace/name``.
        verdict: FITS, PREEMPTS, PENDING or GATED.
        sentence: what follows the verdict word.
        because: the one cause.
        careful: what the manifest does not do though it seems so.
        node: where it goes; empty where nowhere.
        runs_on: the node it runs on and was taken out of; empty for a waiting pod.
        owner: its controller, as ``deploy/shop/web``.
        feasible: number of feasible nodes.
        nodes: number of all nodes.
        groups: the nodes that refuse it.
        devices: what keeps its claims from their devices.
        fixes: what would make it fit, each tried, cheapest first.
        no_help: what would be tried first and does not help.
        asked_node: the one node asked about, where it does not refuse the pod.
        turn: its place in the queue, where others that wait were placed first.
        landing: how often it goes to each node, where that is not certain; ``node`` is what scores best of all.
        queue: where it stands in the scheduler's queue; None for a pod that runs.
        permit: which plugin holds it back at Permit on that node, and why; empty for none.
        pod_group: what becomes of the group that it is placed with, if it waits and is of one.
    """

    pod: str
    verdict: str
    sentence: str
    feasible: int
    nodes: int
    because: Cause | None = None
    doubts: tuple[Doubt, ...] = ()
    careful: tuple[str, ...] = ()
    node: str = ""
    runs_on: str = ""
    owner: str = ""
    groups: tuple[Group, ...] = ()
    domains: tuple[Domains, ...] = ()
    terms: tuple[Term, ...] = ()
    volumes: tuple[Volume, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    devices: Devices | None = None
    kept: tuple[Kept, ...] = ()
    nearest: Nearest | None = None
    preempt: Preempt | None = None
    fixes: tuple[Fix, ...] = ()
    no_help: NoHelp | None = None
    scores: Scores | None = None
    event: Event | None = None
    asked_node: AskedNode | None = None
    turn: Turn | None = None
    landing: Landing | None = None
    queue: QueueState | None = None
    permit: str = ""
    pod_group: GroupPlan | None = None


class PodExplanation(Document, Answer, frozen=True, kw_only=True):
    """Document of ``kplan explain pod`` for one pod."""

    api_version: ApiVersion
    origin: Origin = msgspec.field(name="from")
    what_if: tuple[WhatIfStep, ...] = ()
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None


class Fold(Part, frozen=True, kw_only=True):
    """Pods that wait for the same cause.

    Attributes:
        verdict: theirs.
        count: pods.
        because: the cause, of the first of them.
        owners: pods by owner, most first.
        pods: all of them.
        attempt: the cheapest change that helps, and how many of them fit then; shown as Try.
        how_to: how it is carried out.
        waits_seconds: how long the oldest of them was there when the state was taken; None if that is unknown.
    """

    verdict: str
    count: int
    because: Cause
    owners: dict[str, int]
    pods: tuple[str, ...]
    attempt: str = ""
    how_to: HowTo | None = None
    waits_seconds: int | None = None


class PodExplanations(VerdictDocument, frozen=True, kw_only=True):
    """Document of ``kplan explain pod`` for several pods."""

    folds: tuple[Fold, ...]
    answers: tuple[Answer, ...]
    origin: Origin = msgspec.field(name="from")
    notes: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    what_if: tuple[WhatIfStep, ...] = ()
    other_version: OtherVersion | None = None
    timings: dict[str, float] | None = None
