"""Which schedulerNames a live scheduler answers for: the lease it holds says whether it lives.

Clocks of different machines differ. A lease counts as held while it has a holder and was renewed within its duration
by the API server's clock; where it looks expired, it is read a second time after a pause: whoever still renews it, by
whatever clock, changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kplan.bind.client import Client
from kplan.sources.moments import seconds_of

NAMESPACE = "kube-system"
SCHEDULER = "kube-scheduler"
DEFAULT_NAME = "default-scheduler"
_SECOND_LOOK = 3.0
"""A scheduler renews its lease every 2 s by default."""
_DEFAULT_DURATION = 15


@dataclass(frozen=True, slots=True)
class Responsible:
    """Who answers for a schedulerName.

    Attributes:
        live: whether a live scheduler does, or may.
        text: how that is known.
    """

    live: bool
    text: str


def find_responsible(client: Client, names: Iterable[str], profiles: Iterable[str]) -> dict[str, Responsible]:
    """Find out for each schedulerName whether a live scheduler answers for it.

    Args:
        client: the server.
        names: schedulerNames of the pods.
        profiles: names of the profiles of the cluster's own scheduler, as far as known.

    Raises:
        LiveError: the server does not answer.
    """
    wanted = sorted(set(names))
    own = {*profiles, DEFAULT_NAME}
    leases = sorted({SCHEDULER if name in own else name for name in wanted})
    looks = {lease: _look(client, lease) for lease in leases}
    if any(look.expired for look in looks.values()):
        client.stop.sleep(_SECOND_LOOK)
        again = {lease: _look(client, lease) for lease, look in looks.items() if look.expired}
        looks |= {lease: look.against(looks[lease]) for lease, look in again.items()}
    return {name: _verdict(name, SCHEDULER if name in own else name, looks) for name in wanted}


@dataclass(frozen=True, slots=True)
class _Look:
    state: str
    holder: str = ""
    renewed: str = ""
    text: str = ""

    @property
    def expired(self) -> bool:
        return self.state == "expired"

    def against(self, former: _Look) -> _Look:
        if self.expired and self.renewed != former.renewed:
            return _Look("held", self.holder, self.renewed, "renewed a moment ago")
        return self


def _look(client: Client, lease: str) -> _Look:
    path = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/{lease}"
    reply = client.read(path, what=f"asking for the lease {lease}")
    if reply.status == 404:
        return _Look("none")
    if not reply.ok:
        return _Look("unknown", text=f"the lease {NAMESPACE}/{lease} cannot be read")
    spec: Mapping[str, Any] = reply.object().get("spec") or {}
    holder = str(spec.get("holderIdentity") or "")
    renewed = str(spec.get("renewTime") or "")
    if not holder:
        return _Look("none")
    age = reply.date - (seconds_of(renewed) or 0.0)
    if age > float(spec.get("leaseDurationSeconds") or _DEFAULT_DURATION):
        return _Look("expired", holder, renewed)
    return _Look("held", holder, renewed, f"renewed {max(age, 0):.0f} s ago")


def _verdict(name: str, lease: str, looks: Mapping[str, _Look]) -> Responsible:
    look = looks[lease]
    if look.state == "held":
        return Responsible(True, f"{look.holder} holds the lease {NAMESPACE}/{lease} ({look.text})")
    if look.state == "unknown":
        return Responsible(lease == SCHEDULER, look.text)
    if look.state == "expired":
        return Responsible(False, f"the lease {NAMESPACE}/{lease} has expired, last held by {look.holder}")
    return Responsible(False, f"no lease {NAMESPACE}/{lease} is held")
