"""Nodes: labels, taints, allocatable, images, features."""

from generator.chance import Chance
from generator.words import (
    ZONES,
    REGIONS,
    IMAGES,
    TAINTS,
    EFFECTS,
    BETA_ZONE,
    BETA_REGION,
    ZONE,
    REGION,
    HOST,
    NODE_FEATURES,
)


class Nodes(Chance):
    """Nodes: labels, taints, allocatable, images, features."""

    def node(self, i, big=False):
        r = self.r
        name = f"node-{i:02d}"
        zone = ZONES[i % len(ZONES)] if self.p(.8) else self.pick(ZONES)
        labels = {"kubernetes.io/hostname": name, "kubernetes.io/arch": self.pick(["amd64", "amd64", "arm64"]),
                  "kubernetes.io/os": "linux"}
        if self.p(.93):
            labels["topology.kubernetes.io/zone"] = zone
            labels["topology.kubernetes.io/region"] = REGIONS[0] if zone != "zone-c" else REGIONS[1]
        if self.p(.5):
            labels["disktype"] = self.pick(["ssd", "hdd", "nvme"])
        if self.p(.3):
            labels["rack"] = self.pick(["r1", "r2", "r3"])
        if self.p(.3):
            labels["generation"] = str(r.randint(1, 9))
        cap = {"cpu": self.pick(["2", "4", "8", "7910m", "16", "3920m"]),
               "memory": self.pick(["4Gi", "8Gi", "16Gi", "7935488Ki", "32Gi", "15842M"]),
               "pods": self.pick(["110", "8", "30", "110"]), "ephemeral-storage": self.pick(["50Gi", "100Gi", "47093746742"])}
        if self.p(.04):
            labels = {} if self.p(.5) else {k: v for k, v in labels.items() if k != HOST}
        elif ZONE in labels and self.p(.05):   # an old node: beta labels only
            labels[BETA_ZONE], labels[BETA_REGION] = labels.pop(ZONE), labels.pop(REGION)
        if self.on("nodeaffinity") and self.p(.06) and labels:
            labels["generation"] = "old"
        if self.on("preemption", "cascade", "nominated", "gang"):
            cap["cpu"], cap["memory"] = self.pick(["1", "1500m", "2", "2500m"]), self.pick(["2Gi", "3Gi", "4Gi"])
            cap["pods"] = self.pick(["110", "110", "110", "4"])
        if self.on("resources", "preemption") and self.p(.03):
            cap["pods"] = "0"
        if self.on("resources", "config") and self.p(.03):
            cap["cpu"] = "0"
        if self.on("resources", "config") and self.p(.35):
            cap["nvidia.com/gpu"] = str(r.randint(0, 8))
        if self.on("resources", "resize", "config") and self.p(.3):
            cap["hugepages-2Mi"] = self.pick(["0", "512Mi", "1Gi"])
        if self.on("resources", "config") and self.p(.25):
            cap["example.com/dongle"] = str(r.randint(0, 4))
        spec = {}
        if self.on("taints") or self.p(.35 if self.on("spread") else .06):
            ts = []
            for k, v in self.some(TAINTS, 0, 2):
                t = {"key": k, "effect": self.pick(EFFECTS)}
                if k == "spot" and self.p(.3):
                    t["key"], t["value"] = "level", str(self.r.randint(1, 9))
                elif v:
                    t["value"] = v
                ts.append(t)
            if ts:
                spec["taints"] = ts
        if self.p(.12 if self.on("taints") else .03):
            spec["unschedulable"] = True
            spec.setdefault("taints", []).append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        status = {"allocatable": cap, "capacity": dict(cap),
                  "conditions": [{"type": "Ready", "status": "True"}]}
        if self.on("features") and self.p(.85):
            status["declaredFeatures"] = sorted(self.some(NODE_FEATURES, 0, 4))
        if self.on("images") or self.p(.12):
            status["images"] = [{"names": [n if self.p(.9) else n + ("" if ":v" in n else ":latest"), f"{n.split(':')[0]}@sha256:{j:064x}"][:1 if self.p(.8) else 2], "sizeBytes": s}
                                for j, (n, s) in enumerate(self.some(IMAGES, 0, 7))]
            for im in status["images"]:
                im["names"] = [x for x in im["names"] if x]
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": spec, "status": status}
