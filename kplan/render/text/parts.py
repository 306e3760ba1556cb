"""Text of the facts of a cause, of preemption and of scores."""

from __future__ import annotations

import msgspec

from kplan.render.text.devices import devices
from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.result.document import Answer, Domains, Kept, Preempt, Scores, Term, Volume
from kplan.result.document_asked import AskedNode
from kplan.words import amounts, count, listed

DOMAIN_ROWS = 5
NAMES = 5
SCORE_ROWS = 5
TERMS = 4
COLUMNS = 3


def facts(page: Page, answer: Answer, *, everything: bool = False) -> None:
    """Write Domains, Terms, Volumes, Devices and Kept, as far as there are any."""
    for constraint in answer.domains:
        _domains(page, constraint)
    _terms(page, answer.terms)
    _volumes(page, answer.volumes)
    _attachments(page, answer)
    devices(page, answer.devices, everything=everything)
    _kept(page, answer.kept)


def _domains(page: Page, constraint: Domains) -> None:
    page.part("Domains", f"{constraint.topology_key}, pods with {constraint.selector}")
    rows = constraint.rows[:DOMAIN_ROWS]
    counts = [count(row.pods, "pod") for row in rows]
    width = max((len(text) for text in counts), default=0)
    for text, row in zip(counts, rows, strict=True):
        note = f": {row.note}" if row.note else ""
        page.detail(f"{text:<{width}}  {listed(row.names, most=NAMES)}{note}")
    if len(constraint.rows) > len(rows):
        page.detail(f"{len(constraint.rows) - len(rows)} more rows (-o json)")
    for note in constraint.notes:
        page.detail(note)


_RULES = {
    "affinity": "no pod matches",
    "antiAffinity": "this pod keeps away from",
    "antiAffinityOfOthers": "pods there keep away from",
}


def _terms(page: Page, terms: tuple[Term, ...]) -> None:
    by_rule: dict[tuple[str, str, str], list[Term]] = {}
    for term in terms:
        by_rule.setdefault((term.rule, term.selector, term.topology_key), []).append(term)
    for number, ((rule, selector, key), same) in enumerate(list(by_rule.items())[:TERMS]):
        page.part("Terms" if not number else "", f"{_RULES[rule]} {selector}, by {key}")
        for term in same[:TERMS]:
            pods = listed(term.pods, most=2) if term.pods else "none"
            page.detail(f"{term.domain or 'no such label'}: {pods}")
    if len(by_rule) > TERMS:
        page.part("", f"{len(by_rule) - TERMS} more (-o json)")


def _volumes(page: Page, volumes: tuple[Volume, ...]) -> None:
    for number, volume in enumerate(volumes[:4]):
        to = f" -> {volume.volume}" if volume.volume else ""
        page.part("Volumes" if not number else "", f"{volume.claim}{to}, {volume.text}")
        for text in volume.details:
            page.detail(text)
    if len(volumes) > 4:
        page.part("", f"{len(volumes) - 4} more claims (-o json)")


def _attachments(page: Page, answer: Answer) -> None:
    rows = []
    for use in answer.attachments:
        there = f" ({listed(use.present, most=1)} is there)" if use.present else ""
        limit = "-" if use.limit is None else str(use.limit)
        rows.append((use.node, limit, str(use.attached), listed(use.unused, most=2) or "-", f"{len(use.new)}{there}"))
    heads = ("node", "limit", "attached", "of which no pod uses", "new")
    if rows and not page.table("Volumes", heads, rows, (1, 2), fitting=Fitting(names=(0, 3, 4))):
        lines = (zip(heads, row, strict=True) for row in rows)
        page.parts("Volumes", (", ".join(f"{head} {cell}" for head, cell in line) for line in lines))


def _kept(page: Page, kept: tuple[Kept, ...]) -> None:
    if not kept:
        return
    digits = max(len(str(item.priority)) for item in kept)
    rows = [
        (
            "" if number else item.node,
            ", ".join(_amount(resource, amount) for resource, amount in item.amounts.items()),
            item.pod,
            f"priority {item.priority:>{digits}}",
            item.note,
        )
        for number, item in enumerate(kept)
    ]
    if not page.table("Kept", rows[0], rows[1:], (1,), fitting=Fitting(names=(0, 2), wraps=(4,))):
        page.parts("Kept", ("  ".join(row) for row in rows))


def _amount(resource: str, amount: int) -> str:
    return f"{amounts(resource, amount)[0]}{'' if resource == 'memory' else f' {resource}'}"


VICTIM_NODES = 4
"""Nodes whose victims are told if not all are asked for."""
_VICTIMS = (
    (("node", "pod", "priority", "grace", "budget", "comes back"), None),
    (("node", "pod", "prio", "grace", "budget", "comes back"), Fitting(names=(0, 1, 4, 5))),
)
"""Heads of the table of victims and what gives way, the best first."""


