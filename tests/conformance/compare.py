"""Hold answers against what the real scheduler answered.

    python -m tests.conformance.compare EXPECTED.jsonl[.gz] ANSWERS.jsonl [--without USE]... [--groups A,B] [--show N]
        [--summary FILE]

EXPECTED holds one ``{"case": ..., "uses": [...], "expected": ...}`` a line, ANSWERS one answer a line in the same
format as ``expected``, matched by name. Prints, for every field group, how many pods agree, then the first N
differences. Exit status: 0 every pod of every case agrees in every group, 1 some differ, 2 unusable input.

What is treated as equal, and nothing else: a skipped score and 0; the order of the reasons of one status; victims as
sets; any outcome that the scheduler itself showed where victims tie; the tail of an error text (not of a reason).
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

USES = ("spread", "podaffinity", "storage", "preemption", "nominated", "dra", "gang", "config")

Json = dict[str, Any]


def rows(path: str | Path) -> Iterator[Json]:
    """Read a file of one JSON document a line, compressed or not."""
    path = Path(path)
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def status(value: Json | None) -> tuple[str, str, list[str]] | None:
    """Read a status as (code, plugin, sorted reasons); no status and success are the same."""
    if not value or value.get("code") in (None, "", "Success"):
        return None
    return value["code"], value.get("plugin") or "", sorted(value.get("reasons") or [])


def statuses(values: Json | None) -> Json:
    """Read a mapping of statuses, without those that are success."""
    return {name: status(value) for name, value in (values or {}).items() if status(value)}


def per_node(pod: Json, name: str) -> Json:
    """Take one field of each node."""
    return {node: answer.get(name) for node, answer in (pod.get("nodes") or {}).items()}


def numbers(table: Json) -> Json:
    """Read scores by node and plugin; a plugin that was skipped and one that gave 0 are the same."""
    return {node: {plugin: score for plugin, score in (row or {}).items() if score} for node, row in table.items()}


def victims(candidate: Json) -> tuple[list[str], int]:
    """Read a candidate's victims as a set, and how many of them break a budget."""
    return sorted(candidate.get("pods") or []), candidate.get("pdbViolations") or 0


def error_kind(text: str | None) -> str:
    """Tell what failed, without the detail: an error's tail may be a library's own words."""
    return (text or "").split(":")[0]


def preemption(pod: Json) -> Json | None:
    """Read what preemption found."""
    found = pod.get("preemption")
    if not found:
        return None
    return {
        "eligible": bool(found.get("eligible")),
        "reason": found.get("reason") or "",
        "potentialNodes": sorted(found.get("potentialNodes") or []),
        "candidates": {node: victims(candidate) for node, candidate in (found.get("candidates") or {}).items()},
        "statuses": statuses(found.get("statuses")),
        "message": found.get("message") or "",
        "picks": sorted(found.get("picks") or []),
    }


def carried_out(preempted: Json | None) -> tuple[Any, ...] | None:
    """Read a preemption that was carried out, and what became of the pod then."""
    if not preempted:
        return None
    then = preempted.get("then") or {}
    outcome = then.get("placed") or "", then.get("fitError") or "", error_kind(then.get("error"))
    return preempted.get("node"), sorted(preempted.get("victims") or []), *outcome


def _verdicts(pod: Json) -> Any:
    return {node: status(verdict) for node, verdict in per_node(pod, "verdict").items()}


def _filters(pod: Json) -> Any:
    # one without a reason counts as no refusal, so an empty mapping and none are the same
    return {
        node: {plugin: status(value) for plugin, value in (filters or {}).items()}
        for node, filters in per_node(pod, "filters").items()
    }


def _scores(pod: Json) -> Any:
    totals = {node: total for node, total in per_node(pod, "total").items() if total is not None}
    return numbers(per_node(pod, "scores")), totals


def _placed(pod: Json) -> Any:
    where = pod.get("placed") or "", pod.get("nominatedFirst") or ""
    return *where, status(pod.get("permit")), carried_out(pod.get("preempted"))


