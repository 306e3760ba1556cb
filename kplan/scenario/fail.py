"""Fail: nodes, or a zone of them, are lost at once."""

from __future__ import annotations

from dataclasses import dataclass

from kplan.cluster import Cluster
from kplan.scenario.effect import Effect
from kplan.scenario.names import find_nodes
from kplan.scenario.nodes import removal
from kplan.words import listed


@dataclass(frozen=True, slots=True)
class Fail:
    """Nodes are lost with all that ran there; controllers make the pods again once the nodes are gone from the API.

    Attributes:
        nodes: a name, ``zone=a``, or a label selector.
    """

    nodes: str

    @property
    def flag(self) -> str:
        """See Verb."""
        return f"--fail {self.nodes}"

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        names = find_nodes(cluster, self.nodes)
        return removal(cluster, names, f"{listed(names)} lost")
