"""What the API server refuses in a workload, before any pod is made of it."""

from collections.abc import Callable, Iterator

import msgspec

from kplan.admission.policies.defaults import set_spec_defaults
from kplan.admission.raw import copied, dig, dig_int, dig_text, read_template
from kplan.admission.refusal import Problem
from kplan.admission.validation.claims import claim_problems
from kplan.admission.validation.jobs import cron_job_problems, job_problems
from kplan.admission.validation.labels import metadata_problems, selector_problems
from kplan.admission.validation.numbers import count_problems, deadline_problems, given_or, number_of, share_problems
from kplan.admission.validation.pods import spec_problems, template_problems
from kplan.admission.validation.problems import NEGATIVE, Fields, forbidden, invalid, required, unsupported
from kplan.objects.formats import dns_label
from kplan.objects.models import LabelSelector, Object, Pod, StatefulSet
from kplan.objects.models.workloads import WorkloadSpec
from kplan.objects.selectors import compile_selector
from kplan.sources import ManifestObject
from kplan.sources.fit import Path
from kplan.words import aggregate

_RESOURCES = {
    "Deployment": "Deployment.apps",
    "ReplicaSet": "ReplicaSet.apps",
    "StatefulSet": "StatefulSet.apps",
    "DaemonSet": "DaemonSet.apps",
    "Job": "Job.batch",
    "CronJob": "CronJob.batch",
}


def refusal_text(manifest: ManifestObject, name: str, problems: list[Problem]) -> str:
    """Write the answer of the API server: ``Deployment.apps "web" is invalid: spec.replicas: ...``.

    Source: NewInvalid in apimachinery pkg/api/errors/errors.go, aggregate.Error in pkg/util/errors.
    """
    what = _RESOURCES.get(manifest.kind, manifest.kind)
    return f'{what} "{name}" is invalid: {aggregate(problems)}'


def gated_problems(manifest: ManifestObject, running: Object | None, *, recreate: bool) -> Iterator[Problem]:
    """Find what a version allows only with a feature gate, unless the object that runs has it.

    Args:
        manifest: the object.
        running: the one that runs.
        recreate: gate StatefulSetRecreateStrategy.

    Source: AllowStatefulSetRecreateStrategy in pkg/registry/apps/statefulset/strategy.go.
    """
    strategy = dig(manifest.raw, "spec.updateStrategy")
    if manifest.kind != "StatefulSet" or dig(strategy, "type") != "Recreate" or recreate:
        return
    before = running.spec.update_strategy if isinstance(running, StatefulSet) else None
    if before is None or before.type != "Recreate":
        shown = _struct(strategy, "Type", "RollingUpdate")
        yield invalid(("spec", "updateStrategy"), shown, "must be 'RollingUpdate' or 'OnDelete'")


def workload_problems(manifest: ManifestObject) -> list[Problem]:
    """Check an object of one of Kubernetes' own kinds that make pods.

    The spec of a bare pod is checked when it is admitted, as every pod's is; here only if its metadata is wrong.

    Raises:
        Misfit: its template does not fit.

    Source: ValidateDeployment, ValidateStatefulSet, ValidateDaemonSet, ValidateReplicaSet in
    pkg/apis/apps/validation/validation.go; ValidateJobCreate, ValidateCronJobCreate in
    pkg/apis/batch/validation/validation.go; ValidateReplicationController, ValidatePodCreate in
    pkg/apis/core/validation/validation.go.
    """
    metadata = list(metadata_problems(manifest.item.metadata, manifest.kind)) if manifest.item is not None else []
    if manifest.kind in ("Pod", "PodTemplate"):
        deadline = list(deadline_problems(dig(manifest.raw, "spec"), ("spec",)))
        return [*metadata, *(_bare(manifest) if metadata or deadline else []), *deadline]
    return [*metadata, *_SPECS[manifest.kind](manifest)]


def _bare(manifest: ManifestObject) -> list[Problem]:
    if not isinstance(manifest.item, Pod):
        return []
    spec = copied(manifest.item.spec)
    set_spec_defaults(spec)
    return [problem.under("spec") for problem in spec_problems(spec)]


