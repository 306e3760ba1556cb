"""What the API server refuses in a manifest of something that runs, because it may not be changed any more.

Only what a manifest writes is compared: what it leaves out stays as it runs when it is applied.
"""

from collections.abc import Callable, Iterator

import msgspec

from kplan.admission.raw import dig, dig_text
from kplan.admission.refusal import Problem
from kplan.admission.validation.problems import Fields, forbidden, invalid
from kplan.objects.models import Job, LabelSelector, Object, Pod, Workload
from kplan.objects.models.pod import Container, PersistentVolumeClaimTemplate
from kplan.objects.quantity import nanos
from kplan.sources import ManifestObject

_IMMUTABLE = "field is immutable"
_OF_PODS = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_OF_STATEFUL_SETS = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
"""Until 1.36, whichever of its other fields changes."""

_BY_FIELD_SINCE = 37


SameTemplate = Callable[[ManifestObject, Object], bool]
"""Tells whether a manifest has the template of what runs."""


def update_problems(
    manifest: ManifestObject, running: Object | None, minor: int, same_template: SameTemplate
) -> list[Problem]:
    """Check what a manifest changes in the object of its kind and name that runs.

    Args:
        manifest: the object as it is written.
        running: the one that runs; None where nothing is held against it.
        minor: of the server, ``37`` for 1.37: until 1.36 one sentence stands for all fields of a StatefulSet.
        same_template: as its controller compares them.

    Raises:
        Misfit: the manifest's template does not fit.

    Source: ValidateDeploymentUpdate, ValidateReplicaSetUpdate, ValidateDaemonSetUpdate, ValidateStatefulSetUpdate in
    pkg/apis/apps/validation/validation.go; ValidateJobSpecUpdate in pkg/apis/batch/validation/validation.go;
    ValidatePodUpdate in pkg/apis/core/validation/validation.go; the same in 1.34.4, 1.35.4 and 1.36.3.
    """
    if isinstance(running, Workload) and isinstance(manifest.item, Workload):
        problems = list(_selector(manifest.item, running))
        if manifest.kind == "StatefulSet":
            problems += _stateful(manifest.item, running)
            if problems and minor < _BY_FIELD_SINCE:
                return [forbidden(("spec",), _OF_STATEFUL_SETS).written_at(problems[0].path)]
        return problems
    if isinstance(running, Job):
        return list(_job(manifest, running, same_template))
    if isinstance(running, Pod) and isinstance(manifest.item, Pod):
        return list(_pod(manifest.item, running))
    return []


def _selector(item: Workload, running: Workload) -> Iterator[Problem]:
    new, old = _plain(item.spec.selector), _plain(running.spec.selector)
    if new and old and new != old:
        yield invalid(("spec", "selector"), Fields(new), _IMMUTABLE)


def _plain(selector: LabelSelector | None) -> dict[str, object]:
    fields = msgspec.to_builtins(selector) if selector is not None else {}
    return {key: part for key, part in fields.items() if part}


def _stateful(item: Workload, running: Workload) -> Iterator[Problem]:
    new, old = item.spec, running.spec
    if [_claim(template) for template in new.volume_claim_templates or ()] != _as_written(
        new.volume_claim_templates or [], old.volume_claim_templates or []
    ):
        yield Problem(("spec", "volumeClaimTemplates"), f"Invalid value: {_IMMUTABLE}")
    if new.service_name and old.service_name and new.service_name != old.service_name:
        yield invalid(("spec", "serviceName"), new.service_name, _IMMUTABLE)
    policy = new.pod_management_policy
    if policy and policy != (old.pod_management_policy or "OrderedReady"):
        yield invalid(("spec", "podManagementPolicy"), policy, _IMMUTABLE)


def _claim(claim: PersistentVolumeClaimTemplate) -> dict[str, object]:
    """Write what of a claim's template is told, quantities as amounts."""
    spec = msgspec.to_builtins(claim.spec) if claim.spec is not None else {}
    fields: dict[str, object] = {key: part for key, part in spec.items() if part}
    resources = dig(spec, "resources.requests")
    fields["resources"] = {key: nanos(value) for key, value in resources.items()} if isinstance(resources, dict) else {}
    return {"name": claim.metadata.name, **fields}


def _as_written(
    new: list[PersistentVolumeClaimTemplate], old: list[PersistentVolumeClaimTemplate]
) -> list[dict[str, object]]:
    """Write the templates that run, without what the manifest leaves to defaults."""
    claims = [_claim(template) for template in old]
    written = [_claim(template).keys() for template in new]
    return [
        {key: part for key, part in claim.items() if number >= len(written) or key in written[number]}
        for number, claim in enumerate(claims)
    ]


def _job(manifest: ManifestObject, running: Job, same_template: SameTemplate) -> Iterator[Problem]:
    raw, old = manifest.raw, running.spec
    mode = dig_text(raw, "spec.completionMode", "NonIndexed")
    if mode != (old.completion_mode or "NonIndexed"):
        yield invalid(("spec", "completionMode"), mode, _IMMUTABLE)
    completions = dig(raw, "spec.completions")
    alone = 1 if old.completions is None and old.parallelism is None else old.completions
    if mode != "Indexed" and completions is not None and completions != alone:
        yield invalid(("spec", "completions"), completions, _IMMUTABLE)
    # where a job will run may still be changed while it is suspended
    if old.template is not None and not old.suspend and not same_template(manifest, running):
        yield Problem(("spec", "template"), f"Invalid value: {_IMMUTABLE}")


def _pod(item: Pod, running: Pod) -> Iterator[Problem]:
    """Check a pod; containers that others have put into the one that runs stay there."""
    new, old = item.spec, running.spec
    selector = new.node_selector or {}
    changed = not old.scheduling_gates and not selector.items() <= (old.node_selector or {}).items()
    for part, here, there in (
        ("containers", new.containers, old.containers),
        ("initContainers", new.init_containers, old.init_containers),
    ):
        known = {container.name: container for container in there or ()}
        if any(container.name not in known for container in here or ()):
            yield forbidden(("spec", part), "pod updates may not add or remove containers")
            return
        changed = changed or not all(_same_resources(container, known[container.name]) for container in here or ())
    if changed:
        yield forbidden(("spec",), _OF_PODS)


def _same_resources(new: Container, old: Container) -> bool:
    """Tell whether what a manifest writes of a container's resources is what it has."""
    for kind in ("requests", "limits"):
        written = getattr(new.resources, kind, None) or {}
        has = getattr(old.resources, kind, None) or {}
        if any(key not in has or nanos(value) != nanos(has[key]) for key, value in written.items()):
            return False
    return True