def turn(value: Json | None) -> Json | None:
    """Read one cycle of a group and the one after it: what differs only in how nothing is written is the same."""
    if value is None:
        return None
    return {
        "group": value["group"],
        "gated": statuses(value.get("gated")),
        "condition": condition(value.get("condition") or {}),
        "of": {name: condition(one) for name, one in (value.get("of") or {}).items()},
        "members": {
            one["pod"]: (one["code"], one.get("message") or "", one.get("nominated") or "", one.get("placed") or "")
            for one in value.get("members") or ()
        },
        "victims": sorted(value.get("victims") or ()),
        "then": turn(value.get("then")),
    }


def condition(value: Json) -> tuple[Any, Any, str]:
    """Read what the scheduler wrote of a group."""
    return value.get("status"), value.get("reason"), value.get("message") or ""


GROUPS: dict[str, Callable[[Json], Any]] = {
    "queue": lambda pod: status(pod.get("preEnqueue")),
    "prefilter": lambda pod: (status(pod.get("preFilter")), sorted(pod.get("preFilterNodes") or [])),
    "verdict": _verdicts,
    "filters": _filters,
    "raw": lambda pod: numbers(per_node(pod, "raw")),
    "scores": _scores,
    "best": lambda pod: (sorted(pod.get("feasible") or []), sorted(pod.get("best") or [])),
    "message": lambda pod: (pod.get("fitError") or "", error_kind(pod.get("error")), status(pod.get("postFilter"))),
    "preemption": preemption,
    "placed": _placed,
    "claims": lambda pod: (pod.get("volumes") or {}, sorted(pod.get("devices") or []), pod.get("capacity") or {}),
}


def take_other_outcomes(expected: Json, want: Json, got: Json) -> None:
    """Accept any outcome the scheduler showed where equal victims make it depend on the order of a node's pods.

    Args:
        expected: the pod as the scheduler answered, with the other outcomes.
        want: its preemption, as ``preemption`` reads it.
        got: preemption of the answer; what was shown elsewhere is replaced by what is wanted.
    """
    tied = False
    for node, candidate in ((expected.get("preemption") or {}).get("candidates") or {}).items():
        others = candidate.get("others") or []
        tied |= bool(others)
        if got["candidates"].get(node) in [victims(other) for other in others]:
            got["candidates"][node] = want["candidates"][node]
    if tied and got["picks"] and set(got["picks"]) <= set(got["candidates"]):
        got["picks"], got["message"] = want["picks"], want["message"]


def difference(want: Any, got: Any, path: str = "") -> list[str]:
    """Write the places where two values differ, as text."""
    if isinstance(want, dict) and isinstance(got, dict):
        out = []
        for key in sorted(set(want) | set(got), key=str):
            if want.get(key) != got.get(key):
                out += difference(want.get(key), got.get(key), f"{path}/{key}")
        return out
    return [f"{path or '/'}: want {want!r} got {got!r}"]


