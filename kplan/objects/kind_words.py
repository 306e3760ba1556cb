"""How kinds of workloads are called on a command line: ``deploy/shop/web``."""

from __future__ import annotations

WORKLOAD_WORDS: dict[str, tuple[str, ...]] = {
    "Deployment": ("deploy", "deployment", "deployments"),
    "ReplicaSet": ("rs", "replicaset", "replicasets"),
    "StatefulSet": ("sts", "statefulset", "statefulsets"),
    "DaemonSet": ("ds", "daemonset", "daemonsets"),
    "Job": ("job", "jobs"),
    "CronJob": ("cronjob", "cj", "cronjobs"),
    "ReplicationController": ("rc", "replicationcontroller", "replicationcontrollers"),
}
"""THE table of workloads: what each kind is called, first the word that kplan writes."""

_POD_WORDS = ("pod", "pods", "po")
_KINDS = {word: kind for kind, words in {"Pod": _POD_WORDS, **WORKLOAD_WORDS}.items() for word in words}


def kind_word(kind: str) -> str:
    """Word that a kind is called by; of kinds that are no workload of Kubernetes' own the kind in lower case."""
    return WORKLOAD_WORDS.get(kind, (kind.lower(),))[0]


def kind_of_word(word: str) -> str:
    """Kind that a word means, ``Pod`` or a workload; empty for none."""
    return _KINDS.get(word.lower(), "")
