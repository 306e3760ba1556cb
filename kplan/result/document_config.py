"""What is shown of a scheduler's configuration: the profiles in effect, and what an older one migrates to."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document_base import ApiVersion, Document, Origin, Part


class ConfiguredPlugin(Part, frozen=True, kw_only=True):
    """A plugin at an extension point.

    Attributes:
        name: the plugin.
        origin: what put it there: ``default``, ``policy``, or a place in the file.
        weight: of its scores; none at other points.
        modelled: whether kplan has it; the others are planned without.
    """

    name: str
    origin: str
    weight: int = 0
    modelled: bool = True


class ConfiguredPoint(Part, frozen=True, kw_only=True):
    """An extension point and its plugins, in running order."""

    point: str
    plugins: tuple[ConfiguredPlugin, ...]


class ConfiguredArgument(Part, frozen=True, kw_only=True):
    """One argument of a plugin.

    Attributes:
        plugin: the plugin.
        name: its field, as in the file.
        value: as in the file.
        origin: ``default``, ``policy``, or a place in the file.
    """

    plugin: str
    name: str
    value: Any
    origin: str


class ConfiguredDifference(Part, frozen=True, kw_only=True):
    """One way in which a profile is not the default one of the release.

    Attributes:
        code: what differs.
        text: it, in words.
        plugin: whose; none for the profile.
        points: extension points it is about.
        name: of an argument.
        default: what it would be.
        here: what it is.
    """

    code: Literal["added", "removed", "weight", "order", "argument", "percentage"]
    text: str
    plugin: str = ""
    points: tuple[str, ...] = ()
    name: str = ""
    default: Any = None
    here: Any = None


class ConfiguredProfile(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One profile in effect.

    Attributes:
        scheduler_name: of the pods it is for.
        percentage_of_nodes_to_score: 0 for adaptive [percent].
        points: extension points that have plugins.
        arguments: of plugins that run.
        differences: from the default profile of the release.
    """

    scheduler_name: str
    percentage_of_nodes_to_score: int
    points: tuple[ConfiguredPoint, ...]
    arguments: tuple[ConfiguredArgument, ...]
    differences: tuple[ConfiguredDifference, ...]


class ConfiguredExtender(Part, frozen=True, kw_only=True):
    """One HTTP extender.

    Attributes:
        url: where it listens.
        verbs: what it is asked: filter, prioritize, preempt, bind.
        weight: of its scores.
        managed_resources: it is asked only about pods that request one of these; about all if there are none.
        ignorable: whether scheduling goes on while it does not answer.
        node_cache_capable: whether it is sent names of nodes instead of nodes.
        timeout: how long its answer may take, as in the file.
    """

    url: str
    verbs: tuple[str, ...]
    weight: int = 0
    managed_resources: tuple[str, ...] = ()
    ignorable: bool = False
    node_cache_capable: bool = False
    timeout: str = ""


class ConfigReport(Document, frozen=True, kw_only=True):
    """Document of ``kplan config``.

    Attributes:
        origin: where the configuration is from, and by which rules it is read.
        form: what it was written as: ``v1``, ``v1beta3``, ``v1beta2``, ``Policy``, a provider; empty for the defaults.
        profiles: in the order of the file.
        extenders: in the order in which they are asked.
        feature_gates: gates that are not as the release has them.
        doubts: why the scheduler may be configured otherwise.
    """

    api_version: ApiVersion
    origin: Origin = msgspec.field(name="from")
    form: str
    profiles: tuple[ConfiguredProfile, ...]
    extenders: tuple[ConfiguredExtender, ...] = ()
    feature_gates: dict[str, bool] = msgspec.field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()


class MigrationNote(Part, frozen=True, kw_only=True):
    """Something of the older configuration that is not in the new one, or does not mean quite the same.

    Attributes:
        path: where it stands.
        name: what it is.
        text: what has become of it.
    """

    path: str
    name: str
    text: str


class ConfigMigration(Document, frozen=True, kw_only=True):
    """Document of ``kplan config migrate``.

    Attributes:
        form: what the older configuration was written as.
        source: what it was read from.
        configuration: the KubeSchedulerConfiguration of v1.
        left_out: what has no equal in it.
        differs: what is carried over and does not mean quite the same.
    """

    api_version: ApiVersion
    form: str
    source: str
    configuration: dict[str, Any]
    left_out: tuple[MigrationNote, ...] = ()
    differs: tuple[MigrationNote, ...] = ()
