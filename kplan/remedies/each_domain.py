"""A node in each domain that pods spread over: where nodes in one domain help few, for the skew stops the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kplan.cluster import Cluster, PodInfo
from kplan.objects.well_known import HOSTNAME
from kplan.remedies.candidate import Candidate
from kplan.words import count, short_key

MOST_DOMAINS = 16
"""Of more domains none is given a node: nobody adds so many at once."""


@dataclass(frozen=True)
class Domains:
    """What some pods spread over.

    Attributes:
        key: label of nodes.
        values: its values on nodes that are there, in order.
    """

    key: str
    values: tuple[str, ...]

    def labels(self) -> tuple[dict[str, str], ...]:
        """Labels of one node in each."""
        return tuple({self.key: value} for value in self.values)

    def text(self, candidate: Candidate, rounds: int) -> str:
        """Say that so many nodes are added in each."""
        short = re.escape(short_key(self.key))
        plain = re.sub(rf", (another {short}|{short} [^,]+)", "", candidate.text)
        some = plain.replace("one more node", f"{rounds:,} more nodes", 1) if rounds > 1 else plain
        where = count(len(self.values), short_key(self.key))
        return f"{some} in each of {where}"


def domains_of(cluster: Cluster, pod: PodInfo) -> Domains | None:
    """What a pod has to spread over, if it is one kind of domain besides nodes, and there are several of it."""
    rules = pod.pod.spec.topology_spread_constraints or ()
    keys = {rule.topology_key for rule in rules if rule.when_unsatisfiable == "DoNotSchedule"} - {HOSTNAME}
    found = [
        Domains(key, tuple(sorted({node.labels[key] for node in cluster.nodes if key in node.labels}))) for key in keys
    ]
    several = [domains for domains in found if len(domains.values) > 1]
    return several[0] if len(several) == 1 and len(several[0].values) <= MOST_DOMAINS else None


def adds_a_node(candidate: Candidate) -> bool:
    """Whether a candidate is one more node and nothing else."""
    return bool(candidate.new_node) and candidate.edit is None and not candidate.parts
