"""What plans and journals keep of manifests: names and digests; the manifests are read again, and are as they were."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.bind.plan.file import load_plan
from kplan.bind.plan.kept import digest
from kplan.bind.run.record import read_journal
from kplan.cli.main import main
from kplan.errors import LiveError
from tests.hostile.test_secrets_bound import Bound
from tests.sources.fakeserver import FakeServer, kubeconfig_for

RECORDED = Path(__file__).parent / "recorded"
"""A plan and a journal, killed at its first write, that hold their manifests, as they once did."""


def settings(colour: str = "blue", **metadata: Any) -> dict[str, Any]:
    """A ConfigMap."""
    named = {"name": "settings", "namespace": "d", **metadata}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": named, "data": {"colour": colour}}


def alone(colour: str = "blue", **metadata: Any) -> dict[str, Any]:
    """A pod with what an API server would fill in."""
    lost = [
        {"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
        for what in ("not-ready", "unreachable")
    ]
    container = {"name": "c", "image": "app", "env": [{"name": "COLOUR", "value": colour}]}
    spec = {
        "schedulerName": "kplan", "preemptionPolicy": "PreemptLowerPriority", "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30, "tolerations": lost,
        "containers": [{**container, "resources": {"requests": {"cpu": "1"}}}],
    }  # fmt: skip
    named = {"name": "alone", "namespace": "d", **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": named, "spec": spec}


class Desk:
    """A folder to work in, and a server that takes what is written to it."""

    def __init__(self, folder: Path, server: FakeServer, told: Callable[[], str]) -> None:
        self.folder, self.told = folder, told
        self.created = server.answers.objects  # type: ignore[attr-defined]
        self.at = ["--kubeconfig", kubeconfig_for(server.url, folder, {"token": "t"})]

    def bind(self, *words: str) -> int:
        """Run a command; its exit code."""
        return main(["bind", *words, *self.at])

    def said(self) -> str:
        """What was told since, in one line."""
        return " ".join(self.told().split())

    def save(self, *objects: dict[str, Any], name: str = "app.yaml") -> None:
        Path(name).write_text(yaml.safe_dump_all(objects))

    def killed(self) -> None:
        """Leave of the journal what is there when its first write is sent, and of the server nothing."""
        lines = Path("journal").read_text().splitlines(keepends=True)
        Path("journal").write_text("".join(lines[:2]))
        for path in [path for path in self.created if path.startswith("/api/v1/namespaces/d/")]:
            del self.created[path]

    def colours(self) -> tuple[str, str]:
        """Of what was created: the ConfigMap's, and the pod's."""
        space = "/api/v1/namespaces/d"
        pod = self.created[f"{space}/pods/alone"]
        assert pod["spec"]["nodeName"] == "n0"
        return self.created[f"{space}/configmaps/settings"]["data"]["colour"], pod["spec"]["containers"][0]["env"][0][
            "value"
        ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    with FakeServer(Bound()) as server:
        yield Desk(tmp_path, server, lambda: "".join(capsys.readouterr()))


SAVE = ("--create", "--save-plan", "plan")
APPLY = ("--create", "--apply", "--yes", "--journal", "journal")


def test_a_plan_keeps_names_and_digests_and_is_applied_wherever_one_stands(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *SAVE) == 0
    kept = json.loads(Path("plan").read_text())
    names = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "d"}}
    assert kept["objects"][0]["manifest"] == names
    assert kept["objects"][0]["digest"] == digest(settings())
    assert kept["pods"][0]["digest"] == digest(alone())
    assert kept["manifests"] == {"files": [str(desk.folder / "app.yaml")], "namespace": "default"}
    assert "blue" not in Path("plan").read_text()
    (desk.folder / "elsewhere").mkdir()
    monkeypatch.chdir(desk.folder / "elsewhere")
    assert desk.bind("--plan", "../plan", *APPLY) == 0
    assert desk.colours() == ("blue", "blue")
    assert "blue" not in Path("journal").read_text()


def test_what_is_shown_of_a_plan_is_what_was_shown_when_it_was_made(desk: Desk) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *SAVE, "-o", "json=first") == 0
    assert desk.bind("--plan", "plan", "--create", "-o", "json=second", "--save-plan", "again") == 0
    first, second = (json.loads(Path(name).read_text()) for name in ("first", "second"))
    assert [first[name] for name in ("objects", "pods", "bare")] == [
        second[name] for name in ("objects", "pods", "bare")
    ]
    assert "manifests" not in first | second
    plan, again = (json.loads(Path(name).read_text()) for name in ("plan", "again"))
    assert [plan[name] for name in ("objects", "pods", "manifests")] == [
        again[name] for name in ("objects", "pods", "manifests")
    ]


def test_another_layout_of_the_same_objects_is_no_change(desk: Desk) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *SAVE) == 0
    turned = [dict(reversed(item.items())) for item in (alone(), settings("green", name="other"), settings())]
    Path("app.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": turned}))
    assert desk.bind("--plan", "plan", *APPLY) == 0
    assert desk.colours() == ("blue", "blue")


def gone(desk: Desk) -> None:
    Path("app.yaml").unlink()


REFUSED: dict[str, tuple[Callable[[Desk], object], str]] = {
    "an object has changed": (
        lambda desk: desk.save(settings("green"), alone()),
        "configmap/d/settings: its manifest has changed since",
    ),
    "a pod has changed": (
        lambda desk: desk.save(settings(), alone("green")), "pod/d/alone: its manifest has changed since",
    ),
    "an object has an annotation more": (
        lambda desk: desk.save(settings(annotations={"a": "b"}), alone()),
        "configmap/d/settings: its manifest has changed since",
    ),
    "an object is not in it any more": (
        lambda desk: desk.save(alone()), "configmap/d/settings: it is not in the manifests any more",
    ),
    "an object moved to another namespace": (
        lambda desk: desk.save(settings(namespace="e"), alone()),
        "configmap/d/settings: it is not in the manifests any more",
    ),
    "the file is gone": (gone, "keeps no manifests, and those that it creates objects of cannot be read again: "),
    "the file is empty": (lambda desk: desk.save(), "cannot be read again: "),
    "the file holds something broken": (
        lambda desk: Path("app.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: [1]}\n"),
        "cannot be read again: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), REFUSED.values(), ids=REFUSED)
def test_manifests_that_are_not_as_they_were_are_refused_before_anything_is_written(
    change: Callable[[Desk], object], said: str, desk: Desk
) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *SAVE) == 0
    assert desk.bind("-f", "app.yaml", *APPLY) == 0
    desk.killed()
    change(desk)
    desk.said()
    for words, hint in ((["--plan", "plan", *SAVE[:1]], "-f FILE"), (["--resume", "journal"], "-f FILE")):
        assert desk.bind(*words) == 2
        told = desk.said()
        assert said in told
        assert words[1] in told
        assert hint in told
    assert not [path for path in desk.created if path.endswith(("/settings", "/alone"))]


def test_a_run_that_was_killed_reads_its_manifests_again(desk: Desk) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *APPLY) == 0
    desk.killed()
    assert "blue" not in Path("journal").read_text()
    assert desk.bind("--resume", "journal", "--yes") == 0
    assert desk.colours() == ("blue", "blue")


def test_manifests_that_have_moved_are_named_again(desk: Desk) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *SAVE) == 0
    assert desk.bind("-f", "app.yaml", *APPLY) == 0
    desk.killed()
    Path("app.yaml").rename("moved.yaml")
    assert desk.bind("--resume", "journal", "--yes", "-f", "moved.yaml") == 0
    assert desk.colours() == ("blue", "blue")
    desk.killed()
    Path("journal").unlink()
    assert desk.bind("--plan", "plan", "-f", "moved.yaml", *APPLY) == 0
    assert desk.colours() == ("blue", "blue")
    assert json.loads(Path("journal").read_text().splitlines()[0])["plan"]["manifests"]["files"] == [
        str(desk.folder / "moved.yaml")
    ]


class Pipe:
    """Standard input that is a pipe."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *objects: dict[str, Any]) -> None:
        self.set = lambda: monkeypatch.setattr(
            "sys.stdin", io.TextIOWrapper(io.BytesIO(yaml.safe_dump_all(objects).encode()))
        )


