"""kplan: what the Kubernetes scheduler will do, before it does it."""

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing would be a third of the time of kplan --version
    from typing import Any

__version__ = "0.1.0"

__all__ = ["Scheduler", "__version__", "explain", "find_pods", "load", "simulate"]


def __getattr__(name: str) -> "Any":
    """Import the API on first use: ``kplan --version`` needs none of it."""
    if name in __all__:
        from kplan import api

        return getattr(api, name)
    raise AttributeError(f"module 'kplan' has no attribute {name!r}")
