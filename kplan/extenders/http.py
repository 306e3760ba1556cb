"""One HTTP extender, asked as kube-scheduler asks it.

Source: kubernetes v1.37.2 pkg/scheduler/extender.go HTTPExtender.
Differs from kube-scheduler: proxies of the environment are not used, and what was asked before in the same words is
answered from memory, so that a plan is of one mind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from kplan.extenders.budget import Budget
from kplan.extenders.tls import context_of
from kplan.extenders.wire import (
    BindingResult,
    FilterResult,
    HostPriority,
    MetaVictims,
    PreemptionResult,
    decode,
    node_list,
    node_names,
    whole,
)
from kplan.framework.args import Extender
from kplan.framework.extender import ExtenderError, ExtenderVerdict, NotAskedError
from kplan.framework.preemption import Victims
from kplan.objects.models import Object
from kplan.visible import url_shown

if TYPE_CHECKING:
    from kplan.cluster import Cluster, PodInfo

Originals = Callable[[Object], Mapping[str, Any] | None]
"""Gives an object as it was read, with what the models leave out; None where that is not known."""

_T = TypeVar("_T")
_SECOND = 10**9


class HttpExtender:
    """Asks an extender over HTTP.

    Args:
        config: how it is configured.
        budget: requests that may be sent, shared by all extenders of a command.
        originals: gives objects as they were read.

    Raises:
        ConfigError: its certificates cannot be used.
    """

    def __init__(self, config: Extender, budget: Budget, originals: Originals = lambda item: None) -> None:
        from urllib3 import PoolManager, Timeout

        self.config = config
        self._budget = budget
        self._originals = originals
        self._seconds = config.http_timeout / _SECOND
        more: dict[str, Any] = {}
        context = context_of(config)
        if context is not None:
            more["ssl_context"] = context
            if not context.check_hostname:
                more["assert_hostname"] = False
        name = config.tls_config.server_name if config.tls_config is not None else ""
        if name:
            more |= {"server_hostname": name, "assert_hostname": name if context and context.check_hostname else False}
        self._pool = PoolManager(timeout=Timeout(total=self._seconds), retries=False, **more)

    def filter(self, pod: PodInfo, cluster: Cluster, rows: Sequence[int]) -> ExtenderVerdict:
        """Ask which nodes take a pod; an extender without this verb takes all.

        Raises:
            ExtenderError: no answer that can be used.
        """
        if not self.config.filter_verb:
            return ExtenderVerdict(tuple(rows))
        result = self._ask(self.config.filter_verb, self._about(pod, cluster, rows), FilterResult)
        if result.error:
            raise ExtenderError(result.error)
        given = {cluster.node_name(row): row for row in rows}
        names: Sequence[str] = ()
        if self.config.node_cache_capable and result.nodenames is not None:
            names = result.nodenames
            for name in names:
                if name not in given:
                    claims = f'claims a filtered node "{name}" which is not found in the input node list'
                    raise ExtenderError(f'extender "{self.config.shown}" {claims}')
        elif result.nodes is not None:
            # upstream goes on with nodes that it did not ask about; there are none in a plan
            names = [name for name in node_names(result.nodes) if name in given]
        passed = tuple(given[name] for name in names)
        return ExtenderVerdict(passed, result.failednodes or {}, result.failedandunresolvablenodes or {})

    def prioritize(self, pod: PodInfo, cluster: Cluster, rows: Sequence[int]) -> Mapping[str, int]:
        """Ask how good nodes are; one without this verb says nothing.

        Raises:
            ExtenderError: no answer that can be used.
        """
        if not self.config.prioritize_verb:
            return {}
        result = self._ask(self.config.prioritize_verb, self._about(pod, cluster, rows), list[HostPriority])
        scores: dict[str, int] = {}
        for priority in result:
            scores[priority.host] = scores.get(priority.host, 0) + priority.score
        return scores

    def preempt(self, pod: PodInfo, cluster: Cluster, victims: Mapping[int, Victims]) -> dict[int, Victims]:
        """Ask which evictions may be; one without this verb lets all be.

        Raises:
            ExtenderError: no answer that can be used, or a victim that is not on the node.
        """
        if not self.config.preempt_verb:
            return dict(victims)
        result = self._ask(self.config.preempt_verb, self._about_victims(pod, cluster, victims), PreemptionResult)
        left: dict[int, Victims] = {}
        for name, meta in (result.nodenametometavictims or {}).items():
            if name not in cluster.node_index:
                raise ExtenderError(f'nodeinfo not found for node name "{name}"')
            left[cluster.node_index[name]] = self._victims(cluster, name, meta or MetaVictims())
        return left

    def bind(self, namespace: str, name: str, uid: str, node: str) -> None:
        """Have a pod bound to a node; sent once, and never answered from memory.

        Source: HTTPExtender.Bind.

        Raises:
            ExtenderError: it says that it failed, or there is no answer that tells.
        """
        about = {"PodName": name, "PodNamespace": namespace, "PodUID": uid, "Node": node}
        url = f"{self.config.url_prefix.rstrip('/')}/{self.config.bind_verb}"
        result = self._read(url, self._post(url, msgspec.json.encode(about), self.config.bind_verb), BindingResult)
        if result.error:
            raise ExtenderError(result.error)

    def _victims(self, cluster: Cluster, name: str, meta: MetaVictims) -> Victims:
        there = {cluster.pods[row].uid: row for row in cluster.pods_on(cluster.node_index[name])}
        for pod in meta.pods or ():
            if pod.uid not in there:
                claims = f"claims to preempt pod (UID: &{{{pod.uid}}}) on node: {name}"
                problem = f"{claims}, but the pod is not found on that node"
                raise ExtenderError(f"extender: {self.config.shown} {problem}")
        return Victims(tuple(there[pod.uid] for pod in meta.pods or ()), meta.numpdbviolations)

    def _about(self, pod: PodInfo, cluster: Cluster, rows: Sequence[int]) -> dict[str, Any]:
        about: dict[str, Any] = {"Pod": self._whole(pod.pod), "Nodes": None, "NodeNames": None}
        if self.config.node_cache_capable:
            return about | {"NodeNames": [cluster.node_name(row) for row in rows]}
        return about | {"Nodes": node_list(self._whole(cluster.nodes[row]) for row in rows)}

    def _about_victims(self, pod: PodInfo, cluster: Cluster, victims: Mapping[int, Victims]) -> dict[str, Any]:
        by_uid = self.config.node_cache_capable

        def told(row: int) -> dict[str, Any]:
            return {"UID": cluster.pods[row].uid} if by_uid else self._whole(cluster.pods[row].pod)

        by_name = {
            cluster.node_name(row): {"Pods": [*map(told, of_node.pods)], "NumPDBViolations": of_node.pdb_violations}
            for row, of_node in victims.items()
        }
        wholes, metas = (None, by_name) if by_uid else (by_name, None)
        return {"Pod": self._whole(pod.pod), "NodeNameToVictims": wholes, "NodeNameToMetaVictims": metas}

    def _whole(self, item: Object) -> dict[str, Any]:
        return whole(item, self._originals(item))

    def _ask(self, verb: str, about: Mapping[str, Any], kind: type[_T]) -> _T:
        """Send a request and read its answer.

        Raises:
            NotAskedError: the budget is spent.
            ExtenderError: no answer that can be used.
        """
        url = f"{self.config.url_prefix.rstrip('/')}/{verb}"
        body = msgspec.json.encode(about)
        answer = self._budget.known(url, body)
        if answer is None:
            if not self._budget.take():
                spent = f"{self._budget.calls} requests to extenders are spent (--extender-calls)"
                raise NotAskedError(f"extender {self.config.shown} was not asked: {spent}")
            answer = self._post(url, body, verb)
            self._budget.remember(url, body, answer)
        return self._read(url, answer, kind)

    def _read(self, url: str, answer: bytes, kind: type[_T]) -> _T:
        """Read an answer.

        Raises:
            ExtenderError: it cannot be read.
        """
        if not answer.strip():
            raise ExtenderError("EOF")
        try:
            return decode(answer, kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ExtenderError(f"json: cannot read the answer of {url_shown(url)}: {error}") from error

    def _post(self, url: str, body: bytes, verb: str) -> bytes:
        from urllib3 import util
        from urllib3.exceptions import HTTPError, InsecureRequestWarning, NewConnectionError, TimeoutError

        try:
            with warnings.catch_warnings():
                # the configuration asks for it, and kube-scheduler says nothing either
                warnings.simplefilter("ignore", InsecureRequestWarning)
                answer = self._pool.request("POST", url, body=body, headers={"Content-Type": "application/json"})
        except NewConnectionError as error:
            where = util.parse_url(url)
            cause = error.__cause__ or error.__context__
            reason = (cause.strerror or str(cause)).lower() if isinstance(cause, OSError) else str(error)
            raise ExtenderError(f'Post "{url_shown(url)}": dial tcp {where.netloc}: connect: {reason}') from error
        except TimeoutError as error:
            text = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
            raise ExtenderError(f'Post "{url_shown(url)}": {text}') from error
        except (HTTPError, OSError, ValueError) as error:
            raise ExtenderError(f'Post "{url_shown(url)}": {error}') from error
        if answer.status != 200:
            raise ExtenderError(f"failed {verb} with extender at URL {url_shown(url)}, code {answer.status}")
        data: bytes = answer.data
        return data
