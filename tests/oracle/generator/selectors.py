"""Selectors of labels and nodes, and terms of affinity."""

import json

from generator.chance import Chance
from generator.words import ZONES, NAMESPACES, APPS, TIERS


class Selectors(Chance):
    """Selectors of labels and nodes, and terms of affinity."""

    def label_selector(self):
        if self.p(.06):
            return {}
        s = {}
        if self.p(.7):
            s["matchLabels"] = {"app": self.pick(APPS)} if self.p(.8) else {"tier": self.pick(TIERS)}
        if self.p(.4) or not s:
            op = self.pick(["In", "NotIn", "Exists", "DoesNotExist"])
            e = {"key": self.pick(["app", "tier", "ver"]), "operator": op}
            if op in ("In", "NotIn"):
                e["values"] = self.some(APPS if e["key"] == "app" else TIERS if e["key"] == "tier" else ["1", "2"], 1, 2)
            s["matchExpressions"] = [e]
        return s

    def node_req(self):
        r = self.r
        key = self.pick(["disktype", "rack", "kubernetes.io/arch", "topology.kubernetes.io/zone", "generation", "kubernetes.io/hostname", "nolabel"])
        op = self.pick(["In", "In", "NotIn", "Exists", "DoesNotExist"] + (["Gt", "Lt"] if key == "generation" else []))
        e = {"key": key, "operator": op}
        vals = {"disktype": ["ssd", "hdd", "nvme"], "rack": ["r1", "r2", "r3"], "kubernetes.io/arch": ["amd64", "arm64"],
                "topology.kubernetes.io/zone": ZONES, "generation": [str(i) for i in range(1, 9)],
                "kubernetes.io/hostname": [f"node-{i:02d}" for i in range(8)], "nolabel": ["x"]}[key]
        if op in ("In", "NotIn"):
            e["values"] = self.some(vals, 1, 3)
        elif op in ("Gt", "Lt"):
            e["values"] = [str(r.randint(1, 8))]
        return e

    def node_term(self):
        t = {}
        if self.on("nodeaffinity") and self.p(.06):
            return {}   # matches nothing
        if self.on("nodeaffinity") and self.p(.04):   # at odds with itself
            return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [f"node-{i:02d}"]} for i in self.r.sample(range(3), 2)]}
        if self.p(.85):
            t["matchExpressions"] = [self.node_req() for _ in range(self.r.randint(1, 2))]
        if self.p(.15) or not t:
            t["matchFields"] = [{"key": "metadata.name", "operator": self.pick(["In", "In", "NotIn"]),
                                 "values": [f"node-{self.r.randint(0, 9):02d}"]}]
        return t

    def pod_term(self, pod=None):
        t = {"labelSelector": self.label_selector(),
             "topologyKey": self.pick(["kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"])}
        if self.p(.06):
            del t["labelSelector"]
        elif pod and self.p(.15):
            have = [k for k in ("tier", "ver") if k in pod and k not in json.dumps(t["labelSelector"])]
            for field, op in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
                if have and self.p(.5):
                    k = have.pop(self.r.randrange(len(have)))
                    t[field] = [k]
                    t["labelSelector"] = dict(t["labelSelector"])
                    t["labelSelector"]["matchExpressions"] = list(t["labelSelector"].get("matchExpressions", [])) + [
                        {"key": k, "operator": op, "values": [pod[k]]}]
        x = self.r.random()
        if x < .2:
            t["namespaces"] = self.some(list(NAMESPACES), 1, 2)
        elif x < .4:
            t["namespaceSelector"] = self.pick([{}, {"matchLabels": {"team": "front"}}, {"matchLabels": {"env": "prod"}},
                                                {"matchExpressions": [{"key": "env", "operator": "Exists"}]}])
            if self.p(.3):
                t["namespaces"] = self.some(list(NAMESPACES), 1, 1)
        return t
