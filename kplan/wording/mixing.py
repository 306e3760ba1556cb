"""Mixes of nodes in words."""

from __future__ import annotations

from kplan.course.capacity.mixing import Mixed
from kplan.result.document_capacity import CheapestMix
from kplan.result.document_how_to import HowTo
from kplan.wording.how_to import several_of
from kplan.words import count, every, joined, listed


def sentence(wanted: int, mix: CheapestMix, mixed: Mixed) -> str:
    """Write the sentence after the verdict."""
    who = "the pod" if wanted == 1 else every(wanted, "pod")
    if mixed.homeless:
        names = listed([pod.key for pod in mixed.homeless])
        return f"no number of these nodes lets {who} in: {names} fits on none of them"
    if mixed.mix is None:
        return f"no mix of these nodes was found that lets {who} in: {count(len(mixed.left), 'pod')} left"
    if not any(mixed.mix):
        return f"{who} fit{'s' if wanted == 1 else ''} without more nodes"
    told = joined(f"{shape.nodes:,} x {shape.name}" for shape in mix.shapes if shape.nodes)
    cost = f", ${mix.cost:,.0f} a month" if mix.priced else ""
    let = "lets" if sum(mixed.mix) == 1 else "let"
    return f"{told} {let} {who} in{cost}; {_proof(mix)}"


def _proof(mix: CheapestMix) -> str:
    if mix.proved:
        return "nothing cheaper does" if mix.priced else "fewer do not"
    gap = (mix.cost - mix.bound) / mix.cost if mix.cost else 0.0
    bound = f"${mix.bound:,.0f}" if mix.priced else f"{mix.bound:,.1f}"
    return f"{bound} is the bound, {gap:.0%} below"


def attempt(mix: CheapestMix) -> str:
    """What to do, as what-ifs."""
    return " ".join(_flags(mix))


def mix_how_to(mix: CheapestMix, pods: int) -> HowTo | None:
    """How a mix is carried out; None where it adds nothing.

    Args:
        mix: the mix, with which all pods are placed.
        pods: how many these are.
    """
    flags = _flags(mix)
    return HowTo(code="add-node", flags=flags, landed=pods, wanted=pods) if flags else None


def _flags(mix: CheapestMix) -> tuple[str, ...]:
    return tuple(several_of(shape.flag, shape.nodes) for shape in mix.shapes if shape.nodes)
