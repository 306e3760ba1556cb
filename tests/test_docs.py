"""Documents: every link leads somewhere, every flag that is named exists, and files that are shown are read.

Blocks of kind ``console`` are run by tests/test_readme.py, those of Python by
tests/test_notebook.py, command lines in indented blocks by tests/test_docs_lines.py.
"""

import re
import shlex
from functools import cache
from itertools import pairwise
from pathlib import Path

import click
import pytest
import typer
import yaml

from kplan.cli.app import SETTINGS, app
from kplan.cli.examples import EXAMPLES
from kplan.cli.main import main
from kplan.cli.settings import settings
from kplan.cli.whatif import FLAGS
from kplan.sources import load_objects
from kplan.studies.sweep.file import load_sweep
from tests.cli.snapshots import node, pod, write

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "release" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^(?: {4}).*\n)+", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Anchors of headings, as GitHub and the site make them."""
    found = set()
    for line in FENCE.sub("", page.read_text(encoding="utf-8")).splitlines():
        if line.startswith("#"):
            text = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(text.replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def test_every_page_is_on_the_site() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = re.findall(r"[\w-]+\.md", str(site["nav"]))
    assert sorted(listed) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


@cache
def flags_of(path: tuple[str, ...]) -> frozenset[str]:
    command: click.Command = typer.main.get_command(app)
    context = click.Context(command, info_name="kplan", **SETTINGS)
    for name in path:
        assert isinstance(command, click.Group)
        below = command.get_command(context, name)
        assert below is not None, f"kplan {' '.join(path)}: no such command"
        command, context = below, click.Context(below, context, name, **SETTINGS)
    own = {option for param in command.get_params(context) for option in (*param.opts, *param.secondary_opts)}
    return frozenset(own | {f"--{name}" for name in FLAGS} | {"--help", "-h", "--version", "--debug"})


def told() -> list[tuple[str, str]]:
    """Command lines of kplan in indented blocks, with the page."""
    found = []
    for page in PAGES:
        for block in INDENTED.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            for line in block.replace("\\\n", " ").splitlines():
                for part in re.split(r"\s[|;]\s|&&", line.split("  #")[0]):
                    if part.strip().startswith(("kplan ", "kubectl plan ")):
                        found.append((page.name, part.strip()))
    return found


OF_HELP = [
    (f"help of {name}", part)
    for name, lines in EXAMPLES.items()
    for line, _ in lines
    for part in line.split(" | ")
    if part.startswith("kplan ")
]


@pytest.mark.parametrize(("page", "line"), [*told(), *OF_HELP])
def test_every_command_that_is_told_can_be_given(page: str, line: str) -> None:
    words = shlex.split(line.replace("kubectl plan", "kplan"))[1:]
    path: tuple[str, ...] = ()
    for size in (2, 1):
        if words[:1] == ["explain"] and size == 2 and words[1:2] not in (["pod"], ["node"]):
            continue
        if size == 2 and words[:1] not in (["explain"], ["config"]):
            continue
        path = tuple(words[:size])
        break
    if path[:1] == ("config",):
        path = ("config",)
    if path == ("explain",):
        path = ("explain", "pod")
    flags = flags_of(path)
    unknown = [word.partition("=")[0] for word in words if word.startswith("-") and word.partition("=")[0] not in flags]
    assert [word for word in unknown if word != "-"] == []


SERVERS = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
OF_SERVERS = re.findall(
    r"^.*?(kplan check [^'\n]+(?:\n +-o [^\n]+)*)",
    "\n".join(re.findall(r"```(?:yaml|groovy)\n(.*?)```", SERVERS, re.DOTALL)),
    re.M,
)


@pytest.mark.parametrize("line", OF_SERVERS)
def test_what_a_server_of_ci_runs_is_a_check(line: str) -> None:
    """Every option is one, and every format that is written has the name that it is read by further down."""
    words = shlex.split(line)[1:]
    assert [word for word in words if word.startswith("-") and word not in flags_of(("check",))] == []
    for before, word in pairwise(words):
        if before == "-o" and "=" in word:
            file = word.partition("=")[2]
            assert SERVERS.count(file) >= 2, file


@pytest.mark.parametrize("server", ["GitHub", "GitLab", "Jenkins", "pre-commit"])
def test_each_server_of_ci_has_its_part(server: str) -> None:
    """Hints of kplan send people there: ``Jenkins reads -o junit of kplan check (docs/ci.md)``."""
    part = SERVERS.partition(f"\n## {server}\n")[2].partition("\n## ")[0]
    assert "kplan" in part
    assert "```" in part


def test_the_cron_job_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "snapshots.md").read_text(encoding="utf-8")
    [manifest] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "cronjob.yaml").write_text(manifest)
    found = load_objects([tmp_path / "cronjob.yaml"])
    assert [(item.kind, item.item and item.item.name) for item in found.objects] == [("CronJob", "kplan-snapshots")]
    assert not found.broken_objects


def test_the_settings_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    [kept] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / ".kplan.yaml").write_text(kept)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    settings.cache_clear()
    try:
        assert settings().silent_kinds == ("Gadget",)
    finally:
        settings.cache_clear()


def yaml_block(page: str) -> str:
    [block] = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    return str(block)


def test_the_sweep_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text(yaml_block("sweep.md"))
    for name in ("new.yaml", "web.yaml"):
        (tmp_path / name).write_text("")
    axes = load_sweep(str(tmp_path / "sweep.yaml")).axes
    assert [axis.name for axis in axes] == ["config", "scenario", "pool", "workload"]
    assert [list(axis.inline) for axis in axes if axis.inline] == [["as it is", "two more", "a runbook"]]


def test_the_nodes_with_prices_can_be_bought(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = yaml_block("moves.md").splitlines(keepends=True)
    # a node group takes a cluster that an autoscaler wrote down
    (tmp_path / "nodes.yaml").write_text("".join(line for line in lines if "template:" not in line))
    zoned = node("gpu-0", cpu="8")
    zoned["metadata"]["labels"]["topology.kubernetes.io/zone"] = "zone-1"
    source = write(tmp_path, zoned, pod("runs", "8", on="gpu-0"), pod("waits", "3"))
    assert main(["capacity", "--cheapest", str(tmp_path / "nodes.yaml"), "-q", "--snapshot", source]) == 0
    assert capsys.readouterr().out.startswith("FITS     1 x small lets ")
