"""Verbs without files: what one would read is read now, so that it can be taken on a machine that has no such file."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from kplan.admission import expand
from kplan.cluster import Cluster, to_state
from kplan.objects.models import Node
from kplan.scenario import Effect, ScenarioStep, Verb
from kplan.scenario.add_node import AddNode
from kplan.scenario.manifests import AddManifest, expansion_effect
from kplan.sources import Manifests, load_objects


@dataclass(frozen=True, slots=True)
class ApplyLoaded:
    """Manifests that were read are applied; see AddManifest.

    Attributes:
        flag: the verb as it was typed.
        name: the files, as they are told of.
        manifests: what is in them.
    """

    flag: str
    name: str
    manifests: Manifests

    def effect(self, cluster: Cluster) -> Effect:
        """See Verb."""
        found = expand(self.manifests, to_state(cluster), cluster.rules, namespace=self.manifests.namespace)
        return expansion_effect(cluster, found, f"{self.name} applied")


@dataclass(frozen=True, slots=True)
class AddLoaded(AddNode):
    """Nodes appear like one that was read from a file.

    Attributes:
        node: what each is like, with all that differs from the file.
    """

    node: Node | None = None

    def model(self, cluster: Cluster) -> tuple[Node, str]:
        """See AddNode."""
        assert self.node is not None
        return self.node, ""


def portable_node(verb: AddNode, cluster: Cluster) -> AddNode:
    """Read the file of a node that is added; a node like one that is there stays as it is.

    Raises:
        SourceError: the file is broken.
        UsageError: it does not hold one node.
    """
    if not verb.file:
        return verb
    given = {field.name: getattr(verb, field.name) for field in fields(verb)}
    return AddLoaded(**given, node=verb.model(cluster)[0])


def portable(step: Verb | ScenarioStep, cluster: Cluster) -> Verb | ScenarioStep:
    """Read the files that a step would read.

    Args:
        step: a step.
        cluster: the cluster as it is before.

    Raises:
        SourceError: a file is broken.
        UsageError: it does not hold what it should.
    """
    if isinstance(step, ScenarioStep):
        verb = portable(step.verb, cluster)
        assert not isinstance(verb, ScenarioStep)
        return replace(step, verb=verb)
    if isinstance(step, AddNode):
        return portable_node(step, cluster)
    if isinstance(step, AddManifest):
        manifests = load_objects(list(step.files), namespace=step.namespace)
        # where in the text each field stands is not needed any more, and is most of what would be sent
        manifests.objects = [replace(one, node=None) for one in manifests.objects]
        return ApplyLoaded(step.flag, ", ".join(step.files), manifests)
    return step
