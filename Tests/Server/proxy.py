"""A proxy between a test and the server that cuts connections where it is told, and keeps what came back.

It has `host` and `port`, so that the client takes it for a server.
"""

import re
import socket
import struct
import threading

from client import HANG, connect


def reset(connection):
    """Closes a connection as if its cable had been cut: by a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def is_whole(answer):
    """Whether these bytes are an answer with nothing missing."""
    head, blank, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    return bool(blank and length and len(body) == int(length[1]))


def read_request(connection):
    content = b""
    while b"\r\n\r\n" not in content:
        part = connection.recv(65536)
        if not part:
            return content
        content += part
    head, _, body = content.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        part = connection.recv(65536)
        body += part
        content += part
        if not part:
            break
    return content


class Proxy:
    """`request_bytes` and `answer_bytes` are how many of them pass before the cut; None is all."""

    def __init__(self, pinpad):
        self.pinpad = pinpad
        self.request_bytes = None
        self.answer_bytes = None
        self.answers = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host, self.port = self.listener.getsockname()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(HANG)
        assert not self.thread.is_alive(), "it hangs"

    def received(self):
        """All bytes that have come back from the server through this proxy."""
        return b"".join(bytes(answer) for answer in self.answers)

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.settimeout(HANG)
            if self.request_bytes is None and self.answer_bytes is None:
                threading.Thread(target=self.forward, args=(client,), daemon=True).start()
            else:
                self.cut(client)

    def forward(self, client):
        kept = bytearray()
        self.answers.append(kept)
        with client, connect(self.pinpad) as server:
            server.settimeout(None)
            server.sendall(read_request(client))
            while True:
                try:
                    part = server.recv(65536)
                    kept += part
                    if not part:
                        return
                    client.sendall(part)
                except OSError:
                    return

    def cut(self, client):
        request = read_request(client)
        server = connect(self.pinpad)
        try:
            server.sendall(request[:self.request_bytes])
            if self.answer_bytes is None:
                return
            server.recv(1, socket.MSG_PEEK)
            answer = b""
            while len(answer) < self.answer_bytes:
                part = server.recv(self.answer_bytes - len(answer))
                if not part:
                    break
                answer += part
            client.sendall(answer)
        finally:
            reset(server)
            client.close()
