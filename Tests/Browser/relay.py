"""A way from the browser to the server that can be cut, slowed down and silenced."""

import random
import socket
import threading
import time


class Relay:
    """Passes bytes both ways until it is told otherwise; `url` is where it listens."""

    def __init__(self, pinpad):
        self.server = (pinpad.host, pinpad.port)
        self.is_down = False
        # Cuts the connection when the answer to an edit comes back: the edit is made, and nobody knows.
        self.loses_answers = False
        self.lost_answers = 0
        # Answers to edits go on only while it is set.
        self.passes_edits = threading.Event()
        self.passes_edits.set()
        # How long, in seconds, each part of an answer may take at most: those of other connections overtake it.
        self.lag = 0
        # Drawn from for the lags.
        self.random = random.Random(0)
        # Passes nothing of an event stream on, and doesn't say so.
        self.is_silent = False
        self.connections = set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.passes_edits.set()
        self.cut()

    def cut(self):
        """Cuts every connection."""
        with self.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_down:
                client.close()
                continue
            server = socket.create_connection(self.server)
            with self.lock:
                self.connections |= {client, server}
            exchange = {"edits": False, "streams": False}
            for source, target, upwards in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.copy, args=(source, target, upwards, exchange), daemon=True).start()

    def copy(self, source, target, upwards, exchange):
        try:
            while part := source.recv(65536):
                if upwards:
                    exchange["edits"] = part.startswith(b"POST ")
                    exchange["streams"] = b"text/event-stream" in part
                elif exchange["streams"] and self.is_silent:
                    continue
                elif exchange["edits"] and self.loses_answers:
                    self.lost_answers += 1
                    break
                if not upwards and exchange["edits"]:
                    self.passes_edits.wait()
                if not upwards and self.lag:
                    time.sleep(self.random.uniform(0, self.lag))
                target.sendall(part)
        except OSError:
            pass
        for connection in (source, target):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        with self.lock:
            self.connections.discard(source)
