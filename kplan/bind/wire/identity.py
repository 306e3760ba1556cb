"""Which cluster it is: a plan is carried out only where it was made, and no clock but the server's tells its age."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from kplan.bind.wire.client import Client
from kplan.errors import BindError
from kplan.objects.models import Namespace
from kplan.objects.state import ClusterState
from kplan.result.document_bind import BindPlan
from kplan.sources.live import failures

SYSTEM = "kube-system"


class Identity(Struct, frozen=True):
    """Which cluster it is, and what time it is there.

    Attributes:
        uid: of its namespace ``kube-system``; empty if it may not be read.
        time: of its own clock [seconds since 1970].
    """

    uid: str
    time: float


class _NamespaceUid(msgspec.Struct):
    uid: str = ""


class _NamespaceIdentity(msgspec.Struct):
    metadata: _NamespaceUid


_known = msgspec.json.Decoder(_NamespaceIdentity)


def identify(client: Client) -> Identity:
    """Ask a cluster for its identity.

    Raises:
        LiveError: it does not answer, or not to these credentials.
    """
    what = "asking for the cluster's identity"
    reply = client.read(f"/api/v1/namespaces/{SYSTEM}", what=what)
    if reply.status == 401:
        raise failures.of_status(reply.status, reply.body, what, client.server, client.context)
    found = reply.typed(_known) if reply.ok else None
    return Identity(found.metadata.uid if found is not None else "", client.server_time)


def of_state(state: ClusterState, taken: float) -> Identity:
    """Identity of the cluster that a snapshot was taken of."""
    namespaces: Iterable[Namespace] = (item for item in state.namespaces if item.name == SYSTEM)
    return Identity(next((item.metadata.uid or "" for item in namespaces), ""), taken)


def same_cluster(plan: BindPlan, now: Identity, what: str) -> None:
    """Make sure that a plan is for this cluster.

    Args:
        plan: the plan.
        now: which cluster this is.
        what: name of the file the plan is from.

    Raises:
        BindError: it is for another, or does not say for which.
    """
    if not plan.cluster.uid:
        raise BindError(
            f"{what} does not say which cluster it is for: no uid of namespace {SYSTEM} was read",
            code="unknown-cluster",
            hint="the snapshot must hold its namespaces, and the user must be allowed to read them",
        )
    if not now.uid:
        raise BindError(
            f"namespace {SYSTEM} cannot be read, so that this may be another cluster than that of {what}",
            code="unknown-cluster",
            hint="that takes the right to get namespaces",
        )
    if plan.cluster.uid != now.uid:
        raise BindError(
            f"{what} is for another cluster: {plan.cluster.context} ({SYSTEM} uid {plan.cluster.uid[:8]}), "
            f"and this one has {SYSTEM} uid {now.uid[:8]}",
            code="other-cluster",
            hint="choose the cluster with --context",
        )
