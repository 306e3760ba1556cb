"""``explain pod``: what decides it (room, spread, evictions or scores), and which plugin refuses which nodes."""

from __future__ import annotations

from string import ascii_uppercase

from kplan.render.picture import preemption, scores, spread
from kplan.render.picture.canvas import Look
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.grid import Cell, CellGrid
from kplan.render.picture.links import to_node
from kplan.render.picture.model import Panel, Picture
from kplan.render.picture.scale import OF_REQUEST, counts
from kplan.result.document import Answer, Group, GroupNode, PodExplanations, Shortage
from kplan.words import amounts, count, short_name

_MOST_BARS = 8
_MOST_GROUPS = 9
_MOST_FOLDS = 12
_OF_VERDICT = {"FITS": Look.GOOD, "PREEMPTS": Look.WARN, "PENDING": Look.SHORT, "REFUSED": Look.BAD}


def picture(answer: Answer) -> Picture | None:
    """Draw one pod; nothing where nothing refuses it and nothing else could be chosen."""
    panels = [panel for panel in (_deciding(answer), why_not(answer)) if panel is not None]
    if not panels:
        return None
    return Picture(
        title=f"{answer.pod} and {count(answer.nodes, 'node')}",
        told=f"{answer.sentence}. " + "; ".join(f"{group.count} {group.text}" for group in answer.groups[:5]),
        panels=tuple(panels),
    )


def of_many(document: PodExplanations) -> Picture | None:
    """Draw how many pods wait for which cause, what fits nowhere first; nothing where none waits."""
    if not document.folds:
        return None
    bars = [
        Bar(
            f"{place + 1}  {fold.because.code.replace('-', ' ')}",
            (Segment(fold.verdict, fold.count, _OF_VERDICT.get(fold.verdict, Look.NONE), f"{fold.count:,}"),),
            note=f"{count(fold.count, 'pod')} {fold.verdict}",
        )
        for place, fold in enumerate(document.folds[:_MOST_FOLDS])
    ]
    rest = sum(fold.count for fold in document.folds[_MOST_FOLDS:])
    if rest:
        bars.append(Bar("other causes", (Segment("other causes", rest, Look.NONE),), note=count(rest, "pod")))
    panel = Bars("Waiting pods by cause", tuple(bars), counts("pods"))
    return Picture("Waiting pods by cause", document.sentence, (panel,))


def _deciding(answer: Answer) -> Panel | None:
    """What the cause is about."""
    if answer.preempt is not None and answer.verdict == "PREEMPTS" and answer.preempt.victims:
        return preemption.panel(answer.preempt)
    if answer.scores is not None and answer.node:
        return scores.panel(answer.scores)
    code = answer.because.code if answer.because is not None else ""
    if answer.domains and code.startswith("spread"):
        return spread.panel(answer.domains[0])
    short = shortfall(answer.groups)
    if short is None and answer.domains:
        return spread.panel(answer.domains[0])
    return short


def shortfall(groups: tuple[Group, ...]) -> Bars | None:
    """Draw request against what is free, of the nearest node of each group that is short of something."""
    found = [
        (letter(place), node, shortage)
        for place, group in enumerate(groups)
        for node in group.nodes[:1]
        for shortage in node.shortages
        if shortage.needs
    ]
    if not found:
        return None
    names = sorted({shortage.resource for _, _, shortage in found})
    return Bars(
        title="Free of what it requests, on the nearest node of each",
        bars=tuple(_short(*one, names) for one in found[:_MOST_BARS]),
        unit=OF_REQUEST,
        high=120,
        marks=((100, "what the pod requests"),),
        more=f"{len(found) - _MOST_BARS} further shortfalls" if len(found) > _MOST_BARS else "",
    )


def _short(mark: str, node: GroupNode, shortage: Shortage, names: list[str]) -> Bar:
    free = max(shortage.free, 0)
    part = 100 * free / shortage.needs
    needs, has, lacks = amounts(shortage.resource, shortage.needs, shortage.free, shortage.lacks)
    resource = short_name(shortage.resource, names)
    return Bar(
        f"{mark} {node.name}",
        (
            Segment("free", part, Look.GOOD, has),
            Segment("lacks", max(100 - part, 0), Look.SHORT, lacks),
        ),
        note=f"{resource}: lacks {lacks} of {needs}",
        to=to_node(node.name),
    )


def why_not(answer: Answer) -> CellGrid | None:
    """Draw which plugin refuses which group of nodes, the first one framed: there the scheduler stops."""
    if not answer.groups:
        return None
    shown = answer.groups[:_MOST_GROUPS]
    rest = sum(group.count for group in answer.groups[_MOST_GROUPS:])
    plugins = _in_order(shown)
    cells: dict[tuple[int, int], Cell] = {}
    for column, group in enumerate(shown):
        for place, plugin in enumerate(dict.fromkeys(reason.plugin for reason in group.reasons)):
            texts = "; ".join(reason.text for reason in group.reasons if reason.plugin == plugin)
            lasting = all(not reason.evictable for reason in group.reasons if reason.plugin == plugin)
            look = Look.BAD if lasting else Look.WARN
            cells[plugins.index(plugin), column] = Cell(
                look, group.count, "1st" if not place else "too", texts, not place
            )
    looks = {cell.look for cell in cells.values()}
    meanings = [(Look.WARN, "an eviction may lift it"), (Look.BAD, "no eviction lifts it")]
    stops = ("frame", "1st: here the scheduler stops")
    return CellGrid(
        title=f"Why not: what refuses {count(sum(group.count for group in answer.groups), 'node')}",
        rows=tuple(plugins),
        columns=tuple(f"{letter(place)} {group.count:,}" for place, group in enumerate(shown)),
        cells=cells,
        meanings=(*((look, words) for look, words in meanings if look in looks), stops),
        under=tuple(
            f"{letter(place)}  {count(group.count, 'node')}: {group.text}" for place, group in enumerate(shown[:5])
        ),
        part="nodes",
        more=f"{count(rest, 'further node')} in {len(answer.groups) - _MOST_GROUPS} groups" if rest else "",
    )


def _in_order(groups: tuple[Group, ...]) -> list[str]:
    """Plugins as the scheduler asks them, as far as the groups tell which comes before which."""
    places: dict[str, int] = {}
    for group in groups:
        for place, plugin in enumerate(dict.fromkeys(reason.plugin for reason in group.reasons)):
            places[plugin] = max(places.get(plugin, 0), place)
    return sorted(places, key=lambda plugin: places[plugin])


def letter(place: int) -> str:
    """Letter of a group, as the list and the map of the page have it."""
    return ascii_uppercase[place] if place < len(ascii_uppercase) else "\u2026"
