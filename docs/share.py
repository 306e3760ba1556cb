"""What a wheel puts beside the program: completion for three shells, and a manual page, made from the commands."""

from collections.abc import Iterator

import click
import typer

from kplan import __version__
from kplan.cli.app import COMMANDS, OF_EXPLAIN, SETTINGS, app
from kplan.cli.completion import script
from kplan.cli.examples import EXAMPLES


def files() -> dict[str, str]:
    """Texts by their place below ``share/``."""
    return {
        "bash-completion/completions/kplan": script("bash"),
        "zsh/site-functions/_kplan": script("zsh"),
        "fish/vendor_completions.d/kplan.fish": script("fish"),
        "man/man1/kplan.1": "".join(f"{line}\n" for line in _manual()),
    }


def _manual() -> Iterator[str]:
    """A manual page, in the macros of man(7)."""
    yield f'.TH KPLAN 1 "" "kplan {__version__}" "User Commands"'
    yield ".SH NAME"
    yield "kplan \\- what the Kubernetes scheduler will do, before it does it"
    yield ".SH SYNOPSIS"
    yield ".B kplan"
    yield "COMMAND [OPTIONS] [ARGUMENTS]"
    yield ".SH DESCRIPTION"
    yield "kplan reads a cluster or a dump of one, runs the complete pipeline of kube\\-scheduler over it, offline, and"
    yield "writes nothing unless"
    yield ".B kplan bind \\-\\-apply"
    yield "is told to."
    yield ".SH COMMANDS"
    command = typer.main.get_command(app)
    assert isinstance(command, click.Group)
    context = click.Context(command, info_name="kplan", **SETTINGS)
    for name in COMMANDS:
        below = command.get_command(context, name)
        assert below is not None
        inner = click.Context(below, context, name, **SETTINGS)
        if isinstance(below, click.Group):
            for second in OF_EXPLAIN:
                deeper = below.get_command(inner, second)
                assert deeper is not None
                yield from _command(deeper, click.Context(deeper, inner, second, **SETTINGS), f"{name} {second}")
        else:
            yield from _command(below, inner, name)
    yield ".SH EXIT STATUS"
    yield "0 answered; 1 something does not fit; 2 wrong usage or bad input; 3 it fits only by preemption; 4 a doubt"
    yield "touches the verdict; 5 the API server refused or failed; 70 a bug; 130 interrupted."
    yield ".SH FILES"
    yield ".I .kplan.yaml"
    yield "of a repository, and"
    yield ".I ~/.config/kplan/config.yaml"
    yield "keep snapshot, context, policy, color and silent\\-kinds."


def _command(command: click.Command, context: click.Context, name: str) -> Iterator[str]:
    yield f".SS {_escaped(f'kplan {name}')}"
    for paragraph in (command.help or "").split("\n\n"):
        kept = paragraph.strip().startswith("\b")
        yield ".PP"
        yield from (".nf",) if kept else ()
        yield from (_escaped(line.strip("\b")) for line in paragraph.strip().splitlines() if line.strip("\b "))
        yield from (".fi",) if kept else ()
    for param in command.get_params(context):
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record is not None:
            yield ".TP"
            yield f".B {_escaped(record[0])}"
            yield _escaped(record[1]) or "\\&"
    for line, told in EXAMPLES.get(name, ()):
        yield ".PP"
        yield from (_escaped(f"{told[:1].upper()}{told[1:]}:"),) if told else ()
        yield ".RS"
        yield ".nf"
        yield _escaped(line)
        yield ".fi"
        yield ".RE"


def _escaped(text: str) -> str:
    found = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{found}" if found[:1] in (".", "'") else found
