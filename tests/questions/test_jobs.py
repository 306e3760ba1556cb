"""What a Job or CronJob that runs comes to: how many pods more, of which indexes, and what of those under way."""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import made, node, pod, template

SIMULATE = "simulate m.yaml"
TWO = [node("n1", "2"), node("n2", "2")]
WORK = template("work", "1", "1", restartPolicy="Never")
BUSY = pod("other", template("other", "1", "10m"), "n1")
INDEX = "batch.kubernetes.io/job-completion-index"


def job(name: str = "work", *, status: dict | None = None, of_cron: bool = False, **spec: object) -> dict:
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "uid-CronJob-nightly"}
    metadata = {"ownerReferences": [owner | {"controller": True}]} if of_cron else {}
    given = {"template": WORK, **spec}
    return made("batch/v1", "Job", name, spec=given, status=status or {}, metadata=metadata)


def member(name: str, on: str, index: int | None = None, *, of: str = "work", going: bool = False) -> dict:
    one = pod(name, WORK, on, of=("Job", of))
    if index is not None:
        one["metadata"]["annotations"] = {INDEX: str(index)}
    if going:
        one["metadata"]["deletionTimestamp"] = "2026-09-02T08:00:00Z"
    return one


INDEXED = {"completionMode": "Indexed", "completions": 10}
HALF_DONE = [
    *TWO,
    job(parallelism=2, **INDEXED, status={"succeeded": 2, "completedIndexes": "0,2"}),
    member("work-1-a", "n1", 1),
    member("work-3-b", "n1", 3),
]


