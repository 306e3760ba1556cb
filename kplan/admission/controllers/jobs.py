"""Jobs and CronJobs that run: how many pods they are to have at once, and what their next run does to those under way.

Not modelled: the pause before a failed pod is made again; a controller whose own clock, by which schedules without a
timeZone go, is not UTC.
"""

from collections.abc import Collection, Iterator

from kplan.admission.controllers.templates import normal_template, template_of
from kplan.admission.raw import dig, dig_int, dig_text
from kplan.objects.cron import Schedule, read_schedule
from kplan.objects.job_tries import ended, replaces_failed_alone, tries_left
from kplan.objects.models import CronJob, Job, Object, Pod
from kplan.objects.state import ClusterState
from kplan.objects.whole_numbers import natural
from kplan.sources import ManifestObject
from kplan.sources.moments import seconds_of, time_of
from kplan.words import listed, short_age

NEXT_RUN = "next run"
"""What a changed CronJob comes to."""
_INDEX = "batch.kubernetes.io/job-completion-index"
_TEMPLATE = "spec.jobTemplate.spec"


def job_size(
    manifest: ManifestObject, running: Job, active: int, leaving: int, state: ClusterState
) -> tuple[int, tuple[str, ...]]:
    """How many pods a Job is to have at once, and what to say of it; what its manifest leaves out stays as it runs.

    One that is told nothing new has those it has: of pods that ended, and were removed, a state does not tell.

    Args:
        manifest: the Job.
        running: the one that runs.
        active: its pods that have not ended.
        leaving: those that are Terminating.
        state: what runs.

    Source: syncJob, manageJob, onlyReplaceFailedPods in pkg/controller/job/job_controller.go.
    """
    if why := ended(running):
        return active, (f"it has ended ({why}): no pod of it is made any more",)
    seconds = _whole(manifest, "spec.activeDeadlineSeconds")
    seconds = running.spec.active_deadline_seconds if seconds is None else seconds
    if seconds is not None and (past := _active_longer(running, seconds, state.taken)):
        return 0, (past,)
    left = tries_left(running, _whole(manifest, "spec.backoffLimit"))
    if left is not None and left < 0:
        return 0, (f"{running.status.failed} of its pods have failed, more than its backoffLimit: it ends",)
    old = running.spec
    suspended = dig(manifest.raw, "spec.suspend")
    suspended = bool(old.suspend if suspended is None else suspended)
    before = 1 if old.parallelism is None else old.parallelism
    parallelism = dig_int(manifest.raw, "spec.parallelism", before)
    completions = dig(manifest.raw, "spec.completions")
    completions = old.completions if completions is None else completions
    if (suspended, parallelism, completions) == (bool(old.suspend), before, old.completions):
        return active, ()
    if suspended:
        return 0, ()
    done = _succeeded(running, state)
    if not isinstance(completions, int):  # of a work queue nothing more is made once one is done
        return (active if done else parallelism), ()
    wanted = max(0, min(parallelism, completions - done))
    waits = leaving if replaces_failed_alone(running) else 0
    return (wanted if wanted <= active else max(active, wanted - waits)), ()


def _active_longer(running: Job, seconds: int, taken: str) -> str:
    """Say that a Job ends, as it was active for longer than it may; empty where that is not so, or not known.

    One that is suspended is not active; once it goes on, its time begins anew.

    Source: pastActiveDeadline, syncJob in pkg/controller/job/job_controller.go.
    """
    start, now = seconds_of(running.status.start_time), seconds_of(taken)
    if running.spec.suspend or start is None or now is None or now - start < seconds:
        return ""
    return (
        f"it ends (DeadlineExceeded): it has been active for {short_age(int(now - start))}, longer than its "
        f"activeDeadlineSeconds {seconds:,}; its pods are deleted"
    )


