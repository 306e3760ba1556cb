"""Profiles that kplan binds for, and what keeps it from that: Permit plugins, and extenders that it may not call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from kplan.bind.wire.leases import DEFAULT_NAME, parsed
from kplan.config import is_interested
from kplan.framework.args import Extender
from kplan.framework.codes import Point
from kplan.objects.models import Pod
from kplan.pipeline import Pipeline
from kplan.plugins.registry import REGISTRY
from kplan.result.document_base import Cause

OWN_NAME = "kplan"
"""The schedulerName of pods that wait for kplan, whatever profiles there are."""


def with_profiles(pipelines: Mapping[str, Pipeline], names: Iterable[str] = ()) -> dict[str, Pipeline]:
    """Give kplan's own schedulerName the rules of the default profile, if it has no profile.

    Args:
        pipelines: of the profiles.
        names: further schedulerNames that were planned by those rules.
    """
    names = {OWN_NAME, *names}
    made = dict(pipelines)
    base = made.get(DEFAULT_NAME) or next(iter(made.values()))
    for name in sorted(names - set(made)):
        made[name] = replace(base, profile=replace(base.profile, scheduler_name=name))
    return made


def permit_plugins(configuration: Mapping[str, Any] | str | None) -> dict[str, tuple[str, ...]]:
    """Name the unknown plugins that a configuration enables at Permit, by scheduler name.

    Args:
        configuration: a KubeSchedulerConfiguration that was accepted, parsed or as text; None for the default.
    """
    by_profile: dict[str, tuple[str, ...]] = {}
    for profile in parsed(configuration).get("profiles") or ():
        plugins = (profile.get("plugins") or {}).get("permit") or {}
        names = tuple(plugin["name"] for plugin in plugins.get("enabled") or () if plugin["name"] not in REGISTRY)
        if names:
            by_profile[profile.get("schedulerName") or DEFAULT_NAME] = names
    return by_profile


def binding_extender(extenders: Iterable[Extender], pod: Pod) -> Extender | None:
    """Find the extender that binds a pod in the scheduler's place; None where the scheduler does it.

    An extender with a ``bindVerb`` binds every pod that it is interested in: all, or those that ask for a resource it
    manages. What it does beside the binding (most such extenders give out devices) kplan cannot know.

    Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go extendersBinding; pkg/scheduler/extender.go IsBinder.
    """
    return next((extender for extender in extenders if extender.bind_verb and is_interested(extender, pod)), None)


def held(pipeline: Pipeline, unknown: Sequence[str], extenders: Iterable[Extender], pod: Pod) -> Cause | None:
    """Tell what the rules of a pod do after it has a node that kplan does not do; None if nothing.

    Args:
        pipeline: of its profile.
        unknown: Permit plugins of the profile that kplan does not know.
        extenders: of the configuration.
        pod: the pod.
    """
    known = (plugin.name for plugin in pipeline.at(Point.PERMIT))
    names = (*unknown, *(name for name in known if name != "GangScheduling"))  # that holds groups alone
    if names:
        name = pipeline.profile.scheduler_name
        text = f"its profile {name} has Permit plugins, which kplan does not run: {', '.join(names)}"
        return Cause(code="permit", text=text)
    binder = binding_extender(extenders, pod)
    if binder is not None and not pipeline.callers:
        text = f"the extender {binder.shown} binds it in the scheduler's place (--call-extenders has it do so)"
        return Cause(code="extender-binds", text=text)
    return None
