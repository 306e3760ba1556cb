"""Configurations of the scheduler."""

from generator.chance import Chance


class Configurations(Chance):
    """Configurations of the scheduler."""

    def config(self):
        r = self.r
        prof = {"schedulerName": "default-scheduler"}
        args = []
        ext = self.on("draext") and self.p(.8)
        if ext or self.p(.5):
            st = self.pick(["MostAllocated", "RequestedToCapacityRatio", "LeastAllocated"])
            strat = {"type": st, "resources": self.pick([
                [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
                [{"name": "cpu", "weight": 5}, {"name": "memory", "weight": 1}],
                [{"name": "nvidia.com/gpu", "weight": 3}, {"name": "cpu", "weight": 1}],
                [{"name": "nvidia.com/gpu", "weight": 2}, {"name": "example.com/dongle", "weight": 1}],
                [{"name": "example.com/ext-gpu", "weight": 2}, {"name": "cpu", "weight": 1}],
                [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 2}, {"name": "ephemeral-storage", "weight": 3}, {"name": "hugepages-2Mi", "weight": 1}]])}
            if st == "RequestedToCapacityRatio":
                strat["requestedToCapacityRatio"] = {"shape": self.pick([
                    [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}],
                    [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}],
                    [{"utilization": 20, "score": 2}, {"utilization": 70, "score": 9}],
                    [{"utilization": 0, "score": 3}, {"utilization": 50, "score": 10}, {"utilization": 100, "score": 1}]])}
            if ext:
                strat["resources"] = [{"name": "example.com/ext-gpu", "weight": 3}, {"name": "deviceclass.resource.kubernetes.io/gpu", "weight": 1}, {"name": "cpu", "weight": 1}][:r.randint(1, 3)]
                if self.p(.4):
                    strat["resources"][0]["name"] = "example.com/ext-any"
            a = {"scoringStrategy": strat}
            if self.p(.3):
                a["ignoredResources"] = ["example.com/dongle"]
            if self.p(.2):
                a["ignoredResourceGroups"] = ["nvidia.com"]
            args.append({"name": "NodeResourcesFit", "args": a})
        if self.p(.35):
            args.append({"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": self.pick([0, 1, 50, 100]), "ignorePreferredTermsOfExistingPods": self.p(.5)}})
        if self.p(.35):
            args.append({"name": "PodTopologySpread", "args": self.pick([
                {"defaultingType": "List", "defaultConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}]},
                {"defaultingType": "List", "defaultConstraints": [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}]},
                {"defaultingType": "List", "defaultConstraints": []}, {"defaultingType": "System"}])})
        if self.p(.3):
            args.append({"name": "NodeAffinity", "args": {"addedAffinity": self.pick([
                {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "disktype", "operator": "In", "values": ["ssd", "nvme"]}]}]}},
                {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 20, "preference": {"matchExpressions": [{"key": "rack", "operator": "Exists"}]}}]}])}})
        if self.p(.3):
            args.append({"name": "NodeResourcesBalancedAllocation", "args": {"resources": self.pick([
                [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}, {"name": "ephemeral-storage", "weight": 1}],
                [{"name": "cpu", "weight": 1}], [{"name": "cpu", "weight": 1}, {"name": "nvidia.com/gpu", "weight": 1}],
                # not example.com/ext-gpu: v1.37 schedulers crash in this plugin on a device class with selectors
                [{"name": "cpu", "weight": 1}, {"name": "example.com/ext-any", "weight": 1}],
                [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}, {"name": "nvidia.com/gpu", "weight": 1}, {"name": "example.com/dongle", "weight": 1}]])}})
        if self.p(.15):
            args.append({"name": "DefaultPreemption", "args": {"minCandidateNodesPercentage": 100, "minCandidateNodesAbsolute": 1}})
        if (self.on("storage") or self.p(.05)) and self.p(.5):
            args.append({"name": "VolumeBinding", "args": {"shape": self.pick([
                [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}],
                [{"utilization": 10, "score": 1}, {"utilization": 60, "score": 8}, {"utilization": 90, "score": 4}]])}})
        if args:
            prof["pluginConfig"] = args
        plugins = {}
        if self.p(.4):
            off = self.some(["NodeResourcesBalancedAllocation", "ImageLocality", "TaintToleration", "NodeAffinity"], 1, 2)
            plugins["score"] = {"disabled": [{"name": n} for n in off], "enabled": [{"name": n, "weight": r.randint(1, 20)} for n in off if self.p(.6)]}
        if self.p(.2):
            plugins["filter"] = {"disabled": [{"name": self.pick(["NodeUnschedulable", "TaintToleration", "NodePorts"])}]}
        if self.p(.15):
            plugins["multiPoint"] = {"enabled": [{"name": "NodeResourcesFit", "weight": 7}]}
        if self.p(.1):
            plugins["score"] = {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit", "weight": 2}, {"name": "ImageLocality", "weight": 1}]}
        if self.p(.08):
            plugins["postFilter"] = {"disabled": [{"name": "DefaultPreemption"}]}
        if self.p(.12):
            plugins["preScore"] = {"disabled": [{"name": self.pick(["NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation"])}]}
        if self.p(.08):
            plugins["multiPoint"] = {"disabled": [{"name": self.pick(["InterPodAffinity", "PodTopologySpread", "ImageLocality", "NodeResourcesFit", "DynamicResources"])}]}
        if self.on("storage", "limits") and self.p(.8):   # what one of these rejects the next would have: each gets its say
            plugins["multiPoint"] = {"disabled": [{"name": x} for x in dict.fromkeys(self.some(["VolumeBinding", "VolumeBinding", "VolumeZone", "NodeVolumeLimits", "VolumeRestrictions"], 1, 3))]}
        if plugins:
            prof["plugins"] = plugins
        if self.p(.2):
            other = {"schedulerName": "packer", "pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {
                "type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]}}}],
                "plugins": {"score": {"disabled": [{"name": "NodeResourcesBalancedAllocation"}]}}}
            return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [prof, other]}
        return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [prof]}
