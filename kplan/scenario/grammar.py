"""The grammar of the flags that have one, and the refusal of a text that does not follow it."""

from __future__ import annotations

from kplan.errors import UsageError

_GRAMMAR = {
    "--add-node": "--add-node like=NODE,count=2, or cpu=16,memory=64Gi,zone=a, file=n.yaml, template=GROUP",
    "--pool": "--pool like=NODE, or cpu=16,memory=64Gi,zone=a, file=n.yaml, template=GROUP",
    "--label": "--label NODE:KEY=VALUE, or NODE:KEY- to take it away",
    "--taint": "--taint NODE:KEY=VALUE:EFFECT, or NODE:KEY:EFFECT- to take it away",
    "--priority": "--priority NAMESPACE/POD=1000, or deploy/x=1000",
    "--scale": "--scale deploy/shop/web=5",
    "--set-pdb": "--set-pdb shop/web-pdb:minAvailable=1, or maxUnavailable=25%",
}


def bad_step(step: str, problem: str, hint: str = "") -> UsageError:
    """Make the error for a step that cannot be taken as written.

    Args:
        step: the flag as typed, ``--scale deploy/web=many``.
        problem: what is wrong with it.
        hint: what to do; the grammar of the flag if empty.
    """
    return UsageError(f"{step}: {problem}", code="bad-step", hint=hint or _GRAMMAR[step.partition(" ")[0]])
