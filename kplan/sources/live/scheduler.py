"""The scheduler of a live cluster: its pods and ConfigMaps are asked for; see ``sources.schedulers``."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from kplan.objects.state import KnownScheduler
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.failures import ServerAnswer
from kplan.sources.schedulers import NAMESPACE, OPENSHIFT, Runner, configurations, known, runner

PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
OF_SCHEDULER = {"labelSelector": "component=kube-scheduler"}

_WHAT = "looking for the scheduler"
_PLACES = (
    (NAMESPACE, OF_SCHEDULER["labelSelector"]),
    (NAMESPACE, "k8s-app=kube-scheduler"),
    (OPENSHIFT, "app=openshift-kube-scheduler"),
)
"""Namespaces and labels of the pods of kube-scheduler: kubeadm and most others, some installers, OpenShift."""


class _Pods(msgspec.Struct):
    items: list[dict[str, Any]] | None = None


class _ConfigMap(msgspec.Struct):
    data: dict[str, str] | None = None


_pods = msgspec.json.Decoder(_Pods)
_config_map = msgspec.json.Decoder(_ConfigMap)


def find_scheduler(connection: Connection) -> KnownScheduler:
    """Look for the configuration of the scheduler that serves this cluster.

    Raises:
        LiveError: the server gives no answer at all; a refusal is no error but a doubt.
    """
    runners = next((there for place in _PLACES if (there := list(_runners(connection, *place)))), [])
    return known(runners, lambda namespace, name: read_config_map(connection, namespace, name))


def read_config_map(connection: Connection, namespace: str, name: str) -> Mapping[str, str] | None:
    """Read the data of a ConfigMap; None if there is none, or no access to it.

    Raises:
        LiveError: the server gives no answer at all.
    """
    try:
        data = connection.get(f"/api/v1/namespaces/{namespace}/configmaps/{name}", what=_WHAT)
        return _config_map.decode(data).data or {}
    except (ServerAnswer, msgspec.MsgspecError, RecursionError):
        return None


def without_election(data: bytes, *, elects: bool) -> str:
    """Name a pod of kube-scheduler that runs and holds no lease, as it was told not to; empty for none.

    Args:
        data: the pods of OF_SCHEDULER, as the server lists them.
        elects: whether the configuration has it elect a leader; its flag counts before that.
    """
    try:
        pods = _pods.decode(data).items or []
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    for pod in pods:
        scheduler = runner(pod, "Pod")
        status = pod.get("status")
        if scheduler is None or not isinstance(status, dict) or status.get("phase") != "Running":
            continue
        flag = dict(scheduler.flags).get("leader-elect")
        if not (elects if flag is None else flag.lower() not in ("false", "f", "0")):
            return scheduler.name
    return ""


def configuration_of(context: str, kubeconfig: str, namespace: str, name: str) -> Mapping[str, object] | None:
    """Read the configuration that a ConfigMap of a cluster holds; None if there is none, or no access to it.

    Args:
        context: name of a context; the current one if empty.
        kubeconfig: a file; as kubectl finds it if empty.
        namespace: of the ConfigMap.
        name: of the ConfigMap.

    Raises:
        UsageError: no such context, or no kubeconfig.
        LiveError: the server gives no answer at all.
    """
    connection = connect(context, kubeconfig)
    try:
        return next(configurations(read_config_map(connection, namespace, name) or {}), None)
    finally:
        connection.close()


def _runners(connection: Connection, namespace: str, labels: str) -> Iterator[Runner]:
    try:
        data = connection.get(f"/api/v1/namespaces/{namespace}/pods", {"labelSelector": labels}, what=_WHAT)
        pods = _pods.decode(data).items or []
    except (ServerAnswer, msgspec.MsgspecError, RecursionError):
        return
    for pod in pods:
        # whoever has these labels is the cluster's own, whatever its name
        pod.setdefault("metadata", {}).setdefault("namespace", namespace)
        scheduler = runner(pod, "Pod")
        if scheduler is not None:
            yield replace(scheduler, main=True)
