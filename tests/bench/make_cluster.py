#!/usr/bin/env python3
"""Write a synthetic cluster as one Kubernetes List (JSON), the same for the same arguments.

    make_cluster.py --nodes 5000 --running 30000 --pending 1000 [--templates 50] [--shape mixed] [--seed 1] > FILE

Shapes, by what the pending pods ask for:
  basic     cpu and memory only
  spread    a hard zone and a soft hostname topology spread constraint
  affinity  required hostname anti-affinity to the own app, preferred zone affinity to another app
  mixed     templates of all three, with node selectors, tolerations, host ports here and there
  preempt   nodes full of low-priority pods with PodDisruptionBudgets; pending pods of high priority
  devices   8 devices a node, some in use; pending pods each with a claim of their own, of one device to four
Object sizes follow real ones: conditions, images, annotations, environment variables, probes.
"""

import argparse
import json
import random
import sys

ZONES = ("zone-a", "zone-b", "zone-c")


def node(i, r, shape):
    big = i % 5 == 0 and shape != "preempt"
    name = f"node-{i:05d}"
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": ZONES[i % 3],
        "topology.kubernetes.io/region": "region-1",
        "node.kubernetes.io/instance-type": "m32" if big else "m16",
        "disktype": "ssd" if i % 4 else "hdd",
        "pool": f"pool-{i % 7}",
    }
    allocatable = {
        "cpu": "31850m" if big else "15890m",
        "memory": "126Gi" if big else "62000Mi",
        "pods": "110",
        "ephemeral-storage": "95551679124",
    }
    spec = {"podCIDR": f"10.{i // 256 % 256}.{i % 256}.0/24", "providerID": f"example:///{ZONES[i % 3]}/i-{i:017x}"}
    if i % 20 == 0:
        spec["taints"] = [{"key": "dedicated", "value": "infra", "effect": "NoSchedule"}]
    elif i % 17 == 0:
        spec["taints"] = [{"key": "spot", "value": "true", "effect": "PreferNoSchedule"}]
    images = [
        {
            "names": [f"registry.example/app-{j}@sha256:{j:064x}", f"registry.example/app-{j}:v1"],
            "sizeBytes": 30_000_000 + 7_000_000 * j,
        }
        for j in sorted(r.sample(range(60), 12))
    ]
    conditions = [
        {
            "type": t,
            "status": "True" if t == "Ready" else "False",
            "reason": f"Kubelet{t}",
            "message": "kubelet is posting status",
            "lastHeartbeatTime": "2026-11-01T10:00:00Z",
            "lastTransitionTime": "2026-10-01T10:00:00Z",
        }
        for t in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": f"node-uid-{i}",
            "labels": labels,
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        },
        "spec": spec,
        "status": {
            "capacity": dict(allocatable, cpu="32" if big else "16"),
            "allocatable": allocatable,
            "conditions": conditions,
            "images": images,
            "nodeInfo": {"kubeletVersion": "v1.37.2", "osImage": "Linux", "architecture": "amd64"},
        },
    }