@dataclass
class Comparison:
    """Counts of what agrees, and the first differences in words.

    Attributes:
        groups: names of the field groups that are compared.
        show: how many differences to keep.
        cases, good_cases, pods, good_pods: how many there are, and how many agree in everything.
        agreeing: pods that agree, by group; the number compared is ``pods`` for every group.
        differences: the first ones, a line each or a few.
    """

    groups: Sequence[str] = tuple(GROUPS)
    show: int = 5
    cases: int = 0
    good_cases: int = 0
    pods: int = 0
    good_pods: int = 0
    agreeing: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    _shown: int = 0

    def add(self, want: Json, got: Json | None) -> bool:
        """Compare one case; an answer that is not there is None."""
        self.cases += 1
        if want.get("error"):
            # the scheduler refused the case as a whole (say, a bad configuration): so must the answer
            good = bool(got and got.get("error"))
            if not good:
                self.tell([f"{want['name']}: want the case refused ({want['error'][:200]})"])
        else:
            good = self._answered(want, got or {})
        self.good_cases += good
        return good

    def _answered(self, want: Json, got: Json) -> bool:
        name = want["name"]
        good = True
        for key in ("gated", "terminating"):
            if sorted(want.get(key) or []) != sorted(got.get(key) or []):
                good = False
                self.tell([f"{name} {key}: want {want.get(key)} got {got.get(key)}"])
        good &= self._turns(want, got)
        wanted = want.get("pods") or []
        answered = got.get("pods") or []
        want_names, got_names = [pod["pod"] for pod in wanted], [pod.get("pod") for pod in answered]
        if want_names != got_names:
            good = False
            why = f" ({got['error'][:200]})" if got.get("error") else ""
            self.tell([f"{name}: want the pods {want_names} got {got_names}{why}"])
        by_name = {pod.get("pod"): pod for pod in answered}
        for pod in wanted:
            good &= self._pod(name, pod, by_name.get(pod["pod"]))
        return good

    def _turns(self, want: Json, got: Json) -> bool:
        """Compare the turns of groups, one after another."""
        wanted, given = [list(map(turn, answer.get("groups") or ())) for answer in (want, got)]
        if wanted == given:
            return True
        first = next((pair for pair in zip(wanted, given, strict=False) if pair[0] != pair[1]), None)
        lines = difference(*first)[:4] if first is not None else [f": want {len(wanted)} turns got {len(given)}"]
        name = first[0]["group"] if first is not None and first[0] is not None else ""
        self.tell([f"{want['name']} group {name}{line[:600]}" for line in lines])
        return False

    def _pod(self, case: str, want_pod: Json, got_pod: Json | None) -> bool:
        self.pods += 1
        if got_pod is None:
            return False
        good = True
        for group in self.groups:
            want, got = GROUPS[group](want_pod), GROUPS[group](got_pod)
            if group == "preemption" and want and got:
                take_other_outcomes(want_pod, want, got)
            if want == got:
                self.agreeing[group] += 1
            else:
                good = False
                lines = difference(want, got)[:4]
                self.tell([f"{case} {want_pod['pod']} {group}{line[:400]}" for line in lines])
        self.good_pods += good
        return good

    def tell(self, lines: list[str]) -> None:
        """Keep a difference, if there is still room for it."""
        if self._shown < self.show:
            self._shown += 1
            self.differences += lines

    @property
    def agrees(self) -> bool:
        """Every pod of every case agrees, and there are some."""
        return 0 < self.cases == self.good_cases

    def __str__(self) -> str:
        counts = [f"{group:<11} {self.agreeing[group]:>7} of {self.pods:>7}" for group in self.groups]
        total = f"{self.good_pods} of {self.pods} pods and {self.good_cases} of {self.cases} cases agree"
        return "\n".join([*self.differences, *counts, total])


def compare_files(expected: str, answers: str, comparison: Comparison, without: Sequence[str] = ()) -> None:
    """Compare two files, leaving out cases that use what is named."""
    by_name = {answer.get("name"): answer for answer in rows(answers)}
    for row in rows(expected):
        if not set(row.get("uses") or []) & set(without):
            comparison.add(row["expected"], by_name.get(row["expected"]["name"]))


def main() -> int:
    """Compare two files as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("expected")
    parser.add_argument("answers")
    parser.add_argument(
        "--without", action="append", default=[], choices=USES, help="leave out the cases that use this"
    )
    parser.add_argument("--groups", metavar="A,B", help="hold only these groups against each other")
    parser.add_argument("--show", type=int, default=5, metavar="N")
    parser.add_argument("--summary", metavar="FILE", help="write the counts as JSON")
    args = parser.parse_args()
    groups = tuple(args.groups.split(",")) if args.groups else tuple(GROUPS)
    if set(groups) - set(GROUPS):
        raise ValueError(f"unknown group among {args.groups}; there are {', '.join(GROUPS)}")
    comparison = Comparison(groups, args.show)
    compare_files(args.expected, args.answers, comparison, args.without)
    print(comparison)
    if args.summary:
        counts = {
            "cases": comparison.cases,
            "goodCases": comparison.good_cases,
            "pods": comparison.pods,
            "goodPods": comparison.good_pods,
            "groups": {group: [comparison.agreeing[group], comparison.pods] for group in groups},
        }
        Path(args.summary).write_text(json.dumps(counts), encoding="utf-8")
    return 0 if comparison.agrees else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError) as error:
        print(f"compare: {error!r}", file=sys.stderr)
        sys.exit(2)
