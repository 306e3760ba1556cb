"""What a command works with: the state, the rules, the server if there is one; from there to a plan and to a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from kplan.api import Scheduler
from kplan.bind import prepare
from kplan.bind.client import Client
from kplan.bind.flags import Flags
from kplan.bind.journal import Journal
from kplan.bind.leases import Responsible, find_responsible
from kplan.bind.live import LiveCluster
from kplan.bind.permit import permit_plugins
from kplan.bind.prepare import Identity
from kplan.bind.run import Progress, Run
from kplan.bind.show import Asked, document, show, with_profiles
from kplan.bind.watch import Watches
from kplan.cluster import PodInfo
from kplan.errors import UsageError
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
from kplan.result.document import Doubt, Origin
from kplan.result.document_bind import BindGuard, BindPlan, BindResult, BindTarget
from kplan.sources import load_objects
from kplan.studies.landing import land
from kplan.studies.names import Scope, resolve


@dataclass(frozen=True)
class Targets:
    """Which pods are meant.

    Attributes:
        names: pods and owners by name.
        scope: namespaces and labels.
        files: manifests.
        namespace: of objects in manifests that name none.
    """

    names: Sequence[str] = ()
    scope: Scope = field(default_factory=Scope)
    files: Sequence[str] = ()
    namespace: str = ""


@dataclass(frozen=True)
class Workbench:
    """What a command works with.

    Attributes:
        state: the state.
        scheduler: the rules.
        origin: where the state is from.
        doubts: about version and configuration.
        configuration: KubeSchedulerConfiguration that was given or read; None for the default.
        identity: the cluster's.
        client: the server; None for a snapshot.
        command: the command so far.
        read_at: when reading began, by this machine's monotonic clock [seconds].
    """

    state: ClusterState
    scheduler: Scheduler
    origin: Origin
    doubts: tuple[Doubt, ...]
    identity: Identity
    configuration: Mapping[str, Any] | str | None = None
    client: Client | None = None
    command: str = "kplan bind"
    read_at: float = 0.0

    def plan(self, targets: Targets, flags: Flags, *, dry_run: bool = False) -> BindPlan:
        """Plan the pods that are meant.

        Args:
            targets: which.
            flags: what may be done.
            dry_run: send the writes with ``dryRun=All``, which is the only thing that is sent.

        Raises:
            UsageError: a name means no pod, or a manifest is no pod.
            LiveError: the server does not answer.
        """
        state, create = self._landed(targets)
        planner = self._planner(state, flags)
        pods = self._meant(planner, targets, create)
        responsible = self._responsible([pod.scheduler_name for pod in pods if pod.waiting])
        asked = Asked(
            pods=pods,
            origin=self.origin,
            cluster=self._target(),
            create=create,
            named=bool(targets.names or targets.files),
            responsible=responsible,
            permit=permit_plugins(self.configuration),
            doubts=self.doubts,
            command=self.command,
        )
        return self._guarded(show(planner, asked, flags), asked, flags, (), dry_run=dry_run)

    def again(
        self, plan: BindPlan, flags: Flags, what: str, *, dry_run: bool = False, resumed: bool = False
    ) -> BindPlan:
        """Hold a plan that was shown before against the cluster as it is; the placements stay.

        Raises:
            BindError: it is for another cluster.
            LiveError: the server does not answer.
        """
        prepare.same_cluster(plan, self.identity, what)
        bound = [pod for pod in plan.pods if pod.result == "bind"]
        responsible = self._responsible([pod.scheduler for pod in bound])
        asked = Asked(
            pods=(),
            origin=plan.origin,
            cluster=plan.cluster,
            responsible=responsible,
            doubts=plan.doubts,
            notes=plan.notes,
            command=self.command,
        )
        guards = [] if resumed else [prepare.age_guard(plan, self.identity, flags)]
        made = document(plan.pods, asked, flags, guards, plan.notes)
        return self._guarded(made, asked, flags, guards, dry_run=dry_run)

    def run(
        self,
        plan: BindPlan,
        flags: Flags,
        journal: Journal,
        name: str,
        *,
        before: Mapping[str, dict[str, Any]] | None = None,
        progress: Progress = lambda done, total: None,
    ) -> BindResult:
        """Carry a plan out.

        Args:
            plan: what was shown.
            flags: what may be done.
            journal: where all is noted.
            name: of the run.
            before: what became of pods in the run that is resumed; None if none is.
            progress: told how far it is.
        """
        assert self.client is not None
        versions = self.state.completeness.versions
        watches = Watches.of(self.client, versions.get("Pod", ""), versions.get("Node", ""))
        watches.start()
        planner = self._planner(self.state, flags, plan)
        try:
            run = Run(
                client=self.client,
                live=LiveCluster(planner, watches),
                plan=plan,
                flags=flags,
                journal=journal,
                name=name,
                before=before or {},
                resumed=before is not None,
                progress=progress,
            )
            return run.go()
        finally:
            watches.close()
            journal.close()

    def _planner(self, state: ClusterState, flags: Flags, plan: BindPlan | None = None) -> Planner:
        cluster = self.scheduler.cluster(state)
        names = {pod.scheduler_name for pod in cluster.pods if pod.waiting}
        names |= {pod.scheduler for pod in plan.pods if pod.scheduler} if plan is not None else set()
        pipelines = with_profiles(self.scheduler.pipelines, names)
        return Planner(cluster, pipelines, preempt=flags.preempt, everything=False)

    def _responsible(self, names: Sequence[str]) -> dict[str, Responsible]:
        if self.client is None or not names:
            return {}
        return find_responsible(self.client, names, self.scheduler.pipelines)

    def _target(self) -> BindTarget:
        if self.client is not None:
            return prepare.target(self.client, self.identity, self.state.completeness.versions.get("Pod", ""))
        return BindTarget(context=self.origin.source, uid=self.identity.uid, server_time=self.identity.time)

    def _guarded(
        self, plan: BindPlan, asked: Asked, flags: Flags, guards: Sequence[BindGuard], *, dry_run: bool
    ) -> BindPlan:
        """Look at rights, and at a dry run if asked for, and judge again."""
        more = [*guards]
        if self.client is not None:
            more.append(prepare.rights_guard(self.client, plan, flags))
        rules = self.scheduler.request_rules
        may = all(guard.state != "no" for guard in more)
        more.append(prepare.dry_run_guard(self.client if may else None, plan, rules, flags, send=dry_run))
        return document(plan.pods, asked, flags, more, plan.notes)

    def _landed(self, targets: Targets) -> tuple[ClusterState, dict[str, dict[str, Any]]]:
        """Add pods of manifests that are not there; returns them as they are to be created."""
        if not targets.files:
            return self.state, {}
        namespace = targets.namespace or "default"
        manifests = load_objects(list(targets.files), namespace=namespace)
        if manifests.broken_objects:
            broken = manifests.broken_objects[0]
            raise UsageError(f"{broken.place}: {broken.problem}", code="broken-manifest")
        there = {pod.key: pod for pod in self.state.pods}
        create: dict[str, dict[str, Any]] = {}
        for item in manifests.objects:
            if item.kind != "Pod" or item.item is None:
                raise UsageError(
                    f"{item.file}:{item.line}: bind creates pods, and this is a {item.kind}",
                    code="no-pod",
                    hint="kubectl apply it; then: kplan bind deploy/NAME, or -l",
                )
            if not item.item.name:
                raise UsageError(f"{item.file}:{item.line}: a pod without a name", code="no-name")
            if item.item.key not in there:
                create[item.item.key] = item.raw
        if not create:
            return self.state, {}
        landed = land(self.state, list(targets.files), self.scheduler.request_rules, namespace).state
        pods = {pod.key: pod for pod in landed.pods} | there
        return replace(landed, pods=tuple(sorted(pods.values(), key=_order))), create

    def _meant(self, planner: Planner, targets: Targets, create: Mapping[str, Any]) -> list[PodInfo]:
        cluster = planner.cluster
        pods: dict[str, PodInfo] = {}
        if targets.files:
            found = load_objects(list(targets.files), namespace=targets.namespace or "default")
            keys = [item.item.key for item in found.objects if item.item is not None]
            pods |= {key: cluster.pods[cluster.pod_index[key]] for key in keys if key in cluster.pod_index}
        if targets.names:
            pods |= {pod.key: pod for pod in resolve(cluster, targets.names, targets.scope)}
        if not targets.files and not targets.names:
            pods |= {pod.key: pod for pod in cluster.pods if pod.waiting and targets.scope.has(pod)}
        return planner.queue.sort(pods.values())


def _order(pod: msgspec.Struct) -> tuple[bytes, bytes]:
    return pod.namespace.encode(), pod.name.encode()  # type: ignore[attr-defined]
