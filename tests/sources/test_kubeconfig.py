"""A kubeconfig says more than where the server is: as whom to act, in which namespace, and never aloud with what."""

import base64
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import yaml
from urllib3.exceptions import InsecureRequestWarning

from kplan.bind.wire.client import Client
from kplan.bind.wire.stop import Stop
from kplan.cli.main import main
from kplan.errors import LiveError
from kplan.sources.live.connection import connect
from kplan.sources.live.kubeconfig import find_access, namespace_of
from tests.builders import node, pod
from tests.sources.fakeserver import FakeServer, Told, kubeconfig_for, lists_of

SECRET = "s3cr3t-t0ken"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(lambda asked: Told()) as one:
        yield one


def impersonated(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name.title(), value) for name, value in headers if name.title().startswith("Impersonate")]


def test_it_acts_as_whom_the_kubeconfig_says_and_so_does_bind(tmp_path: Path, server: FakeServer) -> None:
    user = {
        "token": SECRET,
        "as": "viewer",
        "as-uid": "u-7",
        "as-groups": ["ops", "dev"],
        "as-user-extra": {"acme.com/project": ["a", "b"]},
    }
    file = kubeconfig_for(server.url, tmp_path, user)
    connect(kubeconfig=file).get("/version", what="asking")
    Client(find_access(kubeconfig=file), Stop()).read("/version", what="asking")
    assert impersonated(server.asked[0].headers) == [
        ("Impersonate-User", "viewer"),
        ("Impersonate-Uid", "u-7"),
        ("Impersonate-Group", "ops"),
        ("Impersonate-Group", "dev"),
        ("Impersonate-Extra-Acme.Com%2Fproject", "a"),
        ("Impersonate-Extra-Acme.Com%2Fproject", "b"),
    ]
    assert impersonated(server.asked[1].headers) == impersonated(server.asked[0].headers)


def test_groups_without_a_user_are_refused_as_kubectl_does(tmp_path: Path) -> None:
    with pytest.raises(LiveError, match="without a user") as caught:
        find_access(kubeconfig=kubeconfig_for("http://x", tmp_path, {"as-groups": ["ops"]}))
    assert caught.value.code == "bad-kubeconfig"


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"], ids=["line break", "of Windows", "with a space"])
def test_a_token_may_end_in_a_line_break(tmp_path: Path, server: FakeServer, end: str) -> None:
    (tmp_path / "token").write_bytes(f"{SECRET}{end}".encode())
    connect(kubeconfig=kubeconfig_for(server.url, tmp_path, {"tokenFile": str(tmp_path / "token")})).get(
        "/", what="asking"
    )
    assert {name.title(): value for name, value in server.asked[0].headers}["Authorization"] == f"Bearer {SECRET}"


def test_a_token_that_cannot_be_sent_is_not_shown(
    tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    file = kubeconfig_for(server.url, tmp_path, {"token": f"{SECRET}\nX-More: 1"})
    assert main(["nodes", "--kubeconfig", file, "--debug"]) == 5
    assert main(["bind", "-A", "--kubeconfig", file]) == 5
    out, err = capsys.readouterr()
    assert err.count("the credentials of context prod cannot be sent") == 3  # and once in the traceback
    assert SECRET not in out + err
    assert base64.b64encode(SECRET.encode()).decode() not in out + err


def test_a_password_in_the_url_is_not_shown(tmp_path: Path) -> None:
    file = kubeconfig_for("http://admin:pa55@127.0.0.1:1", tmp_path)
    with pytest.raises(LiveError) as caught:
        connect(kubeconfig=file).get("/version", what="asking")
    assert caught.value.message.startswith("cannot reach the API server http://127.0.0.1:1: ")


def test_the_namespace_is_that_of_the_context(tmp_path: Path) -> None:
    file = kubeconfig_for("http://x", tmp_path, namespace="shop")
    assert (namespace_of("", file), namespace_of("prod", file), namespace_of("bare", file)) == ("shop", "shop", "")
    assert namespace_of("", str(tmp_path / "none")) == ""


def test_of_two_kubeconfigs_the_first_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (kubeconfig_for("http://x", tmp_path / one, namespace=one) for one in "ab")
    monkeypatch.setenv("KUBECONFIG", f"{first}:{second}")
    assert namespace_of() == "a"


BROKEN = {
    "a list": b"- 1\n",
    "not YAML": b"a: [\n",
    "contexts that are text": b"{current-context: a, contexts: [a]}",
    "a context that is text": b"{current-context: a, contexts: [{name: a, context: b}]}",
    "contexts that are a number": b"{current-context: a, contexts: 1}",
    "no UTF-8": b"\xff\xfe\xfa",
    "deeper than anybody writes": b"[" * 3000,
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_kubeconfig_names_no_namespace_and_is_said_in_a_line(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "k").write_bytes(text)
    assert namespace_of("", str(tmp_path / "k")) == ""
    with pytest.raises(LiveError) as caught:
        find_access(kubeconfig=str(tmp_path / "k"))
    assert caught.value.code == "bad-kubeconfig"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["explain", "pod"], ["shop/web-0"]),
        (["explain", "pod", "web-0"], ["shop/web-0"]),
        (["explain", "pod", "-A"], ["other/web-0", "shop/web-0"]),
        (["explain", "pod", "-n", "other"], ["other/web-0"]),
        (["bind", "web-0"], ["shop/web-0"]),
        (["bind", "-l", "app=web"], ["shop/web-0"]),
        (["bind", "-A"], ["other/web-0", "shop/web-0"]),
    ],
)
def test_a_command_looks_where_the_context_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], found: list[str]
) -> None:
    answers = lists_of(
        node("node-a"), *(pod("web-0", namespace=space, labels={"app": "web"}) for space in ("shop", "other"))
    )
    with FakeServer(lambda asked: answers.get(asked.path)) as running:
        file = kubeconfig_for(running.url, tmp_path, namespace="shop")
        main([*words, "--kubeconfig", file, "-o", "json"])
    out, _ = capsys.readouterr()
    assert sorted(set(re.findall(r'"pod": ?"([^"]+)"', out))) == found