def nightly(*, cpu: str = "1", **spec: object) -> dict:
    of = template("work", "1", cpu, restartPolicy="Never")
    given = {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": of}}, **spec}
    return made("batch/v1", "CronJob", "nightly", spec=given)


def ran_last(**spec: object) -> dict:
    return {**nightly(**spec), "status": {"lastScheduleTime": "2026-09-01T03:00:00Z"}}


NOON = "2026-09-02T12:00:00Z"
ONE = [node("n1", "1010m")]
UNDER_WAY = [*ONE, nightly(), job("nightly-1", of_cron=True), member("nightly-1-a", "n1", of="nightly-1")]

IGNORED = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
QUESTIONS = {
    "a pod that is evicted is a failure: without one left its Job fails, and nothing makes another": Question(
        "fail n1", [*TWO, job(backoffLimit=0), member("work-a", "n1")], (1,), ("BLOCKED",),
        first=("job/shop/work fails with its pod, as its backoffLimit is used up",), says=("work-a.*GONE",),
    ),
    "with one left it is made again": Question(
        "fail n1", [*TWO, job(backoffLimit=1), member("work-a", "n1")], (0,), ("FITS",)
    ),
    "failures before count": Question(
        "fail n1", [*TWO, job(status={"failed": 6}), member("work-a", "n1")], (1,), ("BLOCKED",),
        first=("backoffLimit is used up",),
    ),
    "a policy that ignores disruptions has it made again": Question(
        "fail n1", [*TWO, job(backoffLimit=0, podFailurePolicy=IGNORED), member("work-a", "n1")], (0,), ("FITS",)
    ),
    "a drain says that the Job fails with its pod": Question(
        "drain n1", [*TWO, job(backoffLimit=0), member("work-a", "n1")], (0,), ("FITS?",),
        says=("GONE: its Job fails with it",), never=("--force",),
    ),
    "more pods of an indexed job are of the lowest indexes that are not done and have no pod": Question(
        SIMULATE, HALF_DONE, (0,), ("FITS",), [job(parallelism=4, **INDEXED)], says=("work-4-", "work-5-"),
        never=("work-0-", "work-2-", "work-6-"),
    ),
    "no more pods than completions are left, whatever the parallelism": Question(
        SIMULATE,
        [*TWO, job(parallelism=1, completions=5, status={"succeeded": 4}), member("work-a", "n1")],
        (0,), ("FITS", "NOTHING"), [job(parallelism=3, completions=5)], never=("1 -> ",),
    ),
    "pods that are still Terminating are waited for where only failed ones are replaced": Question(
        SIMULATE,
        [*TWO, job(parallelism=2, completions=9, podReplacementPolicy="Failed"), member("work-a", "n1"),
         member("work-b", "n2", going=True)],
        (0,), ("FITS",), [job(parallelism=3, completions=9, podReplacementPolicy="Failed")], says=("1 -> 2",),
    ),
    "by default they are not": Question(
        SIMULATE,
        [*TWO, job(parallelism=2, completions=9), member("work-a", "n1"), member("work-b", "n2", going=True)],
        (0,), ("FITS",), [job(parallelism=3, completions=9)], says=("1 -> 3",),
    ),
    "a job that has failed makes no pod any more": Question(
        SIMULATE,
        [*TWO, BUSY, job(parallelism=1, completions=5, status={"failed": 7, "conditions": [
            {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]})],
        (0,), ("FITS", "NOTHING"), [job(parallelism=3, completions=5)],
        says=("has ended .Failed: BackoffLimitExceeded.",), never=("-> 3",),
    ),
    "of a job that another controller manages no pod is planned": Question(
        SIMULATE, [*TWO, BUSY], (0,), ("FITS", "NOTHING"), [job(parallelism=3, managedBy="kueue.x-k8s.io/multikueue")],
        says=("managed by kueue.x-k8s.io/multikueue",),
    ),
    "with Forbid the next run comes after the one under way, and has its room": Question(
        SIMULATE, UNDER_WAY, (0,), ("FITS",), [nightly(concurrencyPolicy="Forbid", startingDeadlineSeconds=200)],
        says=("waits until job/shop/nightly-1 has ended", "no more than 200 s ago", "next run, 1 pod"),
    ),
    "with Replace it takes its place": Question(
        SIMULATE, UNDER_WAY, (0,), ("FITS",), [nightly(concurrencyPolicy="Replace")],
        says=("deletes job/shop/nightly-1", "nightly-1-a"),
    ),
    "with Allow it runs beside that, and needs room of its own": Question(
        SIMULATE, UNDER_WAY, (1,), ("BLOCKED",), [nightly(cpu="900m")],
        first=("cpu",), says=("beside job/shop/nightly-1",),
    ),
    "a CronJob that is as it was plans nothing": Question(
        SIMULATE, UNDER_WAY, (0,), ("FITS", "NOTHING"), [nightly()], says=("unchanged",), never=("next run,",),
    ),
    "one that is suspended from now on plans nothing, and what runs goes on": Question(
        SIMULATE, UNDER_WAY, (0,), ("FITS", "NOTHING"), [nightly(suspend=True)], never=("leaves", "pod of one run"),
    ),
    "one that is suspended no more may start a run at once": Question(
        SIMULATE, [*ONE, BUSY, nightly(suspend=True)], (0,), ("FITS",), [nightly(startingDeadlineSeconds=600)],
        says=("no longer suspended", "at once, unless that is more than 600 s ago"),
    ),
    "when the next run is due is told, where the moment of the state is known": Question(
        SIMULATE, [*ONE, BUSY], (0,), ("FITS",), [nightly()], taken=NOON,
        says=("next run is due at 2026-09-03T03:00:00Z, in 15h",),
    ),
    "by the clock of its time zone": Question(
        SIMULATE, [*ONE, BUSY], (0,), ("FITS",), [nightly(timeZone="America/New_York")], taken=NOON,
        says=("due at 2026-09-03T07:00:00Z, in 19h",),  # four hours behind in September
    ),
    "one of a moment that is not known is not": Question(
        SIMULATE, [*ONE, BUSY], (0,), ("FITS",), [nightly()], never=("due at",)
    ),
    "a schedule that is changed may have been due already: that run starts at once": Question(
        # the last one ran on the day before, and 11:00 has passed since
        SIMULATE, [*ONE, BUSY, ran_last()], (0,), ("FITS",), [nightly(schedule="0 11 * * *")], taken=NOON,
        says=("run that was due at 2026-09-02T11:00:00Z, since the last one started, starts at once",
              "next run is due at 2026-09-03T11:00:00Z"),
    ),
    "unless that is longer ago than its deadline": Question(
        SIMULATE, [*ONE, BUSY, ran_last()], (0,), ("FITS",),
        [nightly(schedule="0 11 * * *", startingDeadlineSeconds=600)], taken=NOON,
        says=("no run was due within the last 600 s .startingDeadlineSeconds.: none starts at once",),
    ),
    "one that is suspended no more starts the last run that was due meanwhile": Question(
        SIMULATE, [*ONE, BUSY, ran_last(suspend=True)], (0,), ("FITS",), [nightly()], taken=NOON,
        says=("run that was due at 2026-09-02T03:00:00Z",),
    ),
    "a job that was active for longer than it may ends, and its pods are deleted": Question(
        SIMULATE,
        [*TWO, job(parallelism=2, activeDeadlineSeconds=3600, status={"startTime": "2026-09-02T10:00:00Z"}),
         member("work-a", "n1"), member("work-b", "n2")],
        (0,), ("FITS", "NOTHING"), [job(parallelism=2, activeDeadlineSeconds=3600)], taken=NOON,
        says=("it ends .DeadlineExceeded.: it has been active for 2h, longer than its activeDeadlineSeconds 3,600",),
    ),
    "a longer deadline lets it go on": Question(
        SIMULATE,
        [*TWO, job(parallelism=2, activeDeadlineSeconds=3600, status={"startTime": "2026-09-02T10:00:00Z"}),
         member("work-a", "n1"), member("work-b", "n2")],
        (0,), ("FITS", "NOTHING"), [job(parallelism=2, activeDeadlineSeconds=86400)], taken=NOON,
        never=("DeadlineExceeded",),
    ),
    "one that is suspended is not active: no deadline passes": Question(
        SIMULATE,
        [*TWO, BUSY, job(suspend=True, activeDeadlineSeconds=60, status={"startTime": "2026-09-02T10:00:00Z"})],
        (0,), ("FITS",), [job(suspend=False, activeDeadlineSeconds=60)], taken=NOON,
        says=("0 -> 1",), never=("DeadlineExceeded",),
    ),
    "a job that is suspended loses its pods": Question(
        SIMULATE, [*TWO, job(parallelism=2), member("work-a", "n1"), member("work-b", "n2")], (0,),
        ("FITS", "NOTHING"), [job(parallelism=2, suspend=True)], says=("2 -> 0",),
    ),
    "a new job says how long it may be active, also while it waits": Question(
        SIMULATE, [*ONE, BUSY], (1,), ("BLOCKED",), [job(activeDeadlineSeconds=600, template=template(
            "work", "1", "2", restartPolicy="Never"))],
        says=("fails 600 s after it began.*those too that wait for a node .activeDeadlineSeconds",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
