"""Good documents of kplan's own and archives, as plain values to be mutated, and the command that reads each."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
import zstandard

from kplan.bind.plan.file import load_plan, plan_of
from kplan.bind.run.journal import Journal
from kplan.bind.run.record import read_journal
from kplan.bind.wire.writes import bind
from kplan.cli.main import main
from kplan.cli.settings import NAME, settings
from kplan.result.document_bind import BoundPod
from tests.hostile.samples import node, pod

ROOT = Path(__file__).parents[2]
DEMO = str(ROOT / "kplan" / "data" / "demo.yaml")
LAND = ["--snapshot", DEMO]


@dataclass(frozen=True)
class Own:
    """A kind of document.

    Attributes:
        value: a good one, as a plain value.
        write: makes text of a value, whatever has become of it.
        words: the command that reads the file it is put in.
        read: reads it where the command asks for a server first; None where it does not.
        around: puts the file where commands look for it without being told.
    """

    value: Any
    write: Callable[[Any], bytes]
    words: Callable[[str], list[str]]
    read: Callable[[str], object] | None = None
    around: Callable[[str], contextlib.AbstractContextManager[None]] = contextlib.nullcontext


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode(errors="surrogatepass")


def as_yaml(value: Any) -> bytes:
    try:
        return yaml.safe_dump(value, allow_unicode=True).encode(errors="surrogatepass")
    except yaml.YAMLError:
        return as_json(value)


def as_lines(value: Any) -> bytes:
    """A line of JSON for each element."""
    lines = value if isinstance(value, list) else [value]
    return b"".join(as_json(line) + b"\n" for line in lines)


def members(value: Any) -> dict[str, bytes]:
    parts = value if isinstance(value, dict) else {"x.json": value}
    made = {str(path).replace("\0", "") or "x": as_json(part) for path, part in parts.items()}
    return {path.encode(errors="surrogateescape").decode("utf-8", "replace"): data for path, data in made.items()}


def as_tar(value: Any) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for path, data in members(value).items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def gzipped(write: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    return lambda value: gzip.compress(write(value), 1, mtime=0)


def zstd(write: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    return lambda value: zstandard.ZstdCompressor(level=1).compress(write(value))


def as_zip(value: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in members(value).items():
            archive.writestr(path, data)
    return out.getvalue()


def listed(kind: str, *items: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": f"{kind}List", "items": list(items)}


BUNDLE = {
    "cluster-resources/nodes.json": listed("Node", node(), node("n1")),
    "cluster-resources/pods/d.json": listed("Pod", pod("p"), pod("q", "n0")),
    "cluster-resources/namespaces.json": listed("Namespace", {"metadata": {"name": "d"}}),
    "cluster-info/cluster_version.json": {"info": {"gitVersion": "v1.36.3"}, "string": "v1.36.3"},
    "version.yaml": {"apiVersion": "troubleshoot.sh/v1beta2", "kind": "SupportBundle"},
}
DUMP = {
    "nodes.json": listed("Node", node(), node("n1")),
    "d/pods.json": listed("Pod", pod("p"), pod("q", "n0")),
    "d/events.json": listed("Event"),
    "d/replicasets.json": listed("ReplicaSet"),
}
SONOBUOY = {
    "resources/cluster/core_v1_nodes.json": listed("Node", node()),
    "resources/ns/d/core_v1_pods.json": listed("Pod", pod("p")),
    "serverversion.json": {"major": "1", "minor": "36", "gitVersion": "v1.36.3"},
    "meta/config.json": {"Description": "x"},
}
CONFIG = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 40,
    "podInitialBackoffSeconds": 2,
    "extenders": [
        {"urlPrefix": "https://x", "filterVerb": "filter", "weight": 2, "managedResources": [{"name": "a/b"}]}
    ],
    "profiles": [
        {
            "schedulerName": "default-scheduler",
            "plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "ImageLocality", "weight": 3}]}},
            "pluginConfig": [
                {
                    "name": "NodeResourcesFit",
                    "args": {
                        "ignoredResources": ["a/b"],
                        "scoringStrategy": {
                            "type": "RequestedToCapacityRatio",
                            "resources": [{"name": "cpu", "weight": 2}],
                            "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}]},
                        },
                    },
                },
                {"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints": []}},
            ],
        }
    ],
}
POLICY_OF_OLD = {
    "kind": "Policy",
    "apiVersion": "v1",
    "predicates": [{"name": "PodFitsResources"}, {"name": "x", "argument": {"labelsPresence": {"labels": ["a"]}}}],
    "priorities": [{"name": "LeastRequestedPriority", "weight": 1}],
    "extenders": [{"urlPrefix": "http://x", "filterVerb": "f", "nodeCacheCapable": True}],
}
RULES = {
    "require-zones": 2, "no-preemption": True, "max-victims": 3, "headroom": "20%", "survive": ["zone", "node"],
    "allow-doubt": ["no-csinodes"],
}  # fmt: skip
SCENARIO = {
    "apiVersion": "kplan.dev/v1",
    "kind": "Scenario",
    "metadata": {"name": "s"},
    "steps": [
        {"name": "more", "addNode": {"like": "node-b", "count": 2}},
        {"cordon": "node-b", "expect": "nothing moves"},
        {"drain": "node-b", "expect": ["all placed", {"evicted": 2}]},
        {"scale": {"deploy/shop/web": 5}},
        {"label": "node-a:a=b"},
    ],
}
SWEEP = {
    "apiVersion": "kplan.dev/v1",
    "kind": "Sweep",
    "replicas": 2,
    "axes": [{"fail": "node"}, {"scenario": {"as it is": [], "more": [{"addNode": {"like": "node-b"}}]}}],
}
SHAPES = {
    "nodes": [
        {"name": "small", "cpu": 2, "memory": "4Gi", "price": 1},
        {"name": "like-gpu", "like": "node-a", "price": 2.5, "most": 8},
    ]
}
OF_A_USER = {"policy": "rules.yaml", "color": "never", "silent-kinds": ["Certificate", "Issuer"]}
OF_A_REPOSITORY = {"snapshot": DEMO, "policy": "rules.yaml", "color": "auto", "silent-kinds": ["Certificate"]}
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "c",
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "n"}}],
    "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1", "insecure-skip-tls-verify": True}}],
    "users": [{"name": "u", "user": {"token": "t", "as": "x", "as-groups": ["g"], "as-user-extra": {"a": ["b"]}}}],
}


@contextlib.contextmanager
def quiet() -> Iterator[io.StringIO]:
    """Keep what commands write, and give what they write of errors."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
        yield err


