"""``python -m kplan`` and the entry points: see ``kplan.cli``."""

import gc
import os
import sys

OBJECTS_BETWEEN_COLLECTIONS = (50_000, 20, 1000)
"""What is read and planned stays until the process ends: with Python's own thresholds, a fifth of the time of a large
cluster went into looking for garbage."""

INTERRUPTED = 130
"""Exit code after SIGINT."""


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
    if "concurrent.futures" not in sys.modules:
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(code)  # taking apart all that was read would take longer than anyone waits for the prompt
    sys.exit(code)


if __name__ == "__main__":
    main()
