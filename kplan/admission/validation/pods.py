"""What the API server refuses in a pod's spec: the part of its rules that concerns what kplan reads.

Each function checks one thing and yields a problem for each field that is refused.
"""

from collections.abc import Iterator
from itertools import islice

import msgspec

from kplan.admission.policies.defaults import set_spec_defaults
from kplan.admission.raw import copied
from kplan.admission.refusal import AdmissionRefusal, Problem
from kplan.admission.validation.claims import claim_problems
from kplan.admission.validation.labels import annotation_problems, label_problems
from kplan.admission.validation.placement import placement_problems
from kplan.admission.validation.problems import duplicate, invalid, not_found, required, unsupported
from kplan.admission.validation.resources import pod_level_problems, resource_problems
from kplan.objects.formats import dns_label, port_name
from kplan.objects.models import Container, Pod
from kplan.objects.models.pod import EphemeralVolume, PodSpec
from kplan.sources.fit import Path
from kplan.words import aggregate

_PROTOCOLS = ("SCTP", "TCP", "UDP")
MOST_PROBLEMS = 100
"""Fields of one pod that are told to be wrong."""
_RESTARTS = ("Always", "Never", "OnFailure")
"""Of a container; before 1.35 only sidecars may say it, and only Always."""


def check_pod(pod: Pod, *, complete: bool = True) -> None:
    """Refuse a pod that does not pass.

    Args:
        pod: with defaults.
        complete: whether its volumes are all there already.

    Raises:
        Refusal: with every field that is refused.

    Source: ValidatePodCreate in pkg/apis/core/validation/validation.go.
    """
    problems = [problem.under("spec") for problem in spec_problems(pod.spec, complete=complete)]
    if problems:
        raise AdmissionRefusal(aggregate(problems), tuple(problems))


def template_problems(template: Pod, *, complete: bool = True) -> list[Problem]:
    """Check a pod template as it is written; paths begin at the template.

    Args:
        template: with a spec.
        complete: whether its volumes are all there already.

    Source: ValidatePodTemplateSpec in pkg/apis/core/validation/validation.go.
    """
    spec = copied(template.spec)
    set_spec_defaults(spec)
    return [
        *label_problems(("labels",), template.labels, ("metadata", "labels")),
        *annotation_problems(("annotations",), template.annotations, ("metadata", "annotations")),
        *(problem.under("spec") for problem in spec_problems(spec, complete=complete)),
    ]


def spec_problems(spec: PodSpec, *, complete: bool = True) -> Iterator[Problem]:
    """Check a pod spec with defaults; paths begin at the spec. Of what is wrong in many places the first are told.

    Source: ValidatePodSpec in pkg/apis/core/validation/validation.go.
    """
    problems = _spec_problems(spec, complete=complete)
    yield from islice(problems, MOST_PROBLEMS)
    if next(problems, None) is not None:
        yield Problem((), "more of its fields are wrong")


def _spec_problems(spec: PodSpec, *, complete: bool) -> Iterator[Problem]:
    yield from _volumes(spec)
    yield from _claims(spec)
    yield from _containers(spec, {claim.name for claim in spec.resource_claims or ()})
    if complete:
        yield from _mounts(spec)
    if spec.resources:
        yield from pod_level_problems(spec, spec.resources)
    if spec.host_network:
        yield from _same_ports(spec)
    yield from _one_of(("restartPolicy",), spec.restart_policy, ("Always", "OnFailure", "Never"))
    yield from placement_problems(spec)
    if spec.preemption_policy:
        yield from _one_of(("preemptionPolicy",), spec.preemption_policy, ("PreemptLowerPriority", "Never"))


def _one_of(path: Path, value: str | None, known: tuple[str, ...]) -> Iterator[Problem]:
    if not value:
        yield required(path)
    elif value not in known:
        yield unsupported(path, value, known)


def _name(path: Path, name: str, taken: set[str]) -> Iterator[Problem]:
    """Check a name that none of its kind may share, and take it."""
    if not name:
        yield required(path)
    elif problems := dns_label(name):
        yield from (invalid(path, name, words) for words in problems)
    elif name in taken:
        yield duplicate(path, name)
    taken.add(name)


def _volumes(spec: PodSpec) -> Iterator[Problem]:
    """Check the volumes.

    Source: ValidateVolumes.
    """
    names: set[str] = set()
    for number, volume in enumerate(spec.volumes or ()):
        path: Path = ("volumes", number, "name")
        yield from _name(path, volume.name, names)
        if volume.persistent_volume_claim and not volume.persistent_volume_claim.claim_name:
            yield required(("volumes", number, "persistentVolumeClaim", "claimName"))
        if volume.ephemeral:
            yield from _ephemeral(("volumes", number, "ephemeral", "volumeClaimTemplate"), volume.ephemeral)


def _ephemeral(path: Path, volume: EphemeralVolume) -> Iterator[Problem]:
    """Check the claim that a volume makes.

    Source: validateEphemeralVolumeSource, ValidatePersistentVolumeClaimTemplate.
    """
    template = volume.volume_claim_template
    if template is None:
        yield required(path)
        return
    yield from annotation_problems((*path, "metadata", "annotations"), template.metadata.annotations or {})
    yield from label_problems((*path, "metadata", "labels"), template.metadata.labels or {})
    yield from claim_problems(msgspec.to_builtins(template.spec), (*path, "spec"))


