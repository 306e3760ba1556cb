"""Devices that stand for resources of their node: the fields of 1.36 and those of 1.37, side by side."""

from generator.chance import Chance


class NodeResources(Chance):
    """Devices that stand for resources of their node: the fields of 1.36 and those of 1.37, side by side."""

    def stands_for(self, device):
        old, new = {}, {}
        for name in self.some(["cpu", "memory", "ephemeral-storage", "hugepages-2Mi"], 1, 2):
            amount = self.pick({"cpu": ["500m", "1", "2", "3"], "memory": ["512Mi", "2Gi", "5Gi"], "ephemeral-storage": ["1Gi", "10Gi"], "hugepages-2Mi": ["2Mi", "64Mi"]}[name])
            if self.p(.75):
                if device.get("allowMultipleAllocations") and self.p(.6):
                    key = self.pick(["memory", "memory", "nothing"])
                    amount = self.pick(["1", "2", "500m"])
                    old[name] = {"capacityKey": key, "allocationMultiplier": amount}
                    new[name] = {"mapping": {"capacityKey": key, "capacityMultiplier": amount}}
                else:
                    old[name] = {"allocationMultiplier": amount}
                    new[name] = {"mapping": {"deviceMultiplier": amount}}
            if self.p(.4):
                new.setdefault(name, {})["overhead"] = self.pick([{"perPod": "250m"}, {"perContainer": "300m"}, {"perPod": "1", "perContainer": "100m"}] if name == "cpu" else [
                    {"perPod": "256Mi"}, {"perContainer": "1Gi"}, {"perPod": "128Mi", "perContainer": "128Mi"}])
        device["nodeAllocatableResourceMappings"], device["nodeAllocatableResources"] = old, new

    def node_allocatable(self, placed, pending):
        r = self.r
        for o in self.objs:
            for d in o["spec"].get("devices", []) if o["kind"] == "ResourceSlice" else []:
                if self.p(.7):
                    self.stands_for(d)
        claims = {(o["metadata"]["namespace"], o["metadata"]["name"]) for o in self.objs if o["kind"] == "ResourceClaim" and "status" in o}
        for q in placed:
            for ref in q["spec"].get("resourceClaims", []):
                name = ref.get("resourceClaimName")
                if (q["metadata"]["namespace"], name) in claims and self.p(.8):
                    cpu, memory = self.pick(["500m", "1", "2"]), self.pick(["512Mi", "2Gi"])
                    q["status"].setdefault("nodeAllocatableResourceClaimStatuses", []).append({
                        "resourceClaimName": name, "containers": [c["name"] for c in q["spec"]["containers"][:r.randint(1, 2)]], "resources": {"cpu": cpu, "memory": memory},
                        "mapping": [{"name": "cpu", "quantity": cpu}], "overhead": [{"name": "memory", "perPod": memory}, {"name": "cpu", "perContainer": "100m"}]})
        for q in pending:
            for c in q["spec"]["containers"]:
                if self.p(.08):
                    c["resources"].pop("claims", None)
                elif self.p(.2) and q["spec"].get("resourceClaims"):
                    c["resources"]["claims"] = [{"name": x["name"]} for x in q["spec"]["resourceClaims"]]
            if self.p(.15):
                requests, limits = self.pick([{"cpu": self.pick(["2", "4", "6"])}, {"memory": self.pick(["4Gi", "8Gi"])}]), self.pick([{"cpu": "6"}, {"memory": "8Gi"}])
                q["spec"]["resources"] = {"requests": requests, **({"limits": {**requests, **limits}} if self.p(.6) else {})}
