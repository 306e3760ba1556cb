"""kplan: what the Kubernetes scheduler will do, before it does it."""

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing would be a third of the time of kplan --version
    from typing import Any

    from kplan.api import Scheduler, explain, find_pods, load, simulate
    from kplan.notebook import Answer, State

__version__ = "0.1.0"

__all__ = ["Answer", "Scheduler", "State", "__version__", "explain", "find_pods", "load", "simulate"]

_NOTEBOOK = ("Answer", "State")
"""Questions as the commands answer them; the others are what these are made of."""


def __getattr__(name: str) -> "Any":
    """Import the API on first use: ``kplan --version`` needs none of it."""
    if name in _NOTEBOOK:
        from kplan import notebook

        return getattr(notebook, name)
    if name in __all__:
        from kplan import api

        return getattr(api, name)
    raise AttributeError(f"module 'kplan' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What there is, for completion."""
    return list(__all__)
