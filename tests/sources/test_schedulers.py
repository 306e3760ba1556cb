"""How the scheduler of a dump is set up, from whatever the dump shows of it."""

import json
from typing import Any

import pytest

from kplan.sources.loading import load_values

ASSUMED = "the defaults are assumed (--config FILE names it)"

CONFIGURATION = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": []}
POLICY = {"apiVersion": "v1", "kind": "Policy", "predicates": [{"name": "HostName"}]}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "1"}}}
OTHER = {"name": "metrics", "image": "exporter"}
FILE = "/etc/kubernetes/own/config.yaml"


def scheduler(
    *args: str, name: str = "kube-scheduler-cp-1", namespace: str = "kube-system", **spec: Any
) -> dict[str, Any]:
    container = {"name": "s", "image": "registry.k8s.io/kube-scheduler:v1.37.2", "command": ["kube-scheduler", *args]}
    container["volumeMounts"] = spec.pop("mounts", [])
    meta = {"name": name, "namespace": namespace, "labels": {"component": "kube-scheduler"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [OTHER, container], **spec}}


def config_map(name: str, text: Any, key: str = "config.yaml", namespace: str = "kube-system") -> dict[str, Any]:
    data = {"notes": "nothing of a scheduler", key: text if isinstance(text, str) else json.dumps(text)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def mounted(name: str, **source: Any) -> dict[str, Any]:
    return {
        "mounts": [{"name": "etc", "mountPath": "/etc"}, {"name": "own", "mountPath": "/etc/kubernetes/own"}],
        "volumes": [
            {"name": "etc", "hostPath": {"path": "/etc"}},
            {"name": "own", "configMap": {"name": name, **source}},
        ],
    }


POD = "pod kube-system/kube-scheduler-cp-1"

FOUND = {
    "arguments without a file prove the defaults": (
        [scheduler("--feature-gates=A=true,B=false", "--leader-elect=true")],
        (None, {"A": True, "B": False}, f"arguments of {POD}", ""),
    ),
    "a value may be a word of its own, and gates be given twice": (
        [scheduler("--feature-gates", "A=true", "--feature-gates=B=1")],
        (None, {"A": True, "B": True}, f"arguments of {POD}", ""),
    ),
    "a ConfigMap that is mounted": (
        [scheduler(f"--config={FILE}", **mounted("mine")), config_map("mine", CONFIGURATION)],
        (CONFIGURATION, {}, f"ConfigMap kube-system/mine, which {POD} uses", ""),
    ),
    "a key that is mounted as a file of another name": (
        [
            scheduler(f"--config={FILE}", **mounted("mine", items=[{"key": "sched", "path": "config.yaml"}])),
            config_map("mine", CONFIGURATION, key="sched"),
        ],
        (CONFIGURATION, {}, f"ConfigMap kube-system/mine, which {POD} uses", ""),
    ),
    "a key that is mounted alone": (
        [
            scheduler(
                "--config=/etc/own.yaml",
                mounts=[{"name": "own", "mountPath": "/etc/own.yaml", "subPath": "sched"}],
                volumes=[{"name": "own", "configMap": {"name": "mine"}}],
            ),
            config_map("mine", CONFIGURATION, key="sched"),
        ],
        (CONFIGURATION, {}, f"ConfigMap kube-system/mine, which {POD} uses", ""),
    ),
    "a file of the node is out of reach": (
        [scheduler("--config=/etc/kubernetes/sched.yaml", "--feature-gates=A=true")],
        (
            None,
            {"A": True},
            f"arguments of {POD}",
            f"{POD} reads its configuration from the file /etc/kubernetes/sched.yaml on its node, out of reach: "
            "the defaults are assumed (--config FILE names it)",
        ),
    ),
    "a ConfigMap that the dump lacks is out of reach": (
        [scheduler(f"--config={FILE}", **mounted("mine"))],
        (
            None,
            {},
            f"arguments of {POD}",
            f"{POD} reads its configuration from ConfigMap kube-system/mine, out of reach: {ASSUMED}",
        ),
    ),
    "OpenShift copies ConfigMaps to the node": (
        [
            scheduler(
                "--config=/etc/kubernetes/static-pod-resources/configmaps/config/config.yaml",
                name="openshift-kube-scheduler-m0",
                namespace="openshift-kube-scheduler",
            ),
            config_map("config", CONFIGURATION, namespace="openshift-kube-scheduler"),
        ],
        (
            CONFIGURATION,
            {},
            "ConfigMap openshift-kube-scheduler/config, which pod openshift-kube-scheduler/openshift-kube-scheduler-m0 "
            "uses",
            "",
        ),
    ),
    "a Policy in a ConfigMap": (
        [scheduler("--policy-configmap=p"), config_map("p", POLICY, key="policy.cfg")],
        (POLICY, {}, f"ConfigMap kube-system/p, which {POD} uses", ""),
    ),
    "a Policy in a file, whatever ConfigMap is named": (
        [
            scheduler("--policy-configmap=p", "--use-legacy-policy-config=true", "--policy-config-file=/p.json"),
            config_map("p", POLICY, key="policy.cfg"),
        ],
        (
            None,
            {},
            f"arguments of {POD}",
            f"{POD} reads its configuration from the file /p.json on its node, out of reach: {ASSUMED}",
        ),
    ),
    "a provider": (
        [scheduler("--algorithm-provider=ClusterAutoscalerProvider")],
        (
            {"apiVersion": "v1", "kind": "Policy", "algorithmProvider": "ClusterAutoscalerProvider"},
            {},
            f"arguments of {POD}",
            "",
        ),
    ),
    "a Deployment, where none of its pods is there": (
        [
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "kube-scheduler", "namespace": "kube-system"},
                "spec": {"template": {"spec": scheduler("--feature-gates=A=true")["spec"]}},
            }
        ],
        (None, {"A": True}, "arguments of Deployment kube-system/kube-scheduler", ""),
    ),
    "of several that differ, one is taken and it is said": (
        [scheduler(), scheduler("--feature-gates=A=true", name="kube-scheduler-cp-2")],
        (
            None,
            {},
            f"arguments of {POD}",
            f"pod kube-system/kube-scheduler-cp-2 has other arguments than {POD}, which is taken: their leader decides",
        ),
    ),
    "a scheduler beside the cluster's own says nothing of that": (
        [scheduler("--config=/x", name="second", namespace="batch")],
        (None, {}, "", ""),
    ),
    "a ConfigMap of the usual name, where no pod is there": (
        [config_map("scheduler-config", CONFIGURATION)],
        (CONFIGURATION, {}, "ConfigMap kube-system/scheduler-config", ""),
    ),
    "a policy of audits is none of a scheduler": (
        [config_map("scheduler-config", {"apiVersion": "audit.k8s.io/v1", "kind": "Policy"})],
        (None, {}, "", ""),
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_the_scheduler_of_a_dump(case: str) -> None:
    objects, (config, gates, origin, doubt) = FOUND[case]
    state = load_values([NODE, *objects])
    assert state.scheduler.configuration == config
    assert state.scheduler.gates == gates
    assert (state.scheduler.origin, state.scheduler.doubt) == (origin, doubt)


def test_every_config_map_that_holds_a_configuration_can_be_named() -> None:
    second = config_map("second", CONFIGURATION, namespace="batch")
    state = load_values([NODE, second, config_map("other", "a: b")])
    assert state.scheduler_config_maps == {"batch/second": CONFIGURATION}
