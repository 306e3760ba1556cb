"""How an extender is trusted, and trusts: its TLS configuration as kube-scheduler reads it.

Source: kubernetes v1.37.2 pkg/scheduler/extender.go makeTransport; client-go v0.37.2 transport/transport.go
TLSConfigFor.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from kplan.errors import ConfigError
from kplan.framework.args import Extender, ExtenderTLSConfig
from kplan.sources.opening import load

if TYPE_CHECKING:
    import ssl


def context_of(extender: Extender) -> ssl.SSLContext | None:
    """Make what a connection is secured by; None for the defaults of the platform.

    With ``enableHTTPS`` and no authority of its own, no certificate is checked, as by kube-scheduler.

    Raises:
        ConfigError: a certificate, key or authority cannot be read, or a part of a pair is missing.
    """
    tls = extender.tls_config or ExtenderTLSConfig()
    authority = tls.ca_data or (_read(extender, tls.ca_file) if tls.ca_file else b"")
    insecure = tls.insecure or (extender.enable_https and not authority)
    if not (insecure or authority or _has_pair(tls)):
        return None
    import ssl  # OpenSSL, which no other question needs

    context = ssl.create_default_context()
    try:
        if authority:
            context = ssl.create_default_context(cadata=authority.decode("ascii"))
        if insecure:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if _has_pair(tls):
            _load_pair(context, extender, tls)
    except (ssl.SSLError, UnicodeDecodeError, ValueError) as error:
        raise _broken(extender, f"its certificates cannot be used: {error}") from error
    return context


def _has_pair(tls: ExtenderTLSConfig) -> bool:
    return bool(tls.cert_data or tls.cert_file or tls.key_data or tls.key_file)


def _load_pair(context: ssl.SSLContext, extender: Extender, tls: ExtenderTLSConfig) -> None:
    certificate = tls.cert_data or (_read(extender, tls.cert_file) if tls.cert_file else b"")
    key = tls.key_data or (_read(extender, tls.key_file) if tls.key_file else b"")
    if not (certificate and key):
        raise _broken(extender, "it has a certificate without a key, or a key without one")
    # the library reads pairs from files alone; this one is gone before anything is sent
    with tempfile.TemporaryDirectory() as folder:
        pair = Path(folder, "pair.pem")
        pair.touch(mode=0o600)
        pair.write_bytes(certificate + b"\n" + key)
        context.load_cert_chain(pair)


def _read(extender: Extender, path: str) -> bytes:
    try:
        return load(path)
    except OSError as error:
        raise _broken(extender, f"{path} cannot be read: {error.strerror}") from error


def _broken(extender: Extender, problem: str) -> ConfigError:
    return ConfigError(
        f"extender {extender.url_prefix}: {problem}",
        code="extender-tls",
        hint="files of the scheduler's node have to be where kplan runs, or leave --call-extenders out",
    )
