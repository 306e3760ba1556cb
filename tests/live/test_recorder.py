"""A connection that its peer resets before the handshake is closed, on either side of it."""

import gc
import select
import socket
import ssl
import struct
import warnings

import pytest

LINGER_NOT = struct.pack("ii", 1, 0)


@pytest.mark.parametrize("is_server", [True, False])
def test_a_peer_that_resets_before_the_handshake_leaves_no_socket_open(is_server: bool) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if is_server else ssl.create_default_context()
    with socket.create_server(("127.0.0.1", 0)) as listening, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with socket.create_connection(listening.getsockname()) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
            accepted, _ = listening.accept()
        assert select.select([accepted], [], [], 30)[0], "the reset never came"
        with pytest.raises(OSError):
            context.wrap_socket(accepted, server_side=is_server, server_hostname=None if is_server else "127.0.0.1")
        gc.collect()
    assert [str(item.message) for item in told if "SSLSocket" in str(item.message)] == []
