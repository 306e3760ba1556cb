#!/usr/bin/env python3
"""Random cases of groups in a queue for the oracle's mode ``groups``, a JSON document a line.

    group_cases.py COUNT [SEED0] [--minor 37] [--trees] > cases.jsonl

The same for the same arguments. Several groups with priorities, quorums, topology constraints and claims wait between
pods of their own, on nodes that are nearly full of pods and of groups that may have to leave as a whole.
"""

import argparse
import copy
import json

from generator import Gen
from generator.words import HOST, ZONE

NAMESPACES = ("default", "batch")
KEYS = (ZONE, HOST, "rack")


class GroupGen(Gen):
    """Makes one case."""

    def __init__(self, seed, minor, *, own_claims=False, trees=False):
        super().__init__("gang", seed)
        self.trees = trees
        self.minor = minor
        self.twins = False
        self.topology = self.p(.35) or trees
        self.claims = self.p(.2) and minor >= 36
        self.own_claims = self.claims and own_claims
        self.policy_gate = minor >= 37 and self.p(.12)
        self.whole = self.p(.5)   # preemption of 1.36 for whole groups is behind a gate

    # --- groups
    def group(self, ns, name, least, priority):
        if self.minor < 36:
            return self.workload(ns, name, least)
        policy = {"gang": {"minCount": least}} if least else {"basic": {}}
        spec = {"schedulingPolicy": policy, "priority": priority}
        if self.p(.05):
            spec.pop("priority")
        if self.topology and self.p(.6):
            spec["schedulingConstraints"] = {"topology": [{"key": self.pick(KEYS)}]}
        if self.p(.6):
            mode = self.pick(["all", "all", "single"])
            spec["disruptionMode"] = {mode: {}} if self.minor >= 37 else {"all": "PodGroup", "single": "Pod"}[mode]
        version = "v1beta1" if self.minor >= 37 else "v1alpha2"
        return {"apiVersion": f"scheduling.k8s.io/{version}", "kind": "PodGroup", "spec": spec,
                "metadata": {"name": name, "namespace": ns, "uid": f"pg-{ns}-{name}"}}

    def workload(self, ns, name, least):
        """A group of 1.35: part of a Workload."""
        policy = {"gang": {"minCount": least}} if least else {"basic": {}}
        groups = [{"name": "workers" if self.p(.95) else "others", "policy": policy}]
        return {"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": name, "namespace": ns, "uid": f"w-{ns}-{name}"}, "spec": {"podGroups": groups}}

    def join(self, pod, name, priority):
        if self.minor < 36:
            pod["spec"]["workloadRef"] = {"name": name, "podGroup": "workers", **({"podGroupReplicaKey": self.pick(["0", "1"])} if self.p(.2) else {})}
        else:
            pod["spec"]["schedulingGroup"] = {"podGroupName": name}
        pod["spec"]["priority"] = priority
        pod["spec"].pop("preemptionPolicy", None)

    def running(self, placed):
        """Groups whose pods run."""
        for i in range(self.r.randint(0, 2)):
            ns, name, priority = self.pick(NAMESPACES), f"old-{i}", self.pick([0, 0, 10, 50])
            mine = [q for q in self.some(placed, 1, 5) if not {"schedulingGroup", "workloadRef"} & set(q["spec"])]
            for q in mine:
                q["metadata"]["namespace"] = ns
                self.join(q, name, priority)
            self.objs.append(self.group(ns, name, max(1, len(mine)), priority))

    def waiting(self, i, ns=None, priority=None, parent=None):
        """A group that waits: pods that are mostly alike."""
        ns, name = ns or self.pick(NAMESPACES), f"grp-{i}"
        priority = self.pick([0, 10, 100, 1000, 1000]) if priority is None else priority
        size = self.r.randint(1, 5 if parent is None else 3)
        least = self.pick([size, size, size, max(1, size - 1), 1, size + 1 if self.p(.3) else size, 0])
        first = self.pod(f"{name}-0")
        first["metadata"]["namespace"] = ns
        first["metadata"]["labels"]["job"] = name
        self.apart(first, name)
        if self.p(.08):
            first["spec"]["preemptionPolicy"] = "Never"
        pods = []
        for k in range(size):
            q = copy.deepcopy(first)
            q["metadata"]["name"] = f"{name}-{k}"
            q["metadata"]["uid"] = f"{ns}-{name}-{k}"
            if self.p(.2):
                q["spec"]["containers"] = self.pod("other")["spec"]["containers"]
            never = q["spec"].get("preemptionPolicy")
            self.join(q, name, priority if self.p(.98) else 7)
            if never and self.p(.95):
                q["spec"]["preemptionPolicy"] = never
            pods.append(q)
        if self.p(.96):
            group = self.group(ns, name, least, priority)
            if self.policy_gate and self.p(.9):
                group["spec"]["preemptionPolicy"] = first["spec"].get("preemptionPolicy", "PreemptLowerPriority")
            self.objs.append(self.below(group, parent))
        if self.p(.04 if parent is None else .01):
            self.pick(pods)["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
        if self.claims and self.p(.7):
            self.claim(pods, ns, name)
            if self.own_claims:
                self.bring(pods, ns, name)
        return pods

    def apart(self, pod, name):
        """Let pods of a group look at each other."""
        pod["spec"].pop("affinity", None)
        pod["spec"].pop("topologySpreadConstraints", None)
        mine = {"labelSelector": {"matchLabels": {"job": name}}}
        if self.p(.2):
            pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{**mine, "topologyKey": self.pick([HOST, HOST, ZONE])}]}}
        elif self.p(.15):
            pod["spec"]["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{**mine, "topologyKey": self.pick([ZONE, HOST])}]}}
        elif self.p(.15):
            pod["spec"]["topologySpreadConstraints"] = [{**mine, "maxSkew": 1, "topologyKey": self.pick([ZONE, HOST]), "whenUnsatisfiable": "DoNotSchedule"}]

    # --- groups of groups
    def below(self, group, parent):
        """Put a group below another; sometimes two are as old as each other."""
        if parent is not None:
            group["spec"]["parentCompositePodGroupName"] = parent
            group["metadata"]["creationTimestamp"] = f"2026-01-01T00:00:0{self.r.randint(0, 5)}Z"
        return group

    def composite(self, ns, name, children, priority, parent=None):
        least = self.pick([children, children, max(1, children - 1), 1, 0, children + 1 if self.p(.15) else children])
        spec = {"schedulingPolicy": {"gang": {"minGroupCount": least}} if least else {"basic": {}}, "workloadRef": {"workloadName": "w", "templateName": "t"}, "priority": priority}
        if self.p(.3):
            spec["schedulingConstraints"] = {"topology": [{"key": self.pick(KEYS)}]}
        if self.p(.5):
            spec["disruptionMode"] = {self.pick(["all", "all", "single"]): {}}
        if self.policy_gate and self.p(.5):
            spec["preemptionPolicy"] = "PreemptLowerPriority"
        group = {"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup", "spec": spec,
                 "metadata": {"name": name, "namespace": ns, "uid": f"cpg-{ns}-{name}"}}
        if self.p(.97):
            self.objs.append(self.below(group, parent))

    def job(self, i):
        """Groups that wait below one another."""
        ns, priority = self.pick(NAMESPACES), self.pick([0, 10, 100, 1000, 1000])
        pods, count = [], self.r.randint(1, 3)
        for k in range(count):
            if self.p(.3):
                inner = self.r.randint(1, 2)
                for j in range(inner):
                    pods += self.waiting(f"{i}-{k}-{j}", ns, priority if self.p(.98) else 5, f"job-{i}-{k}")
                self.composite(ns, f"job-{i}-{k}", inner, self.pick([priority, 0, 50]), f"job-{i}")
            else:
                pods += self.waiting(f"{i}-{k}", ns, priority, f"job-{i}")
        self.composite(ns, f"job-{i}", count, priority)
        return pods

    def old_jobs(self):
        """Groups whose pods run, below others; some of them get one more pod."""
        more = []
        groups = [o for o in self.objs if o["kind"] == "PodGroup"]
        for group in groups:
            ns, name = group["metadata"]["namespace"], group["metadata"]["name"]
            if self.p(.6):
                self.below(group, f"old-job-{ns}")
            if self.p(.4):
                first = self.pod(f"{name}-more")
                first["metadata"]["namespace"] = ns
                self.join(first, name, group["spec"].get("priority", 0))
                more.append(first)
        for ns in NAMESPACES:
            mine = sum(1 for o in groups if o["metadata"]["namespace"] == ns and o["spec"].get("parentCompositePodGroupName"))
            if mine:
                self.composite(ns, f"old-job-{ns}", mine, self.pick([0, 10, 50]))
        return more

    # --- devices
    def claim(self, pods, ns, name):
        """One claim for all, or one for each."""
        shared = self.p(.4)
        for k, q in enumerate(pods):
            claim = f"{name}-all" if shared else f"{name}-{k}"
            q["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": claim}]
            if shared and k:
                continue
            self.objs.append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": claim, "namespace": ns, "uid": f"claim-{ns}-{claim}"},
                              "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": self.pick([1, 1, 2])}}]}}})

    def bring(self, pods, ns, name):
        """Let the group bring the claim along, by name or made of a template; it may be allocated and reserved already."""
        group = next((o for o in self.objs if o["kind"] == "PodGroup" and o["metadata"]["name"] == name and o["metadata"]["namespace"] == ns), None)
        claims = [o for o in self.objs if o["kind"] == "ResourceClaim" and o["metadata"]["namespace"] == ns and o["metadata"]["name"].startswith(f"{name}-")]
        if group is None or self.p(.1):
            return
        source = pods[0]["spec"]["resourceClaims"][0]
        if self.p(.4):
            made = source["resourceClaimName"]
            for q in pods:
                q["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "tmpl"}]
                q["status"] = {**q.get("status", {}), "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": made}]}
            if self.p(.9):
                group.setdefault("status", {})["resourceClaimStatuses"] = [{"name": "gpu", "resourceClaimName": made}]
            owner = {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "name": name, "uid": group["metadata"]["uid"], "controller": True}
            if self.p(.1):
                owner.update(self.pick([{"kind": "Job"}, {"name": "other"}, {"apiVersion": "batch/v1"}, {"uid": "gone"}]))
            for c in claims:
                c["metadata"]["ownerReferences"] = [owner]
            source = {"name": "gpu", "resourceClaimTemplateName": "tmpl"}
        if self.p(.9):
            group["spec"]["resourceClaims"] = [dict(source)]
        for c in claims:
            if self.p(.35):
                on = f"node-{self.r.randint(0, 6):02d}"
                c["status"] = {"allocation": {"devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": on, "device": "gpu-0"}]},
                                              "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}]}}}
                mine = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": name, "uid": group["metadata"]["uid"]}
                other = {"resource": "pods", "name": "else", "uid": "uid-else"}
                # one that is freed is seen by the next pod sooner or later: such answers vary
                c["status"]["reservedFor"] = self.pick([[mine, other], [mine, other], [other], [mine] if self.minor < 37 else [other, mine]])

    def devices(self, nodes):
        self.objs.append({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}})
        for n in nodes:
            name = n["metadata"]["name"]
            if self.p(.8):
                self.objs.append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"{name}-gpus"},
                                  "spec": {"driver": "gpu.example.com", "nodeName": name, "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
                                           "devices": [{"name": f"gpu-{i}"} for i in range(self.r.randint(1, 3))]}})

    # --- a case
    def case(self, seed):
        r = self.r
        nodes = [self.node(i) for i in range(r.randint(1, 7))]
        for n in nodes:
            if self.p(.7):
                n["metadata"]["labels"]["rack"] = self.pick(["r1", "r2"])
        placed = [self.pod(f"run-{i:03d}", node=self.pick(nodes)["metadata"]["name"]) for i in range(min(20, r.randint(0, len(nodes) * 4)))]
        for q in placed:
            q["metadata"].pop("deletionTimestamp", None)
        self.running(placed)
        more = self.old_jobs() if self.trees else []
        pending = [q for i in range(r.randint(1, 3 if self.trees else 4)) for q in (self.job(i) if self.trees and self.p(.8) else self.waiting(i))] + more
        alone = [self.pod(f"new-{i}") for i in range(r.randint(0, 2))]
        if self.claims:
            self.devices(nodes)
        self.pdbs()
        if self.p(.1) and self.minor != 36:   # of a gang that arrives pod by pod 1.36 notes some nominations and others not
            for q in self.some(pending, 1, 3):
                q["status"] = {**q.get("status", {}), "nominatedNodeName": self.pick(nodes)["metadata"]["name"]}
        for q in pending + alone:
            q["metadata"].pop("deletionTimestamp", None)
        self.objs += nodes + placed + pending + alone
        gates = {"GenericWorkload": True}
        if self.minor < 37:
            gates["GangScheduling"] = True
        if self.minor == 36:
            gates["WorkloadAwarePreemption"] = self.whole
        if self.topology and self.minor >= 36:
            gates["TopologyAwareWorkloadScheduling"] = True
        if self.trees:
            gates["CompositePodGroup"] = True
        if self.own_claims:
            gates["DRAWorkloadResourceClaims"] = True
        if self.policy_gate:
            gates["PodGroupPreemptionPolicy"] = True
        return {"name": f"{'trees' if self.trees else 'groups'}-{seed:04d}", "mode": "groups", "objects": self.objs, "featureGates": gates}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--minor", type=int, default=37)
    parser.add_argument("--own-claims", action="store_true", help="cases whose groups bring claims along alone")
    parser.add_argument("--trees", action="store_true", help="groups of groups (1.37)")
    args = parser.parse_args()
    for number in range(args.seed, args.seed + args.count):
        made = GroupGen(number, args.minor, own_claims=args.own_claims, trees=args.trees)
        if made.claims or not args.own_claims:
            print(json.dumps(made.case(number), separators=(",", ":")))
