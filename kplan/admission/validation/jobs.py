"""What the API server refuses in a Job and in a CronJob."""

from collections.abc import Iterator

from kplan.admission.raw import dig, dig_int, dig_text, mapping_at, read_template
from kplan.admission.refusal import Problem
from kplan.admission.validation.labels import selector_problems
from kplan.admission.validation.numbers import count_problems, deadline_problems
from kplan.admission.validation.pods import template_problems
from kplan.admission.validation.problems import Fields, invalid, required, unsupported
from kplan.objects.formats import dns_label
from kplan.objects.generated_names import uid
from kplan.sources import ManifestObject
from kplan.sources.fit import Path

_CONCURRENCY = ("Allow", "Forbid", "Replace")
_LONGEST_CRON_JOB = 52
_CRON_FIELDS = 5


def _indexed_name(name: str, completions: int) -> Iterator[Problem]:
    """Check that the host name of every pod of an indexed job is a label.

    Source: validateNameAllowsCompletions.
    """
    host = f"{name}-{completions - 1}"
    if name and completions > 0 and dns_label(host):
        yield invalid(("metadata", "name"), name, f"will not able to create pod with invalid DNS label: {host}")


def job_problems(manifest: ManifestObject) -> Iterator[Problem]:
    """Check the spec of a Job.

    Source: ValidateJobSpec, ValidateGeneratedSelector, validateNameAllowsCompletions.
    """
    given = dig(manifest.raw, "spec.selector")
    if isinstance(given, dict) and given and dig(manifest.raw, "spec.manualSelector") is not True:
        mine = uid("Job", dig_text(manifest.raw, "metadata.namespace"), dig_text(manifest.raw, "metadata.name"))
        labels = {**mapping_at(given, "matchLabels"), "batch.kubernetes.io/controller-uid": mine}
        shown = Fields({"matchLabels": labels, **{key: part for key, part in given.items() if key != "matchLabels"}})
        yield invalid(("spec", "selector"), shown, "`selector` not auto-generated")
    yield from _job_spec(manifest, ("spec",))
    spec = getattr(manifest.item, "spec", None)
    if dig(manifest.raw, "spec.manualSelector") is True and spec is not None:
        yield from selector_problems(("spec", "selector"), getattr(spec, "selector", None))
    if dig(manifest.raw, "spec.completionMode") == "Indexed":
        name = dig_text(manifest.raw, "metadata.name")
        yield from _indexed_name(name, dig_int(manifest.raw, "spec.completions", 0))


def cron_job_problems(manifest: ManifestObject) -> Iterator[Problem]:
    """Check the spec of a CronJob; of its schedule only how many fields it has.

    Source: validateCronJobSpec, ValidateCronJobCreate; Parser.Parse in github.com/robfig/cron/v3.
    """
    schedule = dig_text(manifest.raw, "spec.schedule")
    parts = schedule.split()
    if not schedule:
        yield required(("spec", "schedule"))
    elif not schedule.startswith("@") and "TZ" not in schedule and len(parts) != _CRON_FIELDS:
        words = f"expected exactly {_CRON_FIELDS} fields, found {len(parts)}: [{' '.join(parts)}]"
        yield invalid(("spec", "schedule"), schedule, words)
    yield from count_problems(manifest.raw, "startingDeadlineSeconds")
    policy = dig(manifest.raw, "spec.concurrencyPolicy")
    if policy and policy not in _CONCURRENCY:
        yield unsupported(("spec", "concurrencyPolicy"), policy, _CONCURRENCY)
    yield from _job_spec(manifest, ("spec", "jobTemplate", "spec"))
    yield from count_problems(manifest.raw, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    name = dig_text(manifest.raw, "metadata.name")
    if len(name) > _LONGEST_CRON_JOB:
        yield invalid(("metadata", "name"), name, f"must be no more than {_LONGEST_CRON_JOB} characters")


def _job_spec(manifest: ManifestObject, where: Path) -> Iterator[Problem]:
    """Check a job's spec, of a Job or in a CronJob.

    Source: validateJobSpec; SetDefaults_Job in pkg/apis/batch/v1/defaults.go.
    """
    spec = dig(manifest.raw, ".".join(map(str, where)))
    yield from count_problems(
        manifest.raw,
        *("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit"),
        *("ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"),
        where=where,
    )
    mode = dig(spec, "completionMode")
    if mode is not None and mode not in ("NonIndexed", "Indexed"):
        yield unsupported((*where, "completionMode"), mode, ("NonIndexed", "Indexed"))
    # without either of the two numbers both are one
    if mode == "Indexed" and dig(spec, "completions") is None and dig(spec, "parallelism") is not None:
        yield required((*where, "completions"), "when completion mode is Indexed")
    for field in ("backoffLimitPerIndex", "maxFailedIndexes") if mode in (None, "NonIndexed") else ():
        if dig(spec, field) is not None:
            yield invalid((*where, field), dig(spec, field), "requires indexed completion mode")
    if not isinstance(dig(spec, "template"), dict):
        yield required((*where, "template"))
        return
    yield from deadline_problems(dig(spec, "template.spec"), (*where, "template", "spec"))
    template = read_template(dig(spec, "template"), ".".join((*map(str, where), "template")))
    yield from (problem.under(*where, "template") for problem in template_problems(template))
    policy = template.spec.restart_policy or "Always"
    here = (*where, "template", "spec", "restartPolicy")
    if policy == "Always":
        yield required(here, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield unsupported(here, policy, ("Never", "OnFailure"))
