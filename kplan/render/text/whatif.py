"""Text of what-if steps: printed back numbered, each with its effect."""

from __future__ import annotations

from kplan.render.text.layout import Page
from kplan.render.text.style import Style
from kplan.result.document_whatif import Move, WhatIfStep

MOVES_SHOWN = 4


def what_if_lines(page: Page, steps: tuple[WhatIfStep, ...], *, everything: bool = False) -> None:
    """Write the steps under If; the change that is asked about has a part of its own."""
    for number, step in enumerate(steps, 1):
        if step.asked:
            page.part("Scaled", _effect(step))
        else:
            name = f" ({step.name})" if step.name else ""
            page.part("If" if number == 1 else "", f"{number}  {step.step}{name}")
            page.detail(_effect(step), 12)
        shown = step.moves if everything else _first(step.moves)
        for move in shown:
            page.detail(move_line(move), 12)
        if len(step.moves) > len(shown):
            page.detail(f"+{len(step.moves) - len(shown):,} moves (-o wide, -o json)", 12)
        for note in step.notes:
            page.detail(note, 12)
        for text in step.unmet:
            page.detail(f"NOT AS EXPECTED  {text}", 12)
        if step.expected and not step.unmet:
            page.detail(f"as expected: {', '.join(step.expected)}", 12)


def unmet_lines(page: Page, steps: tuple[WhatIfStep, ...]) -> None:
    """Write what is not as a scenario expects, beside the verdict."""
    told = [
        f"not as expected: {step.name or step.step}, step {number} of {len(steps)}: {text}"
        for number, step in enumerate(steps, 1)
        for text in step.unmet
    ]
    page.parts("But", told)


def _effect(step: WhatIfStep) -> str:
    placed = sum(bool(move.node) for move in step.moves)
    waits = len(step.moves) - placed
    parts = [step.text]
    if step.moves:
        parts.append(f"{placed:,} placed" + (f", {waits:,} Pending" if waits else ""))
    return "; ".join(parts)


def _first(moves: tuple[Move, ...]) -> list[Move]:
    """Those that found no node first."""
    return sorted(moves, key=lambda move: bool(move.node))[:MOVES_SHOWN]


def move_line(move: Move) -> str:
    """Write where a pod went, what left for it, and why it is nowhere."""
    who = move.instead_of or move.pod
    where = f"{move.was} -> {move.node or 'Pending'}" if move.was else f"-> {move.node or 'Pending'}"
    why = f": {move.because.text}" if move.because is not None else ""
    evicts = f", evicts {', '.join(move.evicts[:2])}" if move.evicts else ""
    return f"{who}  {where}{evicts}{why}"


def goes_on(page: Page, steps: tuple[WhatIfStep, ...], style: Style) -> bool:
    """Write the what-ifs under an answer: what could not be done and, where more than the answer is asked for, all.

    Returns:
        whether more than the answer is asked for.
    """
    unmet_lines(page, steps)
    if style.quiet:
        return False
    page.blank()
    what_if_lines(page, steps, everything=style.wide)
    return True
