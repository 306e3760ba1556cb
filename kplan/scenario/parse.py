"""Flags to verbs: THE table of what-ifs. What their help says is in ``cli.whatif``."""

from __future__ import annotations

from collections.abc import Callable

from kplan.scenario.add_node import read_add_node
from kplan.scenario.autoscaling import read_limit
from kplan.scenario.budgets import read_budget
from kplan.scenario.drain import Drain
from kplan.scenario.effect import Verb
from kplan.scenario.manifests import AddManifest, read_scale
from kplan.scenario.nodes import Cordon, RemoveNode, read_label, read_taint
from kplan.scenario.pods import Delete, Evict, read_priority

VERBS: dict[str, Callable[[str, str], Verb]] = {
    "add-node": lambda text, _: read_add_node(text),
    "remove-node": lambda text, _: RemoveNode(text),
    "cordon": lambda text, _: Cordon(text),
    "uncordon": lambda text, _: Cordon(text, on=False),
    "drain": lambda text, _: Drain(text),
    "fail": lambda text, _: RemoveNode(text, lost=True),
    "label": lambda text, _: read_label(text),
    "taint": lambda text, _: read_taint(text),
    "scale": read_scale,
    "hpa": lambda text, _: read_limit("hpa", text),
    "vpa": lambda text, _: read_limit("vpa", text),
    "evict": Evict,
    "delete": Delete,
    "priority": read_priority,
    "set-pdb": read_budget,
    "add-manifest": lambda text, namespace: AddManifest((text,), namespace or "default"),
}
"""What makes a verb, by the name of its flag: of the text that follows it, and the namespace of names without one."""


def parse_step(name: str, text: str, namespace: str = "") -> Verb:
    """Make the verb of a flag.

    Args:
        name: of the flag, without dashes.
        text: what follows it.
        namespace: of names without one.

    Raises:
        UsageError: the text cannot be read.
    """
    return VERBS[name](text, namespace)
