"""Inputs of an attacker, each of a kind that once ended in an internal error or a false answer."""

from __future__ import annotations

import io
import json
import tarfile
from typing import Any

DIGITS = "9" * 5000


def node(name: str = "n0", **more: Any) -> dict[str, Any]:
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}, "nodeInfo": {"kubeletVersion": "v1.37.2"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status, **more}


def pod(name: str, on: str = "", meta: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    body = {"containers": [{"name": "c", "image": "x"}], **spec, **({"nodeName": on} if on else {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "d", **(meta or {})},
        "spec": body,
        "status": {"phase": "Running" if on else "Pending"},
    }


def of(*items: dict[str, Any]) -> bytes:
    """A List of these beside two nodes and a pod."""
    return json.dumps(
        {"apiVersion": "v1", "kind": "List", "items": [node(), node("n1"), pod("run", "n0"), *items]}
    ).encode()


def affine(operator: str, value: str) -> dict[str, Any]:
    terms = [{"matchExpressions": [{"key": "x", "operator": operator, "values": [value]}]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def budget(**spec: Any) -> dict[str, Any]:
    meta = {"name": "b", "namespace": "d"}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": meta,
        "spec": {"selector": {}, **spec},
    }


def workload(kind: str, **spec: Any) -> bytes:
    api = "batch/v1" if kind == "Job" else "apps/v1"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    full = {"selector": {"matchLabels": {"a": "b"}}, "template": template, **spec}
    meta = {"name": "w", "namespace": "d"}
    return json.dumps({"apiVersion": api, "kind": kind, "metadata": meta, "spec": full}).encode()


def tar(**members: bytes) -> bytes:
    """A tar of members; a name may hold bytes that are not UTF-8, as surrogates."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.USTAR_FORMAT, errors="surrogateescape") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


KWOK = (
    "apiVersion: action.kwok.x-k8s.io/v1alpha1\nkind: ResourcePatch\nresource: {resource: nodes}\ntarget: {name: n0}\n"
)

INPUTS: dict[str, bytes] = {
    "a number of 5,000 digits in a field": of(pod("p", priority=0)).replace(
        b'"priority": 0', f'"priority": {DIGITS}'.encode()
    ),
    "a number of 5,000 digits in an unknown field": b'{"x":' + DIGITS.encode() + b"}",
    "a label of 5,000 digits": of(
        node("n3", metadata={"name": "n3", "labels": {"x": DIGITS}}), pod("p", affinity=affine("Gt", "3"))
    ),
    "an operand of 5,000 digits": of(pod("p", affinity=affine("Gt", DIGITS))),
    "a resourceVersion of 5,000 digits": of(
        pod("p", meta={"resourceVersion": DIGITS}), pod("p", meta={"resourceVersion": "9" + DIGITS})
    ),
    "a deletion cost of 5,000 digits": of(
        pod("p", "n1", {"annotations": {"controller.kubernetes.io/pod-deletion-cost": DIGITS}})
    ),
    "a budget of 5,000 digits of percent": of(budget(minAvailable=DIGITS + "%")),
    "a budget that asks for x": of(budget(minAvailable="x")),
    "a kind that is not UTF-8": b'{"kind":"\xe9","apiVersion":"v1","metadata":{"name":"p"}}',
    "a name that is not UTF-8": b'{"apiVersion":"v1","kind":"Node","metadata":{"name":"n\xff\xfe"}}',
    "half a surrogate pair in a kind": b'[{"apiVersion":"v1","kind":"P\\ud800","metadata":{"name":"p"}},{"apiVersion":"v1","kind":"Pod","metadata":{"name":1}}]',
    "half a surrogate pair in a label": b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"\\udfff"}},"spec":{"containers":[{"name":"c"}]}}',
    "a job whose matchLabels are a text": workload("Job", selector={"matchLabels": "x"}),
    "a job whose template is a text": workload("Job", template="x"),
    "a deployment whose template is a list": workload("Deployment", template=[1]),
    "a template whose labels are a text": workload("Deployment", template={"metadata": {"labels": "x"}, "spec": {}}),
    "a tar member whose name is not UTF-8": tar(**{"a\udce9/nodes.json": of()}),
    "a version in a dump that is not UTF-8": tar(
        **{
            "cluster-resources/nodes.json": of(),
            "cluster-info/cluster_version.json": b'{"info":{"gitVersion":"v\xe9"}}',
        }
    ),
    "a version in a dump that is nested deeply": tar(
        **{"cluster-resources/nodes.json": of(), "cluster-info/cluster_version.json": b"[" * 100_000}
    ),
    "a patch of kwok of the wrong types": b"apiVersion: action.kwok.x-k8s.io/v1alpha1\nkind: ResourcePatch\ntarget: [1]\nresource: x\n",
    "a patch of kwok nested deeply": f"{KWOK}method: create\ntemplate: '{'[' * 100_000}'\n".encode(),
    "a patch of kwok whose merge key is a list": b"apiVersion: v1\nkind: Node\nmetadata: {name: n0, finalizers: 7}\n---\n"
    + f"{KWOK}method: patch\ntemplate: {{status: {{conditions: [{{type: [1]}}]}}, metadata: {{finalizers: [a]}}}}\n".encode(),
    "an export of the simulator of the wrong types": json.dumps(
        {
            "pods": [{"metadata": {"name": [1]}}],
            "nodes": 7,
            "pvs": "x",
            "pvcs": None,
            "priorityClasses": [{"metadata": {"name": [1]}}, 7],
        }
    ).encode(),
    "a record of the simulator of the wrong types": json.dumps(
        [{"event": "Add", "resource": {"kind": [1], "metadata": {"name": {"a": 1}}}, "time": "x"}]
    ).encode(),
    "a trace of SimKube of the wrong types": json.dumps(
        {"version": 2, "events": [7, {"ts": 10**17, "applied_objs": [{"kind": [1], "metadata": {"name": [1]}}]}]}
    ).encode(),
    "a recorded manifest nested deeply": json.dumps(
        {
            **json.loads(workload("Deployment", replicas=1)),
            "metadata": {
                "name": "w",
                "namespace": "d",
                "uid": "u",
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "[" * 100_000},
            },
        }
    ).encode(),
    "a table with a cell of 200,000 characters": b"instanceType,pricePerHour\n" + b"x" * 200_000 + b",1\n",
    "a table of prices that are no numbers": b"instanceType,pricePerHour\nn,nan\nm,inf\no,1e999\n",
    "JSON nested deeply": b"[" * 100_000 + b"]" * 100_000,
    "an unknown field nested deeply": b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":7},"spec":{"x":'
    + b"[" * 5000
    + b"]" * 5000
    + b"}}",
    "YAML nested deeply": b"a: " + b"[" * 3000 + b"]" * 3000,
    "a typed list whose objects do not say what they are": json.dumps(
        {
            "apiVersion": "v1",
            "kind": "PodList",
            "items": [{k: v for k, v in pod("p").items() if k not in ("apiVersion", "kind")}],
            "metadata": -(2**63),
        }
    ).encode(),
    "shapes that are lists where a number is wanted": b"nodes:\n- {cpu: 2, memory: [{cpu: 2}], name: small, price: x}\n"
    b"- {like: n0, price: 1}\n",
    "escapes in names": of(pod("a\x1b[31m\u202e"), node("n\n::error::x", spec={"taints": [{"key": "\x07"}]})),
    "markup in names": of(pod("x http://a.io<img src=x>"), node("[red]::add-mask::x[/red]")),
    "a separator with a comment right behind it": b"apiVersion: v1\nkind: Node\nmetadata: {name: n0}\n---# b\n"
    b"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n",
    "a deletion cost of two signs": of(
        pod("p", "n1", {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "--5"}})
    ),
    "arguments of a plugin of somebody's in what is noted of the scheduler": json.dumps(
        {
            "apiVersion": "v1",
            "kind": "List",
            "metadata": {
                "annotations": {
                    "kplan.dev/server-version": "v1.35.2-x.7",
                    "kplan.dev/scheduler": '{"configuration":{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":'
                    '"KubeSchedulerConfiguration","profiles":[{"pluginConfig":[{"name":"X","args":{"a":[[[1]]]}}]}]}}',
                }
            },
            "items": [node(), pod("p")],
        }
    ).encode(),
}
