"""What a release is made of: the same bytes twice, and files for package managers that name what was made."""

import hashlib
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from release import dist, pins

HOME = "https://example.invalid/kplan"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    out = tmp_path_factory.mktemp("dist")
    return out, dist.make(dist.ROOT, out, HOME, 1_700_000_000)


def one(made: tuple[Path, dict[str, str]], ending: str) -> Path:
    [name] = [name for name in made[1] if name.endswith(ending)]
    return made[0] / name


def test_a_second_time_from_elsewhere_gives_the_same_bytes(made: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    copy = tmp_path / "another" / "place"
    for name in dist.tracked(dist.ROOT):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(dist.ROOT / name, copy / name)
        (copy / name).chmod(0o755 if (dist.ROOT / name).stat().st_mode & 0o100 else 0o644)
    assert dist.make(copy, tmp_path / "dist", HOME, 1_700_000_000) == made[1]


def test_the_wheel_holds_what_commands_read_and_no_tests(made: tuple[Path, dict[str, str]]) -> None:
    names = zipfile.ZipFile(one(made, ".whl")).namelist()
    for path in sorted((dist.ROOT / "kplan" / "data").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(dist.ROOT).as_posix() in names
    assert {name.split("/")[0] for name in names} == {"kplan", "kplan-0.1.0.data", "kplan-0.1.0.dist-info"}
    assert [name.partition("/data/share/")[2] for name in names if "/data/share/" in name] == [
        "bash-completion/completions/kplan",
        "fish/vendor_completions.d/kplan.fish",
        "man/man1/kplan.1",
        "zsh/site-functions/_kplan",
    ]


def test_the_manual_page_has_every_command() -> None:
    page = (dist.ROOT / "release" / "share" / "man" / "man1" / "kplan.1").read_text()
    heads = [line.removeprefix(".SS kplan ") for line in page.splitlines() if line.startswith(".SS ")]
    assert heads[:3] == ["explain pod", "explain node", "nodes"]
    assert {"drain", "check", "bind", "completion"} <= set(heads)
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""


def test_nothing_in_the_sdist_tells_who_made_it_or_when(made: tuple[Path, dict[str, str]]) -> None:
    with tarfile.open(one(made, ".tar.gz")) as archive:
        members = archive.getmembers()
    assert {(entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname) for entry in members} == {
        (1_700_000_000, 0, 0, "", "")
    }
    assert [entry.mode for entry in members if entry.name.endswith("release/kubectl-plan")] == [0o755]


def test_homebrew_and_krew_name_the_sdist_by_its_digest(made: tuple[Path, dict[str, str]]) -> None:
    sdist = one(made, ".tar.gz")
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    place = f"{HOME}/releases/download/v0.1.0/{sdist.name}"
    formula = one(made, ".rb").read_text()
    assert re.findall(r'^  (?:url|sha256) "(.*)"$', formula, re.MULTILINE) == [place, digest]
    plugin = yaml.safe_load(one(made, ".yaml").read_text())
    assert (plugin["metadata"]["name"], plugin["spec"]["version"]) == ("plan", "v0.1.0")
    [platform] = plugin["spec"]["platforms"]
    assert (platform["uri"], platform["sha256"], platform["bin"]) == (place, digest, "release/kubectl-plan")
    assert len(plugin["spec"]["shortDescription"]) <= 50


def test_pins_are_those_of_the_lock() -> None:
    found = pins.pins("numpy==2.4.0 ; python_version >= '3.12' \\\n    --hash=sha256:aa\n# via\nrich==14.0 \\\n")
    assert found == ["numpy==2.4.0 ; python_version >= '3.12'", "rich==14.0"]


def test_the_script_of_the_plugin_is_plain_sh() -> None:
    subprocess.run(["sh", "-n", str(dist.ROOT / "release" / "kubectl-plan")], check=True)