def _claims(spec: PodSpec) -> Iterator[Problem]:
    """Check the claims for devices.

    Source: validatePodResourceClaim.
    """
    names: set[str] = set()
    for number, claim in enumerate(spec.resource_claims or ()):
        path: Path = ("resourceClaims", number)
        if not claim.name:
            yield required((*path, "name"))
        elif claim.name in names:
            yield duplicate((*path, "name"), claim.name)
        else:
            yield from (invalid((*path, "name"), claim.name, words) for words in dns_label(claim.name))
            names.add(claim.name)
        shown = {
            key: value
            for key, value in (
                ("Name", claim.name),
                ("ResourceClaimName", claim.resource_claim_name),
                ("ResourceClaimTemplateName", claim.resource_claim_template_name),
            )
        }
        both = "`resourceClaimName`, `resourceClaimTemplateName`"
        if claim.resource_claim_name is not None and claim.resource_claim_template_name is not None:
            words = f"at most one of {both.replace(', ', ' or ')} may be specified"
            yield invalid(path, shown, words)
        if claim.resource_claim_name is None and claim.resource_claim_template_name is None:
            yield invalid(path, shown, f"must specify one of: {both}")


def _containers(spec: PodSpec, claims: set[str]) -> Iterator[Problem]:
    """Check containers and init containers.

    Source: validateContainers, validateInitContainers, validateContainerCommon.
    """
    if not spec.containers:
        yield required(("containers",))
    names: set[str] = set()
    for key, containers in (("containers", spec.containers or []), ("initContainers", spec.init_containers or [])):
        ports: set[str] = set()
        for number, container in enumerate(containers):
            path: Path = (key, number)
            yield from _name((*path, "name"), container.name, names)
            if not container.image:
                yield required((*path, "image"))
            yield from _ports(path, container)
            if container.resources:
                yield from resource_problems((*path, "resources"), container.resources, claims)
            if container.restart_policy is not None and container.restart_policy not in _RESTARTS:
                yield unsupported((*path, "restartPolicy"), container.restart_policy, _RESTARTS)
        for number, container in enumerate(containers):
            yield from _host_ports((key, number), container, ports)


def _ports(path: Path, container: Container) -> Iterator[Problem]:
    """Check the ports of a container.

    Source: validateContainerPorts.
    """
    names: set[str] = set()
    for number, port in enumerate(container.ports or ()):
        here = (*path, "ports", number)
        if port.name:
            complaints = port_name(port.name)
            yield from (invalid((*here, "name"), port.name, words) for words in complaints)
            if port.name in names:
                yield duplicate((*here, "name"), port.name)
            elif not complaints:
                names.add(port.name)
        if not port.container_port:
            yield required((*here, "containerPort"))
        for key, value in (("containerPort", port.container_port), ("hostPort", port.host_port)):
            if value and not 0 < value < 65536:
                yield invalid((*here, key), value, "must be between 1 and 65535, inclusive")
        yield from _one_of((*here, "protocol"), port.protocol, _PROTOCOLS)


def _host_ports(path: Path, container: Container, taken: set[str]) -> Iterator[Problem]:
    """Check that no two ports of a pod are the same port of the node.

    Source: checkHostPortConflicts, AccumulateUniqueHostPorts.
    """
    for number, port in enumerate(container.ports or ()):
        if port.host_port:
            text = f"{port.protocol}/{port.host_ip or ''}/{port.host_port}"
            if text in taken:
                yield duplicate((*path, "ports", number, "hostPort"), text)
            taken.add(text)


def _same_ports(spec: PodSpec) -> Iterator[Problem]:
    """Check that ports on the host's network are those of the host.

    Source: validatePodHostNetworkDeps.
    """
    for number, container in enumerate(spec.containers or ()):
        for place, port in enumerate(container.ports or ()):
            if port.host_port and port.host_port != port.container_port:
                words = "must match `containerPort` when `hostNetwork` is true"
                yield invalid(("containers", number, "ports", place, "hostPort"), port.host_port, words)


def _mounts(spec: PodSpec) -> Iterator[Problem]:
    """Check the mounts of every container."""
    volumes = {volume.name for volume in spec.volumes or ()}
    for key, containers in (("containers", spec.containers or []), ("initContainers", spec.init_containers or [])):
        for number, container in enumerate(containers):
            yield from _mounts_of((key, number), container, volumes)


def _mounts_of(path: Path, container: Container, volumes: set[str]) -> Iterator[Problem]:
    """Check that mounts name volumes of the pod, each path once.

    Source: ValidateVolumeMounts.
    """
    paths: set[str] = set()
    for number, mount in enumerate(container.volume_mounts or ()):
        here = (*path, "volumeMounts", number)
        if not mount.name:
            yield required((*here, "name"))
        if (mount.name or "") not in volumes:
            yield not_found((*here, "name"), mount.name or "")
        if not mount.mount_path:
            yield required((*here, "mountPath"))
        elif mount.mount_path in paths:
            yield invalid((*here, "mountPath"), mount.mount_path, "must be unique")
        paths.add(mount.mount_path or "")
