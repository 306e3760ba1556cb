"""Rights that writing needs: which, whether they are there, and as a ClusterRole.

Reading needs what ``kplan snapshot --print-rbac`` prints; here is what bind needs on top, by the flags that are given.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kplan.bind.plan.following import EVERY_KIND
from kplan.bind.wire.client import Client
from kplan.bind.wire.groups import RESOURCE as GROUPS
from kplan.bind.wire.leases import NAMESPACE as KUBE_SYSTEM
from kplan.bind.wire.resources import PODS, ApiResource, resource_of
from kplan.errors import LiveError
from kplan.framework.features import Features
from kplan.objects.kinds import Kind
from kplan.result.document_bind import BindPlan
from kplan.sources.live import failures

_REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


class Right(Struct, frozen=True, order=True):
    """One verb on one resource.

    Attributes:
        group: API group; empty for core.
        resource: plural, with the subresource: ``pods/binding``.
        verb: ``create``, ``get`` ...
        namespaced: whether it is asked for in each namespace that is written to.
        namespace: where; empty for everywhere, or a resource without namespaces.
    """

    group: str
    resource: str
    verb: str
    namespaced: bool = True
    namespace: str = ""

    def __str__(self) -> str:
        where = f" in {self.namespace}" if self.namespace else ""
        return f"{self.resource} {self.verb}{where}"


class Needs(Struct, frozen=True):
    """What of a plan or of the flags decides about rights.

    Attributes:
        claims: claims are written to.
        volumes: volumes are written to.
        devices: device claims are written to.
        device_makes: claims for extended resources are made.
        node_amounts: what devices take of their node is written to the status of pods.
        granular: whether the server asks for a right of its own to write allocations.
        preempt: pods are evicted.
        nominate: nominations are written.
        groups: the status of groups is written.
        creates: resources of which objects are created, pods among them.
        events: events are reported.
    """

    claims: bool = False
    volumes: bool = False
    devices: bool = False
    device_makes: bool = False
    node_amounts: bool = False
    granular: bool = False
    preempt: bool = False
    nominate: bool = False
    groups: bool = False
    creates: frozenset[ApiResource] = frozenset()
    events: bool = False


def needs_of(plan: BindPlan, features: Features, *, events: bool) -> Needs:
    """Tell which rights the writes of a plan need."""
    totals = plan.totals
    created = (item for item in plan.objects if item.result == "create")
    resources = {resource_of(item.api_version, item.kind) for item in created} - {None}
    return Needs(
        claims=bool(totals.claims),
        volumes=bool(totals.volumes),
        preempt=bool(totals.evictions),
        devices=bool(totals.device_claims),
        granular=granular(features),
        device_makes=any(device.create is not None for pod in plan.pods for device in pod.devices),
        node_amounts=any(pod.node_amounts for pod in plan.pods),
        nominate=bool(totals.evictions)
        or bool(nominates(features) and (totals.claims or totals.volumes or totals.device_claims)),
        groups=any(pod.group for pod in plan.pods if pod.result == "bind"),
        creates=frozenset(resource for resource in resources if resource) | ({PODS} if totals.creations else set()),
        events=events,
    )


def granular(features: Features) -> bool:
    """Whether the server asks for a right of its own to write the allocation of a claim."""
    return features.enabled("DRAResourceClaimGranularStatusAuthorization")


def nominates(features: Features) -> bool:
    """Whether the scheduler of a version writes the nomination of a pod whose volumes it is about to bind.

    Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go bindingCycle; pkg/features/kube_features.go.
    """
    return features.enabled("NominatedNodeNameForExpectation")


def writing(needs: Needs) -> list[Right]:
    """List the rights for what is written to, and what is asked about it."""
    rights = [Right("", "pods", "get"), Right("", "pods/binding", "create")]
    if needs.claims or needs.volumes:
        rights.append(Right("", "persistentvolumeclaims", "get"))
    if needs.claims:
        rights.append(Right("", "persistentvolumeclaims", "update"))
    if needs.claims or needs.volumes:  # one that was made for a claim must be within the node's reach
        rights.append(Right("", "persistentvolumes", "get", namespaced=False))
    if needs.volumes:
        rights.append(Right("", "persistentvolumes", "update", namespaced=False))
    rights += _of_devices(needs)
    if needs.nominate or needs.preempt or needs.device_makes or needs.node_amounts:
        rights.append(Right("", "pods/status", "patch"))
    if needs.preempt:
        rights.append(Right("", "pods/eviction", "create"))
    if needs.groups:
        api_group, plural = GROUPS
        rights += [Right(api_group, plural, "get"), Right(api_group, f"{plural}/status", "patch")]
    for create in needs.creates:
        rights += [Right(create.group, create.plural, verb, namespaced=create.namespaced) for verb in ("create", "get")]
        if create.plural == "deployments":  # the ReplicaSet stands between it and its pods
            rights.append(Right(create.group, "replicasets", "get"))
        if create.plural in _WITH_CLAIMS:
            rights.append(Right("", "persistentvolumeclaims", "get"))
    if needs.events:
        rights.append(Right("events.k8s.io", "events", "create"))
    return sorted(set(rights))


_WITH_CLAIMS = frozenset({"pods", "deployments", "replicasets", "replicationcontrollers", "statefulsets", "daemonsets",
                          "jobs"})  # fmt: skip
"""Resources whose pods may have claims that are made after the state was read: these are read before the pod's turn."""


