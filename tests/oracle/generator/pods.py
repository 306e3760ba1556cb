"""Pods: what they ask for, spread over, tolerate and mount; resizes under way."""

from generator.selectors import Selectors
from generator.words import NAMESPACES, APPS, TIERS, IMAGES, TAINTS, EFFECTS, ZONE, HOST


class Pods(Selectors):
    """Pods: what they ask for, spread over, tolerate and mount; resizes under way."""

    def pod(self, name, ns=None, node=None, rich=.5):
        r = self.r
        ns = ns or self.pick(list(NAMESPACES)[:3])
        app = self.pick(APPS)
        meta = {"name": name, "namespace": ns, "labels": {"app": app}, "uid": f"uid-{name}",
                "creationTimestamp": f"2026-01-{r.randint(1, 28):02d}T{r.randint(0, 23):02d}:{r.randint(0, 59):02d}:00Z"}
        if self.p(.5):
            meta["labels"]["tier"] = self.pick(TIERS)
        if self.p(.3):
            meta["labels"]["ver"] = self.pick(["1", "2"])
        if self.p(.05):
            meta["labels"] = {}
        spec = {"containers": [], "schedulerName": "default-scheduler"}
        if node:
            spec["nodeName"] = node
        hi_cpu, hi_mem = (900, 1500) if node else (2500, 4096)
        if self.full:
            hi_cpu, hi_mem = (500, 600) if node else (1300, 2000)
        for j in range(1 if self.p(.7) else 2):
            c = {"name": f"c{j}", "image": self.pick(IMAGES)[0] if self.p(.9) else "unknown/image", "resources": {}}
            rq = {}
            if self.p(.85):
                rq["cpu"] = self.cpu(20, hi_cpu)
            if self.p(.85):
                rq["memory"] = self.mem(8, hi_mem)
            if self.p(.15):
                rq["ephemeral-storage"] = self.pick(["1Gi", "500Mi", "20Gi"])
            if self.on("resources") and self.p(.06):
                rq = {"cpu": "0", "memory": "0"}
            if self.on("resources", "config") and self.p(.2):
                rq["nvidia.com/gpu"] = str(r.randint(0, 3))
            if self.on("resources", "resize", "config") and self.p(.12):
                rq["hugepages-2Mi"] = self.pick(["64Mi", "256Mi"])
            if self.on("resources", "config") and self.p(.12):
                rq["example.com/dongle"] = str(r.randint(1, 2))
            if "hugepages-2Mi" in rq:
                rq.setdefault("cpu", "100m")
            c["resources"]["requests"] = rq
            lim = {k: v for k, v in rq.items() if "/" in k or k.startswith("huge")}
            if lim:
                c["resources"]["limits"] = lim
            if self.p(.1) and not lim:   # limits only: API defaulting copies them to requests
                c["resources"] = {"limits": {"cpu": self.cpu(20, hi_cpu), "memory": self.mem(8, hi_mem)}}
            if (self.on("ports") and self.p(.7)) or self.p(.04):
                c["ports"] = []
                for _ in range(r.randint(1, 2)):
                    hp = self.pick([80, 443, 8080, 53])
                    pt = {"containerPort": hp, "hostPort": hp, "protocol": self.pick(["TCP", "TCP", "UDP", "SCTP"])}
                    if self.p(.1):
                        del pt["protocol"]
                    if self.p(.4):
                        pt["hostIP"] = self.pick(["127.0.0.1", "10.0.0.1", "0.0.0.0", "::", "fd00::1"])
                    if not any(q["hostPort"] == hp and q.get("protocol", "TCP") == pt.get("protocol", "TCP") and q.get("hostIP") == pt.get("hostIP")
                               for x in spec["containers"] + [c] for q in x.get("ports", [])):
                        c["ports"].append(pt)
            spec["containers"].append(c)
        if (self.on("resources", "images", "resize") and self.p(.35)) or (self.on("ports") and self.p(.2)):
            spec["initContainers"] = []
            for j in range(r.randint(1, 3)):
                ic = {"name": f"i{j}", "image": self.pick(IMAGES)[0]}
                if self.p(.9):
                    ic["resources"] = {"requests": {"cpu": self.cpu(20, 2500 if not node else 700), "memory": self.mem(8, 3000 if not node else 900)}}
                if self.on("resources") and self.p(.15):
                    ic.setdefault("resources", {}).setdefault("requests", {})["nvidia.com/gpu"] = "1"
                    ic["resources"]["limits"] = {"nvidia.com/gpu": "1"}
                if self.p(.5):
                    ic["restartPolicy"] = "Always"
                if self.on("ports") and self.p(.6):
                    ic["ports"] = [{"containerPort": 9090, "hostPort": 9090}]
                spec["initContainers"].append(ic)
        if self.on("ports") and self.p(.15):
            spec["hostNetwork"] = True
            for c in spec["containers"] + spec.get("initContainers", []):
                for pt in c.get("ports", []):
                    pt.pop("hostIP", None)
        if (self.on("resources", "config") and self.p(.15)) or self.p(.02):
            spec["overhead"] = {"cpu": "120m", "memory": "64Mi"}
            spec["runtimeClassName"] = "kata"
        if self.on("images") and self.p(.3):
            spec["volumes"] = [{"name": "model", "image": {"reference": self.pick(IMAGES)[0]}}]
        status = {"phase": "Running" if node else "Pending"}
        if self.on("resources", "resize") and self.p(.3):
            pl = {"requests": {"cpu": self.cpu(800, 3500 if not node else 950), "memory": self.mem(1100, 5000 if not node else 1500)}}
            for c in spec["containers"] + spec.get("initContainers", []):   # which must cover what the containers ask for
                if c.get("resources", {}).get("requests") or c.get("resources", {}).get("limits"):
                    c["resources"] = {"requests": {k: v for k, v in (("cpu", f"{r.randint(10, 150)}m"), ("memory", f"{r.randint(8, 200)}Mi")) if self.p(.8)}}
            if self.p(.25):
                del pl["requests"][self.pick(["cpu", "memory"])]
            if self.p(.25):
                pl["limits"] = {"cpu": "4", "memory": "6Gi"}
            if self.p(.15):
                pl.setdefault("limits", {})["hugepages-2Mi"] = pl["requests"]["hugepages-2Mi"] = "256Mi"
            if self.p(.2):
                pl = {"limits": {"cpu": "1500m", "memory": "2Gi"}}
            for k, v in pl.get("limits", {}).items():      # as the API server leaves it: a request where nothing gives one
                if not any(k in c.get("resources", {}).get("requests", {}) for c in spec["containers"] + spec.get("initContainers", [])):
                    pl.setdefault("requests", {}).setdefault(k, v)
            spec["resources"] = pl if self.p(.95) else {}
        if (self.on("resize") and node and self.p(.7)) or (self.on("resources") and node and self.p(.1)):
            self.resize(spec, status)
        if self.on("features"):
            c = self.pick(spec["containers"])
            if self.p(.3):
                c["restartPolicy"] = "Never"
                c["restartPolicyRules"] = [{"action": self.pick(["RestartAllContainers", "Restart"]), "exitCodes": {"operator": "In", "values": [42]}}]
            if self.p(.25):
                spec["hostNetwork"] = self.p(.8)
                spec["hostUsers"] = not self.p(.8)
            if self.p(.25):
                spec["volumes"] = [{"name": "e", "emptyDir": {}}]
                c["volumeMounts"] = [{"name": "e", "mountPath": "/e", **({"bindMountOptions": ["noexec"]} if self.p(.7) else {})}]
            if self.p(.15):
                spec["volumes"] = [{"name": "e", "emptyDir": {}}]
                m = [{"name": "e", "mountPath": "/e", **({"bindMountOptions": ["noexec"]} if self.p(.7) else {})}]
                if self.p(.5):
                    spec["initContainers"] = [{"name": "i0", "image": "busybox", "volumeMounts": m}]
                else:
                    spec["ephemeralContainers"] = [{"name": "dbg", "image": "busybox", "volumeMounts": m}]
            elif self.p(.2):
                spec["initContainers"] = [{"name": "i0", "image": "busybox", "restartPolicy": "Never",
                                           "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}]}]
        # priority
        prio = self.pick([0, 0, 0, 10, 100, 1000, -5]) if (self.on("preemption", "cascade") or self.p(.3)) else 0
        if not node and self.on("preemption", "cascade", "gang"):
            prio = self.pick([100, 1000, 5000, 0])
        if self.on("nominated"):
            prio = self.pick([0, 10, 10, 100])
        if self.twins:
            prio = self.pick([0, 0, 0, 10]) if node else 100
            for c in spec["containers"]:
                c["resources"] = {"requests": {"cpu": self.pick(["200m", "300m"]) if node else "700m", "memory": "200Mi"}}
        if prio or self.p(.9):
            spec["priority"] = prio
        if self.on("preemption", "cascade") and not node and self.p(.08):
            spec["preemptionPolicy"] = "Never"
        # taints
        if self.on("taints") or self.p(.3 if self.on("spread") else .1):
            tol = []
            for k, v in self.some(TAINTS, 0, 3):
                t = {"key": k, "operator": self.pick(["Exists", "Equal"])}
                if t["operator"] == "Equal":
                    t["value"] = v if self.p(.8) else "other"
                if self.p(.6):
                    t["effect"] = self.pick(EFFECTS)
                if t.get("effect") == "NoExecute" and self.p(.5):
                    t["tolerationSeconds"] = 300
                tol.append(t)
            if self.p(.5 if self.numeric else .02):
                tol.append({"key": "level", "operator": self.pick(["Lt", "Gt"]), "value": str(r.randint(1, 9)), "effect": self.pick(EFFECTS)})
            if self.p(.1) and tol:
                tol[-1].pop("operator")   # empty means Equal
                tol[-1].setdefault("value", "true")
            if self.p(.05):
                tol.append({"operator": "Exists"})
            if self.p(.05):
                tol.append({"operator": "Exists", "effect": self.pick(EFFECTS)})
            if tol:
                spec["tolerations"] = tol
        # node affinity
        if (self.on("nodeaffinity") and self.p(.9)) or self.p(.08):
            if self.p(.3):
                spec["nodeSelector"] = {"disktype": self.pick(["ssd", "hdd"])} if self.p(.8) else {"kubernetes.io/arch": "arm64", "rack": "r1"}
            na = {}
            if self.p(.5):
                na["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [self.node_term() for _ in range(r.randint(1, 2))]}
            if self.p(.6):
                na["preferredDuringSchedulingIgnoredDuringExecution"] = [
                    {"weight": r.randint(1, 100), "preference": self.node_term()} for _ in range(r.randint(1, 3))]
            if na:
                spec.setdefault("affinity", {})["nodeAffinity"] = na
        # inter-pod affinity
        if (self.on("podaffinity", "preemption", "nominated") and self.p(.55 if self.on("podaffinity") and self.theme != "mixed" else .15)) or self.p(.04):
            aff = spec.setdefault("affinity", {})
            if self.p(.4):
                aff["podAffinity"] = self.aff_block(.3, meta["labels"])
                if self.p(.15):   # the first of a group that wants its own kind near
                    aff["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = [
                        {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": self.pick([ZONE, HOST, "rack"])}]
            if self.p(.7):
                aff["podAntiAffinity"] = self.aff_block(.45, meta["labels"])
            aff = {k: v for k, v in aff.items() if v}
            if aff:
                spec["affinity"] = aff
            else:
                spec.pop("affinity", None)
        # spread
        if (self.on("spread") and self.p(.8 if node else .6)) or (self.on("preemption", "nominated") and self.p(.12)) or self.p(.03):
            cons, seen = [], set()
            for _ in range(r.randint(1, 3)):
                c = {"maxSkew": r.randint(1, 3), "topologyKey": self.pick(["topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"]),
                     "whenUnsatisfiable": self.pick(["DoNotSchedule", "ScheduleAnyway"]),
                     "labelSelector": self.label_selector() if self.p(.5) else {"matchLabels": {"app": app}}}
                if (c["topologyKey"], c["whenUnsatisfiable"]) in seen:
                    continue
                seen.add((c["topologyKey"], c["whenUnsatisfiable"]))
                if c["whenUnsatisfiable"] == "DoNotSchedule" and self.p(.3):
                    c["minDomains"] = r.randint(1, 5)
                if self.p(.3):
                    c["nodeAffinityPolicy"] = self.pick(["Honor", "Ignore"])
                if self.p(.3):
                    c["nodeTaintsPolicy"] = self.pick(["Honor", "Ignore"])
                if self.p(.2) and "labelSelector" in c:
                    c["matchLabelKeys"] = self.some(["tier", "ver"], 1, 2)
                if self.p(.04):
                    del c["labelSelector"]
                    c.pop("matchLabelKeys", None)
                cons.append(c)
            spec["topologySpreadConstraints"] = cons
        if node:
            status["startTime"] = f"2026-02-{r.randint(1, 28):02d}T{r.randint(0, 23):02d}:00:00Z"
            if self.twins or (self.on("preemption", "cascade") and self.p(.15)):
                status["startTime"] = "2026-02-14T12:00:00Z"
            if self.p(.06):
                meta["deletionTimestamp"] = "2026-03-01T00:00:00Z"
                meta["finalizers"] = ["example.com/hold"]
                if self.p(.6):
                    status.setdefault("conditions", []).append({"type": "DisruptionTarget", "status": self.pick(["True", "True", "False"]),
                                                                "reason": self.pick(["PreemptionByScheduler", "PreemptionByScheduler", "TerminationByKubelet"])})
            if self.p(.03):
                status["phase"] = self.pick(["Succeeded", "Failed"])
        elif self.p(.015):
            meta["deletionTimestamp"] = "2026-03-01T00:00:00Z"
            meta["finalizers"] = ["example.com/hold"]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status}

    def resize(self, spec, status):
        """An in-place resize under way: what is allocated and what runs differ from the spec."""
        def around(rq):
            f = self.pick([.5, 1, 2])
            return {"cpu": f"{int(100 * f * self.r.randint(1, 8))}m", "memory": f"{int(64 * f * self.r.randint(1, 12))}Mi"} if rq or self.p(.5) else {}
        for field, cs in (("containerStatuses", spec["containers"]), ("initContainerStatuses", spec.get("initContainers", []))):
            for c in cs:
                if field[0] == "i" and c.get("restartPolicy") != "Always" and self.p(.7):
                    continue
                rq = c.get("resources", {}).get("requests")
                x = {"name": c["name"], "image": c["image"], "imageID": "", "ready": True, "restartCount": 0}
                if self.p(.85):
                    x["allocatedResources"] = around(rq)
                if self.p(.75):
                    x["resources"] = {"requests": around(rq)}
                if self.p(.9):
                    status.setdefault(field, []).append(x)
        if spec.get("resources"):
            if self.p(.6):
                status["resources"] = {"requests": around(True)}
            if self.p(.6):
                status["allocatedResources"] = around(True)
        if self.p(.6):
            status["conditions"] = [self.pick([
                {"type": "PodResizePending", "status": "True", "reason": "Infeasible"},
                {"type": "PodResizePending", "status": "True", "reason": "Deferred"},
                {"type": "PodResizeInProgress", "status": "True"}])]
            if self.p(.3):
                status["conditions"].insert(0, {"type": "Ready", "status": "True"})

    def aff_block(self, req, pod=None):
        b = {}
        if self.p(req):
            b["requiredDuringSchedulingIgnoredDuringExecution"] = [self.pod_term(pod) for _ in range(self.r.randint(1, 2))]
        if self.p(.6):
            b["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": self.r.randint(1, 100), "podAffinityTerm": self.pod_term(pod)} for _ in range(self.r.randint(1, 2))]
        return b
