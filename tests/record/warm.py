"""Import what commands import when they run, once, so that no fork has to."""

import importlib
import pkgutil


def warm() -> None:
    """Import all of kplan but what needs an extra."""
    import kplan

    for module in pkgutil.walk_packages(kplan.__path__, "kplan."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError:
            continue  # an extra that is not installed
