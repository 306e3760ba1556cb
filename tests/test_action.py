"""The GitHub Action, the GitLab job and the pre-commit hook do what docs/ci.md says, as far as that can be run here.

The composite steps are run by bash as a runner would: expressions are filled in, files of the runner are there, ``pip``
and ``gh`` are stand-ins that write down what they are asked for. kplan itself is the real one.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.studies.checking import deployment, item, node, write

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
CI = (ROOT / "docs" / "ci.md").read_text()
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")

PYTHON_STAND_IN = """#!/bin/bash
# python3 -m venv DIR: a folder with a pip that writes down what it is asked for, and kplan
echo "python3 $*" >> "$CALLS"
mkdir -p "$3/bin"
printf '#!/bin/bash\\necho "pip $*" >> "$CALLS"\\n' > "$3/bin/pip"
printf '#!/bin/bash\\nexec "%s" -m kplan "$@"\\n' "$REAL_PYTHON" > "$3/bin/kplan"
chmod +x "$3/bin/pip" "$3/bin/kplan"
"""
GH_STAND_IN = """#!/bin/bash
echo "gh $*" >> "$CALLS"
[ -z "$GH_REFUSES" ] || { echo "HTTP 403" >&2; exit 1; }
case "$*" in *--paginate*) printf '%s' "$GH_COMMENTS" ;; esac
"""


@dataclass
class Runner:
    """A machine that runs the steps of the action.

    Attributes:
        folder: the repository that is checked.
        inputs: of the action.
        event: name of the event.
        environment: what steps see besides.
        outputs: by step.
        ran: names of the steps that ran.
        used: names of the actions that steps use, with their inputs.
    """

    folder: Path
    inputs: dict[str, str] = field(default_factory=dict)
    event: str = "pull_request"
    environment: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    used: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.temp = self.folder.parent / "runner"
        tools = self.temp / "tools"
        tools.mkdir(parents=True, exist_ok=True)
        for name, text in (("python3", PYTHON_STAND_IN), ("gh", GH_STAND_IN)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.calls = self.temp / "calls"
        self.calls.touch()
        self.path = f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin"

    def run(self) -> int:
        """Run every step whose condition holds; return the exit code of the first that fails, else 0."""
        for step in ACTION["runs"]["steps"]:
            if "if" in step and not self.holds(step["if"]):
                continue
            self.ran.append(step["name"])
            if "uses" in step:
                self.used[step["uses"]] = {name: self.filled(value) for name, value in step["with"].items()}
                continue
            code = self._script(step)
            if code:
                return code
        return 0

    def _script(self, step: dict[str, Any]) -> int:
        files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("")
        environment = {
            "PATH": self.path,
            "HOME": str(self.temp),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_REPOSITORY": "acme/shop",
            "REAL_PYTHON": sys.executable,
            "CALLS": str(self.calls),
            "PYTHONPATH": str(ROOT),
            **{name: str(file) for name, file in files.items()},
            **{name: self.filled(str(value)) for name, value in step.get("env", {}).items()},
            **self.environment,
        }
        assert step["shell"] == "bash"
        assert not EXPRESSION.search(step["run"]), "expressions reach scripts through the environment alone"
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(bash, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        self.log = done.stdout + done.stderr
        self.logs = [*getattr(self, "logs", []), self.log]
        if "id" in step:
            lines = files["GITHUB_OUTPUT"].read_text().splitlines()
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        for line in files["GITHUB_PATH"].read_text().splitlines():
            self.path = f"{line}{os.pathsep}{self.path}"
        return done.returncode

    def filled(self, text: str) -> str:
        """Fill in expressions."""
        return EXPRESSION.sub(lambda match: self.value(match[1]), text)

    def holds(self, condition: str) -> bool:
        """Tell whether a condition of comparisons joined by ``&&`` holds."""
        inner = EXPRESSION.fullmatch(condition.strip())
        assert inner is not None
        for part in inner[1].split("&&"):
            left, operator, right = part.split()
            if (self.value(left) == right.strip("'")) is not (operator == "=="):
                return False
        return True

    def value(self, name: str) -> str:
        """Look an expression up."""
        where, _, rest = name.partition(".")
        if where == "inputs":
            given = ACTION["inputs"][rest]
            return self.filled(self.inputs.get(rest, str(given.get("default", ""))))
        if where == "steps":
            step, _, output = rest.partition(".outputs.")
            return self.outputs.get(step, {}).get(output, "")
        return {
            "github.token": "t0ken",
            "github.event_name": self.event,
            "github.event.pull_request.number": "7" if self.event == "pull_request" else "",
        }[name]

    @property
    def asked(self) -> list[str]:
        """What the stand-ins were asked for."""
        return self.calls.read_text().splitlines()

    @property
    def summary(self) -> str:
        """The summary of the job."""
        file = self.temp / "summary"
        return file.read_text() if file.exists() else ""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "repository"
    (made / "deploy").mkdir(parents=True)
    (made / "ci").mkdir()
    write(made / "ci" / "cluster.json", item("Namespace", "shop"), node("a", "z1"), node("b", "z2"))
    (made / "ci" / "policy.yaml").write_text("require-zones: 2\n")
    (made / "deploy" / "web.yaml").write_text(yaml.safe_dump(deployment("web", "1", 2)))
    return made


def runner(folder: Path, **more: Any) -> Runner:
    inputs = {"manifests": "deploy/\n", "snapshot": "ci/cluster.json", "policy": "ci/policy.yaml"}
    return Runner(folder, inputs | more.pop("inputs", {}), **more)


def fails(folder: Path) -> None:
    (folder / "deploy" / "web.yaml").write_text(yaml.safe_dump(deployment("web", "9", 2)))


SCHEMA = json.loads((ROOT / "tests" / "render" / "schemas" / "github-action.json").read_text())
"""Of ``action.yml``; SchemaStore's."""


