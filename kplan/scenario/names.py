"""Which pods, nodes and workloads a user means: names, prefixes, ``ns/name``, ``deploy/x``, label selectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from msgspec import Struct

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller, top_owner
from kplan.errors import UsageError
from kplan.objects.kind_words import WORKLOAD_WORDS, kind_of_word, kind_word
from kplan.objects.kinds import KINDS
from kplan.objects.models import Object
from kplan.objects.selector_text import parse_selector
from kplan.objects.selectors import Selector
from kplan.objects.well_known import REGION, ZONE
from kplan.words import did_you_mean, listed

DEFAULT_NAMESPACE = "default"

SHORT_LABELS = {"zone": ZONE, "region": REGION}
"""What ``zone=a`` means where no node has a label of that name."""


class Scope(Struct, frozen=True):
    """Where pods are looked for.

    Attributes:
        namespace: as given with ``-n``; empty if it was not.
        everywhere: whether ``-A`` was given.
        selector: as given with ``-l``.
    """

    namespace: str = ""
    everywhere: bool = False
    selector: Selector | None = None

    def has(self, pod: PodInfo) -> bool:
        """Whether a pod is in scope when pods are not named."""
        if not self.everywhere and pod.namespace != (self.namespace or DEFAULT_NAMESPACE):
            return False
        return self.selector is None or self.selector.matches(pod.labels)


def resolve(cluster: Cluster, names: Sequence[str], scope: Scope) -> list[PodInfo]:
    """Find the pods that names mean, each once, in the order named.

    Raises:
        UsageError: a name means no pod, or several; the hint names close ones.
    """
    by_row: dict[int, PodInfo] = {}
    for name in names:
        for pod in _resolve(cluster, name, scope):
            by_row[pod.row] = pod
    return list(by_row.values())


def _resolve(cluster: Cluster, name: str, scope: Scope) -> list[PodInfo]:
    first, _, rest = name.partition("/")
    kind = kind_of_word(first.partition(".")[0]) if rest else ""  # deployment.apps/x, as kubectl writes it
    namespace, text = scope.namespace, rest if kind else name
    if "/" in text:
        namespace, _, text = text.partition("/")
    if kind and kind != "Pod":
        return _of_owner(cluster, kind, text, namespace, name)
    return [_named(cluster, text, namespace, scope, name)]


def _of_owner(cluster: Cluster, kind: str, name: str, namespace: str, asked: str) -> list[PodInfo]:
    owned = pods_of(cluster, kind, namespace, name)
    if not owned:
        raise UsageError(f"{asked} owns no pod here", code="no-such-pod", hint=_owner_hint(cluster, kind, name))
    return [pod for pod in owned if pod.waiting] or owned


def _named(cluster: Cluster, name: str, namespace: str, scope: Scope, asked: str) -> PodInfo:
    exact = cluster.pod_index.get(f"{namespace or DEFAULT_NAMESPACE}/{name}")
    if exact is not None and not cluster.pods[exact].gone:
        return cluster.pods[exact]
    near = [pod for pod in cluster.pods if not pod.gone and (not namespace or pod.namespace == namespace)]
    same = [pod for pod in near if pod.name == name]
    starts = same or [pod for pod in near if pod.name.startswith(name)]
    waiting = [pod for pod in starts if pod.waiting]
    choices = waiting if len(waiting) == 1 else starts
    if len(choices) == 1:
        return choices[0]
    where = f" in namespace {namespace}" if namespace else ""
    if choices:
        hint = f"one of: {listed([pod.key for pod in choices])}"
        raise UsageError(f"{asked or repr(asked)} means {len(choices)} pods{where}", code="ambiguous-pod", hint=hint)
    raise UsageError(f"no pod {asked}{where}", code="no-such-pod", hint=_hint(cluster, name))


def _hint(cluster: Cluster, name: str) -> str:
    """What to ask instead: a pod that has ended, a pod in another namespace, one that is spelled alike, its owner."""
    for item in cluster.state.pods:
        if item.name == name and item.ended:
            return f"{item.key} has ended ({item.status.phase}): the scheduler does not look at it"
    if unread := _unread(cluster, "Pod"):
        return unread
    there = [pod for pod in cluster.pods if not pod.gone]
    parts = [pod.key for pod in there if pod.name.startswith(name)] or [pod.key for pod in there if name in pod.name]
    names = {pod.name: pod.key for pod in there}
    close = parts or [names[other] for other in get_close_matches(name, list(names), n=3, cutoff=0.6)]
    if not close:
        owners = _owners(cluster)
        close = [text for other in get_close_matches(name, list(owners), n=3, cutoff=0.6) for text in owners[other]]
    return _meant(close) or "kplan explain pod -A lists every pod that waits"


def _owner_hint(cluster: Cluster, kind: str, name: str) -> str:
    """What to ask instead of a workload that owns no pod: one of the name elsewhere, or one that is spelled alike."""
    owners = _owners(cluster)
    of_kind = [text for text in owners.get(name, ()) if text.startswith(f"{kind_word(kind)}/")]
    close = [text for other in get_close_matches(name, list(owners), n=3, cutoff=0.6) for text in owners[other]]
    return _meant(of_kind or close) or "kplan explain pod -A lists what waits"


def _owners(cluster: Cluster) -> dict[str, list[str]]:
    """Workloads that own pods by name, each as ``deploy/shop/web``."""
    by_name: dict[str, dict[str, None]] = {}
    for pod in cluster.pods:
        kind, name = top_owner(pod, cluster) if not pod.gone else ("", "")
        if kind in WORKLOAD_WORDS:
            by_name.setdefault(name, {})[f"{kind_word(kind)}/{pod.namespace}/{name}"] = None
    return {name: list(texts) for name, texts in by_name.items()}


def _meant(choices: Sequence[str]) -> str:
    return did_you_mean(list(dict.fromkeys(choices)))


def check_namespace(cluster: Cluster, name: str) -> None:
    """Refuse a namespace that is not there, where the state holds the namespaces; a pod in it shows that it is.

    Raises:
        UsageError: there is no such namespace; the hint names close ones.
    """
    known = {item.name for item in cluster.state.namespaces}
    there = known | {pod.namespace for pod in cluster.pods}
    if known and name not in there:
        hint = did_you_mean(
            get_close_matches(name, sorted(there), n=3, cutoff=0.6), f"there are: {listed(sorted(there))}"
        )
        raise UsageError(f"no namespace {name}", code="no-such-namespace", hint=hint)


def find_nodes(cluster: Cluster, text: str) -> list[str]:
    """Names of the nodes that a text means: a name (``node/NAME`` too), or a label selector with ``=`` or ``in``.

    Raises:
        UsageError: it means none.
    """
    name = text.removeprefix("node/").removeprefix("no/")
    if name in cluster.node_index:
        return [name]
    if any(mark in text for mark in ("=", " in ", "!", "(")):
        selector = parse_selector(_in_full(cluster, text))
        labelled = [node.name for node in cluster.nodes if selector is None or selector.matches(node.labels)]
        if labelled:
            return labelled
        raise UsageError(f"no node has the label {text}", code="no-such-node")
    raise no_such_node(cluster, name)


def _in_full(cluster: Cluster, text: str) -> str:
    """Write ``zone=a`` with the whole key, unless nodes have a label of the short one."""
    key, equals, value = text.partition("=")
    return f"{label_in_full(cluster, key)}={value}" if equals else text


def label_in_full(cluster: Cluster, key: str) -> str:
    """The whole key that ``zone`` or ``region`` stands for, unless nodes have a label of the short one."""
    return SHORT_LABELS[key] if key in SHORT_LABELS and not cluster.labels.column(key).values else key


def no_such_node(cluster: Cluster, name: str) -> UsageError:
    """Make the error for a node that is not there; the hint names close ones."""
    close = get_close_matches(name, list(cluster.node_index), n=3, cutoff=0.6)
    hint = _unread(cluster, "Node") or did_you_mean(close, "kplan nodes lists them")
    if any(node.labels.get(ZONE) == name for node in cluster.nodes):
        hint = f"it is a zone: zone={name}"
    elif all(part in cluster.node_index for part in name.split(",")):
        hint = "one node at a time, or a label selector as in pool=spot"
    return UsageError(f"no node {name}", code="no-such-node", hint=hint)


def is_workload(text: str) -> bool:
    """Whether a text names a workload (``deploy/x``) and not a pod."""
    word, slash, _ = text.partition("/")
    return bool(slash) and kind_of_word(word) in WORKLOAD_WORDS


def find_workload(cluster: Cluster, text: str, namespace: str = "") -> tuple[str, str, str]:
    """Kind, namespace and name of the workload that ``deploy/web`` or ``deploy/shop/web`` means.

    Raises:
        UsageError: it means none, or several namespaces have one.
    """
    word, _, rest = text.partition("/")
    kind = kind_of_word(word)
    if kind not in WORKLOAD_WORDS or not rest:
        raise UsageError(f"{text} names no workload", code="no-such-workload", hint="as in deploy/shop/web or sts/db")
    space, _, name = rest.rpartition("/")
    space = space or namespace
    homes = {item.namespace for item in _table(cluster, kind).values() if item.name == name}
    homes |= {pod.namespace for pod in pods_of(cluster, kind, "", name)}
    if space in homes or (len(homes) == 1 and not space):
        return kind, space or min(homes), name
    if homes and not space:
        raise UsageError(
            f"{text} is in {len(homes)} namespaces", code="ambiguous-workload", hint=f"{word}/{min(homes)}/{name}"
        )
    told = f"no {kind} {f'{space}/' if space else ''}{name} here"
    hint = _unread(cluster, kind) or _close_workloads(cluster, word, kind, name)
    raise UsageError(told, code="no-such-workload", hint=hint)


def _unread(cluster: Cluster, kind: str) -> str:
    """Say that objects of a kind were kept from the source, as it tells, so that what is not here may be there."""
    state = cluster.state.completeness
    return "" if state.has(kind) else state.absences.get(kind, "")


def _close_workloads(cluster: Cluster, word: str, kind: str, name: str) -> str:
    """Ask whether a workload of another namespace, or of nearly the name, is meant; empty if there is none."""
    known = {item.key: item.name for item in _table(cluster, kind).values()}
    for pod in cluster.pods:
        owners = () if pod.gone else (controller(pod), top_owner(pod, cluster))
        known |= {f"{pod.namespace}/{owner}": owner for what, owner in owners if what == kind}
    close = get_close_matches(name, sorted(set(known.values())), n=3, cutoff=0.6)
    suggestions = [f"{word}/{key}" for key, other in sorted(known.items()) if other in close]
    return f"did you mean {' or '.join(suggestions[:3])}?" if suggestions else ""


def workload_object(cluster: Cluster, kind: str, namespace: str, name: str) -> Object | None:
    """Object of a workload; None where the state does not hold it."""
    return _table(cluster, kind).get(f"{namespace}/{name}")


def _table(cluster: Cluster, kind: str) -> Mapping[str, Object]:
    return cluster.objects.table(_ATTRIBUTES[kind])


_ATTRIBUTES = {kind.name: kind.attribute for kind in KINDS if kind.name in WORKLOAD_WORDS}


def pods_by_workload(cluster: Cluster) -> dict[tuple[str, str, str], list[PodInfo]]:
    """Pods that are there by kind, namespace and name of what controls them, and of what controls that; by row."""
    found: dict[tuple[str, str, str], list[PodInfo]] = {}
    for pod in cluster.pods:
        for kind, name in () if pod.gone else dict.fromkeys((controller(pod), top_owner(pod, cluster))):
            found.setdefault((kind, pod.namespace, name), []).append(pod)
    return found


def pods_of(cluster: Cluster, kind: str, namespace: str, name: str) -> list[PodInfo]:
    """Pods of a workload that are there, those that wait among them, by row; of any namespace if that is empty."""
    return [
        pod
        for pod in cluster.pods
        if not pod.gone
        and (not namespace or pod.namespace == namespace)
        and (kind, name) in (controller(pod), top_owner(pod, cluster))
    ]
