"""What the API server refuses in a pod's spec: the part of its rules that concerns what kplan reads.

Each function checks one thing and yields a problem for each field that is refused.
"""

import re
from collections.abc import Iterable, Iterator

from kplan.admission.defaults import set_spec_defaults
from kplan.admission.field_problems import (
    NOT_POSITIVE,
    Problem,
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
    unsupported,
)
from kplan.admission.raw import copied
from kplan.admission.refusal import Refusal
from kplan.admission.resource_validation import pod_level_problems, resource_problems
from kplan.objects.models import (
    Affinity,
    Container,
    NodeSelectorTerm,
    Pod,
    PodAffinityTerm,
    Toleration,
    TopologySpreadConstraint,
)
from kplan.objects.models.pod import PodSpec
from kplan.sources.fit import Path

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LONGEST_LABEL = 63
_LONGEST_PORT = 15
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_LABEL_WORDS = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


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
        texts = [str(problem) for problem in problems]
        raise Refusal(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]", problems[0].path)


def template_problems(template: Pod, *, complete: bool = True) -> list[Problem]:
    """Check a pod template as it is written; paths begin at the template.

    Args:
        template: with a spec.
        complete: whether its volumes are all there already.

    Source: ValidatePodTemplateSpec in pkg/apis/core/validation/validation.go.
    """
    spec = copied(template.spec)
    set_spec_defaults(spec)
    return [problem.under("spec") for problem in spec_problems(spec, complete=complete)]


def spec_problems(spec: PodSpec, *, complete: bool = True) -> Iterator[Problem]:
    """Check a pod spec with defaults; paths begin at the spec.

    Source: ValidatePodSpec in pkg/apis/core/validation/validation.go.
    """
    yield from _volumes(spec)
    yield from _containers(spec, {claim.name for claim in spec.resource_claims or ()})
    if complete:
        yield from _mounts(spec)
    yield from _one_of(("restartPolicy",), spec.restart_policy, ("Always", "OnFailure", "Never"))
    if spec.preemption_policy:
        yield from _one_of(("preemptionPolicy",), spec.preemption_policy, ("PreemptLowerPriority", "Never"))
    yield from _spread(spec.topology_spread_constraints or [])
    yield from _tolerations(spec.tolerations or [])
    if spec.affinity:
        yield from _affinity(spec.affinity)
    if spec.resources:
        yield from pod_level_problems(spec, spec.resources)
    yield from _gates(spec)


def _one_of(path: Path, value: str | None, known: tuple[str, ...]) -> Iterator[Problem]:
    if not value:
        yield required(path)
    elif value not in known:
        yield unsupported(path, value, known)


def _volumes(spec: PodSpec) -> Iterator[Problem]:
    """Check the volumes.

    Source: ValidateVolumes.
    """
    names: set[str] = set()
    for number, volume in enumerate(spec.volumes or ()):
        path: Path = ("volumes", number, "name")
        if not volume.name:
            yield required(path)
        elif not is_label(volume.name):
            yield invalid(path, volume.name, _LABEL_WORDS)
        elif volume.name in names:
            yield duplicate(path, volume.name)
        names.add(volume.name)
        if volume.persistent_volume_claim and not volume.persistent_volume_claim.claim_name:
            yield required(("volumes", number, "persistentVolumeClaim", "claimName"))


def is_label(text: str) -> bool:
    """Tell whether a text is a DNS label: what containers, volumes and host names may be called."""
    return len(text) <= _LONGEST_LABEL and _LABEL.fullmatch(text) is not None


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
            if not container.name:
                yield required((*path, "name"))
            elif not is_label(container.name):
                yield invalid((*path, "name"), container.name, _LABEL_WORDS)
            elif container.name in names:
                yield duplicate((*path, "name"), container.name)
            names.add(container.name)
            if not container.image:
                yield required((*path, "image"))
            yield from _ports(path, container)
            if container.resources:
                yield from resource_problems((*path, "resources"), container.resources, claims)
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
            if len(port.name) > _LONGEST_PORT:
                yield invalid((*here, "name"), port.name, f"must be no more than {_LONGEST_PORT} characters")
            elif port.name in names:
                yield duplicate((*here, "name"), port.name)
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


def _tolerations(tolerations: list[Toleration]) -> Iterator[Problem]:
    """Check the tolerations.

    Source: ValidateTolerations.
    """
    for number, toleration in enumerate(tolerations):
        path: Path = ("tolerations", number)
        operator = toleration.operator or ""
        if not toleration.key and operator != "Exists":
            words = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield invalid((*path, "operator"), operator, words)
        if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
            words = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield invalid((*path, "effect"), toleration.effect or "", words)
        if operator == "Exists" and toleration.value:
            words = "value must be empty when `operator` is 'Exists'"
            yield invalid((*path, "operator"), toleration.value, words)
        elif operator not in ("", "Equal", "Exists", "Lt", "Gt"):
            yield unsupported((*path, "operator"), operator, ("Equal", "Exists"))
        if toleration.effect and toleration.effect not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
            known = ("NoSchedule", "PreferNoSchedule", "NoExecute")
            yield unsupported((*path, "effect"), toleration.effect, known)


