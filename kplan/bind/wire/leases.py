"""Which schedulerNames a live scheduler answers for: the lease it holds says whether it lives.

Clocks of different machines differ. A lease counts as held while it has a holder and was renewed within its duration
by the API server's clock; where it looks expired, it is read a second time after a pause: whoever still renews it, by
whatever clock, changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import yaml
from msgspec import Struct

from kplan.bind.wire.client import Client
from kplan.sources.live.scheduler import OF_SCHEDULER, PODS, without_election
from kplan.sources.moments import seconds_of

NAMESPACE = "kube-system"
SCHEDULER = "kube-scheduler"
DEFAULT_NAME = "default-scheduler"
_SECOND_LOOK = 3.0
"""A scheduler renews its lease every 2 s by default."""
_DEFAULT_DURATION = 15


class Responsible(Struct, frozen=True):
    """Who answers for a schedulerName.

    Attributes:
        live: whether a live scheduler does, or may.
        text: how that is known.
    """

    live: bool
    text: str


Lease = tuple[str, str]
"""Namespace and name."""

_OF_SCHEDULER: Lease = (NAMESPACE, SCHEDULER)


def own_lease(configuration: Mapping[str, Any] | str | None) -> Lease:
    """Name the lease that a configuration has its scheduler hold.

    Args:
        configuration: a KubeSchedulerConfiguration that was accepted, parsed or as text; None for the default.
    """
    election = parsed(configuration).get("leaderElection") or {}
    return election.get("resourceNamespace") or NAMESPACE, election.get("resourceName") or SCHEDULER


def elects(configuration: Mapping[str, Any] | str | None) -> bool:
    """Whether a configuration has its scheduler hold a lease at all; see ``own_lease``."""
    return (parsed(configuration).get("leaderElection") or {}).get("leaderElect") is not False


def parsed(configuration: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    """Give a configuration that was accepted, parsed or as text, as a map; an empty one for the default."""
    return (yaml.safe_load(configuration) if isinstance(configuration, str) else configuration) or {}


def find_responsible(
    client: Client, names: Iterable[str], profiles: Iterable[str], own: Lease = _OF_SCHEDULER, *, elected: bool = True
) -> dict[str, Responsible]:
    """Find out for each schedulerName whether a live scheduler answers for it.

    The lease of a profile's scheduler is the one that its configuration names, or kube-scheduler's; a second scheduler
    is mostly set up with one that is called as its profile. One that was told to hold none is known by its pod.

    Args:
        client: the server.
        names: schedulerNames of the pods.
        profiles: names of the profiles of the cluster's own scheduler, as far as known.
        own: lease that the configuration of these profiles names.
        elected: whether that configuration has it hold one.

    Raises:
        LiveError: the server does not answer.
    """
    known = {*profiles, DEFAULT_NAME}
    leases = {name: _leases(name, own, known=name in known) for name in sorted(set(names))}
    looks = {lease: _look(client, lease) for lease in sorted({lease for some in leases.values() for lease in some})}
    if any(look.expired for look in looks.values()):
        client.stop.sleep(_SECOND_LOOK)
        again = {lease: _look(client, lease) for lease, look in looks.items() if look.expired}
        looks |= {lease: look.against(looks[lease]) for lease, look in again.items()}
    verdicts = {name: _verdict(some, own, looks) for name, some in leases.items()}
    if any(name in known and not verdict.live for name, verdict in verdicts.items()):
        reply = client.read(PODS, OF_SCHEDULER, what="looking for a scheduler without a lease")
        pod = without_election(reply.body, elects=elected) if reply.ok else ""
        if pod:
            runs = Responsible(True, f"pod {NAMESPACE}/{pod} runs, and holds no lease (--leader-elect=false)")
            verdicts |= {name: runs for name, verdict in verdicts.items() if name in known and not verdict.live}
    return verdicts


def _leases(name: str, own: Lease, *, known: bool) -> tuple[Lease, ...]:
    """Leases of which one is held while a scheduler answers for a name, the likeliest first."""
    if not known:
        return ((NAMESPACE, name),)
    return tuple(dict.fromkeys((own, _OF_SCHEDULER, *([(NAMESPACE, name)] if name != DEFAULT_NAME else []))))


class _LeaseSeen(Struct, frozen=True):
    state: str
    holder: str = ""
    renewed: str = ""
    text: str = ""

    @property
    def expired(self) -> bool:
        return self.state == "expired"

    def against(self, former: _LeaseSeen) -> _LeaseSeen:
        if self.expired and self.renewed != former.renewed:
            return _LeaseSeen("held", self.holder, self.renewed, "renewed a moment ago")
        return self


class _LeaseSpec(msgspec.Struct, rename="camel"):
    holder_identity: str | None = None
    renew_time: str | None = None
    lease_duration_seconds: int | None = None


class _LeaseRecord(msgspec.Struct):
    spec: _LeaseSpec = msgspec.field(default_factory=_LeaseSpec)


_lease = msgspec.json.Decoder(_LeaseRecord)


def _look(client: Client, lease: Lease) -> _LeaseSeen:
    namespace, name = lease
    path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}"
    reply = client.read(path, what=f"asking for the lease {name}")
    if reply.status == 404:
        return _LeaseSeen("none")
    if not reply.ok:
        return _LeaseSeen("unknown", text=f"the lease {namespace}/{name} cannot be read")
    record = reply.typed(_lease)
    if record is None:
        return _LeaseSeen("unknown", text=f"the lease {namespace}/{name} is none")
    holder, renewed = record.spec.holder_identity or "", record.spec.renew_time or ""
    if not holder:
        return _LeaseSeen("none")
    age = reply.date - (seconds_of(renewed) or 0.0)
    if age > (record.spec.lease_duration_seconds or _DEFAULT_DURATION):
        return _LeaseSeen("expired", holder, renewed)
    return _LeaseSeen("held", holder, renewed, f"renewed {max(age, 0):.0f} s ago")


def _verdict(leases: Sequence[Lease], own: Lease, looks: Mapping[Lease, _LeaseSeen]) -> Responsible:
    """Judge by the first lease that says something: one that is held, or may be, before all others."""
    for lease in leases:
        look = looks[lease]
        if look.state == "held":
            return Responsible(True, f"{look.holder} holds the lease {'/'.join(lease)} ({look.text})")
    for lease in leases:
        if looks[lease].state == "unknown":
            return Responsible(lease in (own, _OF_SCHEDULER), looks[lease].text)
    for lease in leases:
        look = looks[lease]
        if look.state == "expired":
            return Responsible(False, f"the lease {'/'.join(lease)} has expired, last held by {look.holder}")
    return Responsible(False, f"no lease {'/'.join(leases[0])} is held")
