"""What a command works with: the state, the rules, the server if there is one; from there to a plan and to a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kplan.api import Scheduler
from kplan.bind.flags import Flags
from kplan.bind.plan.document import Circumstances, first_pods, make_plan
from kplan.bind.plan.following import followed
from kplan.bind.plan.guards import age_guard, dry_run_guard, rights_guard, watch_guards
from kplan.bind.plan.kept import found_again
from kplan.bind.plan.manifests import ManifestPods, land, read_manifests
from kplan.bind.plan.profiles import permit_plugins, with_profiles
from kplan.bind.plan.rules import held_by_rules, rules_guards, rules_of
from kplan.bind.plan.show import Asked, show
from kplan.bind.plan.targets import Targets, meant
from kplan.bind.run.journal import Journal
from kplan.bind.run.live import LiveCluster
from kplan.bind.run.perform import Performer
from kplan.bind.run.record import JournalRecord
from kplan.bind.run.rehearsal import Rehearsal
from kplan.bind.run.run import Progress, Run
from kplan.bind.run.watch import Watches
from kplan.bind.wire.client import Client
from kplan.bind.wire.identity import Identity, same_cluster
from kplan.bind.wire.leases import Responsible, elects, find_responsible, own_lease
from kplan.framework.doubt import Doubt
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document_base import Origin
from kplan.result.document_bind import BindGuard, BindPlan, BindPod, BindResult, BindTarget
from kplan.scenario.names import DEFAULT_NAMESPACE


class Workbench(Struct, frozen=True):
    """What a command works with.

    Attributes:
        state: the state.
        scheduler: the rules.
        origin: where the state is from.
        doubts: about version and configuration.
        identity: the cluster's.
        configuration: KubeSchedulerConfiguration that was given or read; None for the default.
        client: the server; None for a snapshot.
        command: the command so far.
        cluster_words: options that name the cluster, for what to run next.
        rules_words: options that choose the rules, for what to run next.
        read_at: when reading began, by this machine's monotonic clock [seconds].
        namespace: of what names none; empty for ``default``.
    """

    state: ClusterState
    scheduler: Scheduler
    origin: Origin
    doubts: tuple[Doubt, ...]
    identity: Identity
    configuration: Mapping[str, Any] | str | None = None
    client: Client | None = None
    command: str = "kplan bind"
    cluster_words: str = ""
    rules_words: str = ""
    read_at: float = 0.0
    namespace: str = ""

    def plan(self, targets: Targets, flags: Flags, *, dry_run: bool = False) -> BindPlan:
        """Plan the pods that are meant.

        Args:
            targets: which.
            flags: what may be done.
            dry_run: send the writes with ``dryRun=All``, which is the only thing that is sent.

        Raises:
            SourceError: a manifest cannot be read.
            UsageError: a name means no pod, or a manifest is broken.
            LiveError: the server does not answer.
        """
        targets = targets.at_home(self.namespace)
        landing = self._land(targets)
        planner = self._planner(landing.state, flags)
        pods = meant(planner, targets, landing)
        responsible = self._responsible([pod.scheduler_name for pod in pods if pod.waiting])
        asked = Asked(
            pods=pods,
            planned=landing.planned,
            named=bool(targets.names or targets.files),
            responsible=responsible,
            permit=permit_plugins(self.configuration),
            extenders=self.scheduler.configuration.extenders,
        )
        shown, notes = show(planner, asked, flags)
        about = Circumstances(
            origin=self.origin,
            cluster=self._target(),
            responsible=responsible,
            doubts=self.doubts,
            objects=landing.objects,
            notes=(*landing.notes, *notes, *targets.no_namespace(self.state), *self._nowhere()),
            command=self.command,
            rules=rules_of(self.scheduler, shown),
            manifests=found_again(targets.files, targets.namespace or DEFAULT_NAMESPACE) if targets.files else None,
        )
        return self._guarded(shown, about, flags, (), dry_run=dry_run)

    def again(
        self, plan: BindPlan, flags: Flags, what: str, *, dry_run: bool = False, resumed: bool = False
    ) -> BindPlan:
        """Hold a plan that was shown before against the cluster as it is; the placements stay.

        Args:
            plan: the plan.
            flags: what may be done.
            what: name of the file the plan is from.
            dry_run: send the writes with ``dryRun=All``.
            resumed: whether it is that of a run that is resumed, however old.

        Raises:
            BindError: it is for another cluster.
            LiveError: the server does not answer.
        """
        same_cluster(plan, self.identity, what)
        pods = plan.pods if resumed else tuple(first_pods(plan.pods, flags.max_pods))
        about = Circumstances(
            origin=plan.origin,
            cluster=plan.cluster,
            responsible=self._responsible([pod.scheduler for pod in plan.pods if pod.result == "bind"]),
            doubts=plan.doubts,
            objects=plan.objects,
            notes=plan.notes,
            command=self.command,
            rules=plan.rules,
            manifests=plan.manifests,
        )
        guards = [] if resumed else [age_guard(plan, self.identity, flags)]
        guards += rules_guards(plan.rules, rules_of(self.scheduler, plan.pods))
        held = held_by_rules(self.scheduler, permit_plugins(self.configuration), self.state.pods, pods)
        return self._guarded(pods, about, flags, [*guards, *held], dry_run=dry_run)

    def _nowhere(self) -> Iterator[str]:
        """Say of a snapshot that does not tell its cluster that its plans lead nowhere."""
        if self.client is None and not self.identity.uid:
            yield (
                "the snapshot does not hold the uid of namespace kube-system, so that no cluster is known to be the "
                "plan's: it can be shown, not applied (kplan snapshot takes one that does)"
            )

    def run(
        self,
        plan: BindPlan,
        flags: Flags,
        journal: Journal,
        name: str,
        *,
        former: JournalRecord | None = None,
        progress: Progress = lambda done, total: None,
    ) -> BindResult:
        """Carry a plan out.

        Args:
            plan: what was shown.
            flags: what may be done.
            journal: where all is noted.
            name: of the run.
            former: journal of the run that is resumed; None if none is.
            progress: told how far it is.
        """
        assert self.client is not None
        kinds = followed(plan.pods, self.state.pods)
        watches = Watches.of(self.client, self.state.completeness.versions, kinds)
        watches.start()
        planner = self._planner(self.state, flags, plan)
        try:
            run = Run(
                client=self.client,
                live=LiveCluster(planner, watches),
                plan=plan,
                features=self.scheduler.features,
                flags=flags,
                journal=journal,
                name=name,
                former=former,
                progress=progress,
            )
            return run.go()
        finally:
            progress(0, 0)  # whatever ended it, no bar stays
            watches.close()
            journal.close()

    def _planner(self, state: ClusterState, flags: Flags, plan: BindPlan | None = None) -> Planner:
        cluster = self.scheduler.cluster(state)
        planned = {pod.scheduler for pod in plan.pods if pod.result == "bind"} if plan is not None else set()
        pipelines = with_profiles(self.scheduler.pipelines, planned)
        return Planner(cluster, pipelines, preempt=flags.preempt, everything=False)

    def _responsible(self, names: Sequence[str]) -> dict[str, Responsible]:
        if self.client is None or not names:
            return {}
        own, elected = own_lease(self.configuration), elects(self.configuration)
        return find_responsible(self.client, names, self.scheduler.pipelines, own, elected=elected)

    def _target(self) -> BindTarget:
        target = BindTarget(context=self.origin.source, uid=self.identity.uid, server_time=self.identity.time)
        if self.client is None:
            return target
        context, server = self.client.context, self.client.server
        version = self.state.completeness.versions.get("Pod", "")
        return replace(target, context=context, server=server, resource_version=version)

    def _guarded(
        self,
        pods: Sequence[BindPod],
        about: Circumstances,
        flags: Flags,
        guards: Sequence[BindGuard],
        *,
        dry_run: bool,
    ) -> BindPlan:
        """Make the plan, with a look at rights, and at a dry run if asked for."""
        plan = make_plan(pods, about, flags)
        more = [*guards]
        if self.client is not None:
            more.append(rights_guard(self.client, plan, self.scheduler.features, flags))
            more += watch_guards(self.client, followed(plan.pods, self.state.pods))
        tried = dry_run and all(guard.state != "no" for guard in more)
        more.append(dry_run_guard(plan, self._rehearsed(plan, flags) if tried else None))
        return make_plan(pods, about, flags, more)

    def _rehearsed(self, plan: BindPlan, flags: Flags) -> list[tuple[str, str]] | None:
        """Send the writes of a plan with ``dryRun=All``; what is refused, and why."""
        if self.client is None:
            return None
        performer = Performer(self.client, Journal(""))
        rehearsal = Rehearsal(performer, self.scheduler.request_rules, self.scheduler.features, flags)
        todo = [pod for pod in plan.pods if pod.result == "bind"]
        return [(what, problem.message) for what, problem in rehearsal.of(plan.objects, todo)]

    def _land(self, targets: Targets) -> ManifestPods:
        """Add what manifests bring."""
        if not targets.files:
            return ManifestPods(self.state)
        namespace = targets.namespace or DEFAULT_NAMESPACE
        manifests = read_manifests(targets.files, namespace)
        return land(manifests, self.state, self.scheduler.request_rules, namespace, self.client)