def _deployment(manifest: ManifestObject) -> Iterator[Problem]:
    """Check the spec of a Deployment.

    Source: ValidateDeploymentSpec.
    """
    raw = manifest.raw
    yield from count_problems(raw, "replicas")
    yield from _selected(manifest)
    yield from _deployment_strategy(dig(raw, "spec.strategy"))
    yield from count_problems(raw, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    deadline = dig_int(raw, "spec.progressDeadlineSeconds", 600)
    if deadline <= dig_int(raw, "spec.minReadySeconds", 0):
        yield invalid(("spec", "progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds")


def _replica_set(manifest: ManifestObject) -> Iterator[Problem]:
    """Check the spec of a ReplicaSet.

    Source: ValidateReplicaSetSpec.
    """
    yield from count_problems(manifest.raw, "replicas", "minReadySeconds")
    yield from _selected(manifest)


def _daemon_set(manifest: ManifestObject) -> Iterator[Problem]:
    """Check the spec of a DaemonSet.

    Source: ValidateDaemonSetSpec, ValidateDaemonSetUpdateStrategy, ValidateRollingUpdateDaemonSet.
    """
    yield from _selected(manifest)
    yield from count_problems(manifest.raw, "minReadySeconds")
    strategy = dig(manifest.raw, "spec.updateStrategy")
    kind = dig(strategy, "type") or "RollingUpdate"
    path: Path = ("spec", "updateStrategy")
    if kind not in ("RollingUpdate", "OnDelete"):
        yield unsupported(path, _struct(strategy, "Type", "RollingUpdate"), ("RollingUpdate", "OnDelete"))
    elif kind == "RollingUpdate":
        here = (*path, "rollingUpdate")
        surge = given_or(strategy, "rollingUpdate.maxSurge", 0)
        unavailable = given_or(strategy, "rollingUpdate.maxUnavailable", 1)
        yield from share_problems(here, maxUnavailable=unavailable, maxSurge=surge)
        if number_of(unavailable) and number_of(surge):
            yield invalid((*here, "maxSurge"), surge, "may not be set when maxUnavailable is non-zero")
        elif not number_of(unavailable) and not number_of(surge):
            yield required((*here, "maxUnavailable"), "cannot be 0 when maxSurge is 0")


def _controller(manifest: ManifestObject) -> Iterator[Problem]:
    """Check the spec of a ReplicationController, whose selector is the labels of its template unless it says one.

    Source: ValidateReplicationControllerSpec, ValidatePodTemplateSpecForRC.
    """
    yield from count_problems(manifest.raw, "minReadySeconds")
    selector = dig(manifest.raw, "spec.selector") or dig(manifest.raw, "spec.template.metadata.labels")
    if not selector:
        yield required(("spec", "selector"))
    yield from count_problems(manifest.raw, "replicas")
    labels = {str(key): str(value) for key, value in selector.items()} if isinstance(selector, dict) else {}
    yield from _template(manifest, LabelSelector(match_labels=labels))


def _selected(manifest: ManifestObject) -> Iterator[Problem]:
    """Check a selector, and the template that it has to match."""
    spec = getattr(manifest.item, "spec", None)
    selector = spec.selector if isinstance(spec, WorkloadSpec) else None
    path: Path = ("spec", "selector")
    daemon = manifest.kind == "DaemonSet"
    broken = list(selector_problems(path, selector))
    yield from broken
    if selector is None and not daemon:
        yield required(path)
    elif selector is not None and not (selector.match_labels or selector.match_expressions):
        # a ReplicaSet is called a Deployment there
        word = "deployment" if manifest.kind == "ReplicaSet" else manifest.kind.lower()
        yield invalid(path, {}, f"empty selector is invalid for {word}")
    if broken:
        if not daemon:
            shown = Fields({key: part for key, part in msgspec.to_builtins(selector).items() if part is not None})
            yield invalid(path, shown, "" if manifest.kind == "StatefulSet" else "invalid label selector")
            return
        selector = LabelSelector()
    yield from _template(manifest, selector)


def _template(manifest: ManifestObject, selector: LabelSelector | None) -> Iterator[Problem]:
    """Check the template of a workload whose pods run for ever.

    Source: ValidatePodTemplateSpecForReplicaSet.
    """
    path: Path = ("spec", "template")
    if not isinstance(dig(manifest.raw, "spec.template"), dict):
        yield required(path)
        return
    template = read_template(dig(manifest.raw, "spec.template"), "spec.template")
    compiled = compile_selector(selector)
    if (compiled.nothing or not compiled.empty) and not compiled.matches(template.labels):
        words = "`selector` does not match template `labels`"
        yield invalid((*path, "metadata", "labels"), template.labels or None, words)
    complete = manifest.kind != "StatefulSet" or not dig(manifest.raw, "spec.volumeClaimTemplates")
    yield from (problem.under(*path) for problem in template_problems(template, complete=complete))
    policy = template.spec.restart_policy
    if policy and policy != "Always":
        yield unsupported((*path, "spec", "restartPolicy"), policy, ("Always",))
    if dig(manifest.raw, "spec.template.spec.activeDeadlineSeconds") is not None:
        word = "ReplicaSet" if manifest.kind == "Deployment" else manifest.kind
        words = f"activeDeadlineSeconds in {word} is not Supported"
        yield forbidden((*path, "spec", "activeDeadlineSeconds"), words)


def _struct(value: object, *names: str) -> Fields:
    """Show a part as the server does, which calls its fields by the names they have in Go."""
    return Fields({name: dig(value, name[:1].lower() + name[1:]) for name in names})


def _deployment_strategy(strategy: object) -> Iterator[Problem]:
    """Check the strategy of a Deployment.

    Source: ValidateDeploymentStrategy, ValidateRollingUpdateDeployment.
    """
    kind = dig(strategy, "type") or "RollingUpdate"
    path: Path = ("spec", "strategy")
    if kind == "Recreate":
        if dig(strategy, "rollingUpdate") is not None:
            words = "may not be specified when strategy `type` is 'Recreate'"
            yield forbidden((*path, "rollingUpdate"), words)
    elif kind != "RollingUpdate":
        yield unsupported(path, _struct(strategy, "Type", "RollingUpdate"), ("Recreate", "RollingUpdate"))
    else:
        here = (*path, "rollingUpdate")
        surge = given_or(strategy, "rollingUpdate.maxSurge", "25%")
        unavailable = given_or(strategy, "rollingUpdate.maxUnavailable", "25%")
        yield from (
            problem
            for problem in share_problems(here, maxUnavailable=unavailable, maxSurge=surge)
            if _counts_there(problem)
        )
        if not number_of(unavailable) and not number_of(surge):
            yield invalid((*here, "maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0")


def _counts_there(problem: Problem) -> bool:
    """Whether a Deployment minds: its surge may be more than all."""
    return not (problem.path[-1] == "maxSurge" and "greater than 100%" in problem.body)


def _stateful_set(manifest: ManifestObject) -> Iterator[Problem]:
    """Check the spec of a StatefulSet.

    Source: ValidateStatefulSetSpec, validateRollingUpdateStatefulSet, validateVolumeClaimTemplates.
    """
    raw = manifest.raw
    policy = dig(raw, "spec.podManagementPolicy")
    if policy and policy not in ("OrderedReady", "Parallel"):
        yield invalid(("spec", "podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'")
    strategy = dig(raw, "spec.updateStrategy")
    kind = dig(strategy, "type") or "RollingUpdate"
    path: Path = ("spec", "updateStrategy")
    rolling = dig(strategy, "rollingUpdate")
    here = (*path, "rollingUpdate")
    if kind == "OnDelete" and rolling is not None:
        shown = _struct(rolling, "Partition", "MaxUnavailable")
        yield invalid(here, shown, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate" and rolling is not None:
        yield from count_problems(raw, "partition", where=here)
        unavailable = dig(rolling, "maxUnavailable")
        if unavailable is not None:
            yield from share_problems(here, maxUnavailable=unavailable)
            if not number_of(unavailable):
                yield invalid((*here, "maxUnavailable"), unavailable, "cannot be 0")
    elif kind not in ("RollingUpdate", "OnDelete", "Recreate"):
        shown = _struct(strategy, "Type", "RollingUpdate")
        yield invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")
    templates = dig(raw, "spec.volumeClaimTemplates")
    for number, claim in enumerate(templates if isinstance(templates, list) else ()):
        yield from claim_problems(dig(claim, "spec"), ("spec", "volumeClaimTemplates", number, "spec"))
    yield from count_problems(raw, "replicas", "minReadySeconds")
    start = dig_int(raw, "spec.ordinals.start", 0)
    if start < 0:
        yield Problem(("spec", "ordinals.start"), invalid((), start, NEGATIVE).body, ("spec", "ordinals", "start"))
    service = dig_text(raw, "spec.serviceName")
    if service:
        yield from (invalid(("spec", "serviceName"), service, words) for words in dns_label(service))
    yield from _selected(manifest)


_SPECS: dict[str, Callable[[ManifestObject], Iterator[Problem]]] = {
    "Deployment": _deployment,
    "ReplicaSet": _replica_set,
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "ReplicationController": _controller,
    "Job": job_problems,
    "CronJob": cron_job_problems,
}
"""The check of the spec by kind."""
