"""What stands before a plan or a run: the cluster's identity and clock, its scheduler, and the rights of the user."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from kplan.bind.client import Client
from kplan.bind.flags import Flags
from kplan.bind.journal import Journal
from kplan.bind.perform import Performer
from kplan.bind.rights import Needs, missing
from kplan.bind.run import rehearse
from kplan.errors import BindError
from kplan.objects.models import Namespace
from kplan.objects.requests import RequestRules
from kplan.objects.state import ClusterState
from kplan.result.document_bind import BindGuard, BindPlan, BindPod, BindTarget, BindTotals
from kplan.sources.live import failures
from kplan.studies.words import count, listed

SYSTEM = "kube-system"


@dataclass(frozen=True)
class Identity:
    """Which cluster it is, and what time it is there.

    Attributes:
        uid: of its namespace ``kube-system``; empty if it may not be read.
        time: of its own clock [seconds since 1970].
    """

    uid: str
    time: float


def identify(client: Client) -> Identity:
    """Ask a cluster for its identity.

    Raises:
        LiveError: it does not answer, or not to these credentials.
    """
    what = "asking for the cluster's identity"
    reply = client.read(f"/api/v1/namespaces/{SYSTEM}", what=what)
    if reply.status == 401:
        raise failures.of_status(reply.status, reply.body, what, client.server, client.context)
    uid = (reply.object().get("metadata") or {}).get("uid") if reply.ok else ""
    return Identity(str(uid or ""), client.server_time)


def of_state(state: ClusterState, taken: float) -> Identity:
    """Identity of the cluster that a snapshot was taken of."""
    found: Iterable[Namespace] = (item for item in state.namespaces if item.name == SYSTEM)
    return Identity(next((item.metadata.uid or "" for item in found), ""), taken)


def same_cluster(plan: BindPlan, now: Identity, what: str) -> None:
    """Make sure that a plan is for this cluster.

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
            hint="it takes the right to get namespaces",
        )
    if plan.cluster.uid != now.uid:
        raise BindError(
            f"{what} is for another cluster: {plan.cluster.context} ({SYSTEM} uid {plan.cluster.uid[:8]}), "
            f"and this one has {SYSTEM} uid {now.uid[:8]}",
            code="other-cluster",
            hint="choose the cluster with --context",
        )


def age_guard(plan: BindPlan, now: Identity, flags: Flags) -> BindGuard:
    """Hold the age of what was shown against ``--max-age``, by the server's clock alone."""
    if not plan.cluster.server_time or not now.time:
        state = "needs" if flags.max_age else "ok"
        return BindGuard(name="age", state=state, text="nobody knows how old the plan is", flag="--max-age 0")
    age = now.time - plan.cluster.server_time
    told = f"the state of the plan was read {_ago(age)} ago"
    if flags.max_age and age > flags.max_age:
        return BindGuard(name="age", state="needs", text=told, flag=f"--max-age {math.ceil(age / 60) * 60 + 60}")
    if age < -60:
        return BindGuard(
            name="age", state="needs", text=f"the plan is from the future ({_ago(-age)})", flag="--max-age 0"
        )
    return BindGuard(name="age", state="ok", text=told)


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def needs_of(totals: BindTotals, flags: Flags) -> Needs:
    """Tell which rights the writes of a plan need."""
    return Needs(
        claims=bool(totals.claims),
        volumes=bool(totals.volumes),
        preempt=bool(totals.evictions),
        create=bool(totals.creations),
        events=flags.events,
    )


def rights_guard(client: Client, plan: BindPlan, flags: Flags) -> BindGuard:
    """Ask for every right the plan needs, before the first write.

    Raises:
        LiveError: the server does not say.
    """
    bound = [pod for pod in plan.pods if pod.result == "bind"]
    if not bound:
        return BindGuard(name="rights", state="--", text="nothing to write")
    namespaces = {pod.pod.partition("/")[0] for pod in bound}
    namespaces |= {victim.pod.partition("/")[0] for pod in bound for victim in pod.evicts}
    needs = needs_of(plan.totals, flags)
    lacking = missing(client, needs, namespaces)
    if lacking:
        text = f"missing: {listed([str(right) for right in lacking], most=4)} (--print-rbac prints a ClusterRole)"
        return BindGuard(name="rights", state="no", text=text)
    told = ["pods/binding create"]
    told += ["pvc update"] if needs.claims else []
    told += ["pv update"] if needs.volumes else []
    told += ["pods/eviction create", "pods/status patch"] if needs.preempt else []
    told += ["pods create"] if needs.create else []
    told += ["events create"] if needs.events else []
    return BindGuard(name="rights", state="ok", text=", ".join(told))


def dry_run_guard(client: Client | None, plan: BindPlan, rules: RequestRules, flags: Flags, *, send: bool) -> BindGuard:
    """Send the writes of a plan with ``dryRun=All`` if that is asked for.

    Raises:
        LiveError: the server does not answer.
    """
    if client is None or not send:
        return BindGuard(name="dry run", state="--", text="not sent: with --apply, or --server-dry-run")
    todo = [pod for pod in plan.pods if pod.result == "bind"]
    problems = [(pod, held) for pod, held in rehearse(Performer(client, Journal("")), todo, rules, flags)]
    if problems:
        pod, held = problems[0]
        more = f"; {count(len(problems) - 1, 'more pod')} refused" if len(problems) > 1 else ""
        return BindGuard(name="dry run", state="no", text=f"{pod.pod}: {held.message}{more}")
    return BindGuard(name="dry run", state="ok", text=f"the server accepts the writes of {count(len(todo), 'pod')}")


def with_guards(plan: BindPlan, more: Sequence[BindGuard]) -> tuple[BindGuard, ...]:
    """Guards of a plan with others of the same name replaced."""
    names = {guard.name for guard in more}
    return (*(guard for guard in plan.guards if guard.name not in names), *more)


def new_run() -> str:
    """Make a name for a run."""
    return secrets.token_hex(4)


def target(client: Client, identity: Identity, resource_version: str) -> BindTarget:
    """Describe the cluster a plan is for."""
    return BindTarget(
        context=client.context,
        uid=identity.uid,
        server=client.server,
        server_time=identity.time,
        resource_version=resource_version,
    )


def only_bound(plan: BindPlan, pods: Iterable[str]) -> BindPlan:
    """A plan of some of its pods."""
    wanted = set(pods)
    kept: tuple[BindPod, ...] = tuple(pod for pod in plan.pods if pod.pod in wanted)
    return msgspec.structs.replace(plan, pods=kept)
