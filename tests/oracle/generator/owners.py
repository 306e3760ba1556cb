"""Owners of pods, which default topology spread looks at; budgets; pods that are nominated."""

from generator.selectors import Selectors
from generator.words import NAMESPACES, APPS


class Owners(Selectors):
    """Owners of pods, which default topology spread looks at; budgets; pods that are nominated."""

    def owners(self, pods):
        for app in self.some(APPS, 2, 5):
            ns = self.pick([q["metadata"]["namespace"] for q in pods])
            if self.p(.4):
                self.objs.append({"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"svc-{app}", "namespace": ns},
                                  "spec": {"selector": {"app": app}, "ports": [{"port": 80}]}})
            if self.p(.1):
                self.objs.append({"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"nosel-{app}", "namespace": ns}, "spec": {"ports": [{"port": 80}]}})
            if self.p(.5):
                kind, api = self.pick([("StatefulSet", "apps/v1"), ("ReplicationController", "v1"), ("Job", "batch/v1"), ("ReplicaSet", "apps/v1")])
                o = {"apiVersion": api, "kind": kind, "metadata": {"name": f"own-{app}", "namespace": ns, "uid": f"own-{app}-{ns}"},
                     "spec": {"replicas": 3, "selector": {"app": app} if kind == "ReplicationController" else {"matchLabels": {"app": app}},
                              "template": {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}}}
                if kind in ("StatefulSet", "ReplicaSet") and self.p(.4):
                    o["spec"]["selector"]["matchExpressions"] = [{"key": "tier", "operator": "Exists"}]
                if kind == "Job":
                    del o["spec"]["replicas"], o["spec"]["selector"]
                if self.p(.9):
                    self.objs.append(o)
                for q in pods:
                    if q["metadata"]["namespace"] == ns and q["metadata"]["labels"].get("app") == app and self.p(.9):
                        q["metadata"]["ownerReferences"] = [{"apiVersion": api, "kind": kind, "name": o["metadata"]["name"], "uid": o["metadata"]["uid"], "controller": True}]
            elif self.p(.6):
                rs = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": f"rs-{app}", "namespace": ns, "uid": f"rs-{app}-{ns}"},
                      "spec": {"replicas": 3, "selector": {"matchLabels": {"app": app}},
                               "template": {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}}}
                self.objs.append(rs)
                for q in pods:
                    if q["metadata"]["namespace"] == ns and q["metadata"]["labels"].get("app") == app and self.p(.8):
                        q["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": rs["metadata"]["name"],
                                                             "uid": rs["metadata"]["uid"], "controller": True}]

    def pdbs(self):
        for n in range(self.r.randint(1, 4)):
            ns, app = self.pick(list(NAMESPACES)[:3]), self.pick(APPS)
            allowed = self.pick([0, 0, 1, 1, 2, 5])
            b = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": f"pdb-{n}", "namespace": ns},
                 "spec": {"minAvailable": 1, "selector": self.pick([{"matchLabels": {"app": app}}] * 4 + [{}, {"matchLabels": {"tier": "gold"}},
                          {"matchExpressions": [{"key": "app", "operator": "In", "values": self.some(APPS, 1, 3)}]}])},
                 "status": {"disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2, "observedGeneration": 1}}
            if self.p(.06):
                del b["spec"]["selector"]   # a null selector selects nothing
            if self.p(.25):
                b["status"]["disruptedPods"] = {f"run-{self.r.randint(0, 20):03d}": "2026-03-01T00:00:00Z" for _ in range(3)}
            self.objs.append(b)

    def nominate(self, nodes, pending):
        for q in pending:
            if self.p(.45):
                q["status"]["nominatedNodeName"] = self.pick(nodes)["metadata"]["name"] if self.p(.95) else "node-99"
                if self.p(.3):
                    q["spec"]["priority"] = 1000
