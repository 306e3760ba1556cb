"""One case: the objects of a cluster, pods that wait, and how they are asked about."""

import random

from generator.configuration import Configurations
from generator.devices import Devices
from generator.groups import Groups
from generator.node_resources import NodeResources
from generator.nodes import Nodes
from generator.owners import Owners
from generator.pods import Pods
from generator.storage import Storage
from generator.words import NAMESPACES, THEMES


class Gen(Nodes, Pods, Owners, Storage, Devices, NodeResources, Configurations, Groups):
    """One case: the objects of a cluster, pods that wait, and how they are asked about."""

    def __init__(self, theme, seed):
        self.theme = theme
        self.r = random.Random(f"{theme}/{seed}")
        about = {theme, "drashare"} if theme in ("draext", "dranode") and self.p(.3 if theme == "draext" else .5) else {theme} if theme != "mixed" else set(self.r.sample([t for t in THEMES if t not in ("mixed", "queue", "gang", "dranode")], self.r.randint(2, 5)))
        self.on = lambda *ts: not about.isdisjoint(ts)
        self.objs = []
        self.k = 0
        self.numeric = theme == "taints" and self.p(.15)   # tolerations that compare: their gate is off by default
        self.full = theme in ("preemption", "cascade", "nominated", "gang")   # nodes near full, so that preemption helps
        self.twins = self.full and self.p(.25)   # pods alike, started at one instant: several outcomes are right

    def case(self, seed):
        r = self.r
        nn = self.pick([1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10, 12, 14]) if self.p(.99) else 0
        nodes = [self.node(i) for i in range(nn)]
        if self.full or self.theme == "mixed" or self.on("limits"):
            nodes = nodes[:8]
            nn = len(nodes)
        lo, hi = (nn * 3, nn * 6) if self.full else (0, nn * (4 if self.on("limits", "resize") else 3))
        placed = []
        for i in range(min(r.randint(lo, hi), 32 if self.full else 14 if self.theme == "mixed" else 24)):
            if self.on("limits") and i > 14:
                break
            placed.append(self.pod(f"run-{i:03d}", node=self.pick(nodes)["metadata"]["name"] if self.p(.995) else "node-99"))
        pending = [self.pod(f"new-{i}") for i in range(r.randint(3, 8) if self.theme in ("queue", "cascade", "nominated") else r.randint(1, 4))]
        for ns, lb in NAMESPACES.items():
            if self.p(.97):
                self.objs.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns, "labels": lb}})
        if self.on("spread") or (self.theme == "config" and self.p(.3)):
            self.owners(placed + pending)
        if nodes and self.on("storage", "limits"):
            self.storage(nodes, placed, pending)
        elif nodes and self.on("preemption", "config") and self.p(.12):
            self.storage(nodes, placed, pending)
        if self.on("preemption", "cascade"):
            self.pdbs()
        if nodes and (self.on("dra", "drapart", "drataint", "drashare", "draext", "drabind", "dranode") or (self.theme in ("config", "preemption") and self.p(.15))):
            self.dra(nodes, placed, pending)
        if nodes and self.on("dranode"):
            self.node_allocatable(placed, pending)
        if nodes and (self.on("nominated") or (self.on("preemption", "cascade", "resources") and self.p(.2))):
            self.nominate(nodes, pending)
        if self.on("gang"):
            self.gangs(placed, pending)
            self.pdbs()
        if self.p(.06):
            self.pick(pending)["spec"]["schedulingGates"] = [{"name": "example.com/wait"}] + ([{"name": "example.com/quota"}] if self.p(.4) else [])
        if self.theme == "queue" and self.p(.3):
            for q in pending:
                q["metadata"]["creationTimestamp"] = "2026-01-05T00:00:00Z"
        self.objs += nodes + placed + pending
        sim = self.theme in ("queue", "cascade") or self.theme not in ("gang", "dranode") and self.p(.5 if self.on("storage", "dra", "drapart", "drashare", "draext") else .25)
        c = {"name": f"{self.theme}-{seed:04d}", "mode": "simulate" if sim else "explain", "objects": self.objs}
        if self.theme == "cascade" or (sim and self.p(.2)):
            c["preempt"] = True
        if self.on("config") and (self.theme == "config" or self.p(.3)) or (self.theme in ("storage", "limits") and self.p(.25)) or (self.theme == "draext" and self.p(.5)) or (self.theme == "spread" and self.p(.15)):
            c["config"] = self.config()
            profiles = [x["schedulerName"] for x in c["config"]["profiles"]] + ["nobody"] * self.p(.05)
            for q in pending:
                q["spec"]["schedulerName"] = self.pick(profiles)
        if self.numeric:
            c["featureGates"] = {"TaintTolerationComparisonOperators": True}
        if self.theme == "storage" and self.p(.08):
            c["featureGates"] = {"StorageCapacityScoring": False}
        if self.theme == "dranode":
            c["featureGates"] = {"DRANodeAllocatableResources": True}
        if self.theme == "gang":
            c["featureGates"] = {"GenericWorkload": True}
        if self.p(.05):
            c["pods"] = [f"{q['metadata']['namespace']}/{q['metadata']['name']}" for q in self.some(pending, 1) if "deletionTimestamp" not in q["metadata"]] or None
        return {k: v for k, v in c.items() if v is not None}
