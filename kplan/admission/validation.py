"""What the API server refuses in a workload, before any pod is made of it."""

from collections.abc import Iterator

from kplan.admission.field_problems import (
    NEGATIVE,
    NOT_POSITIVE,
    Problem,
    forbidden,
    invalid,
    required,
    unsupported,
)
from kplan.admission.pod_validation import is_label, template_problems
from kplan.admission.raw import dig, dig_int, dig_text, read_template
from kplan.objects.models import LabelSelector, Pod
from kplan.objects.models.workloads import WorkloadSpec
from kplan.objects.quantity import NANO_PER_UNIT, nanos
from kplan.objects.selectors import compile_selector
from kplan.sources import ManifestObject
from kplan.sources.fit import Path

_RESOURCES = {
    "Deployment": "Deployment.apps",
    "ReplicaSet": "ReplicaSet.apps",
    "StatefulSet": "StatefulSet.apps",
    "DaemonSet": "DaemonSet.apps",
    "Job": "Job.batch",
    "CronJob": "CronJob.batch",
}
_SELECTED = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


def refusal_text(manifest: ManifestObject, name: str, problems: list[Problem]) -> str:
    """Write the answer of the API server: ``Deployment.apps "web" is invalid: spec.replicas: ...``.

    Source: NewInvalid in apimachinery pkg/api/errors/errors.go, aggregate.Error in pkg/util/errors.
    """
    texts = list(dict.fromkeys(str(problem) for problem in problems))
    what = _RESOURCES.get(manifest.kind, manifest.kind)
    return f'{what} "{name}" is invalid: {texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"}'


def workload_problems(manifest: ManifestObject) -> list[Problem]:
    """Check an object of one of Kubernetes' own kinds; a bare pod is checked when it is admitted, as every pod is.

    Raises:
        Misfit: its template does not fit.

    Source: ValidateDeployment, ValidateStatefulSet, ValidateDaemonSet, ValidateReplicaSet in
    pkg/apis/apps/validation/validation.go; ValidateJobCreate in pkg/apis/batch/validation/validation.go.
    """
    raw, kind = manifest.raw, manifest.kind
    if kind == "Pod":
        return []
    if kind in ("Job", "CronJob"):
        where: Path = ("spec",) if kind == "Job" else ("spec", "jobTemplate", "spec")
        return list(_job(manifest, where))
    problems: list[Problem] = []
    for field in ("replicas", "minReadySeconds"):
        problems += _not_negative(dig(raw, f"spec.{field}"), ("spec", field))
    if not isinstance(dig(raw, "spec.template"), dict):
        return [*problems, required(("spec", "template"))]
    template = read_template(dig(raw, "spec.template"), "spec.template")
    if kind in _SELECTED:
        problems += _selector(manifest, template)
    complete = kind != "StatefulSet" or not dig(raw, "spec.volumeClaimTemplates")
    problems += [problem.under("spec", "template") for problem in template_problems(template, complete=complete)]
    policy = template.spec.restart_policy
    if policy and policy != "Always":
        problems.append(unsupported(("spec", "template", "spec", "restartPolicy"), policy, ("Always",)))
    if kind == "Deployment":
        problems += _deployment_strategy(dig(raw, "spec.strategy"))
    if kind == "StatefulSet":
        problems += _stateful_set(manifest)
    return problems


def claim_problems(spec: object, path: Path) -> Iterator[Problem]:
    """Check the spec of a claim.

    Source: ValidatePersistentVolumeClaimSpec in pkg/apis/core/validation/validation.go.
    """
    modes = dig(spec, "accessModes")
    if not modes:
        yield required((*path, "accessModes"), "at least 1 access mode is required")
    for mode in modes if isinstance(modes, list) else ():
        if mode not in _ACCESS_MODES:
            yield unsupported((*path, "accessModes"), mode, _ACCESS_MODES)
    storage = dig(spec, "resources.requests.storage")
    here = (*path, "resources", "storage")
    if storage is None:
        yield required(here)
    elif isinstance(storage, str | int | float) and nanos(storage) <= 0:
        yield invalid(here, storage, NOT_POSITIVE)
    elif isinstance(storage, str | int | float) and nanos(storage) % NANO_PER_UNIT:
        yield invalid(here, storage, "must be an integer")
    mode = dig(spec, "volumeMode")
    if mode is not None and mode not in ("Block", "Filesystem"):
        yield unsupported((*path, "volumeMode"), mode, ("Block", "Filesystem"))


