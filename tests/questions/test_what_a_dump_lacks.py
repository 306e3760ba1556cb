"""A refusal that rests on what a dump lacks is doubted, as an answer that it fits is."""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import made, node, running, template, volume, with_claim, workload

DATA = with_claim(template("data"), "disk")
MORE = with_claim(template("more"), "disk")
CLAIM = [item for item in volume("pv-1", "disk") if item["kind"] == "PersistentVolumeClaim"]
VOLUME = [item for item in volume("pv-1", "disk", zone="a") if item["kind"] == "PersistentVolume"]
RUNS = [
    node("n1", zone="a"),
    node("n2", zone="b"),
    workload("Deployment", "data", DATA, replicas=1),
    *running("data", "old", DATA, ["n1"]),
]

NEW = [
    made("v1", "PersistentVolumeClaim", "fresh", spec={"accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
                                                      "resources": {"requests": {"storage": "1Gi"}}}),
    workload("Deployment", "new", with_claim(template("new"), "fresh"), replicas=1),
]  # fmt: skip

QUESTIONS = {
    "a check is doubted that fails for a class that the dump does not hold": Question(
        "check m.yaml", RUNS, (4,), ("FAILS?",), NEW, says=("no storageclasses",)
    ),
    "a check that passes is doubted where there are no quotas to ask": Question(
        "check m.yaml --quota", RUNS, (4,), ("PASSES?",),
        [workload("Deployment", "more", template("more"), replicas=1)], says=("no resourcequotas",),
    ),
    "one that the API server refuses fails, whatever is in doubt": Question(
        "check m.yaml --quota",
        [*RUNS, made("v1", "LimitRange", "most", spec={"limits": [{"type": "Container", "max": {"cpu": "500m"}}]})],
        (1,), ("FAILS",), [workload("Deployment", "more", template("more"), replicas=1)], says=("500m",),
    ),
    "a drain is blocked by a volume that the dump does not hold": Question(
        "drain n1", [*RUNS, *CLAIM], (1,), ("BLOCKED?",), says=("no persistentvolumes",)
    ),
    "by one that it holds, it is blocked": Question("drain n1", [*RUNS, *CLAIM, *VOLUME], (1,), ("BLOCKED",)),
    "a loss leaves a pod without a volume that the dump does not hold": Question(
        "fail n1", [*RUNS, *CLAIM], (1,), ("BLOCKED?", "PARTLY?"), says=("no persistentvolumes",)
    ),
    "capacity is none for a volume that the dump does not hold": Question(
        "capacity m.yaml", [*RUNS, *CLAIM], (1,), ("BLOCKED?",),
        [workload("Deployment", "more", MORE, replicas=2)],
        says=("no persistentvolumes",),
    ),
}  # fmt: skip


test_the_answer_is_right = all_asked(QUESTIONS)