def lasts(spec: object) -> tuple[str, ...]:
    """Say how long a Job may be active.

    Args:
        spec: as written.
    """
    seconds = dig(spec, "activeDeadlineSeconds")
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        return ()
    told = f"it fails {seconds:,} s after it began, and its pods are deleted, those too that wait for a node"
    return (f"{told} (activeDeadlineSeconds)",)


def due_runs(manifest: ManifestObject, running: CronJob | None, taken: str) -> tuple[str, ...]:
    """Say when the next run of a CronJob is due, and which one that was due before starts at once.

    Args:
        manifest: of the CronJob.
        running: the one that runs; None for a new one.
        taken: when the state was taken; nothing is told where that is not known.

    Source: nextScheduleTime, mostRecentScheduleTime in pkg/controller/cronjob/utils.go.
    """
    now = seconds_of(taken)
    text, zone = dig_text(manifest.raw, "spec.schedule"), dig_text(manifest.raw, "spec.timeZone")
    if now is None or not text or dig(manifest.raw, "spec.suspend") is True:
        return ()
    schedule = read_schedule(text, zone)
    if schedule is None:
        where = f" in {zone}" if zone else ""
        return (f"when its next run is due is not known here: {text}{where}",)
    notes = []
    if running is not None and _may_have_missed(running, text, zone):
        notes.append(_missed(manifest, running, schedule, now))
    due = schedule.after(now)
    if due is None:
        notes.append(f"no run of it is due within five years: {text}")
    else:
        notes.append(f"its next run is due at {time_of(due)}, in {short_age(int(due - now))}")
    return tuple(notes)


def _may_have_missed(running: CronJob, schedule: str, zone: str) -> bool:
    """Whether runs may have been due that were not started: it was suspended, or had another schedule."""
    spec = running.spec
    return bool(spec.suspend) or (schedule, zone) != (spec.schedule or "", spec.time_zone or "")


def _missed(manifest: ManifestObject, running: CronJob, schedule: Schedule, now: float) -> str:
    """Say which run starts at once, as it was due since the last one that started; a deadline counts from now back."""
    last = seconds_of(running.status.last_schedule_time)
    since = last if last is not None else seconds_of(running.metadata.creation_timestamp)
    within = _whole(manifest, "spec.startingDeadlineSeconds")
    begin = now if since is None else since
    begin = begin if within is None else max(begin, now - within)
    due = schedule.latest(begin, now)
    meanwhile = "since the last one started" if last is not None else "since it was made"
    if due is not None:
        return f"the run that was due at {time_of(due)}, {meanwhile}, starts at once"
    late = f" within the last {within:,} s (startingDeadlineSeconds)" if within is not None else f" {meanwhile}"
    return f"no run was due{late}: none starts at once"


def _succeeded(running: Job, state: ClusterState) -> int:
    """Pods of a Job that are done: as its status counts them, or as many as are still there."""
    there = sum(
        pod.status.phase == "Succeeded"
        and any(o.uid == running.metadata.uid for o in pod.metadata.owner_references or ())
        for pod in state.pods
        if pod.namespace == running.namespace
    )
    return max(there, running.status.succeeded or 0)


def taken_indexes(running: Object, pods: Collection[Pod]) -> frozenset[int]:
    """Indexes of a Job that runs of which no pod is made: those that are done, and those of pods that are there.

    Source: firstPendingIndexes, parseIndexesFromString in pkg/controller/job/indexed_job_utils.go.
    """
    if not isinstance(running, Job) or (running.spec.completion_mode or "") != "Indexed":
        return frozenset()
    there = (natural(pod.annotations.get(_INDEX, "")) for pod in pods if not pod.metadata.deletion_timestamp)
    return frozenset(index for index in there if index is not None) | frozenset(
        _intervals(running.status.completed_indexes or "", running.spec.completions or 0)
    )


