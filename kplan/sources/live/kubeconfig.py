"""Which server kubectl would talk to, as whom, and in which namespace.

The ``kubernetes`` client reads kubeconfigs (several in ``KUBECONFIG``, exec plugins, the service account inside a
cluster). What it leaves out is read here: as whom to act, and the namespace of the context.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from kplan.errors import LiveError, SourceError, UsageError
from kplan.sources.opening import expanded, is_there
from kplan.sources.plain_yaml import read_plain_yaml

DEFAULT_KUBECONFIG = "~/.kube/config"
_NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
_BY_NAME = {"clusters": "cluster", "contexts": "context", "users": "user"}
_PROXIES = ("http://", "https://")
_PROVIDERS = ("oidc",)
"""Auth providers that kubectl still has; gcp and azure went with 1.26."""


class Access(Struct, frozen=True):
    """Where a server is and who asks it.

    Attributes:
        configuration: the client's Configuration: host, certificates, credentials.
        context: name of the context, as shown to the user.
        headers: as whom to act, where that is another than the credentials are for: each header with its value.
    """

    configuration: Any
    context: str
    headers: tuple[tuple[str, str], ...] = ()


def find_access(context: str = "", kubeconfig: str = "") -> Access:
    """Find the server that kubectl would talk to.

    Args:
        context: name of a context; the current one if empty.
        kubeconfig: a file; ``KUBECONFIG`` (several files, merged) or ``~/.kube/config`` if empty, and where there is
            none the service account of the pod that kplan runs in.

    Raises:
        UsageError: no such context, or no kubeconfig.
        LiveError: a kubeconfig that is broken, or credentials that cannot be had.
    """
    from kubernetes import client

    config = _client_config()
    configuration = client.Configuration()
    there = _files(kubeconfig)
    if _inside(there, context, kubeconfig):
        try:
            config.load_incluster_config(client_configuration=configuration)
        except config.ConfigException as error:
            raise LiveError(f"no access from inside this cluster: {error}", code="no-cluster") from None
        return Access(configuration, "in-cluster")
    if not there:
        raise _no_kubeconfig(kubeconfig)
    return _configured(configuration, there, context)


def namespace_of(context: str = "", kubeconfig: str = "") -> str:
    """Name the namespace that kubectl would take where none is given; empty where nothing names one.

    A kubeconfig that is missing or broken names none: whoever reads the cluster says what is wrong with it.

    Args:
        context: as for ``find_access``.
        kubeconfig: as for ``find_access``.
    """
    there = _files(kubeconfig)
    if _inside(there, context, kubeconfig):
        with suppress(OSError, UnicodeDecodeError):
            return Path(_NAMESPACE_FILE).read_text().strip()
        return ""
    with suppress(SourceError, *_ODD):
        return str(_merged(there).context(context).get("namespace") or "")
    return ""


class _Merged(Struct, frozen=True):
    """Kubeconfigs, merged as kubectl does: of two that name the same, the first counts.

    Attributes:
        current: name of the current context; empty for none.
        clusters: by name.
        contexts: by name.
        users: by name.
    """

    current: str
    clusters: Mapping[str, Mapping[str, Any]]
    contexts: Mapping[str, Mapping[str, Any]]
    users: Mapping[str, Mapping[str, Any]]

    def context(self, name: str) -> Mapping[str, Any]:
        """The context of a name, the current one if empty."""
        return self.contexts.get(name or self.current, {})

    def cluster(self, context: str) -> Mapping[str, Any]:
        """The cluster of a context."""
        return self.clusters.get(str(self.context(context).get("cluster") or ""), {})

    def user(self, context: str) -> Mapping[str, Any]:
        """The user of a context."""
        return self.users.get(str(self.context(context).get("user") or ""), {})


def _files(kubeconfig: str) -> list[str]:
    """The kubeconfigs that are there."""
    return [path for path in _named(kubeconfig).split(os.pathsep) if path and is_there(expanded(path))]


def _named(kubeconfig: str) -> str:
    return kubeconfig or os.environ.get("KUBECONFIG", "") or DEFAULT_KUBECONFIG


def _inside(there: list[str], context: str, kubeconfig: str) -> bool:
    """Whether the cluster is the one that kplan runs in."""
    return not there and not kubeconfig and not context and "KUBERNETES_SERVICE_HOST" in os.environ


def _no_kubeconfig(named: str) -> UsageError:
    if named:
        return UsageError(
            f"no cluster to read: {named} does not exist",
            code="no-kubeconfig",
            hint="name another with --kubeconfig, or read a file instead: --snapshot PATH",
        )
    return UsageError(
        f"no cluster to read: there is no kubeconfig ({_named('')}), and no snapshot is named",
        code="no-source",
        hint="--snapshot PATH or KPLAN_SNAPSHOT=PATH reads a file, --kubeconfig FILE a cluster; a file comes from "
        "kplan snapshot, or from: kubectl get nodes,pods,pv,pvc,sc,csinode,pdb,priorityclass,ns -A -o json > PATH",
    )


def _configured(configuration: Any, there: list[str], context: str) -> Access:
    """Fill in a Configuration from kubeconfigs."""
    files = os.pathsep.join(there)
    try:
        merged = _merged(there)
        name = context or merged.current
        _known(files, name, merged)
        headers = tuple(_impersonation(merged.user(name)))
        _check_provider(merged.user(name))
        with _complaints() as complaints:
            _client_config().load_kube_config(files, name, client_configuration=configuration, persist_config=False)
        _set_proxy(configuration, merged.cluster(name).get("proxy-url"))
    except _broken() as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LiveError(f"the kubeconfig {files} cannot be used: {said}", code="bad-kubeconfig") from None
    if complaints:
        raise LiveError(
            f"the credential plugin of context {name} failed: {complaints[0]}",
            code="no-credentials",
            hint="log in to the cluster again; kubectl get nodes must work, too",
        )
    return Access(configuration, name, headers)


def _broken() -> tuple[type[Exception], ...]:
    """What a kubeconfig that is none raises."""
    import yaml

    return (_client_config().ConfigException, SourceError, yaml.YAMLError, *_ODD)


_ODD = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading a text raises that is YAML and yet no kubeconfig, or none that can be read."""


