"""``python -m kplan`` and the entry points: see ``kplan.cli``."""

import contextlib
import gc
import os
import sys

OBJECTS_BETWEEN_COLLECTIONS = (50_000, 1000, 1000)
"""What is read and planned stays until the process ends: with Python's own thresholds, a fifth of the time of a large
cluster went into looking for garbage."""

INTERRUPTED = 130
"""Exit code after SIGINT."""

_OF_WORKERS = ("concurrent.futures.process", "distributed")
"""Who has other processes ends them in Python's own way."""


def main() -> None:
    """Run the command line and exit; what is stored is told without it."""
    from kplan.cli.start import at_once

    if "kubectl-plan" not in sys.argv[0] and at_once(sys.argv[1:]):
        return
    gc.set_threshold(*OBJECTS_BETWEEN_COLLECTIONS)
    try:
        from kplan.cli.streams import settle

        settle()
        from kplan.cli.main import main as run
        from kplan.cli.progress import ACTIVITY

        ACTIVITY.own = True
        code = run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if not any(name in sys.modules for name in _OF_WORKERS):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()
        # taking apart all that was read, and waiting for threads that read on, would take longer than anyone waits
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