def template(t, shape, r, pending):
    app = f"app-{t}"
    kind = (
        "basic"
        if shape == "devices"
        else shape
        if shape != "mixed"
        else ("basic", "spread", "affinity", "basic")[t % 4]
    )
    cpu, mem = r.choice((50, 100, 200, 250, 500, 1000)), r.choice((64, 128, 256, 512, 1024, 2048))
    if kind == "preempt":
        cpu, mem = (4000, 8192) if pending else (r.choice((400, 500, 600)), r.choice((1024, 2048)))
    c = {
        "name": "main",
        "image": f"registry.example/app-{t % 60}:v1",
        "imagePullPolicy": "IfNotPresent",
        "resources": {"requests": {"cpu": f"{cpu}m", "memory": f"{mem}Mi"}, "limits": {"memory": f"{2 * mem}Mi"}},
        "env": [{"name": f"SETTING_{k}", "value": f"value-{t}-{k}"} for k in range(8)],
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 10},
        "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets", "readOnly": True}],
    }
    spec = {
        "containers": [c],
        "priority": 0,
        "schedulerName": "default-scheduler",
        "serviceAccountName": app,
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {
                "key": "node.kubernetes.io/not-ready",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            },
            {
                "key": "node.kubernetes.io/unreachable",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            },
        ],
        "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
    }
    sel = {"matchLabels": {"app": app}}
    if kind == "spread":
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": sel,
            },
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": sel,
            },
        ]
    if kind == "affinity":
        spec["affinity"] = {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "kubernetes.io/hostname", "labelSelector": sel}
                ]
            },
            "podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 50,
                        "podAffinityTerm": {
                            "topologyKey": "topology.kubernetes.io/zone",
                            "labelSelector": {"matchLabels": {"app": f"app-{t + 1}"}},
                        },
                    }
                ]
            },
        }
    if shape == "mixed":
        if t % 5 == 0:
            spec["nodeSelector"] = {"disktype": "ssd"}
        if t % 9 == 0:
            spec["tolerations"].append(
                {"key": "dedicated", "operator": "Equal", "value": "infra", "effect": "NoSchedule"}
            )
        if t % 11 == 0:
            c["ports"][0]["hostPort"] = 20000 + t
    if kind == "preempt" and pending:
        spec["priority"] = 1000
        spec["priorityClassName"] = "high"
    return app, spec


def pod(app, spec, k, t, node_name):
    p = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{app}-{k:06d}",
            "namespace": f"team-{t % 12}",
            "uid": f"pod-uid-{app}-{k}",
            "creationTimestamp": "2026-11-01T10:00:00Z",
            "labels": {"app": app, "pod-template-hash": f"{t:010x}"},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": f"{app}-{t:010x}",
                    "uid": f"rs-uid-{t}",
                    "controller": True,
                }
            ],
        },
        "spec": dict(spec),
        "status": {"phase": "Running" if node_name else "Pending"},
    }
    if node_name:
        p["spec"]["nodeName"] = node_name
        p["status"].update(
            startTime="2026-11-01T10:00:10Z",
            podIP="10.0.0.1",
            conditions=[{"type": "Ready", "status": "True"}],
            containerStatuses=[
                {
                    "name": "main",
                    "ready": True,
                    "restartCount": 0,
                    "image": spec["containers"][0]["image"],
                    "state": {"running": {"startedAt": "2026-11-01T10:00:12Z"}},
                }
            ],
        )
    return p


DRIVER = "gpu.example.com"
MODELS = (("a100", "40Gi", 8), ("h100", "80Gi", 9), ("l4", "24Gi", 8))