def test_what_comes_through_a_pipe_comes_through_it_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe(monkeypatch, settings(), alone())
    pipe.set()
    assert desk.bind("-f", "-", *SAVE) == 0
    assert "Try kplan bind --plan plan -f - --kubeconfig" in desk.said()
    assert desk.bind("--plan", "plan", "--create", "--apply", "--yes") == 2
    told = desk.said()
    assert "plan: the manifests of what it creates came through a pipe, or from a URL with a password" in told
    assert "nothing of them is kept: give the manifests as they were: -f FILE, or -f - for a pipe" in told
    pipe.set()
    assert desk.bind("--plan", "plan", "-f", "-", *APPLY) == 0
    assert desk.colours() == ("blue", "blue")
    desk.killed()
    assert desk.bind("--resume", "journal", "--yes") == 2
    assert "came through a pipe" in desk.said()
    desk.save(settings(), alone(), name="kept.yaml")
    assert desk.bind("--resume", "journal", "--yes", "-f", "kept.yaml") == 0
    assert desk.colours() == ("blue", "blue")


def test_a_run_of_a_pipe_that_stops_says_what_its_resumption_takes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kplan.bind.run.run.Run._create", lambda run: (_ for _ in ()).throw(LiveError("gone")))
    pipe = Pipe(monkeypatch, settings(), alone())
    pipe.set()
    desk.bind("-f", "-", *APPLY)
    at = " ".join(desk.at)
    assert f"Try kplan bind --resume journal {at} -f - " in desk.said()
    desk.save(settings(), alone())
    desk.bind("--resume", "journal", "--yes", "-f", "app.yaml", "--k8s-version", "1.37")
    assert f"Try kplan bind --resume journal {at} -f app.yaml --k8s-version 1.37 " in desk.said()


