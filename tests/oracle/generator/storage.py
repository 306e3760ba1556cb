"""Claims, volumes, their classes, drivers and attachments."""

import json

from generator.chance import Chance
from generator.words import ZONES, BETA_ZONE, BETA_REGION, ZONE, REGION, HOST


class Storage(Chance):
    """Claims, volumes, their classes, drivers and attachments."""

    def storage(self, nodes, placed, pending):
        r = self.r
        scs = [("fast-wffc", "WaitForFirstConsumer", "csi.example.com"), ("slow-immediate", "Immediate", "csi.example.com"),
               ("local", "WaitForFirstConsumer", "kubernetes.io/no-provisioner"), ("gce", "WaitForFirstConsumer", "kubernetes.io/gce-pd"),
               ("other", "WaitForFirstConsumer", "other.example.com")]
        for n, mode, prov in scs:
            if self.p(.03):
                continue   # claims of this class name a class that is not there
            sc = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": n}, "provisioner": prov, "volumeBindingMode": mode}
            if n == "fast-wffc" and self.p(.3):
                sc["allowedTopologies"] = [{"matchLabelExpressions": [{"key": ZONE, "values": self.some(ZONES, 1, 2)}]}]
                if self.p(.3):
                    sc["allowedTopologies"].append({"matchLabelExpressions": [{"key": "rack", "values": ["r1"]}]})
            self.objs.append(sc)
        cap_tracking = self.p(.5)
        if self.p(.9):
            d = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "csi.example.com"},
                 "spec": {"storageCapacity": cap_tracking, "attachRequired": True}}
            if self.p(.5):
                d["spec"]["preventPodSchedulingIfMissing"] = self.p(.8)
            self.objs.append(d)
        if cap_tracking:
            # A node that reaches several sufficient capacities is scored by any of them, at random: so there is
            # one a zone, or the same everywhere; the others are too small for any claim here.
            where = self.some(ZONES + ["any", "none"], 0, 5)
            same = self.pick(["10Gi", "20Gi", "100Gi"]) if "any" in where else None
            for z in where:
                for n in range(1 if self.p(.7) else 2):
                    c = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
                         "metadata": {"name": f"cap-{z}-{n}", "namespace": "kube-system"}, "storageClassName": self.pick(["fast-wffc"] * 4 + ["other"]),
                         "capacity": "500Mi" if n or self.p(.1) else same or self.pick(["10Gi", "20Gi", "100Gi"]), "nodeTopology": {"matchLabels": {ZONE: z}}}
                    if z == "any":
                        c["nodeTopology"] = {}
                    elif z == "none":
                        del c["nodeTopology"]
                    if not n and not same:
                        if self.p(.3):
                            c["maximumVolumeSize"] = self.pick(["2Gi", "50Gi"])
                            if self.p(.3):
                                c["capacity"] = "0"
                        elif self.p(.1):
                            del c["capacity"]   # not with a maximum: v1.37 schedulers crash on that
                    self.objs.append(c)
        for n in nodes:
            if self.p(.85):
                cn = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": n["metadata"]["name"]},
                      "spec": {"drivers": [{"name": "csi.example.com", "nodeID": n["metadata"]["name"], "topologyKeys": [ZONE]}] if self.p(.9) else []}}
                if self.p(.6):
                    cn["metadata"]["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": self.pick([
                        "kubernetes.io/gce-pd,kubernetes.io/aws-ebs", "kubernetes.io/aws-ebs", "",
                        "kubernetes.io/azure-disk,kubernetes.io/cinder,kubernetes.io/portworx-volume,kubernetes.io/gce-pd"])}
                    cn["spec"]["drivers"] += [{"name": d, "nodeID": n["metadata"]["name"], "topologyKeys": None} for d in ("pd.csi.storage.gke.io", "ebs.csi.aws.com", "disk.csi.azure.com", "cinder.csi.openstack.org", "pxd.portworx.com")[:2 if self.p(.7) else 5]]
                for d in cn["spec"]["drivers"]:
                    if self.p(.85):
                        d["allocatable"] = {"count": r.randint(0 if self.on("limits") else 1, 3 if self.on("limits") else 5)} if self.p(.95) else {}
                self.objs.append(cn)
        kinds = ["bound-csi", "bound-local", "wffc", "wffc", "rwop", "static", "static", "zonal", "ephemeral", "intree"] * 4 + ["beta", "wffc-gce"] * 2 + [
            "immediate", "missing", "deleting", "lost", "no-pv", "half-bound", "no-class", "no-class", "bad-class", "prebound", "no-name"]
        if self.on("limits") and self.theme != "mixed":
            kinds = ["bound-csi"] * 8 + ["wffc", "wffc", "intree", "intree", "shared", "shared", "wffc-gce", "ephemeral"] * 2 + ["bad-class", "missing", "no-class", "wffc-other"]
        handles = 0
        for n, q in enumerate(placed + pending):
            on = q["spec"].get("nodeName")
            if not self.p(.5 if on or self.theme == "mixed" else .85):
                continue
            ns = q["metadata"]["namespace"]
            for _ in range(1 if self.p(.7) else r.randint(2, 3)):
                self.k += 1
                k, kind = self.k, self.pick(kinds)
                if on and kind in ("wffc", "immediate", "static", "no-pv", "half-bound", "lost", "prebound", "no-class", "wffc-gce", "no-name", "wffc-other") and self.p(.93):
                    kind = "bound-csi"
                name, mode = f"pvc-{k}", self.pick(["ReadWriteOnce"] * 4 + ["ReadWriteMany"])
                vol = {"name": f"v{k}", "persistentVolumeClaim": {"claimName": name}}
                pvc = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": ns, "uid": f"pvcuid-{k}"},
                       "spec": {"accessModes": [mode], "resources": {"requests": {"storage": self.pick(["1Gi", "5Gi", "20Gi"])}},
                                "storageClassName": "fast-wffc"}, "status": {"phase": "Pending"}}
                pv = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"pv-{k}"},
                      "spec": {"capacity": {"storage": "20Gi"}, "accessModes": [mode], "storageClassName": "fast-wffc",
                               "csi": {"driver": "csi.example.com", "volumeHandle": f"vol-{k}"}}, "status": {"phase": "Available"}}
                if kind == "shared":
                    handles += 1
                    pv["spec"]["csi"]["volumeHandle"] = f"shared-{handles % 2}"
                q["spec"].setdefault("volumes", []).append(vol)
                if kind == "missing":
                    continue
                if kind == "no-name":   # validation would not let it in; what reads old objects should not trip
                    vol["persistentVolumeClaim"]["claimName"] = ""
                    continue
                self.objs.append(pvc)
                if kind == "ephemeral":
                    x = r.random()
                    vol.pop("persistentVolumeClaim")
                    vol["ephemeral"] = {"volumeClaimTemplate": {"spec": dict(pvc["spec"])}}
                    pvc["metadata"]["name"] = name = f"{q['metadata']['name']}-v{k}"
                    if x < .1:
                        self.objs.pop()   # the controller has not made it yet
                    elif x < .85:
                        pvc["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": q["metadata"]["name"], "uid": q["metadata"]["uid"], "controller": True}]
                    if x < .45:
                        continue
                    kind = "bound-csi"
                if kind == "wffc":
                    if self.p(.12):
                        pvc["metadata"]["annotations"] = {"volume.kubernetes.io/selected-node": self.pick(nodes)["metadata"]["name"]}
                elif kind in ("wffc-gce", "wffc-other"):
                    pvc["spec"]["storageClassName"] = kind[5:]
                elif kind == "immediate":
                    pvc["spec"]["storageClassName"] = "slow-immediate"
                elif kind == "no-class":
                    if self.p(.4):
                        pvc["spec"].pop("storageClassName")
                    else:
                        pvc["spec"]["storageClassName"] = ""   # with none at all, v1.37 schedulers crash on the annotation
                        if self.p(.5):
                            pvc["metadata"]["annotations"] = {"volume.beta.kubernetes.io/storage-class": "fast-wffc"}
                elif kind == "bad-class":
                    pvc["spec"]["storageClassName"] = "nowhere"
                elif kind == "static":
                    # an unbound claim, and volumes of which some fit it
                    self.static(nodes, pvc, pv)
                else:
                    pvc["spec"]["volumeName"] = pv["metadata"]["name"]
                    pvc["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
                    pvc["status"] = {"phase": "Bound", "accessModes": [mode], "capacity": {"storage": "20Gi"}}
                    pv["spec"]["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": ns, "name": name, "uid": pvc["metadata"]["uid"]}
                    pv["status"] = {"phase": "Bound"}
                    if kind == "bound-local" or (self.p(.2) and kind == "bound-csi" and not self.on("limits")):
                        pv["spec"].pop("csi")
                        pv["spec"]["local"] = {"path": "/mnt/d"}
                        pv["spec"]["storageClassName"] = pvc["spec"]["storageClassName"] = "local"
                        pv["spec"]["nodeAffinity"] = self.on_nodes([on or self.pick(nodes)["metadata"]["name"]])
                    elif kind == "zonal":
                        pv["metadata"]["labels"] = {ZONE: self.pick(ZONES + ["zone-a__zone-b", "__bad__"])}
                        if self.p(.5):
                            pv["metadata"]["labels"][REGION] = self.pick(["r1", "r1", "r2"])
                    elif kind == "beta":
                        pv["metadata"]["labels"] = {BETA_ZONE: self.pick(ZONES + ["zone-a__zone-c"]), BETA_REGION: "r1"}
                    elif kind == "intree":
                        pv["spec"].pop("csi")
                        pv["spec"].update(self.pick([{"gcePersistentDisk": {"pdName": f"disk-{k}"}}, {"awsElasticBlockStore": {"volumeID": f"aws://us-east-1a/vol-{k}"}},
                                                     {"gcePersistentDisk": {"pdName": f"disk-{k}"}}, {"azureDisk": {"diskName": f"az-{k}", "diskURI": f"/subscriptions/s/az-{k}", "kind": "Managed"}},
                                                     {"cinder": {"volumeID": f"cin-{k}"}}, {"portworxVolume": {"volumeID": f"px-{k}"}}, {"vsphereVolume": {"volumePath": f"[ds] v{k}"}}, {"nfs": {"server": "10.0.0.2", "path": "/"}}]))
                        pv["spec"]["storageClassName"] = pvc["spec"]["storageClassName"] = "gce"
                        pv["metadata"]["labels"] = {ZONE: self.pick(ZONES)} if self.p(.6) else {}
                    elif kind == "rwop":
                        pvc["spec"]["accessModes"] = pv["spec"]["accessModes"] = ["ReadWriteOncePod"]
                    elif kind == "deleting":
                        pvc["metadata"].update({"deletionTimestamp": "2026-03-01T00:00:00Z", "finalizers": ["kubernetes.io/pvc-protection"]})
                    elif kind == "lost":
                        pvc["status"] = {"phase": "Lost"}
                    elif kind == "prebound":
                        pvc["metadata"].pop("annotations")
                        pvc["status"] = {"phase": "Pending"}
                    elif kind == "half-bound":
                        pvc["metadata"].pop("annotations")
                    if self.p(.15) and "nodeAffinity" not in pv["spec"] and kind != "intree":
                        pv["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                            {"key": ZONE, "operator": "In", "values": self.some(ZONES, 1, 2)}]}]}}
                    if kind not in ("no-pv", "lost"):
                        self.objs.append(pv)
                        if on and self.p(.4 if self.on("limits") else .1):
                            self.attachment(k, on if self.p(.9) else "node-99", pv["metadata"]["name"] if self.p(.95) else "gone")
        for a in range(r.randint(1, 6) if self.on("limits") else 0):   # volumes attached whose pod is not on the node (any more)
            self.k += 1
            self.objs.append({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"pv-{self.k}"}, "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast-wffc",
                **self.pick([{"csi": {"driver": "csi.example.com", "volumeHandle": f"vol-{self.k}"}}] * 4 + [{"nfs": {"server": "10.0.0.2", "path": "/"}}])}})
            self.attachment(self.k, self.pick(nodes)["metadata"]["name"], f"pv-{self.k}")
        # shared claims: several pods on one claim
        rw = [o for o in self.objs if o["kind"] == "PersistentVolumeClaim" and o["metadata"]["name"].startswith("pvc-") and ("ReadWriteOncePod" in o["spec"]["accessModes"] or self.p(.2))]
        for o in rw:
            same = [q for q in pending if q["metadata"]["namespace"] == o["metadata"]["namespace"]]
            if same and self.p(.6):
                q = self.pick(same)
                if not any(v.get("persistentVolumeClaim", {}).get("claimName") == o["metadata"]["name"] for v in q["spec"].get("volumes", [])):
                    q["spec"].setdefault("volumes", []).append({"name": "shared-" + o["metadata"]["name"], "persistentVolumeClaim": {"claimName": o["metadata"]["name"]}})
                    q["spec"]["priority"] = self.pick([0, 100, 1000])
        for q in placed + pending:
            if self.p(.2 if q in placed else .4):
                q["spec"].setdefault("volumes", []).append({"name": "disk", **self.pick([
                    {"awsElasticBlockStore": {"volumeID": f"vol-{r.randint(1, 2)}", "readOnly": self.p(.5)}},
                    {"gcePersistentDisk": {"pdName": f"pd-{r.randint(1, 2)}", "readOnly": self.p(.5)}},
                    {"portworxVolume": {"volumeID": f"px-{r.randint(1, 3)}"}}, {"vsphereVolume": {"volumePath": "[ds] v"}},
                    {"iscsi": {"targetPortal": f"10.0.0.{r.randint(8, 9)}:3260", "iqn": f"iqn.2001-04.com.example:{r.randint(1, 2)}", "lun": 0, "readOnly": self.p(.5)}},
                    {"azureDisk": {"diskName": f"az-{r.randint(1, 3)}", **({"diskURI": "/subscriptions/s/x", "kind": "Managed"} if self.p(.9) else
                                   {"diskURI": "https://a.blob.core.windows.net/c/d.vhd", "kind": "Shared"})}}, {"cinder": {"volumeID": f"cin-{r.randint(1, 3)}"}},
                    {"rbd": {"monitors": self.some(["10.1.1.1", "10.1.1.2", "10.1.1.3"], 1, 2), "image": f"im-{r.randint(1, 2)}", "pool": "rbd", "readOnly": self.p(.5)}}])})

    def on_nodes(self, names):
        return {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": HOST, "operator": "In", "values": names}]}]}}

    def attachment(self, k, node, pv):
        self.objs.append({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": f"va-{k}"},
                          "spec": {"attacher": "csi.example.com", "nodeName": node,
                                   "source": {"persistentVolumeName": pv} if self.p(.93) else {"inlineVolumeSpec": {"nfs": {"server": "10.0.0.2", "path": "/"}}}}})

    def static(self, nodes, pvc, pv):
        """Volumes for a claim of a class without a provisioner. No two have the same size: among equals the pick is random."""
        pvc["spec"]["storageClassName"] = "local" if self.p(.8) else "fast-wffc"
        pv["spec"].pop("csi")
        for n, size in enumerate(self.r.sample([1, 2, 5, 6, 10, 21, 30, 50], self.r.randint(0, 4))):
            v = json.loads(json.dumps(pv))
            v["metadata"]["name"] += f"-{n}"
            v["spec"]["storageClassName"] = pvc["spec"]["storageClassName"] if self.p(.93) else "other"
            v["spec"]["local"] = {"path": "/mnt/d"}
            v["spec"]["capacity"]["storage"] = f"{size}Gi"
            v["spec"]["nodeAffinity"] = self.on_nodes([x["metadata"]["name"] for x in self.some(nodes, 1, 3)])
            if self.p(.12):
                v["spec"]["accessModes"] = ["ReadOnlyMany"]
            if self.p(.25):
                v["spec"]["volumeMode"] = self.pick(["Block", "Filesystem"])
            if self.p(.12):
                v["spec"]["volumeAttributesClassName"] = self.pick(["gold", "silver"])
            if self.p(.08):   # the class as it was written long ago; the field is what volumes are looked up by
                v["metadata"]["annotations"] = {"volume.beta.kubernetes.io/storage-class": self.pick([v["spec"]["storageClassName"], "other"])}
            if self.p(.3):
                v["metadata"]["labels"] = {"speed": self.pick(["fast", "slow"])}
            if self.p(.07):
                v["metadata"].update({"deletionTimestamp": "2026-03-01T00:00:00Z", "finalizers": ["kubernetes.io/pv-protection"]})
            if self.p(.12):
                v["spec"]["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": pvc["metadata"]["namespace"],
                                         "name": pvc["metadata"]["name"] if self.p(.6) else "another", **({"uid": self.pick([pvc["metadata"]["uid"], "old"])} if self.p(.5) else {})}
            if self.p(.12):
                v["status"] = {"phase": self.pick(["Released", "Pending", "Failed"])}
            self.objs.append(v)
        if self.p(.25):
            pvc["spec"]["volumeMode"] = self.pick(["Block", "Filesystem"])
        if self.p(.12):
            pvc["spec"]["volumeAttributesClassName"] = "gold"
        if self.p(.25):
            pvc["spec"]["selector"] = {"matchLabels": {"speed": self.pick(["fast", "slow"])}}
