"""``python -m kplan`` and the entry points: see ``kplan.cli``."""

import sys


def main() -> None:
    """Run the command line and exit."""
    try:
        from kplan.cli.streams import settle

        settle()
        from kplan.cli.main import main as run

        code = run()
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
