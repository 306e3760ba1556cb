"""``--all-or-nothing``: sets of pods that are to be placed whole or not at all, as if they were a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import controller, top_owner
from kplan.errors import UsageError
from kplan.objects.kind_words import kind_of_word
from kplan.objects.selector_text import parse_selector
from kplan.scenario.names import DEFAULT_NAMESPACE, Scope, resolve

Match = Callable[[PodInfo], bool]


def together(cluster: Cluster, asked: Sequence[str], namespace: str) -> Callable[[PodInfo], str] | None:
    """Make what names the set that a pod is of; None where nothing is asked.

    Args:
        cluster: the cluster, with what is to be tried.
        asked: ``deploy/x``, ``job/ns/y``, a label selector as ``app=web``, or names of pods.
        namespace: of what names none; empty for ``default``.

    Raises:
        UsageError: a set has no pod that waits.
    """
    sets = [(text, _match(cluster, text, namespace)) for text in asked]
    for text, match in sets:
        mine = [pod for pod in cluster.pods if not pod.gone and match(pod)]
        if not any(pod.waiting for pod in mine):
            known = f"{len(mine)} of them run already" if mine else "no pod is meant by it"
            raise UsageError(f"--all-or-nothing {text}: nothing of it waits", code="nothing-waits", hint=known)
    if not sets:
        return None
    return lambda pod: next((text for text, match in sets if match(pod)), "")


def _match(cluster: Cluster, text: str, namespace: str) -> Match:
    """What tells whether a pod is of a set; of pods that come later, too."""
    first, _, rest = text.partition("/")
    kind = kind_of_word(first.partition(".")[0]) if rest else ""
    home, _, name = rest.rpartition("/")
    home = home or namespace or DEFAULT_NAMESPACE
    if kind and kind != "Pod":
        return lambda pod: pod.namespace == home and (kind, name) in (controller(pod), top_owner(pod, cluster))
    if "=" in text:
        scope = Scope(namespace, selector=parse_selector(text))
        return scope.has
    keys = {pod.key for pod in resolve(cluster, text.split(","), Scope(namespace))}
    return lambda pod: pod.key in keys
