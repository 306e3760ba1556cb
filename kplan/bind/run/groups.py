"""Groups in a run: each pod waits at Permit until as many of its group are placed as it needs; then all go on.

None is bound before. What happens to one of them after that, a refusal of the server say, is no reason to take others
back: the scheduler does not either.
Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go Permit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, field

from kplan.bind.run.live import LiveCluster
from kplan.bind.run.perform import HeldBack, Performer, reread_on_conflict
from kplan.bind.wire.groups import group_path, group_scheduled, is_told
from kplan.framework.features import Features
from kplan.objects.models import Pod
from kplan.plugins.shared.group_trees import name_of_key
from kplan.result.document_bind import BindPod, BoundPod
from kplan.sources.moments import time_of
from kplan.words import count

_LOOK_EVERY = 0.1
_AGAIN = 5


class Mates(Struct):
    """The pods of one group in a run.

    Attributes:
        pods: as they were planned.
        results: what became of pods of the run, as far as that is known; grows meanwhile.
        features: version and gates of the scheduler.
        held: those that wait at Permit.
        allowed: those that waited when there were enough: they go on whatever becomes of the others.
    """

    pods: Sequence[BindPod]
    results: Mapping[str, BoundPod]
    features: Features
    held: set[str] = field(default_factory=set)
    allowed: set[str] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)

    def wait(self, planned: str, key: str, live: LiveCluster) -> Iterator[float]:
        """Wait at Permit; yields how long to let others go on [seconds].

        Args:
            planned: name of the pod as it was planned.
            key: its name.
            live: the cluster, where the pod is assumed.

        Raises:
            HeldBack: too few of the group are left.
        """
        while planned not in self.allowed and (text := live.permit(key)) != "":
            self.held.add(planned)
            if not self._more_to_come():
                self.held.discard(planned)
                self._none(text)
            yield _LOOK_EVERY
        self.allowed |= self.held
        self.held.clear()

    def _more_to_come(self) -> bool:
        """Whether one of them is still on its way to Permit."""
        return any(pod.pod not in self.held and pod.pod not in self.results for pod in self.pods)

    def _none(self, text: str) -> None:
        name = name_of_key(self.pods[0].group)
        ends = (self.results[pod.pod] for pod in self.pods if pod.pod in self.results)
        lost = sum(end.result != "bound" and end.code != "permit" for end in ends)
        why = f"{count(lost, 'pod')} of it can no longer be placed" if lost else "too few of it have a node"
        raise HeldBack(f"none of its group {name} is bound, because {why}: {text}", code="permit")

    def tell(self, pod: Pod, performer: Performer) -> None:
        """Note in the status of the pod's group that it is placed; a scheduler goes on where that fails, too."""
        named = pod.spec.scheduling_group
        key = f"{pod.metadata.namespace}/{named.pod_group_name}" if named is not None else ""
        if not key or key in self._told:
            return
        self._told.add(key)

        def once() -> None:
            path = group_path(key, self.features)
            group = performer.client.found(path, what=f"reading group {key}")
            if group is not None and not is_told(group, self.features):
                performer.carry_out(group_scheduled(group, self.features, time_of(time.time())))

        with suppress(HeldBack):
            reread_on_conflict(once, _AGAIN)


def mates(pods: Iterable[BindPod], results: Mapping[str, BoundPod], features: Features) -> dict[str, Mates]:
    """The groups of a plan, by key."""
    by_group: dict[str, list[BindPod]] = {}
    for pod in pods:
        if pod.group and pod.result == "bind":
            by_group.setdefault(pod.group, []).append(pod)
    return {key: Mates(members, results, features) for key, members in by_group.items()}


def left_short(groups: Mapping[str, Mates], live: LiveCluster) -> tuple[str, ...]:
    """Groups some of whose pods were bound, and fewer than they need."""
    notes = []
    for key, group in groups.items():
        became = {pod.pod: group.results.get(pod.pod) for pod in group.pods}
        bound = [name for name, pod in became.items() if pod is not None and pod.result == "bound"]
        others = [name for name in became if name not in bound]
        if bound and any(live.permit(name) for name in others):
            notes.append(
                f"group {name_of_key(key)}: {count(len(bound), 'pod')} bound, fewer than it needs at "
                "once: they stay, as with the scheduler; the others are still to be bound"
            )
    return tuple(notes)
