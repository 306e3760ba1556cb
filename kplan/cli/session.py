"""What every command begins with: the state, the rules, and where both are from."""

from __future__ import annotations

import copy
import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from msgspec.structs import replace as changed

from kplan.cli.options import Rules, Source
from kplan.cli.progress import ACTIVITY
from kplan.cli.rules_given import Configuration, calling, make_rules, read_configuration, read_gates
from kplan.errors import UsageError

if TYPE_CHECKING:
    from kplan.api import Scheduler
    from kplan.cli.source import StateRead
    from kplan.cluster import Cluster
    from kplan.framework.doubt import Doubt
    from kplan.objects.state import ClusterState
    from kplan.result.document_base import Origin
    from kplan.result.document_usage import Drawing, NodeUsage, NodeVerdicts
    from kplan.result.document_whatif import WhatIfStep
    from kplan.scenario.autoscaling import AutoscaleReplicas, AutoscaleRequests
    from kplan.sources import Manifests


@dataclasses.dataclass
class Session:
    """A state that was read, and the rules to answer by.

    Attributes:
        state: the state; requests are filled in as the API server fills them in.
        scheduler: the rules.
        origin: where the state is from.
        started: when reading began [seconds].
        loaded: when it ended.
        assumed: why the scheduler of this cluster may be configured otherwise; empty if it is known, or was not asked.
        configuration: what the rules were made of besides version and gates; None for the defaults.
        before: the state before what-ifs; None where there were none.
        what_if: what the what-ifs did.
        planned: the cluster as a plan left it; None where nothing was planned.
        left: how full nodes are then, where the cluster was not left so.
        limits: at which of their limits autoscalers are.
        where: context and kubeconfig of the cluster, as asked for.
        verdicts: what each node says to each of many pods; None where the document tells it.
    """

    state: ClusterState
    scheduler: Scheduler
    origin: Origin
    started: float
    loaded: float
    assumed: str = ""
    configuration: Configuration = None
    before: ClusterState | None = None
    what_if: tuple[WhatIfStep, ...] = ()
    planned: Cluster | None = None
    left: tuple[NodeUsage, ...] = ()
    limits: tuple[AutoscaleReplicas | AutoscaleRequests, ...] = ()
    where: tuple[str, str] = ("", "")
    verdicts: NodeVerdicts | None = None

    def see(self, cluster: Cluster) -> None:
        """Note how full nodes are as a plan leaves them, before it is taken back."""
        from kplan.studies.usage import usage

        self.left = usage(cluster, usage(self.scheduler.cluster(self.before or self.state)))

    def nodes(self) -> tuple[NodeUsage, ...]:
        """Tell how full nodes are, and were before what-ifs and plans."""
        from kplan.studies.usage import usage

        if self.left:
            return self.left
        first = usage(self.scheduler.cluster(self.before or self.state))
        if self.planned is not None:
            return usage(self.planned, first)
        return usage(self.scheduler.cluster(self.state), first) if self.before is not None else first

    def drawing(self) -> Drawing:
        """Give what the HTML report draws beside a document."""
        from kplan.result.document_usage import Drawing

        return Drawing(nodes=self.nodes(), verdicts=self.verdicts)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Doubts about version and configuration."""
        from kplan.framework.doubt import Doubt
        from kplan.sources.schedulers import DOUBT

        assumed = [Doubt(code=DOUBT, text=self.assumed)] if self.assumed else []
        if not self.limits:
            return (*self.scheduler.doubts, *assumed)
        from kplan.wording.manifests import no_autoscaler

        return (*self.scheduler.doubts, *assumed, *map(no_autoscaler, self.idle_limits()))

    def idle_limits(self, manifests: Manifests | None = None) -> tuple[str, ...]:
        """Flags of limits that change nothing, as no autoscaler is there, nor in manifests."""
        from kplan.scenario.autoscaling import idle_limits
        from kplan.sources import Manifests

        return tuple(idle_limits(manifests or Manifests(), self.state, self.limits))

    def timings(self, planned: float, rendered: float) -> dict[str, float]:
        """How long each part took [seconds]."""
        return {
            "loadSeconds": round(self.loaded - self.started, 3),
            "planSeconds": round(planned - self.loaded, 3),
            "renderSeconds": round(rendered - planned, 3),
        }


def open_session(source: Source, rules: Rules) -> Session:
    """Read the state and make the rules of one version.

    Args:
        source: file, folder or cluster.
        rules: version, gates and configuration that are asked for.

    Raises:
        UsageError: a file and a cluster are both named, or there is neither; or two versions are named.
        SourceError: the source is broken.
        LiveError: the cluster gives no answer.
        ConfigError: version, gates or configuration are refused.
    """
    one_version(rules.k8s_version, source.snapshot)
    return open_sessions(source, rules)[0]


def one_version(text: str, snapshot: str = "") -> None:
    """Refuse two versions where an answer is about one.

    Raises:
        UsageError: there are two.
    """
    if "," in text:
        where = f" --snapshot {shlex.quote(snapshot)}" if snapshot else ""
        hint = f"kplan diff --k8s-version {text}{where} compares where pods go"
        raise UsageError(f"--k8s-version {text}: this command takes one version", code="one-version", hint=hint)


def open_sessions(source: Source, rules: Rules) -> list[Session]:
    """Read the state once and make the rules of each version: of one, or of two as in ``1.35,1.37``.

    Raises:
        UsageError: a file and a cluster are both named, or there is neither; or the versions are no two.
        SourceError: the source is broken.
        LiveError: the cluster gives no answer.
        ConfigError: version, gates or configuration are refused.
    """
    with ACTIVITY.stopped_at_once():
        return _opened(source, rules)


def _opened(source: Source, rules: Rules) -> list[Session]:
    from kplan.cli.notes import tell_completeness
    from kplan.cli.source import read_source

    started = perf_counter()
    ACTIVITY.begin("reading")
    versions = rules.k8s_version.split(",")
    if len(versions) > 2 or (len(versions) == 2 and not all(versions)):
        raise UsageError(f"--k8s-version {rules.k8s_version}", code="bad-version", hint="two versions, as 1.35,1.37")
    gates, config = read_gates(rules.feature_gates), read_configuration(rules)
    read = read_source(source)
    tell_completeness(read.state.completeness)
    ACTIVITY.begin("planning")
    apart = [replace(read, state=state_apart(read.state)) for _ in versions[1:]]
    asked = [replace(rules, k8s_version=version) for version in versions]
    return [
        session_of(state_read, of, gates, config, started) for state_read, of in zip([read, *apart], asked, strict=True)
    ]


def state_apart(state: ClusterState) -> ClusterState:
    """The same state with pods of its own: versions fill in requests of the whole pod in different ways, in place."""
    pods = tuple(
        changed(pod, spec=copy.deepcopy(pod.spec)) if pod.spec.resources is not None else pod for pod in state.pods
    )
    return replace(state, pods=pods)


def make_session(read: StateRead, rules: Rules, started: float) -> Session:
    """Make the rules for a state that was read, by the options as given; see ``session_of``.

    Raises:
        UsageError: gates that are none.
        ConfigError: version, gates or configuration are refused.
    """
    return session_of(read, rules, read_gates(rules.feature_gates), read_configuration(rules), started)


def session_of(read: StateRead, rules: Rules, gates: Mapping[str, bool], config: str | None, started: float) -> Session:
    """Make the rules for a state that was read.

    Args:
        read: the state.
        rules: options as given.
        gates: feature gates among them.
        config: the configuration among them, as ``read_configuration`` gives it; None for none.
        started: when reading began [seconds].

    Raises:
        ConfigError: version, gates or configuration are refused.
    """
    from kplan.api import fill_in
    from kplan.cli.groups_seen import seen
    from kplan.result.document_base import Known
    from kplan.studies.origin import origin, version_of

    state = read.state
    version, how = version_of(state, rules.k8s_version)
    gates, doubt = seen(state, gates, version)
    given = make_rules(read, version, gates, config, rules.config or rules.policy)
    if doubt is not None:
        given = replace(given, scheduler=replace(given.scheduler, doubts=(*given.scheduler.doubts, doubt)))
    scheduler = calling(given.scheduler, read, rules.extender_calls) if rules.call_extenders else given.scheduler
    scheduler = scheduler.for_all(rules.as_scheduler) if rules.as_scheduler else scheduler
    fill_in(state, scheduler)
    age = round(perf_counter() - started) if read.live else None
    how = Known.SERVER if read.live and how is Known.RECORDED else how
    about = origin(state, scheduler.features, version, how, via=read.via, age=age)
    about = changed(about, configuration=given.origin)
    times = (started, perf_counter())
    return Session(state, scheduler, about, *times, given.assumed, given.configuration, where=read.where)