def device_class():
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": DRIVER},
        "spec": {
            "selectors": [
                {"cel": {"expression": f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == 'gpu'"}}
            ]
        },
    }


def resource_slice(i):
    """8 devices of one model; each has an identifier of its own, as drivers publish them."""
    name, (model, memory, capability) = f"node-{i:05d}", MODELS[i % 3]
    devices = [
        {
            "name": f"gpu-{d}",
            "attributes": {
                "type": {"string": "gpu"},
                "uuid": {"string": f"GPU-{i:08x}-{d:04x}"},
                "index": {"int": d},
                "productName": {"string": f"Example {model.upper()}"},
                "model": {"string": model},
                "cudaComputeCapability": {"version": f"{capability}.0.0"},
                "driverVersion": {"version": "570.86.15"},
                "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{d // 4:02x}"},
            },
            "capacity": {"memory": {"value": memory}},
        }
        for d in range(8)
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{name}-{DRIVER}"},
        "spec": {
            "driver": DRIVER,
            "nodeName": name,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


def claim_spec(t):
    """What the pods of a template ask for."""
    exactly = {"deviceClassName": DRIVER, "allocationMode": "ExactCount", "count": (1, 1, 2, 4)[t % 4]}
    if t % 3:
        memory = f"device.capacity['{DRIVER}'].memory.compareTo(quantity('40Gi')) >= 0"
        model = f"device.attributes['{DRIVER}'].model in ['h100', 'l4']"
        exactly["selectors"] = [{"cel": {"expression": memory if t % 3 == 1 else model}}]
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    if t % 4 == 2:
        spec["devices"]["constraints"] = [{"matchAttribute": "resource.kubernetes.io/pcieRoot"}]
    if t % 5 == 4:
        better = dict(
            exactly, name="h100", selectors=[{"cel": {"expression": f"device.attributes['{DRIVER}'].model == 'h100'"}}]
        )
        spec["devices"]["requests"] = [{"name": "gpu", "firstAvailable": [better, dict(exactly, name="any")]}]
    return spec


def with_claim(p, spec, device=None, node_name=None):
    """Give a pod a claim made for it; return the claim, with a device if the pod runs."""
    meta = p["metadata"]
    name = f"{meta['name']}-gpu"
    p["spec"] = dict(p["spec"], resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpu"}])
    p["status"]["resourceClaimStatuses"] = [{"name": "gpu", "resourceClaimName": name}]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True}
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": name,
            "namespace": meta["namespace"],
            "uid": f"claim-uid-{meta['uid']}",
            "ownerReferences": [owner],
        },
        "spec": spec,
    }
    if device is not None:
        fields = [{"key": "metadata.name", "operator": "In", "values": [node_name]}]
        claim["status"] = {
            "allocation": {
                "devices": {
                    "results": [{"request": "gpu", "driver": DRIVER, "pool": node_name, "device": f"gpu-{device}"}]
                },
                "nodeSelector": {"nodeSelectorTerms": [{"matchFields": fields}]},
            },
            "reservedFor": [{"resource": "pods", "name": meta["name"], "uid": meta["uid"]}],
        }
    return claim


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--nodes", type=int, default=5000)
    ap.add_argument("--running", type=int, default=30000)
    ap.add_argument("--pending", type=int, default=1000)
    ap.add_argument("--templates", type=int, default=50, help="templates of pending pods; running pods have 600")
    ap.add_argument("--shape", choices=("basic", "spread", "affinity", "mixed", "preempt", "devices"), default="mixed")
    ap.add_argument("--used", type=float, default=0.5, help="devices: share of running pods that hold one")
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    r = random.Random(a.seed)
    out = sys.stdout
    out.write('{"apiVersion":"v1","kind":"List","items":[\n')
    first = True

    def emit(o):
        nonlocal first
        out.write(("" if first else ",\n") + json.dumps(o, separators=(",", ":")))
        first = False

    for i in range(a.nodes):
        emit(node(i, r, a.shape))
    for t in range(12):
        emit(
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": f"team-{t}", "labels": {"kubernetes.io/metadata.name": f"team-{t}"}},
            }
        )
    emit({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000})
    if a.shape == "devices":
        emit(device_class())
        for i in range(a.nodes):
            emit(resource_slice(i))
    held = [0] * a.nodes
    running = [template(1000 + t, "basic" if a.shape != "preempt" else "preempt", r, False) for t in range(600)]
    for k in range(a.running):
        t = r.randrange(600)
        app, spec = running[t]
        home = (k * 7 + k // a.nodes) % a.nodes
        made = pod(app, spec, k, t, f"node-{home:05d}")
        if a.shape == "devices" and r.random() < a.used and held[home] < 8:
            one = {
                "requests": [{"name": "gpu", "exactly": {"deviceClassName": DRIVER, "allocationMode": "ExactCount"}}]
            }
            emit(with_claim(made, {"devices": one}, held[home], f"node-{home:05d}"))
            held[home] += 1
        emit(made)
    if a.shape == "preempt":
        for t in range(0, 600, 6):
            emit(
                {
                    "apiVersion": "policy/v1",
                    "kind": "PodDisruptionBudget",
                    "metadata": {"name": f"pdb-{t}", "namespace": f"team-{t % 12}"},
                    "spec": {"selector": {"matchLabels": {"app": running[t][0]}}, "minAvailable": "90%"},
                    "status": {
                        "disruptionsAllowed": t % 3,
                        "currentHealthy": 10,
                        "desiredHealthy": 9,
                        "expectedPods": 10,
                    },
                }
            )
    pending = [template(t, a.shape, r, True) for t in range(a.templates)]
    for k in range(a.pending):
        t = k % a.templates
        app, spec = pending[t]
        made = pod(app, spec, k, t, None)
        if a.shape == "devices":
            emit(with_claim(made, claim_spec(t)))
        emit(made)
    out.write("\n]}\n")


if __name__ == "__main__":
    main()
