"""``kplan completion``: the script that lets a shell complete commands, options and names."""

from __future__ import annotations

from typing import Annotated

import typer

from kplan.cli.options import known
from kplan.errors import UsageError

SHELLS = ("bash", "zsh", "fish", "powershell")


def completion(
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish|powershell", help="Your shell.")],
) -> None:
    """Print the script that completes commands, options and names in a shell.

    Names of namespaces, nodes and pods are those of --snapshot or KPLAN_SNAPSHOT, else of the current context.

    \b
    bash:        source <(kplan completion bash)    in ~/.bashrc
    zsh:         source <(kplan completion zsh)     in ~/.zshrc, after compinit
    fish:        kplan completion fish > ~/.config/fish/completions/kplan.fish
    PowerShell:  kplan completion powershell | Out-String | Invoke-Expression
    """  # noqa: D301  click looks for the backspace itself: what follows it stays as it is
    known("completion", shell, SHELLS)
    typer.echo(script(shell), nl=False)


def script(shell: str) -> str:
    """The script of a shell."""
    from click.shell_completion import get_completion_class

    from kplan.cli.app import app
    from kplan.cli.start import VARIABLE

    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"this version of click knows no completion for {shell}", hint="pip install --upgrade click")
    return kind(typer.main.get_command(app), {}, "kplan", VARIABLE).source().strip() + "\n"
