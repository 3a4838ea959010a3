"""What the program writes while it serves."""

import socket
import struct

from client import connect, create, request_bytes


def test_a_client_that_leaves_without_its_answer_does_not_bring_a_session_into_the_log(start_pinpad):
    server = start_pinpad()
    session = create(server)
    for _ in range(200):
        with connect(server) as connection:
            connection.sendall(request_bytes(server, "POST", session.path + "/insert", {"text": "1"}, session.entry))
            # Closed with a reset, so that the answer can't be sent.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    server.stop()
    assert session.id not in server.stderr