def test_the_action_is_one_by_the_schema_of_actions() -> None:
    assert [error.message for error in Draft7Validator(SCHEMA).iter_errors(ACTION)] == []


@pytest.mark.parametrize(
    "change",
    [
        {"name": 1},
        {"runs": {"using": "composite"}},
        {"runs": {"using": "composite", "steps": [{"run": "true"}]}},
        {"outputs": {"verdict": {"value": "PASSES"}}},
        {"inputs": {"a b": {"description": "a name with a blank"}}},
    ],
)
def test_the_schema_refuses_what_is_no_action(change: dict[str, Any]) -> None:
    assert not Draft7Validator(SCHEMA).is_valid({**ACTION, **change})


def test_the_action_describes_all_it_takes_and_gives() -> None:
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(ACTION)
    assert ACTION["runs"]["using"] == "composite"
    for part in (*ACTION["inputs"].values(), *ACTION["outputs"].values()):
        assert part["description"].endswith(".")
    assert {name for name, given in ACTION["inputs"].items() if given.get("required")} == {"manifests", "snapshot"}
    assert all("default" in given for given in ACTION["inputs"].values() if not given.get("required"))


def test_what_passes_installs_checks_comments_and_succeeds(folder: Path) -> None:
    machine = runner(folder)
    assert machine.run() == 0
    assert machine.ran == ["Install kplan", "Check", "Comment", "Verdict"]
    assert machine.outputs["check"]["exit-code"] == "0"
    assert machine.outputs["check"]["verdict"] == "PASSES"
    comment = machine.outputs["check"]["markdown"]
    assert machine.asked == [
        f"python3 -m venv {machine.temp}/kplan",
        f"pip --disable-pip-version-check --quiet install {ROOT}",
        """gh api --paginate repos/acme/shop/issues/7/comments --jq """
        """.[] | select(.body | startswith("<!-- kplan:check -->")) | .id""",
        f"gh api -X POST repos/acme/shop/issues/7/comments -F body=@{comment} --silent",
    ]
    assert machine.summary.startswith("<!-- kplan:check -->\n### kplan: PASSES, deploy/shop/web passes\n")
    assert json.loads(Path(machine.outputs["check"]["json"]).read_text())["kind"] == "CheckResult"


def test_what_fails_annotates_and_fails_the_job(folder: Path) -> None:
    fails(folder)
    machine = runner(folder)
    assert machine.run() == 1
    assert machine.outputs["check"]["verdict"] == "FAILS"
    assert "::error file=deploy/web.yaml,line=21,col=13,title=kplan does-not-fit" in machine.logs[1]
    assert "FAIL" in machine.summary