def test_bind_takes_the_namespace_of_the_context_whatever_file_the_environment_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KPLAN_SNAPSHOT", "of-another-cluster.json")
    answers = lists_of(node("node-a"), pod("web-0", namespace="shop"), pod("web-0", namespace="other"))
    with FakeServer(lambda asked: answers.get(asked.path)) as running:
        main(["bind", "web-0", "-o", "json", "--kubeconfig", kubeconfig_for(running.url, tmp_path, namespace="shop")])
    assert '"pod": "shop/web-0"' in capsys.readouterr().out


def test_manifests_land_in_the_namespace_of_the_context(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tmp_path / "pod.yaml"
    manifest.write_text("{apiVersion: v1, kind: Pod, metadata: {name: new}, spec: {containers: [{name: c, image: i}]}}")
    answers = lists_of(node("node-a"))
    with FakeServer(lambda asked: answers.get(asked.path)) as running:
        file = kubeconfig_for(running.url, tmp_path, namespace="shop")
        for command in ("simulate", "bind"):
            main([command, "-f", str(manifest), "--kubeconfig", file])
            assert "shop/new" in capsys.readouterr().out


PROXIES = {
    "one that refuses": (
        {"proxy-url": "http://u:pass" + "word@127.0.0.1:1"},
        "cannot reach the proxy http://127.0.0.1:1: ",
    ),
    "SOCKS": (
        {"proxy-url": "socks5://u:pass" + "word@127.0.0.1:1"},
        "the proxy socks5://127.0.0.1:1 is neither http://",
    ),
    "without a scheme": ({"proxy-url": "127.0.0.1:1"}, "the proxy 127.0.0.1:1 is neither http:// nor https://"),
    "a number": ({"proxy-url": 7}, "the proxy 7 is neither http:// nor https://"),
}


@pytest.mark.parametrize("case", PROXIES)
@pytest.mark.parametrize("no_proxy", ["", "127.0.0.1,localhost"])
def test_a_proxy_is_told_apart_from_the_server(
    case: str,
    no_proxy: str,
    tmp_path: Path,
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    more, told = PROXIES[case]
    monkeypatch.setenv("NO_PROXY", no_proxy)  # kubectl does not ask it about proxy-url
    file = Path(kubeconfig_for(server.url, tmp_path))
    config = yaml.safe_load(file.read_text())
    config["clusters"][0]["cluster"].update(more)
    file.write_text(yaml.safe_dump(config))
    assert main(["nodes", "--kubeconfig", str(file)]) == 5
    err = capsys.readouterr().err
    assert told in err
    assert "password" not in err
    assert server.asked == []


@pytest.mark.parametrize("provider", [{"name": "gcp"}, {"name": "azure", "config": {"expires-on": "x"}}, "x", {"a": 1}])
def test_an_auth_provider_that_kubectl_does_not_have_is_refused(
    provider: object, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nodes", "--kubeconfig", kubeconfig_for(server.url, tmp_path, {"auth-provider": provider})]) == 5
    assert "unknown auth provider " in capsys.readouterr().err
    assert server.asked == []


def test_a_server_whose_certificate_is_not_checked_is_not_warned_of_at_each_request(tmp_path: Path) -> None:
    file = Path(kubeconfig_for("https://127.0.0.1:1", tmp_path))
    config = yaml.safe_load(file.read_text())
    config["clusters"][0]["cluster"]["insecure-skip-tls-verify"] = True
    file.write_text(yaml.safe_dump(config))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        connect(kubeconfig=str(file)).close()
        warnings.warn("unverified", InsecureRequestWarning, stacklevel=1)
    assert told == []
