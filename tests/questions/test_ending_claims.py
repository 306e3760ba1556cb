"""A claim that somebody deleted stays as long as a pod has it: who takes the last one takes what is on the volume."""

from tests.questions.asking import Question, all_asked
from tests.questions.clusters import THREE, Json, pod, running, template, volume, with_claim, workload

DATA = with_claim(template("data", "1", "200m"), "disk")


def ending(policy: str, nodes: list[str], **spec: object) -> list[Json]:
    """Pods on some nodes that share a claim which is being deleted."""
    bound = volume("pv-1", "disk", modes=("ReadWriteMany",))
    bound[0]["spec"] |= {"persistentVolumeReclaimPolicy": policy} if policy else {}
    bound[1]["metadata"] |= {
        "deletionTimestamp": "2026-09-02T08:00:00Z",
        "finalizers": ["kubernetes.io/pvc-protection"],
    }
    sets = workload("Deployment", "data", DATA, replicas=len(nodes), **spec)
    return [*THREE, *bound, sets, *running("data", "old", DATA, nodes)]


GOES = r"LOSES DATA: claim shop/disk is being deleted and goes with its last pod, shop/data-old-a.* volume pv-1 with it"
NEWER = [
    workload("Deployment", "data", with_claim(template("data", "2", "200m"), "disk"), strategy={"type": "Recreate"})
]

QUESTIONS = {
    "the drain takes the last pod": Question(
        "drain n1", ending("Delete", ["n1"]), (1,), ("BLOCKED",), says=(GOES, r"reclaim policy Delete")
    ),
    "what is retained stays": Question(
        "drain n1", ending("Retain", ["n1"]), (1,), ("BLOCKED",), says=("pv-1 stays .reclaim policy Retain",),
        never=("LOSES DATA",),
    ),
    "what is recycled is scrubbed": Question(
        "drain n1", ending("Recycle", ["n1"]), (1,), ("BLOCKED",), says=("LOSES DATA: .*reclaim policy Recycle",)
    ),
    "nothing tells what becomes of the volume": Question(
        "drain n1", ending("", ["n1"]), (1,), ("BLOCKED",), says=("LOSES DATA, unless its volume pv-1 is retained",)
    ),
    "a pod on another node has the claim, too": Question(
        "drain n1", ending("Delete", ["n1", "n2"]), (1,), ("BLOCKED",), never=("LOSES DATA", "goes with")
    ),
    "both nodes go": Question(
        "drain n1 n2", ending("Delete", ["n1", "n2"]), (1,), ("BLOCKED",),
        says=("goes with its last pods, shop/data-old-a, shop/data-old-b",),
    ),
    "the node is lost": Question("fail n1", ending("Delete", ["n1"]), (1,), ("BLOCKED",), says=(GOES,)),
    "Recreate takes the old pod first": Question(
        "simulate m.yaml", ending("Delete", ["n1"], strategy={"type": "Recreate"}), (1,), ("BLOCKED",), says=(GOES,),
        manifest=NEWER,
    ),
    "scaled to nothing": Question(
        "simulate --scale deploy/shop/data=0", ending("Delete", ["n1"]), (0,), ("FITS",), says=(GOES,)
    ),
    "scaled to nothing, and a bare pod has the claim, too": Question(
        "simulate --scale deploy/shop/data=0", [*ending("Delete", ["n1"]), pod("own", DATA, "n2")], (0,), ("FITS",),
        never=("LOSES DATA",),
    ),
    "evicted": Question(
        "simulate --evict shop/data-old-a", ending("Delete", ["n1"]), (1,), ("BLOCKED",), says=(GOES,)
    ),
    "the claim is not being deleted": Question(
        "drain n1", [*THREE, *volume("pv-1", "disk"), workload("Deployment", "data", DATA, replicas=1),
                     *running("data", "old", DATA, ["n1"])],
        (0,), ("FITS", "FITS?"), never=("LOSES DATA",),
    ),
}  # fmt: skip

test_the_answer_is_right = all_asked(QUESTIONS)
