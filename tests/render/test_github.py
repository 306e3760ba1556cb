"""GitHub: workflow commands that become annotations, escaped so that no name can forge one."""

from kplan.render.github import commands
from tests.render.checks import EDIT, checked, document, doubt, finding


def test_what_counts_is_an_error_at_the_manifests_line() -> None:
    text = commands(document(findings=[finding(title="2 of 4 pods do not fit", text="cpu: lacks 80m", column=5)]))
    assert text.splitlines()[0] == (
        "::error file=web.yaml,line=3,col=5,title=kplan does-not-fit%3A deploy/shop/web%3A 2 of 4 pods do not fit"
        "::cpu: lacks 80m"
    )


def test_what_does_not_count_is_a_warning_and_the_verdict_a_notice() -> None:
    lines = commands(document(checked(), findings=[finding(counted=False, why_not="a warning")])).splitlines()
    assert lines[0].startswith("::warning file=web.yaml")
    assert lines[0].endswith(" (not counted: a warning)")
    assert lines[1] == "::notice title=kplan%3A PASSES::so it is"


def test_a_doubt_is_an_error_and_an_allowed_one_a_number() -> None:
    lines = commands(document(doubts=(doubt(), doubt("no-csinodes", allowed=True)))).splitlines()
    assert lines == [
        "::error title=kplan doubt no-pods::about no-pods",
        "::notice title=kplan%3A IN DOUBT%2C else PASSES::so it is; 1 doubt allowed",
    ]


def test_no_name_and_no_text_can_begin_a_command_of_its_own() -> None:
    text = commands(document(findings=[finding(name="a,b:c%\n::error::x", text="100%\r\n::set-output name=x::y")]))
    first, *rest = text.splitlines()
    assert first.endswith("::100%25%0D%0A::set-output name=x::y")
    assert "a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax" in first
    assert [line for line in rest if not line.startswith("::notice title=kplan")] == []


def test_a_finding_without_a_place_has_none() -> None:
    [line, _] = commands(document(findings=[finding(file="", line=0)])).splitlines()
    assert line.startswith("::error title=kplan does-not-fit")


def test_an_annotation_stands_at_the_field_to_change() -> None:
    found = document(findings=[finding(attempt="cpu request 2 (now 4) -> all 3 replicas land", edits=(EDIT,))])
    assert commands(found).splitlines()[0] == (
        "::error file=web.yaml,line=31,col=18,title=kplan does-not-fit%3A deploy/shop/web%3A its pod fits no node::"
        "deploy/shop/web: cpu%0ATry: cpu request 2 (now 4) -> all 3 replicas land%0A"
        'web.yaml:31 spec.template.spec.containers[0].resources.requests.cpu: "4" -> "2"'
    )


def test_what_was_as_bad_before_is_a_number_at_no_line() -> None:
    old = finding(amount=3, on_main=3, counted=False, why_not="in the baseline already")
    worse = finding("careful", amount=2, on_main=1, counted=False, why_not="a warning")
    lines = commands(document(findings=[old, worse])).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::warning", "::notice"]
    assert lines[-1].endswith("::so it is; 1 old finding not counted")


def test_no_more_annotations_than_are_shown() -> None:
    many = [finding(name=f"deploy/shop/web-{number}", text=f"needs {number} cpu") for number in range(12)]
    lines = commands(document(findings=many)).splitlines()
    assert sum(line.startswith("::error") for line in lines) == 9
    assert lines[-1].endswith("::so it is; 3 more errors not shown here")


def test_a_doubt_about_an_object_stands_at_it() -> None:
    doubts = (doubt("not-expanded", file="fleet.yaml", line=9), doubt("no-pods"))
    mine, other, _ = commands(document(checked(), doubts=doubts)).splitlines()
    assert mine.startswith("::error file=fleet.yaml,line=9,title=kplan doubt not-expanded::")
    assert other.startswith("::error title=kplan doubt no-pods::")