def _of_devices(needs: Needs) -> list[Right]:
    """Rights to give devices to claims.

    Source: kubernetes v1.37.2 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go kubeSchedulerRules;
    pkg/registry/resource/utils.go AuthorizedForBinding: the verb is that of the request, and a status is updated.
    """
    if not needs.devices:
        return []
    group, claims = "resource.k8s.io", "resourceclaims"
    rights = [Right(group, claims, "get"), Right(group, claims, "update"), Right(group, f"{claims}/status", "update")]
    if needs.granular:
        rights.append(Right(group, f"{claims}/binding", "update"))
    if needs.device_makes:
        rights += [Right(group, claims, "create"), Right(group, claims, "delete")]
    return rights


def everywhere() -> list[Right]:
    """List the rights that are needed whatever is bound."""
    return [
        Right("", resource, verb, namespaced=False)
        for resource in ("nodes", "pods")
        for verb in ("get", "list", "watch")
    ]


def following(kinds: Iterable[Kind]) -> list[Right]:
    """List the rights to follow what a plan depends on beside pods and nodes; a run goes on without, but sees less."""
    return [Right(kind.group, kind.plural, verb, namespaced=False) for kind in kinds for verb in ("list", "watch")]


def unseen(client: Client, kinds: Iterable[Kind]) -> list[str]:
    """Name the resources that cannot be followed, so that what others do to them goes unseen.

    Raises:
        LiveError: the server does not say.
    """
    return list(dict.fromkeys(right.resource for right in following(kinds) if not _allowed(client, right)))


def missing(client: Client, needs: Needs, namespaces: Iterable[str]) -> list[Right]:
    """Ask the server for the rights that are not there, with SelfSubjectAccessReviews; they change nothing.

    Raises:
        LiveError: the server does not say.
    """
    lacking = [right for right in everywhere() if not _allowed(client, right)]
    spaces = sorted(set(namespaces))
    for right in writing(needs):
        if not right.namespaced:
            lacking += [] if _allowed(client, right) else [right]
        elif len(spaces) == 1 or not _allowed(client, right):  # whoever has it everywhere need not be asked for each
            each = (replace(right, namespace=space) for space in spaces)
            lacking += [right for right in each if not _allowed(client, right)]
    return lacking


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
    for right in (*everywhere(), *following(EVERY_KIND), *writing(needs)):
        rules.setdefault((right.group, right.resource), set()).add(right.verb)
    lines = [
        "# What kplan bind needs with these flags, on top of the rights to read: kplan snapshot --print-rbac.",
        "# Bind it to a user, group or service account:",
        "#   kubectl create clusterrolebinding kplan-binder --clusterrole=kplan-binder --user=NAME",
        f"#   kubectl create rolebinding kplan-binder --role=kplan-binder --user=NAME -n {KUBE_SYSTEM}",
        "apiVersion: rbac.authorization.k8s.io/v1",
        "kind: ClusterRole",
        "metadata:",
        "  name: kplan-binder",
        "rules:",
    ]
    for (group, resource), verbs in sorted(rules.items()):
        lines += _rule(group, resource, verbs)
    lines += [
        "---",
        "# The lease of the live scheduler says whether pods are its to bind.",
        "apiVersion: rbac.authorization.k8s.io/v1",
        "kind: Role",
        "metadata:",
        "  name: kplan-binder",
        f"  namespace: {KUBE_SYSTEM}",
        "rules:",
        *_rule("coordination.k8s.io", "leases", {"get"}),
    ]
    return "\n".join(lines) + "\n"


def _rule(group: str, resource: str, verbs: Iterable[str]) -> list[str]:
    return [
        f"  - apiGroups: [{group or _EMPTY}]",
        f"    resources: [{resource}]",
        f"    verbs: [{', '.join(sorted(verbs))}]",
    ]


_EMPTY = '""'