def test_the_job_goes_on_where_it_shall(folder: Path) -> None:
    fails(folder)
    machine = runner(folder, inputs={"fail": "false"})
    assert machine.run() == 0
    assert "Verdict" not in machine.ran
    assert machine.outputs["check"]["exit-code"] == "1"


def test_the_comment_that_is_there_is_replaced(folder: Path) -> None:
    machine = runner(folder, environment={"GH_COMMENTS": "11\n12\n"})
    machine.run()
    comment = machine.outputs["check"]["markdown"]
    assert machine.asked[-1] == f"gh api -X PATCH repos/acme/shop/issues/comments/11 -F body=@{comment} --silent"


def test_two_uses_in_one_pull_request_have_a_comment_each(folder: Path) -> None:
    fails(folder)
    first = runner(folder, inputs={"name": "prod eu", "fail": "false", "sarif": "true"})
    first.run()
    assert first.outputs["check"]["markdown"] == f"{first.temp}/kplan-check-prod-eu/comment.md"
    assert Path(first.outputs["check"]["markdown"]).read_text().splitlines()[:2] == [
        "<!-- kplan:check prod-eu -->",
        "### kplan prod-eu: FAILS, deploy/shop/web fails",
    ]
    assert 'select(.body | startswith("<!-- kplan:check prod-eu -->"))' in first.asked[-2]
    assert [given["category"] for given in first.used.values()] == ["kplan-prod-eu"]
    second = runner(folder, inputs={"fail": "false", "sarif": "true"})
    second.run()
    assert 'select(.body | startswith("<!-- kplan:check -->"))' in second.asked[-2]
    assert [given["category"] for given in second.used.values()] == ["kplan"]


def test_what_a_former_use_in_the_same_job_wrote_is_not_taken_for_the_answer(folder: Path) -> None:
    assert runner(folder).run() == 0
    broken = runner(folder, inputs={"snapshot": "none.json"})
    assert broken.run() == 2
    assert broken.outputs["check"]["verdict"] == ""


def unchanged(folder: Path) -> None:
    """Put into the cluster what the manifests say, so that nothing changes."""
    web = deployment("web", "1", 2)
    write(folder / "ci" / "cluster.json", item("Namespace", "shop"), node("a", "z1"), node("b", "z2"), web)


@pytest.mark.parametrize(("there", "calls"), [("", 1), ("11\n", 2)])
def test_all_well_and_nothing_changed_says_nothing_and_takes_an_old_comment_away(
    folder: Path, there: str, calls: int
) -> None:
    unchanged(folder)
    machine = runner(folder, inputs={"policy": ""}, environment={"GH_COMMENTS": there})
    assert machine.run() == 0
    asked = [call for call in machine.asked if call.startswith("gh ")]
    assert len(asked) == calls
    assert asked[1:] == ["gh api -X DELETE repos/acme/shop/issues/comments/11 --silent"][: calls - 1]
    assert machine.summary == "kplan: all passes, nothing changed.\n"


def test_a_token_that_may_not_comment_is_a_warning(folder: Path) -> None:
    machine = runner(folder, environment={"GH_REFUSES": "yes"})
    assert machine.run() == 0
    assert "::warning title=kplan::the comment could not be written" in machine.logs[2]


@pytest.mark.parametrize(("inputs", "event"), [({"comment": "false"}, "pull_request"), ({}, "push")])
def test_there_is_no_comment_unless_wanted_and_on_a_pull_request(
    folder: Path, inputs: dict[str, str], event: str
) -> None:
    machine = runner(folder, inputs=inputs, event=event)
    machine.run()
    assert "Comment" not in machine.ran


def test_findings_go_to_code_scanning_where_wanted(folder: Path) -> None:
    machine = runner(folder, inputs={"sarif": "true"})
    machine.run()
    [(action, given)] = machine.used.items()
    assert action == "github/codeql-action/upload-sarif@v3"
    assert json.loads(Path(given["sarif_file"]).read_text())["version"] == "2.1.0"


def test_a_baseline_is_used_once_it_is_there(folder: Path) -> None:
    fails(folder)
    first = runner(folder, inputs={"baseline": "ci/main.json", "fail": "false"})
    first.run()
    assert "::notice title=kplan::no baseline ci/main.json yet" in first.logs[1]
    shutil.copy(first.outputs["check"]["json"], folder / "ci" / "main.json")
    assert runner(folder, inputs={"baseline": "ci/main.json"}).run() == 0


