"""Those who type and watch while something happens to the Redis, and look closely at each answer."""

import itertools
import json
import threading
import time

from client import HANG, STATUS, create, problem, request
from redis_support import LIMIT, at

# What a node needs for `check_times`.
LOGGING = {"PINPAD_LOG_REQUESTS": "true"}


def check_times(node):
    """Asserts that no answer took long, by the node's own log, which this machine's other work changes least.

    Ends the node, so that its log is whole.
    """
    node.stop()
    lines = [json.loads(line) for line in node.stderr.splitlines()]
    answers = [line for line in lines if "microseconds" in line and "{id}/events" not in line["route"]]
    assert len(answers) > 50, "it has no log of its requests"
    for answer in answers:
        assert answer["microseconds"] < LIMIT * 1_000_000, answer


class Typist:
    """Types one code into one session again and again, on all nodes in turn: each time the owner looks at it, and
    rejects it.

    A key press that is answered 503 is sent again with its key. Since it is always the same code, a count tells which
    text has to be in, also when an edit that was acknowledged has got lost.
    """

    def __init__(self, nodes, code, index):
        self.session = create(nodes[index % len(nodes)], length=len(code), timeouts={"total": 3600})
        # How often the whole code was seen, how many answers were 503, and the conflicts that nobody here has caused.
        self.codes = self.unavailable = 0
        self.surprises = []
        self._nodes, self._code = nodes, code
        self._serial = itertools.count(index)
        self._is_over = threading.Event()
        self._error = None
        self._thread = threading.Thread(target=self._guarded, daemon=True)
        self._thread.start()

    def stop(self):
        """Lets it type its code to the end."""
        self._is_over.set()
        self._thread.join(3 * HANG)
        assert not self._thread.is_alive(), "it hangs"
        self.check()

    def check(self):
        if self._error:
            raise self._error

    def wait_for_codes(self, count):
        """Waits until it has typed so many more codes."""
        wanted, give_up = self.codes + count, time.monotonic() + 3 * HANG
        while self.codes < wanted:
            self.check()
            assert time.monotonic() < give_up, f"nothing is typed any more after {self.codes} codes"
            self._thread.join(0.01)

    def _guarded(self):
        try:
            self._type()
        except BaseException as error:
            self._error = error

    def _type(self):
        count, is_held = 0, False
        while count > 0 or not self._is_over.is_set():
            if is_held:
                answer = self._insist("reject", {}, self.session.owner)
            elif count == len(self._code):
                answer = self._insist("redeem", {"hold": True}, self.session.owner)
            else:
                answer = self._insist("insert", {"text": self._code[count], "at": count}, self.session.entry)
            if answer.status == 409:
                self.surprises.append(answer.json["type"])
                count, is_held = answer.json["state"]["count"], answer.json["state"]["held"]
                continue
            assert answer.status == 200, answer
            if is_held:
                assert answer.json["count"] == 0, answer
                count, is_held = 0, False
            elif count == len(self._code):
                assert answer.json["text"] == self._code, "a wrong PIN"
                self.codes += 1
                is_held = True
            else:
                count += 1
                assert answer.json["count"] == count, answer

    def _insist(self, action, body, token):
        """Sends one request, always with the same key, until it is answered."""
        key = f"press-{next(self._serial)}"
        give_up = time.monotonic() + 2 * HANG
        while time.monotonic() < give_up:
            node = self._nodes[next(self._serial) % len(self._nodes)]
            answer = request(
                node, "POST", f"{self.session.path}/{action}", body, token, {"Idempotency-Key": key})
            if answer.status != STATUS["unavailable"]:
                return answer
            problem(answer, "unavailable")
            assert int(answer.header("Retry-After")) >= 1
            self.unavailable += 1
            time.sleep(0.02)
        raise AssertionError(f"it does not recover: {answer}")


class Watcher:
    """Watches a session at one node to its end, and goes on by the last id each time that it is cut off."""

    def __init__(self, session, node):
        self.seen = self.gaps = 0
        self._watched = at(session, node)
        self._error = None
        self._thread = threading.Thread(target=self._guarded, daemon=True)
        self._thread.start()

    def wait(self):
        """Waits for the `close`."""
        self._thread.join(3 * HANG)
        assert not self._thread.is_alive(), "it waits for the end"
        if self._error:
            raise self._error

    def _guarded(self):
        try:
            last = 0
            while last is not None:
                last = self._read(last)
        except BaseException as error:
            self._error = error

    def _read(self, last):
        """Reads one stream; gives the last id, or nothing after the `close`."""
        with self._watched.events(last=last) as stream:
            assert stream.status == 200, stream.status
            try:
                while (event := stream.next()) is not None:
                    # Else it keeps all that has come.
                    stream.raw = b""
                    self.seen += 1
                    if event.event == "state":
                        assert event.data["reason"] == "gap", event
                        self.gaps += 1
                    else:
                        assert int(event.id) == last + 1, (last, event)
                    last = int(event.id)
                    if event.event == "close":
                        return None
            except ConnectionResetError:
                pass
        time.sleep(0.02)
        return last
