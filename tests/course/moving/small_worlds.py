"""Small random clusters, and a model of their own that says by brute force with how few moves a pod fits.

The model knows requests, node selectors, required affinity and anti-affinity, spread that must hold, and budgets, each
written down here once more in a few lines: it shares nothing with kplan but the objects.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from kplan.objects.models import Object
from tests.builders import make, node, pod

ZONE = "zone"
HOST = "kubernetes.io/hostname"


@dataclass(frozen=True)
class App:
    """A workload: what each of its pods asks for."""

    name: str
    cpu: int
    memory: int
    pool: str = ""
    apart: str = ""
    """Topology key by which its pods keep apart from each other."""
    near: str = ""
    """The app whose zone its pods need."""
    spread: str = ""
    """Topology key over which its pods are spread, by at most one."""
    budget: int = -1
    """Evictions that its budget allows; -1 for no budget."""
    bare: bool = False


@dataclass
class World:
    """A cluster: nodes by name with (cpu, memory, zone, pool), pods by name with their app and node."""

    nodes: dict[str, tuple[int, int, str, str]]
    apps: dict[str, App]
    pods: dict[str, tuple[str, str]]
    wanted: App = field(default_factory=lambda: App("wanted", 1, 1))

    def objects(self) -> Iterator[Object]:
        """The objects that kplan is given."""
        for name, (cpu, memory, zone, pool) in self.nodes.items():
            labels = {ZONE: zone, "pool": pool}
            yield node(name, cpu=str(cpu), memory=f"{memory}Gi", labels=labels)
        for name, (app, home) in self.pods.items():
            yield _pod(self.apps[app], name, home)
        yield _pod(self.wanted, "wanted-0", "")
        for app in self.apps.values():
            if app.budget >= 0:
                there = sum(one == app.name for one, _ in self.pods.values())
                spec = {"minAvailable": there - app.budget, "selector": {"matchLabels": {"app": app.name}}}
                yield make("PodDisruptionBudget", app.name, namespace="default", spec=spec)

    def hopeful(self) -> bool:
        """Whether the wanted pod does not fit, is not too large for all nodes, and there is enough room in pieces."""
        mine = [name for name, (*_, pool) in self.nodes.items() if self.wanted.pool in ("", pool)]
        used = dict.fromkeys(self.nodes, 0)
        for app, home in self.pods.values():
            used[home] += self.apps[app].cpu
        room = sum(self.nodes[name][0] - used[name] for name in mine)
        large = [name for name in mine if self.nodes[name][0] >= self.wanted.cpu and self.nodes[name][1] > 3]
        return bool(large) and room >= self.wanted.cpu and self.fewest(0) < 0

    def fewest(self, most: int) -> int:
        """Fewest moves after which the wanted pod fits, each pod landing before the next leaves; -1 for more."""
        state = {name: home for name, (_, home) in self.pods.items()}
        level = {frozenset(state.items())}
        known = set(level)
        for moves in range(most + 1):
            if any(self._fits(self.wanted, name, dict(one)) for one in level for name in self.nodes):
                return moves
            if moves == most:
                break
            more = set()
            for one in level:
                for other in self._after_a_move(dict(one)):
                    key = frozenset(other.items())
                    if key not in known:
                        known.add(key)
                        more.add(key)
            level = more
        return -1

    def _after_a_move(self, state: dict[str, str]) -> Iterator[dict[str, str]]:
        for name, home in state.items():
            app = self.apps[self.pods[name][0]]
            if app.bare or app.budget == 0:
                continue
            rest = {other: where for other, where in state.items() if other != name}
            for to in self.nodes:
                if to != home and self._fits(app, to, rest):
                    yield {**rest, name: to}

    def _fits(self, app: App, to: str, state: dict[str, str]) -> bool:
        cpu, memory, zone, pool = self.nodes[to]
        if app.pool and app.pool != pool:
            return False
        apps, pods, nodes = self.apps, self.pods, self.nodes
        used_cpu, used_memory = app.cpu, app.memory
        for name, where in state.items():
            if where == to:
                other = apps[pods[name][0]]
                used_cpu += other.cpu
                used_memory += other.memory
        if used_cpu > cpu or used_memory > memory:
            return False
        if app.apart:
            for name, where in state.items():
                if pods[name][0] == app.name and _domain(app.apart, where, nodes) == _domain(app.apart, to, nodes):
                    return False
        if app.near:
            zones = {nodes[where][2] for name, where in state.items() if pods[name][0] == app.near}
            if zone not in zones and not (app.near == app.name and not zones):
                return False
        return not app.spread or self._evenly(app, to, state)

    def _evenly(self, app: App, to: str, state: dict[str, str]) -> bool:
        nodes = self.nodes
        eligible = [name for name in nodes if not app.pool or nodes[name][3] == app.pool]
        counts = {_domain(app.spread, name, nodes): 0 for name in eligible}
        for name, where in state.items():
            domain = _domain(app.spread, where, nodes)
            if self.pods[name][0] == app.name and where in eligible and domain in counts:
                counts[domain] += 1
        return counts[_domain(app.spread, to, nodes)] + 1 - min(counts.values()) <= 1


def _domain(key: str, name: str, nodes: dict[str, tuple[int, int, str, str]]) -> str:
    return name if key == HOST else nodes[name][2]


def _pod(app: App, name: str, home: str) -> Object:
    labels = {"app": app.name}
    spec: dict[str, Any] = {}
    affinity: dict[str, Any] = {}
    same = {"matchLabels": labels}
    if app.apart:
        term = {"labelSelector": same, "topologyKey": app.apart}
        affinity["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    if app.near:
        term = {"labelSelector": {"matchLabels": {"app": app.near}}, "topologyKey": ZONE}
        affinity["podAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    if affinity:
        spec["affinity"] = affinity
    if app.spread:
        constraint = {"maxSkew": 1, "topologyKey": app.spread, "whenUnsatisfiable": "DoNotSchedule"}
        spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": same}]
    if app.pool:
        spec["nodeSelector"] = {"pool": app.pool}
    owner = {"kind": "ReplicaSet", "apiVersion": "apps/v1", "name": app.name, "uid": app.name, "controller": True}
    metadata = {} if app.bare else {"ownerReferences": [owner]}
    requests = {"cpu": str(app.cpu), "memory": f"{app.memory}Gi"}
    status = {"phase": "Running" if home else "Pending"}
    return pod(name, node=home, labels=labels, requests=requests, metadata=metadata, status=status, **spec)


def random_world(seed: int) -> World:
    """Make a cluster of up to 8 nodes and 24 pods in which a pod does not fit as things are, though there is room."""
    draw = random.Random(seed)
    while not (world := _draw_world(draw)).hopeful():
        pass
    return world


def larger_world(seed: int) -> World:
    """Make a cluster of 12 to 30 nodes and up to 120 pods, with a pod that as a rule does not fit."""
    return _draw_world(random.Random(seed), nodes=(12, 30), most=120)


def _draw_world(draw: random.Random, nodes: tuple[int, int] = (3, 8), most: int = 24) -> World:
    zones = ["a", "b", "c"][: draw.randint(2, 3)]
    made = {
        f"n{i}": (draw.choice([4, 6, 8]), draw.choice([8, 12, 16]), draw.choice(zones), draw.choice("xxy"))
        for i in range(draw.randint(*nodes))
    }
    apps = {name: _random_app(draw, name) for name in ("p", "q", "r", "s", "t")[: draw.randint(3, 5)]}
    world = World(made, apps, {})
    number, fill = count(), draw.uniform(0.5, 0.95)
    for _ in range(80 if most == 24 else 400):
        used = sum(apps[app].cpu for app, _ in world.pods.values())
        if len(world.pods) == most or used > fill * sum(cpu for cpu, *_ in made.values()):
            break
        app = apps[draw.choice(sorted(apps))]
        state = {name: home for name, (_, home) in world.pods.items()}
        fitting = [name for name in made if world._fits(app, name, state)]
        if fitting:
            world.pods[f"{app.name}-{next(number)}"] = (app.name, draw.choice(fitting))
    world.wanted = _wanted(draw, world)
    return world


def _wanted(draw: random.Random, world: World) -> App:
    """A pod somewhat larger than what is free on any node; often one more of an app, with the rules of that."""
    used = dict.fromkeys(world.nodes, 0)
    for app, home in world.pods.values():
        used[home] += world.apps[app].cpu
    free = max(world.nodes[name][0] - cpu for name, cpu in used.items())
    if draw.random() < 0.4:
        return App("wanted", free + draw.randint(1, 2), draw.randint(1, 3), pool=draw.choice(["", "", "x"]))
    model = world.apps[draw.choice(sorted(world.apps))]
    return dataclasses.replace(model, cpu=max(model.cpu, free + draw.randint(-1, 2)), budget=-1, bare=False)


def _random_app(draw: random.Random, name: str) -> App:
    return App(
        name,
        cpu=draw.randint(1, 3),
        memory=draw.randint(1, 3),
        pool=draw.choice(["", "", "", "x", "y"]),
        apart=draw.choice(["", "", "", "", HOST, ZONE]),
        near=draw.choice(["", "", "", "", "", "p", "q"]),
        spread=draw.choice(["", "", ZONE, HOST]) if draw.random() < 0.5 else "",
        budget=draw.choice([-1, -1, -1, -1, 0, 1, 2]),
        bare=draw.random() < 0.1,
    )