def test_a_pattern_and_a_folder_are_found_again(desk: Desk) -> None:
    Path("parts").mkdir()
    desk.save(settings(), name="parts/a.yaml")
    desk.save(alone(), name="parts/b.yaml")
    for words in (["parts/*.yaml"], ["parts"]):
        assert desk.bind("-f", *words, *SAVE) == 0
        desk.save(settings(name="more"), name="parts/c.yaml")
        assert desk.bind("--plan", "plan", *APPLY) == 0
        assert desk.colours() == ("blue", "blue")
        assert "/api/v1/namespaces/d/configmaps/more" not in desk.created
        desk.killed()
        for name in ("journal", "parts/c.yaml", "plan"):
            Path(name).unlink()


def test_f_says_nothing_beside_a_plan_that_creates_nothing_or_holds_all(desk: Desk) -> None:
    desk.save(settings(), alone())
    for plan, what in (
        (str(RECORDED / "plan-with-manifests.json"), "holds what it creates"),
        ("none", "creates nothing"),
    ):
        if plan == "none":
            desk.bind("-A", "--save-plan", plan)
        desk.said()
        assert desk.bind("--plan", plan, "-f", "app.yaml") == 2
        assert f"-f has no effect: {plan} {what}" in desk.said()


def test_a_plan_and_a_journal_with_manifests_go_on_to_work(desk: Desk) -> None:
    plan, journal = RECORDED / "plan-with-manifests.json", RECORDED / "journal-with-manifests.jsonl"
    assert '"blue"' in plan.read_text()
    assert desk.bind("--plan", str(plan), *APPLY, "--max-age", "0") == 0
    assert desk.colours() == ("blue", "blue")
    desk.killed()
    assert desk.bind("--resume", "journal", "--yes") == 0
    assert desk.colours() == ("blue", "blue")
    desk.killed()
    Path("journal").write_bytes(journal.read_bytes())
    assert desk.bind("--resume", "journal", "--yes") == 0
    assert desk.colours() == ("blue", "blue")


