"""What a release is made of: the same bytes twice, and files for package managers that name what was made."""

import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from release import dist, pins, slim

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


def test_an_image_is_without_what_nothing_imports(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.13" / "site-packages"
    taken = ["kubernetes/aio/client/models/v1_pod.py", "kubernetes/client/models/v1_pod.py", "numpy/tests/test_x.py"]
    taken += ["kplan/__pycache__/api.cpython-313.pyc", "pip/__init__.py", "pip-25.dist-info/METADATA"]
    kept = ["kubernetes/client/models/__init__.py", "kubernetes/client/rest.py", "kplan/api.py", "numpy/__init__.py"]
    for name in (*taken, *kept):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("12345")
    assert slim.slim(tmp_path) == 5 * len(taken)
    assert [name for name in (*taken, *kept) if (site / name).exists()] == kept
    with pytest.raises(FileNotFoundError, match="has no site-packages"):
        slim.slim(tmp_path / "none")


WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if any(name == gone or name.startswith(gone + ".") for gone in GONE):
            raise ModuleNotFoundError(f"{name} is not in the image")

GONE = sys.argv[1].split(",")
sys.meta_path.insert(0, Without())
from kubernetes import client, config
from kubernetes.client.rest import RESTClientObject
RESTClientObject(client.Configuration()).pool_manager
from cel_expr_python import cel
import zstandard
zstandard.decompress(zstandard.compress(b"x"))
from kplan.cli.main import main
demo = "kplan/data/demo.yaml"
asked = "explain pod -A; nodes; drain node-b; pack; fail node-a; simulate -o html; diff --k8s-version 1.36,1.37"
for words in asked.split("; "):
    code = main([*words.split(), "--snapshot", demo])
    assert code in (0, 1), (words, code)
print("all answered", file=sys.stderr)
"""


def test_commands_answer_without_what_an_image_leaves_out() -> None:
    site = Path(sysconfig.get_paths()["purelib"])
    paths = [path.relative_to(site) for path in slim.left_out(site) if path.suffix in ("", ".py", ".so")]
    gone = {".".join(path.with_suffix("").parts).partition(".cpython")[0] for path in paths}
    gone = {name for name in gone if "-" not in name and "__pycache__" not in name}
    assert {"kubernetes.aio", "cel_expr_python.ext", "kubernetes.client.models.v1_pod", "numpy.f2py"} <= gone
    words = [sys.executable, "-c", WITHOUT, ",".join(sorted(gone))]
    done = subprocess.run(words, cwd=dist.ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (0, ["all answered"]), done.stderr


def test_the_steps_of_the_image_are_plain_sh() -> None:
    text = (dist.ROOT / "Containerfile").read_text()
    lines = re.findall(r"^RUN (.*?[^\\])$", text, re.MULTILINE | re.DOTALL)
    assert len(lines) == 2
    for line in lines:
        subprocess.run(["sh", "-n", "-c", line.replace("\\\n", " ")], check=True)
    assert re.findall(r"^USER (.*)$", text, re.MULTILINE) == ["65532:65532"]
