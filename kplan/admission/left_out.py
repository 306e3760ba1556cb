"""Objects of manifests that bring no pods here: refused by the API server, not understood, or replaced further down."""

import re
from collections.abc import Collection, Iterable, Sequence

from kplan.admission.expansion import FieldProblem, LeftOut
from kplan.admission.raw import dig, dig_text, group_of, written_name
from kplan.admission.refusal import Problem, written
from kplan.objects.scopes import of_the_cluster
from kplan.objects.state import BrokenObject
from kplan.sources import ManifestObject
from kplan.sources.fit import Path

_TEMPLATES: dict[str, Path] = {
    "Pod": (),
    "PodTemplate": ("template",),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
_TEMPLATE: Path = ("spec", "template")
_PLACE = re.compile(r"(?P<file>.*?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?(?:: (?P<path>.*))?", re.DOTALL)

_HOOK = "helm.sh/hook"
_KUSTOMIZE = "kustomize.config.k8s.io"
_DEFINITION = "CustomResourceDefinition"
_SILENT_KINDS = frozenset({"Secret", "ConfigMap", "ServiceAccount", "Event", "Endpoints"})
_SILENT_OF_MONITORING = frozenset(
    {"ServiceMonitor", "PodMonitor", "Probe", "PrometheusRule", "ScrapeConfig", "AlertmanagerConfig"}
)
"""The other kinds of monitoring.coreos.com (Prometheus, Alertmanager, ThanosRuler) are servers, which are pods."""
_SILENT_GROUPS = frozenset(
    {
        "rbac.authorization.k8s.io",
        "networking.k8s.io",
        "admissionregistration.k8s.io",
        "apiregistration.k8s.io",
        "discovery.k8s.io",
        "coordination.k8s.io",
        "certificates.k8s.io",
        "autoscaling",
        "policy",
        "flowcontrol.apiserver.k8s.io",
    }
)
"""Kubernetes' own groups whose objects make no pods and do not matter to the scheduler."""
_ROUTES, _CERTIFICATES, _SECRETS = "routes for traffic", "certificates", "secrets from elsewhere"
_NETWORK, _POLICIES, _NODES = "rules of the network", "policies of admission", "nodes, not pods"
_SILENT_OF_OTHERS = {
    "gateway.networking.k8s.io": _ROUTES,
    "cert-manager.io": _CERTIFICATES,
    "acme.cert-manager.io": _CERTIFICATES,
    "trust.cert-manager.io": _CERTIFICATES,
    "external-secrets.io": _SECRETS,
    "generators.external-secrets.io": _SECRETS,
    "secrets-store.csi.x-k8s.io": _SECRETS,
    "bitnami.com": _SECRETS,
    "networking.istio.io": _ROUTES,
    "security.istio.io": _ROUTES,
    "telemetry.istio.io": _ROUTES,
    "extensions.istio.io": _ROUTES,
    "linkerd.io": _ROUTES,
    "policy.linkerd.io": _ROUTES,
    "traefik.io": _ROUTES,
    "traefik.containo.us": _ROUTES,
    "projectcontour.io": _ROUTES,
    "getambassador.io": _ROUTES,
    "kiali.io": _ROUTES,
    "cilium.io": _NETWORK,
    "crd.projectcalico.org": _NETWORK,
    "projectcalico.org": _NETWORK,
    "metallb.io": _NETWORK,
    "externaldns.k8s.io": _NETWORK,
    "k8s.cni.cncf.io": _NETWORK,
    "kyverno.io": _POLICIES,
    "policies.kyverno.io": _POLICIES,
    "templates.gatekeeper.sh": _POLICIES,
    "constraints.gatekeeper.sh": _POLICIES,
    "source.toolkit.fluxcd.io": "where releases come from",
    "image.toolkit.fluxcd.io": "where images come from",
    "notification.toolkit.fluxcd.io": "messages",
    "keda.sh": "how many pods others have",
    "autoscaling.k8s.io": "what pods of others request",
    "karpenter.sh": _NODES,
    "karpenter.k8s.aws": _NODES,
    "karpenter.azure.com": _NODES,
    "snapshot.storage.k8s.io": "copies of volumes",
    "grafana.integreatly.org": "dashboards",
}
"""Groups of other projects whose objects make no pods, and what they are about instead."""
_MONITORING = "monitoring.coreos.com"


def hook_of(manifest: ManifestObject) -> str:
    """Name the Helm hook that an object is; empty if it is none."""
    annotations = dig(manifest.raw, "metadata.annotations")
    value = annotations.get(_HOOK) if isinstance(annotations, dict) else None
    return value if isinstance(value, str) else ""


def why_unknown(manifest: ManifestObject) -> str:
    """Say why an object of a kind that kplan does not read is left out; empty for what makes no pods anyway."""
    group = group_of(manifest)
    if manifest.kind == _DEFINITION:
        return f"a {_DEFINITION} makes no pods"
    if manifest.kind in _SILENT_KINDS or group in _SILENT_GROUPS or about_instead(manifest):
        return ""
    if group == _KUSTOMIZE:
        return f"a {manifest.kind} is for kustomize: give what kustomize build makes of it"
    hint = "" if group in ("", "resource.k8s.io") else "; --pod-template says where its pod template is"
    return f"kplan does not know what {manifest.api_version} {manifest.kind} makes{hint}"


def about_instead(manifest: ManifestObject) -> str:
    """What an object of another project's kind is about, that is taken to make no pods; empty for all others."""
    group = group_of(manifest)
    if group == _MONITORING and manifest.kind in _SILENT_OF_MONITORING:
        return "what is measured"
    return _SILENT_OF_OTHERS.get(group, "")


def defined_for_the_cluster(manifests: Iterable[ManifestObject]) -> frozenset[tuple[str, str]]:
    """Group and kind of what definitions among the manifests say to have no namespace."""
    definitions = (item.raw for item in manifests if item.kind == _DEFINITION)
    return frozenset(
        (dig_text(raw, "spec.group"), dig_text(raw, "spec.names.kind"))
        for raw in definitions
        if dig_text(raw, "spec.scope") == "Cluster"
    )


def left_out(
    manifest: ManifestObject,
    default: str,
    why: str,
    problems: Sequence[Problem] = (),
    pods: int = 0,
    wide: Collection[tuple[str, str]] = (),
) -> LeftOut:
    """Say of an object that it brings no pods, or not all.

    Args:
        manifest: the object.
        default: namespace of objects that name none.
        why: why, in words.
        problems: fields that are wrong, with their paths from the root of the object.
        pods: how many of its pods are refused, where it is not the object itself.
        wide: see ``key_of``.
    """
    places = manifest.places([problem.place or problem.path for problem in problems])
    told = tuple(
        FieldProblem(written(problem.path), problem.body, *place, problem.hint)
        for problem, place in zip(problems, places, strict=True)
    )
    unbuilt = group_of(manifest) == _KUSTOMIZE
    line, column = (told[0].line, told[0].column) if told else (manifest.line, 0)
    return LeftOut(
        manifest.kind, key_of(manifest, default, wide), why, manifest.file, line, column, told, pods, unbuilt
    )


def key_of(manifest: ManifestObject, default: str, wide: Collection[tuple[str, str]] = ()) -> str:
    """``namespace/name`` of an object of a manifest; the name alone for what has no namespace, whatever is written.

    Args:
        manifest: the object.
        default: namespace of objects that name none.
        wide: group and kind of what definitions say to have no namespace; see ``defined_for_the_cluster``.
    """
    name = written_name(manifest)
    kind = (group_of(manifest), manifest.kind)
    if not name or kind in wide or of_the_cluster(manifest.api_version, manifest.kind):
        return name
    return f"{dig_text(manifest.raw, 'metadata.namespace', default)}/{name}"


def written_again(
    manifests: Iterable[ManifestObject], default: str, wide: Collection[tuple[str, str]] = ()
) -> dict[int, ManifestObject]:
    """Find the objects that one further down replaces: by their ``id``, the one that counts.

    The last does, as when kubectl applies them in order.

    Args:
        manifests: what would be sent to the API server, in order.
        default: namespace of objects that name none.
        wide: see ``key_of``.
    """
    last: dict[tuple[str, str, str], ManifestObject] = {}
    replaced: list[tuple[ManifestObject, tuple[str, str, str]]] = []
    for manifest in manifests:
        if not dig_text(manifest.raw, "metadata.name"):
            continue  # with a generateName alone each is another object
        # the extensions group had the kinds that are now in apps
        key = (group_of(manifest).replace("extensions", "apps"), manifest.kind, key_of(manifest, default, wide))
        if key in last:
            replaced.append((last[key], key))
        last[key] = manifest
    return {id(manifest): last[key] for manifest, key in replaced}


def in_template(kind: str, own: bool, problems: Sequence[Problem]) -> list[Problem]:
    """Move problems of a pod to where its template is in the object that it is made of.

    Args:
        kind: of the object.
        own: whether the kind is one of Kubernetes' own; the templates of others may stand anywhere.
        problems: with paths from the root of the pod.
    """
    return [problem.under(*_TEMPLATES.get(kind, _TEMPLATE)) for problem in problems] if own else []


def from_broken(broken: BrokenObject) -> LeftOut:
    """Say of an object that could not be read what a reader said of it."""
    match = _PLACE.fullmatch(broken.place)
    assert match is not None
    line, column = int(match["line"] or 0), int(match["column"] or 0)
    path = match["path"] or ""
    problems = (FieldProblem(path, broken.problem, line, column),) if path else ()
    why = f"{path}: {broken.problem}" if path else broken.problem
    return LeftOut(broken.kind, broken.key, why, match["file"], line, column, problems)
