"""Redaction: a state under false names that gets the same verdicts.

Every name is replaced by a pseudonym that keeps its order among the names of its kind (ties go by name), and the same
name gets the same pseudonym wherever it stands: in selectors, affinities, claims, owners, taints. Its length tells
nothing. Integers stay (Gt and Lt compare them), as do times, UUIDs, the words and keys of ``redact_words``, resources
of Kubernetes and of makers of hardware, and what drivers and classes of devices are called and say, but for
what says which device it is. Which text of a model is what stands in ``redact_rules``; a text
without a rule is dropped.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from kplan.objects.kinds import BY_MODEL, KINDS
from kplan.objects.lean import whole_type
from kplan.objects.models import Model, Object, Pod
from kplan.objects.state import BrokenObject, ClusterState, Completeness, KnownScheduler
from kplan.sources.redact_names import NODE, NameTaker, Pseudonyms, SeenNames
from kplan.sources.redact_rules import REVISION_LABEL, fields_of
from kplan.sources.redact_scheduler import hidden_configuration
from kplan.sources.redact_words import is_plain, release_of
from kplan.sources.schedulers import ASSUMED

_GATE = re.compile(r"[A-Z][A-Za-z0-9]{3,80}")
"""What a feature gate is called like."""

_GROUP = "NodeGroup"
"""What names of node groups are among other names."""

_TOKEN = re.compile(r"redacted\.example/[a-z]+-[0-9]+|198\.(?:18|19)\.[0-9]+\.[0-9]+|[a-z]+-[0-9]+(?:-z[0-9]+)?(?::x)?")
"""What a pseudonym may look like."""


def redact(state: ClusterState) -> tuple[ClusterState, dict[str, str]]:
    """Replace names by pseudonyms.

    Returns:
        the state under false names, and the true name of each pseudonym.
    """
    seen = SeenNames()
    for item in (*state.objects(), *_of_templates(state)):
        _walk(item, seen)
    for group in state.node_templates:
        seen.name(_GROUP, group)
    claims = _claims_of_pods(state.pods)
    if state.scheduler.configuration is not None:
        hidden_configuration(state.scheduler.configuration, seen)
    names = Pseudonyms(seen, claims)
    objects = [_walk(item, names) for item in state.objects()]
    redacted = ClusterState.of(
        objects,
        source="redacted",
        server_version=release_of(state.server_version),
        taken=state.taken if is_plain(state.taken) else "",
        completeness=_completeness(state.completeness),
        node_templates={
            names.name(_GROUP, group): (_walk(node, names), tuple(_walk(pod, names) for pod in pods))
            for group, (node, pods) in state.node_templates.items()
        },
        scheduler=_scheduler(state.scheduler, names),
    )
    return redacted, names.truth()


def unredact(text: str, truth: Mapping[str, str]) -> str:
    """Put the true names back into an answer about a redacted state.

    Args:
        text: any text; what is no pseudonym stays.
        truth: what ``redact`` gave beside the state.
    """

    def true_name(match: re.Match[str]) -> str:
        word = match[0]
        if word in truth:
            return truth[word]
        head, dash, tail = word.rpartition("-")
        return truth[head] + dash + tail if head in truth else word

    return _TOKEN.sub(true_name, text)


def _of_templates(state: ClusterState) -> Iterator[Object]:
    """Yield the nodes that node groups would add, and their pods."""
    for node, pods in state.node_templates.values():
        yield node
        yield from pods


def _walk(item: Any, names: NameTaker) -> Any:
    """Copy a model with each text replaced by its rule, and all models below."""
    changes: dict[str, Any] = {}
    model: type[msgspec.Struct] = type(item)
    for field, rule in fields_of(whole_type(model)):
        value = getattr(item, field)
        if value is not None:
            changes[field] = rule(names, value, item) if rule else _below(value, names)
    if isinstance(item, Object) and item.metadata.name:
        changes["metadata"] = msgspec.structs.replace(changes["metadata"], name=_name_of(item, names))
    return msgspec.structs.replace(item, **changes) if changes else item


def _name_of(item: Object, names: NameTaker) -> str:
    """Replace the name of an object; a CSINode's is that of the node, a revision's what its pods say.

    Drivers and classes of devices keep theirs.
    """
    kind = BY_MODEL[type(item)].name
    if kind in ("CSIDriver", "DeviceClass"):
        return item.name
    if kind == "ControllerRevision":
        return names.value(REVISION_LABEL, item.name)
    return names.name(NODE if kind == "CSINode" else kind, item.name)


def _below(value: Any, names: NameTaker) -> Any:
    if isinstance(value, Model):
        return _walk(value, names)
    if isinstance(value, list):
        return [_below(part, names) for part in value]
    return value


def _claims_of_pods(pods: Iterable[Pod]) -> Iterator[tuple[str, str]]:
    """Yield pod and volume of each claim that is named after them."""
    for pod in pods:
        for volume in pod.spec.volumes or ():
            if volume.ephemeral is not None:
                yield pod.name, volume.name


def _completeness(known: Completeness) -> Completeness:
    """Keep what is missing, without the names."""
    kinds = {kind.name for kind in KINDS}
    hidden = "a name that was redacted"
    return Completeness(
        counts=known.counts,
        unknown={"redacted": sum(known.unknown.values())} if known.unknown else {},
        broken=tuple(
            BrokenObject(broken_object.kind if broken_object.kind in kinds else "", hidden, "", hidden)
            for broken_object in known.broken
        ),
        notes=("names, label values and images are pseudonyms",),
        layouts=known.layouts,
        absences=known.absences,
        partial=known.partial,
        versions={kind: version for kind, version in known.versions.items() if is_plain(version)},
    )


def _scheduler(known: KnownScheduler, names: NameTaker) -> KnownScheduler:
    """Keep what is known of the scheduler, unless its configuration says more than what the defaults are made of."""
    doubt = (
        f"how the scheduler is configured was not known when the snapshot was taken: {ASSUMED}" if known.doubt else ""
    )
    gates = {gate: on for gate, on in known.gates.items() if _GATE.fullmatch(gate)}
    if known.configuration is None:
        return KnownScheduler(gates=gates, doubt=doubt)
    hidden = hidden_configuration(known.configuration, names)
    if hidden is None:
        left_out = f"the configuration of the scheduler holds names and was left out: {ASSUMED}"
        return KnownScheduler(gates=gates, doubt=left_out)
    return KnownScheduler(configuration=hidden, gates=gates, doubt=doubt)


__all__ = ["redact", "unredact"]