def _spread(constraints: list[TopologySpreadConstraint]) -> Iterator[Problem]:
    """Check the topology spread constraints.

    Source: validateTopologySpreadConstraints.
    """
    for number, constraint in enumerate(constraints):
        path: Path = ("topologySpreadConstraints", number)
        if constraint.max_skew <= 0:
            yield invalid((*path, "maxSkew"), constraint.max_skew, NOT_POSITIVE)
        if not constraint.topology_key:
            yield required((*path, "topologyKey"), "can not be empty")
        known = ("DoNotSchedule", "ScheduleAnyway")
        if constraint.when_unsatisfiable not in known:
            yield unsupported((*path, "whenUnsatisfiable"), constraint.when_unsatisfiable, known)
        pair = (constraint.topology_key, constraint.when_unsatisfiable)
        for other in constraints[number + 1 :]:
            if (other.topology_key, other.when_unsatisfiable) == pair:
                yield duplicate((*path, "{topologyKey, whenUnsatisfiable}"), f"{{{pair[0]}, {pair[1]}}}")
                break
        if constraint.min_domains is not None and constraint.min_domains <= 0:
            yield invalid((*path, "minDomains"), constraint.min_domains, NOT_POSITIVE)
        if constraint.min_domains is not None and pair[1] != "DoNotSchedule":
            words = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {pair[1]}"
            yield invalid((*path, "minDomains"), constraint.min_domains, words)
        for key, policy in (
            ("nodeAffinityPolicy", constraint.node_affinity_policy),
            ("nodeTaintsPolicy", constraint.node_taints_policy),
        ):
            if policy is not None and policy not in ("Honor", "Ignore"):
                yield unsupported((*path, key), policy, ("Honor", "Ignore"))


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _affinity(affinity: Affinity) -> Iterator[Problem]:
    """Check the affinities.

    Source: validateNodeAffinity, validatePodAffinityTerm, validateWeightedPodAffinityTerms.
    """
    node = affinity.node_affinity
    if node and node.required:
        path: Path = ("affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
        if not node.required.node_selector_terms:
            yield required(path, "must have at least one node selector term")
        for number, term in enumerate(node.required.node_selector_terms or ()):
            yield from _node_term((*path, number), term)
    for number, preferred in enumerate((node.preferred if node else None) or ()):
        path = ("affinity", "nodeAffinity", _PREFERRED, number)
        yield from _weight(path, preferred.weight)
        if preferred.preference:
            yield from _node_term((*path, "preference"), preferred.preference)
    for key, kind in (("podAffinity", affinity.pod_affinity), ("podAntiAffinity", affinity.pod_anti_affinity)):
        for number, pod_term in enumerate((kind.required if kind else None) or ()):
            yield from _pod_term(("affinity", key, _REQUIRED, number), pod_term)
        for number, weighted in enumerate((kind.preferred if kind else None) or ()):
            path = ("affinity", key, _PREFERRED, number)
            yield from _weight(path, weighted.weight)
            yield from _pod_term((*path, "podAffinityTerm"), weighted.pod_affinity_term or PodAffinityTerm())


def _weight(path: Path, weight: int) -> Iterator[Problem]:
    if not 1 <= weight <= 100:
        yield invalid((*path, "weight"), weight, "must be in the range 1-100")


def _pod_term(path: Path, term: PodAffinityTerm) -> Iterator[Problem]:
    if not term.topology_key:
        yield required((*path, "topologyKey"), "can not be empty")


def _node_term(path: Path, term: NodeSelectorTerm) -> Iterator[Problem]:
    """Check a node selector term.

    Source: ValidateNodeSelectorRequirement.
    """
    for number, requirement in enumerate(term.match_expressions or ()):
        here = (*path, "matchExpressions", number)
        values = requirement.values or []
        match requirement.operator:
            case "In" | "NotIn":
                if not values:
                    words = "must be specified when `operator` is 'In' or 'NotIn'"
                    yield required((*here, "values"), words)
            case "Exists" | "DoesNotExist":
                if values:
                    words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                    yield forbidden((*here, "values"), words)
            case "Gt" | "Lt":
                if len(values) != 1:
                    words = "must be specified single value when `operator` is 'Lt' or 'Gt'"
                    yield required((*here, "values"), words)
            case _:
                yield invalid((*here, "operator"), requirement.operator, "not a valid selector operator")


def _gates(spec: PodSpec) -> Iterator[Problem]:
    """Check the scheduling gates.

    Source: validateSchedulingGates; a gated pod names no node.
    """
    names: Iterable[str] = [gate.name for gate in spec.scheduling_gates or ()]
    seen: set[str] = set()
    for number, name in enumerate(names):
        if name in seen:
            yield duplicate(("schedulingGates", number), name)
        seen.add(name)
    if seen and spec.node_name:
        yield forbidden(("nodeName",), "cannot be set until all schedulingGates have been cleared")
