"""The rules a plan was made by, part by part: under others it is not carried out, and what differs is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kplan.api import Scheduler
from kplan.bind.plan.fields import changed, digest
from kplan.bind.plan.profiles import OWN_NAME, held, with_profiles
from kplan.config import features
from kplan.objects.models import Pod
from kplan.result.document_bind import BindGuard, BindPod
from kplan.words import listed

VERSION, GATES = "Kubernetes version", "feature gates"
_PLAIN = (VERSION, GATES)
"""Parts that are kept as they are, so that both can be told; of the others there are digests."""
_DEFAULTS = "as by default"


def rules_of(scheduler: Scheduler, pods: Iterable[BindPod]) -> dict[str, str]:
    """Note the rules that the pods of a plan are bound by.

    Of the version the minor counts, as no patch changes what the scheduler decides.

    Args:
        scheduler: the rules.
        pods: of the plan; profiles of no pod that is bound do not count.
    """
    minor = f"1.{scheduler.features.version.minor}"
    default, gates = features(minor).features.gates, scheduler.features.gates
    other = sorted(f"{gate}={str(gate in gates).lower()}" for gate in default ^ gates)
    rules = {VERSION: minor, GATES: ",".join(other) or _DEFAULTS}
    if scheduler.configuration.extenders:
        rules["extenders"] = digest(scheduler.configuration.extenders)
    names = sorted({pod.scheduler for pod in pods if pod.result == "bind"})
    pipelines = with_profiles(scheduler.pipelines, names)
    for name in names:
        profile = pipelines[name].profile
        rules[f"plugins of profile {name}"] = digest(profile.plugins)
        rules[f"weights of profile {name}"] = digest(profile.weights)
        rules[f"percentageOfNodesToScore of profile {name}"] = digest(profile.percentage_of_nodes_to_score)
        rules |= {f"{plugin}Args of profile {name}": digest(args) for plugin, args in profile.args.items()}
    return rules


def rules_guards(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[BindGuard]:
    """Hold the rules that a plan was made by against those of now; one that does not tell its rules passes.

    Args:
        before: of the plan.
        now: of the same pods.
    """
    differ = changed(before, now) if before else []
    if not differ:
        return
    plain = [f"{part} {before[part]}, now {now[part]}" for part in _PLAIN if part in differ]
    others = [] if plain else differ  # version and gates have defaults of their own for all else
    told = "; ".join(plain) or f"{listed(others, most=4)} changed"
    text = f"the plan was made under other rules: {told}; plan again, or ask for those"
    flags = [f"--k8s-version {before[VERSION]}"] if VERSION in differ else []
    flags += [f"--feature-gates {_as_before(before[GATES], now[GATES])}"] if GATES in differ else []
    flags += ["--config FILE"] if others else []
    yield BindGuard(name="rules", state="needs", text=text, flag=" ".join(flags))


def held_by_rules(
    scheduler: Scheduler, permit: Mapping[str, tuple[str, ...]], there: Iterable[Pod], pods: Sequence[BindPod]
) -> Iterator[BindGuard]:
    """Look for what the rules of now would hold or bind themselves, whatever those of the plan were.

    Args:
        scheduler: the rules.
        permit: Permit plugins that kplan does not know, by profile.
        there: pods of the cluster.
        pods: of the plan.
    """
    known = {*scheduler.pipelines, OWN_NAME}
    for name in dict.fromkeys(pod.scheduler for pod in pods if pod.result == "bind" and pod.scheduler not in known):
        text = f"no profile here has the schedulerName {name} that the plan was made by"
        yield BindGuard(name="scheduler", state="needs", text=text, flag="--config FILE")
    by_key = {pod.key: pod for pod in there}
    pipelines = with_profiles(scheduler.pipelines, (pod.scheduler for pod in pods))
    for shown in pods:
        pod = by_key.get(shown.pod)
        if shown.result == "bind" and pod is not None:
            names = permit.get(shown.scheduler, ())
            cause = held(pipelines[shown.scheduler], names, scheduler.configuration.extenders, pod)
            if cause is not None:
                yield BindGuard(name="scheduler", state="no", text=f"{shown.pod}: {cause.text}")
                return


def _as_before(before: str, now: str) -> str:
    """The gates to give so that they are as they were: what is on now and was not, goes off."""
    was, current = _gates(before), _gates(now)
    back = {gate: "false" if value == "true" else "true" for gate, value in current.items()}
    return ",".join(f"{gate}={value}" for gate, value in sorted({**back, **was}.items()))


def _gates(text: str) -> dict[str, str]:
    return dict(part.split("=") for part in text.split(",")) if text != _DEFAULTS else {}