def preempt(page: Page, part: Preempt, *, everything: bool = True) -> None:
    """Write why evictions do not help, or the victims and how the node is picked."""
    if part.text:
        page.part("Preempt", part.text)
        return
    nodes = list(dict.fromkeys(victim.node for victim in part.victims))
    told = set(nodes if everything else nodes[:VICTIM_NODES])
    victims = [victim for victim in part.victims if victim.node in told]
    rows = [(v.node, v.pod, f"{v.priority}", f"{v.grace_seconds}s", v.budget, v.comes_back) for v in victims]
    shown: list[tuple[str, ...]] = []
    for number, row in enumerate(rows):
        same = number > 0 and rows[number - 1][0] == row[0]
        shown.append(("" if same else row[0], *row[1:]))
    marked = next((i for i, victim in enumerate(victims) if victim.chosen), -1)
    if not any(page.table("Victims", heads, shown, (2, 3), marked, fitting) for heads, fitting in _VICTIMS):
        for number, victim in enumerate(victims):
            text = (
                f"{victim.node}: {victim.pod}, priority {victim.priority}, grace {victim.grace_seconds}s, "
                f"budget {victim.budget}, comes back {victim.comes_back}"
            )
            page.part("Victims" if not number else "", text, mark="" if not number or not victim.chosen else ">")
    more = part.more_nodes + len(nodes) - len(told)
    if more:
        page.part("", f"{count(more, 'more node')} where evictions help (--victims all)")
    page.parts("Chosen", part.chosen)
    if part.landing is not None and part.landing.text:
        page.part("Lands", part.landing.text)
    page.parts("After", part.after)


def scores(page: Page, table: Scores, *, everything: bool, wide: bool) -> None:
    """Write the feasible nodes, winner first, with the plugins that tell them apart."""
    rows = table.rows if everything else table.rows[:SCORE_ROWS]
    columns = table.columns if wide else table.columns[:COLUMNS]
    cells = []
    for row in rows:
        amounts = [
            f"{row.plugins[plugin]} (raw {row.raw[plugin]})" if wide else str(row.plugins[plugin]) for plugin in columns
        ]
        cells.append([row.node, str(row.total), *amounts, ""])
    beats = _beats(table)
    if beats:
        cells[0][-1] = f" {beats}"
    columns = _scores_table(page, columns, cells)
    page.more(len(table.rows) + table.more - len(rows), where="--scores all")
    page.part("", _same(table, columns, wide=wide))


def _scores_table(page: Page, columns: tuple[str, ...], cells: list[list[str]]) -> tuple[str, ...]:
    """Write scores by as many plugins as there is room for beside whole names; return these."""
    for number in (*range(len(columns), 0, -1), 0):
        kept = columns[:number] or columns
        heads = ("node", "total", *kept, "")
        rows = [[*cell[: 2 + len(kept)], cell[-1]] for cell in cells]
        fitting = None if number else Fitting(names=(0,), wraps=(len(heads) - 1,))
        if page.table("Scores", heads, rows, range(1, len(heads) - 1), 0, fitting):
            return kept
    return columns


def beside(table: Scores, asked: AskedNode | None) -> Scores:
    """The winner's scores, and beside them those of the node that was asked about, where one was."""
    if asked is None:
        return table
    rows = [row for number, row in enumerate(table.rows) if number == 0 or row.node == asked.node]
    rows = rows if len(rows) > 1 else list(table.rows[:2])
    return msgspec.structs.replace(table, rows=tuple(rows), more=table.more + len(table.rows) - len(rows))


def _beats(table: Scores) -> str:
    if len(table.rows) < 2 or table.tie:
        return ""
    first, second = table.rows[:2]
    return f"beats {second.node} by {first.total - second.total}" if first.total > second.total else ""


_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _same(table: Scores, columns: tuple[str, ...], *, wide: bool) -> str:
    where = "both" if len(table.rows) + table.more == 2 else "all"
    told = [f"{plugin} {score}" for plugin, score in table.same.items() if score]
    zero = sum(1 for score in table.same.values() if not score)
    if zero:
        number = _SMALL[zero] if zero < len(_SMALL) else str(zero)
        told.append(
            f"{number} other{'s' if zero > 1 else ''} 0" if told else f"{number} plugin{'s' if zero > 1 else ''} 0"
        )
    parts = [f"same on {where}: {', '.join(told)}"] if told else []
    hidden = len(table.columns) - len(columns)
    if hidden:
        parts.append(f"{hidden} more column{'s' if hidden > 1 else ''}")
    if table.skipped:
        parts.append(f"skipped: {', '.join(table.skipped)}" if wide else f"{len(table.skipped)} skipped")
    return f"{'; '.join(parts)}{'' if wide else ' (-o wide)'}" if parts else ""
