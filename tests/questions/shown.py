"""What tests show is carried out: a plugin that keeps each question whose answer proposes something, and asks again.

    python -m pytest -n auto -p tests.questions.shown --shown FOLDER
    python -m tests.questions.shown FOLDER

Once the tests of a process have run it carries out what was kept, each question once and whichever process kept it; the
first process of all adds that up, as one more test. The second command carries out again what a folder holds.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.questions import keeping
from tests.questions.settling import TAKEN, TOLD, account, carry_out

ACCOUNT = "account"
MINE = (".json", keeping.TESTS, TAKEN, TOLD)
_KEEPER = pytest.StashKey[keeping.Keeper]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shown", help="folder to keep questions in whose answers propose something")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--shown"):
        return
    folder = Path(config.getoption("--shown")).absolute()
    if not _is_worker(config):
        clear(folder)
    keeper = keeping.Keeper(folder)
    keeper.install()
    config.stash[_KEEPER] = keeper


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Carry out what was kept, and say in the process that reports what came of it."""
    keeper = session.config.stash.get(_KEEPER, None)
    if keeper is None or session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return
    if not _has_workers(session.config):
        with keeper.quiet():
            carry_out(keeper.folder)
    if not _is_worker(session.config):
        _report(session, keeper.folder)


def _report(session: pytest.Session, folder: Path) -> None:
    found = account(folder, whole=_whole(session))
    (folder / ACCOUNT).write_text("\n".join([found.sentence, *found.faults]))
    if found.faults:
        where = ("tests/questions/shown.py", 0, "what_tests_show_is_carried_out")
        report = pytest.TestReport("::".join(where[::2]), where, {}, "failed", "\n".join(found.faults), "call")
        session.config.hook.pytest_runtest_logreport(report=report)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    keeper = config.stash.get(_KEEPER, None)
    if keeper is not None and (said := keeper.folder / ACCOUNT).exists():
        terminalreporter.write_line(said.read_text().partition("\n")[0])


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _has_workers(config: pytest.Config) -> bool:
    return not _is_worker(config) and config.getoption("dist", "no") != "no"


def _whole(session: pytest.Session) -> bool:
    """Whether all tests ran, and passed."""
    config = session.config
    chosen = [config.getoption(name, None) for name in ("keyword", "markexpr", "deselect", "lf", "ignore")]
    return config.args == config.getini("testpaths") and not any(chosen) and not session.testsfailed


def clear(folder: Path) -> None:
    """Begin with nothing kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name in (ACCOUNT, keeping.IN_TESTS) or path.suffix in MINE:
            path.unlink()


def main(folder: Path) -> int:
    """Carry out all that was kept in a folder anew."""
    for path in folder.iterdir():
        if path.suffix in (TAKEN, TOLD):
            path.unlink()
    carry_out(folder)
    found = account(folder, whole=False)
    print(*found.faults, found.sentence, sep="\n")
    return bool(found.faults)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
