"""Names and labels that cases are made of, and the themes."""

ZONES = ["zone-a", "zone-b", "zone-c"]
REGIONS = ["r1", "r2"]
NAMESPACES = {"default": {"team": "core", "kubernetes.io/metadata.name": "default"},
              "web": {"team": "front", "env": "prod", "kubernetes.io/metadata.name": "web"},
              "batch": {"team": "data", "env": "dev", "kubernetes.io/metadata.name": "batch"},
              "kube-system": {"kubernetes.io/metadata.name": "kube-system"}}
APPS = ["api", "db", "cache", "worker", "ui"]
TIERS = ["gold", "silver"]
IMAGES = [("registry.example/app-%d:v1" % i, 20 * 1024 * 1024 * (i + 1) * (i + 1)) for i in range(9)] + [
    ("nginx:1.27", 190000000), ("busybox", 4200000), ("registry.example/model:v2", 1900000000), ("registry.example:5000/big", 3000000000)]
TAINTS = [("dedicated", "gpu"), ("dedicated", "infra"), ("spot", "true"), ("maintenance", ""),
          ("node.kubernetes.io/unreachable", ""), ("node.kubernetes.io/not-ready", ""),
          ("node.kubernetes.io/disk-pressure", "")]
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
ZONE, REGION, HOST = "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/hostname"
NODE_FEATURES = ["RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport", "VolumeBindMountOptions", "SomethingElse"]

# what each theme is about: taints, resources... are the plugins'; the others:
#   resize     in-place resizes under way             limits    CSI volume limits, attachments, migration
#   features   node declared features                 nominated pods with status.nominatedNodeName
#   cascade    simulate with preemptions carried out  queue     simulate, order of the queue
#   dra*       part: partitionable devices; taint: device taints and rules; share: consumable capacity;
#              ext: extended resources backed by devices; bind: binding conditions
#   dranode    devices that stand for cpu, memory ... of their node (a gate that is off by default, from 1.36 on)
#   gang       pod groups (a gate that is off by default): who waits, groups as victims; not the group's own cycle
THEMES = ["resources", "resize", "taints", "nodeaffinity", "ports", "podaffinity", "spread", "images", "storage", "limits", "features",
          "preemption", "nominated", "cascade", "dra", "drapart", "drataint", "drashare", "draext", "drabind", "config", "queue", "gang", "dranode", "mixed"]