@contextlib.contextmanager
def as_settings(file: str, name: str) -> Iterator[None]:
    """Let a file be the settings of a user, or of the repository that one stands in."""
    were, here = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(file)
        path.with_name("rules.yaml").write_bytes(as_yaml(RULES))
        os.environ |= {"XDG_CONFIG_HOME": folder, "KUBECONFIG": str(Path(folder, "no-kubeconfig"))}
        os.chdir(folder)
        settings.cache_clear()
        try:
            yield
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(were)
            settings.cache_clear()


def resumed(file: str) -> None:
    """Read a journal and the plan in it, as --resume does."""
    plan_of(read_journal(file).plan)


@cache
def own() -> tuple[Own, ...]:
    """Every kind, those that a command writes as it writes them."""
    with tempfile.TemporaryDirectory() as folder, quiet():
        plan, base, found = Path(folder, "plan"), Path(folder, "base"), Path(folder, "found")
        names, journal = Path(folder, "names"), Path(folder, "journal")
        manifest = str(ROOT / "fixtures" / "examples" / "checkout.yaml")
        main(["bind", "-A", "-q", *LAND, "--save-plan", str(plan)])
        main(["check", manifest, "-q", *LAND, "-o", f"json={base}"])
        main(["snapshot", str(found), *LAND, "--redact", "--redact-map", str(names)])
        saved = json.loads(plan.read_text())
        begun = Journal(str(journal))
        begun.start(saved, "run-1", {"preempt": True, "pdb": "wait"})
        begun.after(begun.before(bind("shop/web-0", "u1", "node-a", "7")), "done", 201)
        begun.match("shop/web-planned", "shop/web-1-x", "u7")
        begun.pod(BoundPod(pod="shop/web-0", result="bound", at="now"))
        begun.before(bind("shop/web-1", "u2", "node-a", "8"))
        begun.close()
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
        snapshot, mapped = json.loads(found.read_text()), json.loads(names.read_text())
        result = json.loads(base.read_text())
    at = ["--kubeconfig", str(Path(__file__).with_name("no-kubeconfig"))]  # bind would be patient with a server
    return (
        Own(lines, as_lines, lambda file: ["bind", "--resume", file, *at], resumed),
        Own(saved, as_json, lambda file: ["bind", "--plan", file, *at], load_plan),
        Own(result, as_json, lambda file: ["check", manifest, *LAND, "--baseline", file]),
        Own(snapshot, as_json, lambda file: ["nodes", "--snapshot", file]),
        Own(snapshot, as_json, lambda file: ["diff", file, DEMO]),
        Own(mapped, as_json, lambda file: ["unredact", file, manifest]),
        Own(CONFIG, as_yaml, lambda file: ["explain", "pod", "-A", *LAND, "--config", file]),
        Own(CONFIG, as_yaml, lambda file: ["config", *LAND, "--config", file]),
        Own(POLICY_OF_OLD, as_json, lambda file: ["config", "migrate", file]),
        Own(POLICY_OF_OLD, as_json, lambda file: ["nodes", *LAND, "--policy", file]),
        Own(RULES, as_yaml, lambda file: ["check", manifest, *LAND, "--policy", file]),
        Own(SCENARIO, as_yaml, lambda file: ["simulate", *LAND, "--scenario", file]),
        Own(SWEEP, as_yaml, lambda file: ["sweep", file, *LAND, "-j", "1"]),
        Own(SHAPES, as_yaml, lambda file: ["capacity", *LAND, "--cheapest", file]),
        Own(KUBECONFIG, as_yaml, lambda file: ["nodes", "--kubeconfig", file]),
        Own(
            OF_A_USER,
            as_yaml,
            lambda file: ["check", manifest, *LAND],
            around=lambda file: as_settings(file, "kplan/config.yaml"),
        ),
        Own(OF_A_REPOSITORY, as_yaml, lambda file: ["nodes"], around=lambda file: as_settings(file, NAME)),
        Own(snapshot, gzipped(as_json), lambda file: ["nodes", "--snapshot", file]),
        Own(snapshot, zstd(as_json), lambda file: ["nodes", "--snapshot", file]),
        Own(BUNDLE, as_tar, lambda file: ["nodes", "--snapshot", file]),
        Own(DUMP, zstd(as_tar), lambda file: ["simulate", "--snapshot", file]),
        Own(BUNDLE, gzipped(as_tar), lambda file: ["nodes", "--snapshot", file]),
        Own(DUMP, as_zip, lambda file: ["simulate", "--snapshot", file]),
        Own(SONOBUOY, gzipped(as_tar), lambda file: ["nodes", "--snapshot", file]),
    )