def test_further_arguments_stand_one_a_line_and_may_hold_blanks(folder: Path) -> None:
    machine = runner(folder, inputs={"args": "--headroom\n90%\n--queue\nmanifests\n"})
    assert machine.run() == 1
    assert "--headroom 90%" in json.loads(Path(machine.outputs["check"]["json"]).read_text())["command"]


@pytest.mark.parametrize("hostile", ['"; touch pwned; "', "$(touch pwned)", "`touch pwned`", "a\n$(touch pwned)"])
def test_no_input_can_become_code(folder: Path, hostile: str) -> None:
    machine = runner(
        folder, inputs=dict.fromkeys(("manifests", "snapshot", "policy", "baseline", "name", "args"), hostile)
    )
    machine.run()
    assert not list(folder.rglob("pwned"))


def test_bad_input_is_an_error_that_says_what(folder: Path) -> None:
    machine = runner(folder, inputs={"snapshot": "none.json"})
    assert machine.run() == 2
    assert machine.outputs["check"]["verdict"] == ""
    assert "::error title=kplan::none.json: no such file or folder\n" in machine.logs[1]
    assert "Comment" not in machine.ran


# --- what docs/ci.md shows


def blocks() -> Iterator[Any]:
    for text in re.findall(r"^```yaml\n(.*?)^```$", CI, re.MULTILINE | re.DOTALL):
        yield yaml.safe_load(text)


def shown(key: str) -> Any:
    [found] = [block for block in blocks() if key in block]
    return found


def kplan(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    bash = 'kplan() { "$REAL_PYTHON" -m kplan "$@"; }; pip() { echo "pip $*"; };\n'
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", bash + "\n".join(words)],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "REAL_PYTHON": sys.executable, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def packed(folder: Path) -> Path:
    """The snapshot under the name that the document shows."""
    import gzip

    (folder / "ci" / "cluster.json.gz").write_bytes(gzip.compress((folder / "ci" / "cluster.json").read_bytes()))
    return folder


def test_the_policy_that_is_shown_is_one() -> None:
    from kplan.studies.check.policy import _READERS, policy

    given = shown("require-zones")
    policy(given, "docs/ci.md")
    assert set(given) == set(_READERS)


def test_the_workflow_that_is_shown_gives_the_action_what_it_takes() -> None:
    steps = shown("jobs")["jobs"]["check"]["steps"]
    [given] = [step["with"] for step in steps if "kplan" in step["uses"]]
    assert set(given) <= set(ACTION["inputs"])
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} <= set(given)


def test_the_gitlab_job_that_is_shown_runs_and_its_artifacts_are_there(packed: Path) -> None:
    job = shown("kplan")["kplan"]
    done = kplan([*job["before_script"], *job["script"]], packed, KPLAN="./kplan")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "pip install --quiet ./kplan"
    assert "PASSES   deploy/shop/web passes" in done.stdout
    for name in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (packed / name).stat().st_size


def test_the_gitlab_job_fails_with_the_code_of_kplan(packed: Path) -> None:
    fails(packed)
    assert kplan(shown("kplan")["kplan"]["script"], packed).returncode == 1


def test_the_hook_that_is_shown_runs_on_the_files_it_selects(packed: Path) -> None:
    [hook] = shown("repos")["repos"][0]["hooks"]
    names = ["deploy/web.yaml", "README.md", "deploy/notes.txt"]
    chosen = [name for name in names if re.search(hook["files"], name)]
    assert chosen == ["deploy/web.yaml"]
    assert kplan([f"{hook['entry']} {shlex.join(chosen)}"], packed).returncode == 0


def test_every_format_and_every_exit_code_is_in_the_document() -> None:
    from kplan.cli.targets import FORMATS

    told = CI.partition("## Formats")[2].partition("## GitHub")[0]
    assert [name for name in FORMATS if f"`{name}`" not in told] == []
    codes = CI.partition("| exit code |")[2].partition("\n\n")[0]
    assert [code for code in ("0", "1", "2", "3", "4", "5", "70") if not re.search(rf"\b{code}\b", codes)] == []