def _intervals(text: str, most: int) -> Iterator[int]:
    """Read ``0,2-4``; what is at or above a number is left out, as is what cannot be read."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        begin, end = natural(first), natural(last or first)
        if begin is not None and end is not None:
            yield from range(begin, min(end + 1, most))


def runs_of(cron_job: CronJob, state: ClusterState) -> list[Job]:
    """Jobs of a CronJob that have not ended."""
    uid = cron_job.metadata.uid
    return [
        job for job in state.jobs if uid and job.controller is not None and job.controller.uid == uid and not ended(job)
    ]


def cron_job_changes(manifest: ManifestObject, running: CronJob, applied: object) -> bool:
    """Tell whether a manifest changes what a CronJob runs, or when.

    Args:
        manifest: of the CronJob.
        running: the one that runs.
        applied: the manifest that was applied before; None where that is not recorded.

    Raises:
        Misfit: the template does not fit.
    """
    if applied is not None:
        return bool(dig(applied, "spec") != manifest.raw.get("spec"))
    there = running.spec.job_template.spec if running.spec.job_template is not None else None
    if there is None or there.template is None:
        return True
    if template_of(manifest, f"{_TEMPLATE}.template") != normal_template(there.template):
        return True
    numbers = (
        (f"{_TEMPLATE}.parallelism", there.parallelism),
        (f"{_TEMPLATE}.completions", there.completions),
        (f"{_TEMPLATE}.backoffLimit", there.backoff_limit),
        (f"{_TEMPLATE}.activeDeadlineSeconds", there.active_deadline_seconds),
        ("spec.startingDeadlineSeconds", running.spec.starting_deadline_seconds),
    )
    written = ((_whole(manifest, path), have) for path, have in numbers)
    if any(wanted is not None and wanted != have for wanted, have in written):
        return True
    policy = dig_text(manifest.raw, "spec.concurrencyPolicy", "Allow")
    when = dig_text(manifest.raw, "spec.schedule"), dig_text(manifest.raw, "spec.timeZone")
    return (dig(manifest.raw, "spec.suspend") is True, policy, *when) != (
        bool(running.spec.suspend),
        running.spec.concurrency_policy or "Allow",
        running.spec.schedule or "",
        running.spec.time_zone or "",
    )


def next_run(
    manifest: ManifestObject, running: CronJob, pods: Collection[Pod], taken: str = ""
) -> tuple[bool, tuple[str, ...]]:
    """Tell whether the pods of runs under way are gone when the next run's are made, and what to say of it.

    Args:
        manifest: of the CronJob.
        running: the one that runs.
        pods: of its runs.
        taken: when the state was taken; empty if that is not known.

    Source: syncCronJob, nextScheduleTime in pkg/controller/cronjob/cronjob_controllerv2.go, mostRecentScheduleTime in
    pkg/controller/cronjob/utils.go.
    """
    if dig(manifest.raw, "spec.suspend") is True:
        return False, ()
    within = _whole(manifest, "spec.startingDeadlineSeconds")
    notes = [*due_runs(manifest, running, taken)]
    if running.spec.suspend and not notes:
        late = f", unless that is more than {within:,} s ago (startingDeadlineSeconds)" if within is not None else ""
        notes.append(f"no longer suspended: the last run that was due meanwhile starts at once{late}")
    names = sorted({pod.controller.name or "" for pod in pods if pod.controller is not None})
    if not names:
        return False, tuple(notes)
    runs = listed([f"job/{running.namespace}/{name}" for name in names])
    policy = dig_text(manifest.raw, "spec.concurrencyPolicy", "Allow")
    if policy == "Allow":
        return False, (*notes, f"its next run is planned beside {runs} (concurrencyPolicy Allow)")
    if policy == "Replace":
        return True, (*notes, f"its next run deletes {runs} (concurrencyPolicy Replace)")
    due = (
        f"of the runs due before, the last one starts then, if it was due no more than {within:,} s ago"
        if within is not None
        else "of the runs due before, the last one starts then"
    )
    told = f"its next run waits until {runs} has ended (concurrencyPolicy Forbid), and is planned as if it had; {due}"
    return True, (*notes, told)


def _whole(manifest: ManifestObject, path: str) -> int | None:
    value = dig(manifest.raw, path)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
