"""Devices: classes, slices, claims and their requests."""

from generator.selectors import Selectors
from generator.words import ZONE, ZONES


class Devices(Selectors):
    """Devices: classes, slices, claims and their requests."""

    def classes(self):
        def one(name, *cel, **more):
            self.objs.append({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name},
                              "spec": {"selectors": [{"cel": {"expression": c}} for c in cel], **more}})
        one("gpu", 'device.driver == "gpu.example.com"')
        one("big-gpu", 'device.driver == "gpu.example.com"', 'device.attributes["gpu.example.com"].gen >= 2')
        one("net", 'device.driver == "net.example.com"', **({"config": [{"opaque": {"driver": "net.example.com", "parameters": {"mtu": 9000}}}]} if self.p(.1) else {}))
        one("anything")
        if self.on("draext", "config", "mixed"):
            one("ext", 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a100"', extendedResourceName="example.com/ext-gpu")
            self.objs[-1]["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
            if self.p(.6):
                one("ext-all", extendedResourceName="example.com/ext-any")
            if self.p(.3):   # two classes for one resource: the newest counts, then the first by name
                one("ext-twin", 'device.driver == "gpu.example.com"', extendedResourceName="example.com/ext-gpu")
                self.objs[-1]["metadata"]["creationTimestamp"] = self.pick(["2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2026-01-01T00:00:00Z"])
        if self.p(.1):
            one("broken", 'device.attributes["gpu.example.com"].nothing == 3')

    def device(self, j):
        r = self.r
        d = {"name": f"gpu-{j}", "attributes": {"gen": {"int": r.randint(1, 3)}, "model": {"string": self.pick(["a100", "t4"])}, "numa": {"int": j % 2},
                                                "ecc": {"bool": self.p(.5)}, "fw": {"version": self.pick(["1.2.3", "2.0.0"])}},
             "capacity": {"memory": {"value": self.pick(["16Gi", "40Gi", "80Gi"])}}}
        if self.p(.15):
            d["attributes"]["common.example.com/slot"] = {"string": self.pick(["left", "right"])}
        if self.p(.1):
            d["attributes"].pop("numa")
        if self.on("drataint") and self.p(.4):
            d["taints"] = [{"key": self.pick(["example.com/sick", "example.com/hot"]), **({"value": "yes"} if self.p(.5) else {}),
                            "effect": self.pick(["NoSchedule", "NoExecute", "NoSchedule", "None"])}]
        if self.on("drashare") and self.p(.6):
            d["allowMultipleAllocations"] = True
            pol = self.pick([None, {"default": "1Gi"}, {"default": "4Gi", "validValues": ["1Gi", "4Gi", "8Gi"]},
                             {"default": "2Gi", "validRange": {"min": "1Gi", "max": "20Gi", "step": "1Gi"}}, {"default": "2Gi", "validRange": {"min": "2Gi"}}])
            if pol:
                d["capacity"]["memory"]["requestPolicy"] = pol
            if self.p(.4):
                d["capacity"]["rate"] = {"value": "10", "requestPolicy": {"default": "500m", "validRange": {"min": "500m", "max": "4", "step": self.pick(["250m", "500m"])}}}
        if self.on("drabind") and self.p(.4):
            d["bindsToNode"] = self.p(.6)
            d["bindingConditions"], d["bindingFailureConditions"] = ["example.com/attached"], ["example.com/failed"]
        return d

    def slices(self, nodes):
        r = self.r

        def add(name, driver, pool, devs, gen=1, count=1, **where):
            self.objs.append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name},
                              "spec": {"driver": driver, **where, "pool": {"name": pool, "generation": gen, "resourceSliceCount": count}, **devs}})
        for n in nodes:
            nm = n["metadata"]["name"]
            if self.p(.25):
                continue
            devs = [self.device(j) for j in range(r.randint(1, 4))]
            if self.on("drapart") and self.p(.75):
                # one card cut into partitions: the counters are shared, and live in a slice of their own
                add(f"counters-{nm}", "gpu.example.com", nm, {"sharedCounters": [{"name": f"card-{c}", "counters": {"memory": {"value": "40Gi"}, "units": {"value": str(r.randint(2, 4))}}} for c in range(2)]},
                    count=2, nodeName=nm)
                for j, d in enumerate(devs):
                    if self.p(.85):
                        d["consumesCounters"] = [{"counterSet": f"card-{j % 2}", "counters": {"memory": {"value": self.pick(["10Gi", "20Gi", "40Gi"])}, "units": {"value": str(r.randint(1, 3))}}}]
                if self.p(.06) and "consumesCounters" in devs[0]:
                    devs[0]["consumesCounters"][0].update(self.pick([{"counterSet": "gone"}, {"counters": {"gone": {"value": "1"}}}]))
                add(f"slice-{nm}", "gpu.example.com", nm, {"devices": devs}, count=2, nodeName=nm)
                continue
            gen = self.pick([1, 1, 1, 2])
            if len(devs) > 1 and self.p(.25):   # a pool in two slices, of which one may be missing or old
                add(f"slice-{nm}-a", "gpu.example.com", nm, {"devices": devs[:1]}, gen=gen, count=2, nodeName=nm)
                if self.p(.75):
                    add(f"slice-{nm}-b", "gpu.example.com", nm, {"devices": devs[1:]}, gen=gen if self.p(.7) else gen + 1, count=2, nodeName=nm)
            else:
                if self.p(.05):
                    devs.append(dict(devs[0]))   # the same name twice: the pool is invalid
                add(f"slice-{nm}", "gpu.example.com", nm, {"devices": devs}, gen=gen, nodeName=nm)
                if self.p(.1):
                    add(f"old-{nm}", "gpu.example.com", nm, {"devices": [self.device(7)]}, gen=0, nodeName=nm)
        if len(nodes) > 1 and self.p(.25):   # one pool of two nodes: either sees only its own slice, and must know of the other
            gen, part = self.pick([1, 1, 2]), self.on("drapart") and self.p(.6)
            count = (4 if part else 2) + (self.p(.1))
            for j, n in enumerate(r.sample(nodes, 2)):
                g, where = gen if j == 0 else self.pick([gen, gen, 1]), {"nodeName": n["metadata"]["name"]}
                devs = [self.device(10 + 2 * j + i) for i in range(2)]
                if part:
                    add(f"pc-{j}", "gpu.example.com", "pair", {"sharedCounters": [{"name": f"s{j}", "counters": {"units": {"value": "2"}}}]}, gen=g, count=count, **where)
                    for d in devs:
                        d["consumesCounters"] = [{"counterSet": f"s{j}", "counters": {"units": {"value": "1"}}}]
                add(f"pair-{j}", "gpu.example.com", "pair", {"devices": devs}, gen=g, count=count, **where)
        net = [{"name": f"nic-{j}", "attributes": {"speed": {"int": r.choice([10, 100])}, "gpu.example.com/numa": {"int": j % 2}}} for j in range(3)]
        x = r.random()
        if x < .2:
            add("net-all", "net.example.com", "net", {"devices": net}, allNodes=True)
        elif x < .5:
            add("net-zone", "net.example.com", "net", {"devices": net},
                nodeSelector={"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": self.some(ZONES, 1, 2)}]}]})
        elif x < .75:
            for d in net:
                d.update(self.pick([{"allNodes": True}, {"nodeName": self.pick(nodes)["metadata"]["name"]},
                                    {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [self.pick(ZONES)]}]}]}}]))
            add("net-each", "net.example.com", "net", {"devices": net}, perDeviceNodeSelection=True)
        if self.on("drataint"):
            for n in range(r.randint(0, 2)):
                sel = self.pick([{"driver": "gpu.example.com"}, {"pool": self.pick(nodes)["metadata"]["name"]}, {"driver": "gpu.example.com", "device": "gpu-0"}, {}, {"driver": "net.example.com"}])
                self.objs.append({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": f"rule-{n}"},
                                  "spec": {"deviceSelector": sel, "taint": {"key": "example.com/rule", "value": str(n), "effect": self.pick(["NoSchedule", "NoExecute"])}}})

    def request(self, name, sub=False):
        q = {"deviceClassName": self.pick(["gpu", "gpu", "big-gpu", "net", "anything"]), "allocationMode": "ExactCount", "count": self.pick([1, 1, 1, 2, 3])}
        if self.p(.03):
            q["deviceClassName"] = self.pick(["nowhere", "broken"])
        if self.p(.015):
            q["count"] = 33   # more than a claim may hold
        if self.p(.2):
            q["allocationMode"] = "All"
            q.pop("count", None)
        elif self.p(.1):
            q.pop("allocationMode")
            q.pop("count")
            q["allocationMode"], q["count"] = "ExactCount", 1
        gpu = [
            'device.attributes["gpu.example.com"].model == "a100"', 'device.attributes["gpu.example.com"].ecc',
            'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0',
            'device.attributes["gpu.example.com"].fw.isGreaterThan(semver("1.5.0"))',
            'cel.bind(a, device.attributes["gpu.example.com"], a.gen > 1 || a.model.matches("^t"))',
            'device.attributes["gpu.example.com"].fw.major() == 2 || device.attributes["gpu.example.com"].fw.compareTo(semver("1.2.3")) == 0',
            'device.attributes["gpu.example.com"].fw.isLessThan(semver("1.10.0")) && isSemver("1.0.0")',
            'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("20G")) && quantity("1Ki").asInteger() == 1024',
            'device.capacity["gpu.example.com"].memory.sub(quantity("30Gi")).compareTo(quantity("0")) >= 0 && quantity("3").isInteger()',
            'device.capacity["gpu.example.com"].memory.isLessThan(quantity("16Gi").add(quantity("1")))',
            'device.attributes["gpu.example.com"].numa == 0 || device.attributes["gpu.example.com"].gen >= 2',   # an error, or what decides without it
            'device.attributes["gpu.example.com"].?numa.orValue(7) != 1',
            'device.attributes["gpu.example.com"].?common.hasValue() || device.attributes[?"none.example.com"].hasValue() || device.attributes["gpu.example.com"].gen % 2 == 1',
            '["t4", "a100"].exists(m, m == device.attributes["gpu.example.com"].model) && [1, 2, 3].all(n, n < 4) && !([4].exists_one(n, n == 5))',
            'device.attributes["gpu.example.com"].model.upperAscii().endsWith("00") ? device.attributes["gpu.example.com"].gen > 1 : !device.attributes["gpu.example.com"].ecc',
            'device.attributes["gpu.example.com"].model.find("[0-9]+") == string(4) || double(device.attributes["gpu.example.com"].gen) * 1.5 > 3.0',
            'size(device.attributes["gpu.example.com"].model) + device.attributes["gpu.example.com"].gen > 4 && type(device.attributes["gpu.example.com"].gen) == int',
            '{"a100": 80, "t4": 16}[device.attributes["gpu.example.com"].model] > 20']
        safe = [
            '"model" in device.attributes["gpu.example.com"] && device.attributes["gpu.example.com"].gen in [1, 3]',
            'has(device.attributes["common.example.com"].slot) && device.attributes["common.example.com"].slot.startsWith("l")',
            'device.driver.contains("net") ? device.attributes["net.example.com"].speed >= 100 : true', 'device.allowMultipleAllocations == true']
        if self.p(.4):
            suit = gpu + safe if "gpu" in q["deviceClassName"] or self.p(.15) else safe
            q["selectors"] = [{"cel": {"expression": self.pick(suit)}} for _ in range(1 if self.p(.8) else 2)]
        if self.on("drataint") and self.p(.5):
            q["tolerations"] = [self.pick([{"operator": "Exists"}, {"key": "example.com/sick", "operator": "Exists"}, {"key": "example.com/hot", "operator": "Equal", "value": "yes"},
                                           {"key": "example.com/rule", "operator": "Exists", "effect": "NoSchedule"}, {"key": "example.com/sick", "operator": "Exists", "effect": "NoExecute"}])]
        if self.on("drashare") and self.p(.7):
            q["capacity"] = {"requests": {"memory": self.pick(["1Gi", "3Gi", "4Gi", "10Gi", "100Gi", "1500Mi"])}}
            if self.p(.25):
                q["capacity"]["requests"]["rate"] = self.pick(["100m", "600m", "1", "3750m", "5"])
            if self.p(.08):
                q["capacity"]["requests"] = {"nothing": "1"}
        if sub:
            return {"name": name, **q}
        if self.p(.08):
            q["adminAccess"] = True
        return {"name": name, "exactly": q}

    def claim_spec(self):
        r = self.r
        reqs = [self.request("g")]
        while len(reqs) < 3 and self.p(.3):
            reqs.append(self.request(f"h{len(reqs)}"))
        if self.p(.3):
            reqs.append({"name": "alt", "firstAvailable": [self.request(x, sub=True) for x in ("x", "y", "z")[:r.randint(2, 3)]]})
            if self.p(.4):
                reqs = reqs[-1:]
        spec = {"devices": {"requests": reqs}}
        if self.p(.3):
            c = {"matchAttribute": "gpu.example.com/" + self.pick(["model", "numa", "fw", "ecc", "nothing"])}
            if self.p(.3):
                c["requests"] = [reqs[0]["name"]]
            elif self.p(.5):
                c["requests"] = [q["name"] for q in reqs] if "alt" not in [q["name"] for q in reqs] or self.p(.5) else ["alt/x"]
            if self.p(.15):
                c = {"distinctAttribute": "gpu.example.com/" + self.pick(["model", "numa", "ecc", "fw"]), **({"requests": c["requests"]} if "requests" in c else {})}
            spec["devices"]["constraints"] = [c]
        if self.p(.05):
            spec["devices"]["config"] = [{"opaque": {"driver": "gpu.example.com", "parameters": {"mode": "fast"}}, **({"requests": [self.pick([reqs[0]["name"]] + [
                reqs[-1]["name"] + "/" + x["name"] for x in reqs[-1].get("firstAvailable", [])])]} if self.p(.7) else {})}]
        return spec

    def dra(self, nodes, placed, pending):
        r = self.r
        self.classes()
        self.slices(nodes)
        hosts = sorted({o["spec"]["nodeName"] for o in self.objs if o["kind"] == "ResourceSlice" and o["spec"].get("nodeName")})
        taken, shared = set(), []

        def allocate(claim, nm):
            """An allocation of devices that no other claim here holds."""
            free = [(o, d) for o in self.objs if o["kind"] == "ResourceSlice" and o["spec"].get("nodeName") == nm
                    for d in o["spec"].get("devices", []) if (nm, d["name"]) not in taken]
            if not free:
                return
            o, d = self.pick(free)
            res = {"request": "g", "driver": o["spec"]["driver"], "pool": nm, "device": d["name"]}
            if d.get("allowMultipleAllocations"):
                res["shareID"] = f"00000000-0000-4000-8000-{len(self.objs):012d}"
                if self.p(.85):
                    res["consumedCapacity"] = {"memory": self.pick(["1Gi", "4Gi"])}
            else:
                taken.add((nm, d["name"]))
            if self.p(.06):
                res["adminAccess"] = True
            for f in ("bindingConditions", "bindingFailureConditions"):
                if f in d:
                    res[f] = d[f]
            claim["status"] = {"allocation": {"devices": {"results": [res]}}}
            if self.p(.9):
                claim["status"]["allocation"]["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [nm]}]}]}
            if self.p(.1):
                claim["status"]["devices"] = [{"driver": res["driver"], "pool": nm, "device": d["name"], "conditions": [
                    {"type": "example.com/attached", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}]
        k = 0
        for q in placed + pending:
            on = q["spec"].get("nodeName")
            if not self.p(.25 if on else .85) or (on and on not in hosts):
                continue
            ns, meta = q["metadata"]["namespace"], q["metadata"]
            if self.on("draext") and (self.theme != "mixed" or self.p(.3)) and self.p(.8):
                c = self.pick(q["spec"]["containers"])
                rs = c["resources"] = {"requests": {**c["resources"].get("requests", {})}, "limits": {}}
                for name in self.some(["example.com/ext-gpu", "deviceclass.resource.kubernetes.io/gpu", "example.com/ext-any"], 1, 2):
                    if name == "example.com/ext-gpu" or self.p(.6):
                        rs["requests"][name] = rs["limits"][name] = str(r.randint(1, 2) if self.p(.9) else 0)
                if self.p(.1):
                    rs["requests"]["hugepages-2Mi"] = rs["limits"]["hugepages-2Mi"] = "2Mi"
                    rs["requests"].setdefault("cpu", "100m")
                if self.p(.35):
                    q["spec"]["initContainers"] = [{"name": f"i{i}", "image": "busybox", "resources": {"requests": {"example.com/ext-gpu": n}, "limits": {"example.com/ext-gpu": n}},
                                                    **({"restartPolicy": "Always"} if self.p(.4) else {})} for i, n in enumerate(r.choices(["1", "2", "3"], k=r.randint(1, 3)))]
                if not on and hosts and self.p(.12):   # left by an attempt that failed to bind
                    left = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": f"{meta['name']}-extended-resources-x", "namespace": ns, "uid": f"ext-{meta['name']}",
                            "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"}, "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True}]},
                            "spec": {"devices": {"requests": [{"name": "container-0-request-0", "exactly": {"deviceClassName": "ext", "allocationMode": "ExactCount", "count": 1}}]}}}
                    if self.p(.7):
                        allocate(left, self.pick(hosts))
                    self.objs.append(left)
                if self.p(.5):
                    continue
            for _ in range(1 if self.p(.85) else 2):
                k += 1
                claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": f"claim-{k}", "namespace": ns, "uid": f"claimuid-{k}"}, "spec": self.claim_spec()}
                ref = {"name": f"c{k}", "resourceClaimName": claim["metadata"]["name"]}
                if self.p(.25):
                    ref = {"name": f"c{k}", "resourceClaimTemplateName": "tmpl"}
                    x = r.random()
                    if x < .7:
                        q["status"].setdefault("resourceClaimStatuses", []).append({"name": f"c{k}", "resourceClaimName": claim["metadata"]["name"]})
                        claim["metadata"]["annotations"] = {"resource.kubernetes.io/pod-claim-name": f"c{k}"}
                        if x < .6:
                            claim["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True}]
                    elif x < .85 and not on:
                        q["status"].setdefault("resourceClaimStatuses", []).append({"name": f"c{k}"})   # none is needed
                q["spec"].setdefault("resourceClaims", []).append(ref)
                q["spec"]["containers"][0]["resources"].setdefault("claims", []).append({"name": f"c{k}"})
                if on:
                    allocate(claim, on)
                    if "status" in claim:
                        claim["status"]["reservedFor"] = [{"resource": "pods", "name": meta["name"], "uid": meta["uid"]}]
                        shared.append(claim)
                    self.objs.append(claim)
                    continue
                if self.p(.05):
                    continue  # the claim is missing
                if self.p(.04):
                    claim["metadata"].update({"deletionTimestamp": "2026-03-01T00:00:00Z", "finalizers": ["resource.kubernetes.io/delete-protection"]})
                if self.p(.25) and hosts:
                    allocate(claim, self.pick(hosts))
                    x = r.random()
                    if "status" in claim and x < .15:
                        claim["status"]["reservedFor"] = [{"resource": "pods", "name": meta["name"], "uid": meta["uid"]}]
                    elif "status" in claim and x < .25:
                        claim["status"]["reservedFor"] = [{"resource": "pods", "name": f"p{i}", "uid": f"u{i}"} for i in range(256)]
                    elif "status" in claim and x < .5:
                        claim["status"]["reservedFor"] = [{"resource": "pods", "name": "other", "uid": "other"}]
                if shared and self.p(.12):   # a claim a running pod holds already
                    o = self.pick(shared)
                    if o["metadata"]["namespace"] == ns:
                        ref.pop("resourceClaimTemplateName", None)
                        ref["resourceClaimName"] = o["metadata"]["name"]
                        continue
                self.objs.append(claim)
                if self.p(.15):   # and another pending pod wants the same
                    for o in pending:
                        if o is not q and o["metadata"]["namespace"] == ns and "resourceClaims" not in o["spec"]:
                            o["spec"]["resourceClaims"] = [{"name": "s", "resourceClaimName": claim["metadata"]["name"]}]
                            break
        if self.on("draext") or (self.on("config") and self.p(.3)):
            for n in nodes:
                if self.p(.25):
                    n["status"]["allocatable"]["example.com/ext-gpu"] = n["status"]["capacity"]["example.com/ext-gpu"] = str(r.randint(0, 3))
