"""A way to a Redis that is slow on purpose, and counts."""

import pathlib
import queue
import socket
import tempfile
import threading
import time


class SlowWay:
    """Passes on what is sent to `socket` to a Redis at once, and each answer `delay` seconds later.

    `trips` counts how often something was sent: once for a pipeline, if it comes in one piece.
    """

    def __init__(self, redis):
        self.delay = 0
        self.trips = 0
        self._topic = None
        self._losses = {}
        self._about = 0
        self._redis = redis
        self._folder = tempfile.TemporaryDirectory(prefix="pinpad-way-")
        self.socket = pathlib.Path(self._folder.name) / "redis.sock"
        self.store = f"redis+unix://{self.socket}"
        self._open = set()
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.socket))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = self._redis.connect()
            except OSError:
                client.close()
                continue
            # It rests for as long as the node likes.
            server.settimeout(None)
            with self._lock:
                self._open |= {client, server}
            late = queue.SimpleQueue()
            # Set while the next answer is to get lost.
            lost = threading.Event()
            threading.Thread(target=self._pass, args=(client, server, self._send(server, lost)), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, self._keep(late, lost)), daemon=True).start()
            threading.Thread(target=self._deliver, args=(late, client), daemon=True).start()

    def _send(self, server, lost):
        def send(data):
            with self._lock:
                self.trips += bool(data)
                what = self._next_loss(data)
            if what == "command":
                return self.cut()
            if what == "answer":
                lost.set()
            server.sendall(data)
        return send

    def _next_loss(self, data):
        if self._topic is None or self._topic not in data:
            return None
        self._about += 1
        return self._losses.pop(self._about, None)

    def _keep(self, late, lost):
        def keep(data):
            if lost.is_set():
                # Its end comes next, when others may have connected.
                lost.clear()
                return self.cut()
            late.put((time.monotonic() + self.delay, data))
        return keep

    def lose(self, topic, losses):
        """Cuts all connections at some of the trips about `topic`, counted from now on.

        `losses` has by the number of a trip what is lost: the "command", which Redis never gets; or the "answer", when
        Redis has done it. Without `losses` nothing is lost any more. Returns those of before that were not reached.
        """
        with self._lock:
            left, self._losses = self._losses, dict(losses)
            self._topic = topic
            self._about = 0
        return left

    def _pass(self, source, target, take):
        try:
            while data := source.recv(1 << 20):
                take(data)
            take(b"")
        except OSError:
            pass
        self._end(source, target)

    def _deliver(self, late, client):
        while True:
            when, data = late.get()
            time.sleep(max(0, when - time.monotonic()))
            try:
                client.sendall(data)
            except OSError:
                return
            if not data:
                return

    def _end(self, *ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        """Closes all connections: who has one needs another."""
        with self._lock:
            self._end(*self._open)
            self._open.clear()

    def close(self):
        # Else the thread would go on waiting in accept.
        self._end(self._listener)
        self._listener.close()
        self.cut()
        self._folder.cleanup()
