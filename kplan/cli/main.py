"""Run the application: every error becomes words on standard error and an exit code."""

from __future__ import annotations

import errno
import platform
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import PurePath

import click

from kplan.cli.app import app
from kplan.cli.exit_codes import ExitCode
from kplan.cli.leading import globals_last
from kplan.cli.notes import NOTES, program, say, tell_error
from kplan.cli.output import nothing_more, unwritable
from kplan.cli.progress import ACTIVITY
from kplan.cli.settings import settings
from kplan.errors import KplanError, LiveError, UsageError
from kplan.sources.opening import forget
from kplan.visible import visible

_CLOSE = re.compile(r"[.?] \(?Did you mean ")
"""Where click, and typer after it, go on with what is spelled alike."""


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)
"""What standard output says where it takes no more; files that are named have errors of their own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the command line without the program; the process's own if None.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    forget()
    settings.cache_clear()
    words = globals_last(words)
    NOTES.begin(whole="--debug" in words)
    try:
        code = _run(words, debug="--debug" in words)
        sys.stdout.flush()
    except BrokenPipeError:
        # whoever read the output has seen enough; Python would complain once more at its end
        nothing_more()
        return ExitCode.OK
    except OSError as error:
        nothing_more()
        tell_error(unwritable(error))
        return ExitCode.USAGE
    finally:
        ACTIVITY.end()
        NOTES.tell()
    return code


def answer(words: list[str]) -> int:
    """Run one command for Python, and return its exit code.

    Raises:
        KplanError: it gave no answer.
    """
    forget()
    settings.cache_clear()
    NOTES.begin(whole="--debug" in words)
    try:
        result = app(words, prog_name=program(), standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        text, *close = _CLOSE.split(_sentence(error))
        raise UsageError(text, hint=f"did you mean {close[0].rstrip('?)')}?" if close else "") from None
    finally:
        NOTES.tell()
    return int(result) if isinstance(result, int) else ExitCode.OK


def _run(words: list[str], *, debug: bool) -> int:
    try:
        result = app(words, prog_name=program(), standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return ExitCode.OK
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        text, *close = _CLOSE.split(_sentence(error))
        hint = f"{context.command_path} -h" if context is not None else f"{program()} -h"
        tell_error(UsageError(text, hint=f"did you mean {close[0].rstrip('?)')}?" if close else hint))
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort):
        return ExitCode.INTERRUPTED
    except KplanError as error:
        if debug:
            tell_trace(error)
        tell_error(error)
        return ExitCode.LIVE if isinstance(error, LiveError) else ExitCode.USAGE
    except BrokenPipeError:
        raise
    except SystemExit as end:  # click ends so, with 1, where nobody reads standard output any more
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    except Exception as error:  # no traceback to a user: a bug is said, with what to report
        if isinstance(error, OSError) and error.errno in _FULL:
            raise
        return _bug(error, debug=debug)
    return int(result) if isinstance(result, int) else ExitCode.OK


def _sentence(error: click.ClickException) -> str:
    text = error.format_message().rstrip(".")
    return f"{text[:1].lower()}{text[1:]}"


def tell_trace(error: BaseException) -> None:
    """Write where an exception comes from, and those behind it; the texts of kplan's own alone."""
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if behind is not None:
        tell_trace(behind)
    frames = "".join(traceback.format_tb(error.__traceback__))
    told = f": {visible(str(error))}" if isinstance(error, KplanError) else ""
    head = "Traceback (most recent call last):"
    sys.stderr.write(f"{head}\n{visible(frames, lines=True)}{type(error).__name__}{told}\n")


def _bug(error: Exception, *, debug: bool) -> int:
    """Say what to report; the traceback is shown with ``--debug``.

    The text of the exception is left out of both: it may hold what was read, a token as well as an escape.
    """
    from kplan import __version__

    if debug:
        tell_trace(error)
    NOTES.tell()
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{PurePath(where.filename).name}:{where.lineno}"
    say("kplan: error: ", f"internal error in {place}: {type(error).__name__}")
    about = f"kplan {__version__}, Python {platform.python_version()}, {platform.system()}"
    say("hint: ", f"this is a bug: please report this line, {about}, and the output with --debug")
    return ExitCode.BUG
