"""Rights that writing needs: which, whether they are there, and as a ClusterRole.

Reading needs what ``kplan snapshot --print-rbac`` prints; here is what bind needs on top, by the flags that are given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from kplan.bind.client import Client
from kplan.bind.leases import NAMESPACE as KUBE_SYSTEM
from kplan.errors import LiveError
from kplan.framework.features import Features
from kplan.sources.live import failures

_REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """One verb on one resource.

    Attributes:
        group: API group; empty for core.
        resource: plural, with the subresource: ``pods/binding``.
        verb: ``create``, ``get`` ...
        namespace: where; empty for everywhere or a resource without namespaces.
    """

    group: str
    resource: str
    verb: str
    namespace: str = ""

    def __str__(self) -> str:
        where = f" in {self.namespace}" if self.namespace else ""
        return f"{self.resource} {self.verb}{where}"


@dataclass(frozen=True, slots=True)
class Needs:
    """What of a plan or of the flags decides about rights.

    Attributes:
        claims: claims are written to.
        volumes: volumes are written to.
        preempt: pods are evicted and nominations written.
        create: pods are created.
        events: events are reported.
    """

    claims: bool = False
    volumes: bool = False
    preempt: bool = False
    create: bool = False
    events: bool = False


def writing(needs: Needs) -> list[Right]:
    """List the rights for what is done to pods, claims and events in some namespace, and to volumes."""
    found = [Right("", "pods", "get"), Right("", "pods/binding", "create")]
    if needs.claims:
        found += [Right("", "persistentvolumeclaims", verb) for verb in ("get", "update")]
    if needs.volumes:
        found += [Right("", "persistentvolumeclaims", "get")]
        found += [Right("", "persistentvolumes", verb) for verb in ("get", "update")]
    if needs.preempt:
        found += [Right("", "pods/status", "patch"), Right("", "pods/eviction", "create")]
    if needs.create:
        found.append(Right("", "pods", "create"))
    if needs.events:
        found.append(Right("events.k8s.io", "events", "create"))
    return sorted(set(found))


def everywhere() -> list[Right]:
    """List the rights that are needed whatever is bound."""
    return [Right("", resource, verb) for resource in ("nodes", "pods") for verb in ("get", "list", "watch")]


def missing(client: Client, needs: Needs, namespaces: Iterable[str]) -> list[Right]:
    """Ask the server for the rights that are not there, with SelfSubjectAccessReviews; they change nothing.

    Raises:
        LiveError: the server does not say.
    """
    wanted = list(everywhere())
    for right in writing(needs):
        if right.resource == "persistentvolumes":
            wanted.append(right)
        else:
            wanted += [
                Right(right.group, right.resource, right.verb, namespace) for namespace in sorted(set(namespaces))
            ]
    return [right for right in wanted if not _allowed(client, right)]


def _allowed(client: Client, right: Right) -> bool:
    resource, _, subresource = right.resource.partition("/")
    attributes = {
        "group": right.group,
        "resource": resource,
        "subresource": subresource,
        "verb": right.verb,
        "namespace": right.namespace,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    what = f"asking for the right {right}"
    reply = client.review(_REVIEW, msgspec.json.encode(body), what=what)
    if not reply.ok:
        raise failures.of_status(reply.status, reply.body, what, client.server, client.context)
    status = reply.object().get("status")
    if not isinstance(status, dict):
        raise LiveError(f"no verdict while {what}", code="bad-answer")
    return bool(status.get("allowed"))


def cluster_role(needs: Needs, features: Features) -> str:
    """Write the ClusterRole that binding needs on top of the one for reading."""
    rules: dict[tuple[str, str], set[str]] = {}
    for right in (*everywhere(), *writing(needs)):
        rules.setdefault((right.group, right.resource), set()).add(right.verb)
    lines = [
        "# What kplan bind needs with these flags, on top of the rights to read: kplan snapshot --print-rbac.",
        "# Bind it to a user, group or service account:",
        "#   kubectl create clusterrolebinding kplan-binder --clusterrole=kplan-binder --user=NAME",
    ]
    if features.since(36):
        lines.append(
            "# Pods with resource claims are refused, so resourceclaims/binding (1.36 and later) is not in it."
        )
    lines += [
        "apiVersion: rbac.authorization.k8s.io/v1",
        "kind: ClusterRole",
        "metadata:",
        "  name: kplan-binder",
        "rules:",
    ]
    for (group, resource), verbs in sorted(rules.items()):
        lines.append(f"  - apiGroups: [{group or _EMPTY}]")
        lines.append(f"    resources: [{resource}]")
        lines.append(f"    verbs: [{', '.join(sorted(verbs))}]")
    lines += [
        "---",
        "# The lease of the live scheduler says whether pods are its to bind.",
        "apiVersion: rbac.authorization.k8s.io/v1",
        "kind: Role",
        "metadata:",
        "  name: kplan-binder",
        f"  namespace: {KUBE_SYSTEM}",
        "rules:",
        "  - apiGroups: [coordination.k8s.io]",
        "    resources: [leases]",
        "    verbs: [get]",
    ]
    return "\n".join(lines) + "\n"


_EMPTY = '""'