def test_a_plan_without_manifests_or_digests_is_never_taken_for_a_whole_one(desk: Desk) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *SAVE) == 0
    assert desk.bind("-f", "app.yaml", *APPLY) == 0
    whole = json.loads(Path("plan").read_text())
    first, *rest = Path("journal").read_text().splitlines()
    for break_it in (
        lambda plan: plan.pop("manifests"), lambda plan: plan["objects"][0].pop("digest"),
        lambda plan: plan["pods"][0].pop("digest"),
    ):  # fmt: skip
        plan = json.loads(json.dumps(whole))
        break_it(plan)
        Path("plan").write_text(json.dumps(plan))
        line = json.loads(first)
        break_it(line["plan"])
        Path("journal").write_text("\n".join([json.dumps(line), *rest, ""]))
        assert desk.bind("--plan", "plan", "--create", "--apply", "--yes") == 2
        assert "a plan to look at" in desk.said()
        assert desk.bind("--resume", "journal", "--yes") == 2
        assert "the journal does not say what the plan creates" in desk.said()


def test_who_cannot_read_digests_does_not_take_names_for_manifests(desk: Desk) -> None:
    """A kplan of before refuses a plan that is bare, and a journal of version 2."""
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *SAVE) == 0
    assert desk.bind("-f", "app.yaml", *APPLY) == 0
    assert load_plan("plan").bare
    assert json.loads(Path("journal").read_text().splitlines()[0])["version"] == 2


CONFIG = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: kplan
- schedulerName: other
  pluginConfig: [{name: Acme, args: {token: blue}}]
  plugins: {multiPoint: {enabled: [{name: Acme}]}}
"""


def test_a_configuration_is_read_again_and_its_text_stands_in_no_journal(desk: Desk) -> None:
    desk.save(settings(), alone())
    Path("config.yaml").write_text(CONFIG)
    assert desk.bind("-f", "app.yaml", *APPLY, "--config", "config.yaml", "--accept-doubt", "all") == 0
    assert "blue" not in Path("journal").read_text()
    assert read_journal("journal").options["configFile"] == str(desk.folder / "config.yaml")
    desk.killed()
    Path("config.yaml").rename("moved.yaml")
    desk.said()
    assert desk.bind("--resume", "journal", "--yes") == 2
    told = desk.said()
    assert "config.yaml: the configuration of the run cannot be read again: No such file or directory" in told
    assert "give it once more: --config FILE" in told
    assert desk.bind("--resume", "journal", "--yes", "--config", "moved.yaml") == 0
    assert desk.colours() == ("blue", "blue")


def test_a_digest_does_not_hang_on_the_order_of_keys_and_takes_any_text() -> None:
    assert digest({"a": 1, "b": ["x"]}) == digest({"b": ["x"], "a": 1})
    assert digest({"a": "\ud800"}) != digest({"a": "\ufffd"})
    assert digest({"a": 1}) != digest({"a": "1"})


@pytest.mark.parametrize(
    "words",
    [
        (*SAVE, "-o", "json=plan"), (*SAVE, "-o", "html=./plan"), (*APPLY, "-o", "json=journal"),
        (*APPLY, "--save-plan", "journal"),
    ],
    ids=["a report over the plan", "by another name", "a report over the journal", "the plan over the journal"],
)  # fmt: skip
def test_no_output_takes_the_place_of_a_plan_or_a_journal(words: tuple[str, ...], desk: Desk) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *words) == 2
    assert "two outputs on" in desk.said()
    assert not [path for path in desk.created if path.endswith("/alone")]


def test_a_journal_that_is_resumed_is_no_output_either(desk: Desk) -> None:
    desk.save(settings(), alone())
    assert desk.bind("-f", "app.yaml", *APPLY) == 0
    desk.killed()
    assert desk.bind("--resume", "journal", "--yes", "-o", "yaml=journal") == 2
    assert "two outputs on journal" in desk.said()
    assert not [path for path in desk.created if path.endswith("/alone")]