def _not_negative(value: object, path: Path) -> Iterator[Problem]:
    if isinstance(value, int) and value < 0:
        yield invalid(path, value, NEGATIVE)


def _selector(manifest: ManifestObject, template: Pod) -> Iterator[Problem]:
    spec = getattr(manifest.item, "spec", None)
    selector = spec.selector if isinstance(spec, WorkloadSpec) else None
    path: Path = ("spec", "selector")
    if selector is None:
        yield required(path)
        selector = LabelSelector()
    elif not (selector.match_labels or selector.match_expressions):
        yield invalid(path, {}, f"empty selector is invalid for {manifest.kind.lower()}")
    compiled = compile_selector(selector)
    if not compiled.empty and not compiled.matches(template.labels):
        yield invalid(
            ("spec", "template", "metadata", "labels"),
            template.labels or None,
            "`selector` does not match template `labels`",
        )


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
        yield unsupported(path, strategy, ("Recreate", "RollingUpdate"))
    else:
        surge = dig(strategy, "rollingUpdate.maxSurge")
        unavailable = dig(strategy, "rollingUpdate.maxUnavailable")
        here = (*path, "rollingUpdate")
        for key, value in (("maxUnavailable", unavailable), ("maxSurge", surge)):
            yield from _not_negative(value, (*here, key))
        if unavailable in (0, "0%") and surge in (0, "0%"):
            yield invalid((*here, "maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0")


def _stateful_set(manifest: ManifestObject) -> Iterator[Problem]:
    """Check what only a StatefulSet has.

    Source: ValidateStatefulSetSpec, validateVolumeClaimTemplates.
    """
    policy = dig(manifest.raw, "spec.podManagementPolicy")
    if policy and policy not in ("OrderedReady", "Parallel"):
        yield invalid(("spec", "podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'")
    strategy = dig(manifest.raw, "spec.updateStrategy.type")
    if strategy and strategy not in ("RollingUpdate", "OnDelete", "Recreate"):
        yield invalid(
            ("spec", "updateStrategy"),
            dig(manifest.raw, "spec.updateStrategy"),
            "must be 'RollingUpdate' or 'OnDelete'",
        )
    yield from _not_negative(dig(manifest.raw, "spec.ordinals.start"), ("spec", "ordinals.start"))
    templates = dig(manifest.raw, "spec.volumeClaimTemplates")
    for number, claim in enumerate(templates if isinstance(templates, list) else ()):
        yield from claim_problems(dig(claim, "spec"), ("spec", "volumeClaimTemplates", number, "spec"))


def _indexed_name(name: str, completions: int) -> Iterator[Problem]:
    """Check that the host name of every pod of an indexed job is a label.

    Source: validateNameAllowsCompletions.
    """
    host = f"{name}-{completions - 1}"
    if name and completions > 0 and not is_label(host):
        yield invalid(("metadata", "name"), name, f"will not able to create pod with invalid DNS label: {host}")


def _job(manifest: ManifestObject, where: Path) -> Iterator[Problem]:
    """Check a job's spec.

    Source: validateJobSpec.
    """
    spec = dig(manifest.raw, ".".join(map(str, where)))
    for field in ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit"):
        yield from _not_negative(dig(spec, field), (*where, field))
    mode = dig(spec, "completionMode")
    if mode is not None and mode not in ("NonIndexed", "Indexed"):
        yield unsupported((*where, "completionMode"), mode, ("NonIndexed", "Indexed"))
    if mode == "Indexed" and dig(spec, "completions") is None:
        yield required((*where, "completions"), "when completion mode is Indexed")
    if mode == "Indexed" and len(where) == 1:
        yield from _indexed_name(dig_text(manifest.raw, "metadata.name"), dig_int(spec, "completions", 0))
    if not isinstance(dig(spec, "template"), dict):
        yield required((*where, "template"))
        return
    template = read_template(dig(spec, "template"), ".".join((*map(str, where), "template")))
    yield from (problem.under(*where, "template") for problem in template_problems(template))
    if (template.spec.restart_policy or "Always") == "Always":
        words = 'valid values: "OnFailure", "Never"'
        yield required((*where, "template", "spec", "restartPolicy"), words)