def _client_config() -> Any:
    """Load the part of the client that reads configurations; it is not typed."""
    from kubernetes import config

    return config


def _merged(files: list[str]) -> _Merged:
    """Merge kubeconfigs.

    Raises:
        ValueError: one is not a kubeconfig.
    """
    current = ""
    by_name: dict[str, dict[str, Mapping[str, Any]]] = {name: {} for name in _BY_NAME}
    for path in files:
        text = read_plain_yaml(expanded(path))
        if not isinstance(text, dict):
            raise ValueError(f"{path} is not a kubeconfig")
        current = current or str(text.get("current-context") or "")
        for plural, singular in _BY_NAME.items():
            for item in text.get(plural) or []:
                by_name[plural].setdefault(str(item.get("name")), item.get(singular) or {})
    return _Merged(current, by_name["clusters"], by_name["contexts"], by_name["users"])


def _known(files: str, name: str, merged: _Merged) -> None:
    names = sorted(merged.contexts)
    there = f"there are: {', '.join(names)}" if names else "it has none"
    if not name:
        raise UsageError(f"the kubeconfig {files} names no current context", code="no-context", hint=there)
    if name not in names:
        raise UsageError(f"no context {name} in the kubeconfig {files}", code="no-such-context", hint=there)


def _check_provider(user: Mapping[str, Any]) -> None:
    """Refuse a provider of credentials that the client would pass over, or break at.

    Raises:
        ValueError: it is none that kubectl has.
    """
    provider = user.get("auth-provider")
    name = provider.get("name") if isinstance(provider, Mapping) else provider
    if provider and name not in _PROVIDERS:
        raise ValueError(
            f"unknown auth provider {name}: kubectl has none either, log in with the exec plugin of its vendor"
        )


def _set_proxy(configuration: Any, url: object) -> None:
    """Ask through the proxy of the kubeconfig, whatever NO_PROXY says; else through that of the environment.

    Source: client-go v0.37.2 tools/clientcmd/client_config.go getServerURL, parseProxyURL.

    Raises:
        ValueError: it is no proxy that kplan speaks to.
    """
    if url:
        configuration.proxy, configuration.no_proxy = url, None
    if configuration.proxy and not str(configuration.proxy).startswith(_PROXIES):
        raise ValueError(f"the proxy {without_user(str(configuration.proxy))} is neither http:// nor https://")


def without_user(server: str) -> str:
    """Give the URL of a server without the name, password and query that may stand in it: it is shown to people."""
    place, asks, _ = server.partition("?")
    scheme, mark, rest = place.rpartition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}{'?***' if asks else ''}"


def _impersonation(user: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the headers that have the server take the request for another user's.

    Source: client-go v0.37.2 transport/round_trippers.go impersonatingRoundTripper; tools/clientcmd/validation.go
    validateAuthInfo.

    Raises:
        ValueError: groups, uid or more are given without a user.
    """
    name, uid = str(user.get("as") or ""), str(user.get("as-uid") or "")
    groups, extra = user.get("as-groups") or [], user.get("as-user-extra") or {}
    if not name:
        if uid or groups or extra:
            raise ValueError("it sets as-uid, as-groups or as-user-extra without a user (as)")
        return
    yield "Impersonate-User", name
    if uid:
        yield "Impersonate-Uid", uid
    for group in groups:
        yield "Impersonate-Group", str(group)
    for key, values in extra.items():
        for value in values or []:
            yield f"Impersonate-Extra-{quote(str(key), safe=_HEADER_SAFE)}", str(value)


_HEADER_SAFE = "!#$&'*+-.^_`|~"
"""What may stand in the name of a header as it is; the percent sign itself begins what may not."""


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Catch what the client only logs: that an exec plugin failed."""
    caught: list[str] = []

    class Catcher(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.ERROR:
                caught.append(record.getMessage().splitlines()[0])

    root, catcher = logging.getLogger(), Catcher()
    root.addHandler(catcher)
    try:
        yield caught
    finally:
        root.removeHandler(catcher)
