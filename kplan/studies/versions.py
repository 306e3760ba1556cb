"""The same question under the rules of two versions: the answer under the first, and what differs under the second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from kplan.framework.doubt import Doubt
from kplan.result.document import Answer, PodExplanation, PodExplanations
from kplan.result.document_capacity import CapacityReport
from kplan.result.document_check import CheckResult
from kplan.result.document_drain import DrainPlan
from kplan.result.document_fail import FailReport
from kplan.result.document_moves import MovesPlan
from kplan.result.document_pack import PackPlan
from kplan.result.document_plan import SimulationPlan
from kplan.result.document_versions import OtherVersion, VersionDifference
from kplan.wording import versions as words

Compared = TypeVar(
    "Compared",
    bound=PodExplanation
    | PodExplanations
    | SimulationPlan
    | CheckResult
    | CapacityReport
    | DrainPlan
    | FailReport
    | MovesPlan
    | PackPlan,
)
NOTHING = "-"


def with_other(first: Compared, second: Compared) -> Compared:
    """Put beside an answer what differs in the one to the same question under another version."""
    differences = tuple(
        VersionDifference(what=what, first=here, second=there)
        for what, here, there in _pairs(_told(first), _told(second))
        if here != there
    )
    because = None if isinstance(second, PodExplanations) else second.because
    mine = {doubt.text for doubt in first.doubts}
    same = (first.verdict, first.sentence, _cause(first)) == (second.verdict, second.sentence, _cause(second))
    other = OtherVersion(
        rules=second.origin.rules,
        same=same and not differences,
        verdict=second.verdict,
        sentence=second.sentence,
        because=because,
        doubts=tuple(
            Doubt(code=doubt.code, text=doubt.text)
            for doubt in second.doubts
            if doubt.text not in mine and not getattr(doubt, "allowed", False)
        ),
        differences=differences,
    )
    return msgspec.structs.replace(first, other_version=other)


def _cause(document: Compared) -> str:
    if isinstance(document, PodExplanations) or document.because is None:
        return ""
    return document.because.text


def _pairs(one: Mapping[str, str], two: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for what in dict.fromkeys((*one, *two)):
        yield what, one.get(what, NOTHING), two.get(what, NOTHING)


def _told(document: Compared) -> dict[str, str]:
    """What becomes of each thing that a document tells of."""
    if isinstance(document, PodExplanation):
        return dict(_of_answer(document))
    if isinstance(document, PodExplanations):
        return {answer.pod: _place(answer) for answer in document.answers}
    if isinstance(document, SimulationPlan):
        return _of_plan(document)
    if isinstance(document, CheckResult):
        return {**{item.object: item.result for item in document.objects}, **_of_plan(document.plan)}
    if isinstance(document, DrainPlan):
        nodes = {
            verdict.node: words.CAN_GO if verdict.goes else verdict.because or "stays" for verdict in document.found
        }
        return {**nodes, **{pod.pod: _landing(pod.lands_on, pod.fate) for pod in document.pods}}
    if isinstance(document, FailReport):
        cases = {case.name: words.placed_again(case.placed, case.pods) for case in document.cases}
        return {**cases, **{pod.pod: _landing(pod.lands_on, pod.fate) for pod in document.pods}}
    if isinstance(document, MovesPlan):
        return {move.pod: move.to for move in document.moves} | {land.pod: land.node for land in document.lands}
    if isinstance(document, PackPlan):
        return {node.node: words.CAN_GO if node.goes else "stays" for node in document.found}
    return {node: words.more(number) for place in document.places for node, number in place.nodes.items()}


def _of_answer(answer: Answer) -> Iterator[tuple[str, str]]:
    yield words.GOES, _place(answer)
    for group in answer.groups:
        yield words.refused(group.text), f"{group.count:,}"
    if answer.scores is not None:
        for row in answer.scores.rows:
            yield words.score(row.node), str(row.total)
    for fix in answer.fixes:
        yield words.remedy(fix.text), fix.then


def _place(answer: Answer) -> str:
    return f"{answer.node or NOTHING}{'' if answer.verdict == 'FITS' else f' ({answer.verdict})'}"


def _of_plan(plan: SimulationPlan) -> dict[str, str]:
    """Where each pod goes; pods that manifests make have other names under each version, and are told by number."""
    made: Counter[str] = Counter()
    fates = {}
    for step in plan.steps:
        made[step.owner] += 1
        name = f"{step.owner} #{made[step.owner]}" if step.owner and step.owner != f"pod/{step.pod}" else step.pod
        fates[name] = words.lands(step.node, len(step.evicts)) if step.node else step.cause or step.result
    return fates


def _landing(node: str, fate: str) -> str:
    return f"-> {node}" if node else fate
