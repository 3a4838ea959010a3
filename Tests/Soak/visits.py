"""What clients do, one visit after the other: each is one session's life, or a few requests around one."""

import base64
import re
import time

import nacl.public

from client import EventStream, connect, read_all, receive, request_bytes
from entry import Entry, reset
from watch import Poll, Watch, slow_stream


class Visit:
    """What a visit gets: a connection, its own random numbers, and what all share."""

    def __init__(self, line, random, key):
        self.line = line
        self.random = random
        self.key = key
        self.pinpad = line.pinpad

    def new(self, **members):
        members = {"length": self.random.choice((4, 6, 8)), "timeouts": {"total": 120}, **members}
        return Entry(self.line, self.random, self.key, **members)


# MARK: Lives of sessions


def redeemed(visit):
    entry = visit.new(style=visit.random.choice(("boxes", "strip", "underline", "rounded-dark")))
    watch = Watch(entry)
    while len(entry.text) < entry.length:
        entry.insert(entry.digits(1))
        watch.catch_up(entry.event_id)
        if visit.random.random() < 0.2:
            entry.delete()
            entry.redeem()
    entry.redeem()
    assert watch.to_the_end() == "redeemed"


def judged(visit):
    entry = visit.new()
    poll = Poll(entry)
    poll.begin()
    content = request_bytes(
        visit.pinpad, "POST", entry.path + "/redeem", {"hold": True, "wait": 50}, entry.owner, close=True)
    with connect(visit.pinpad) as waiting:
        waiting.sendall(content)
        entry.type_all()
        entry.redeemed(visit.line.checked(receive(waiting)))
    assert not poll.end()
    assert entry.reject("try again") == "open"
    entry.type_all()
    entry.redeem(hold=True)
    entry.redeem(hold=True)
    entry.closes("POST", "/accept", "accepted")
    poll.to_the_end()


def locked(visit):
    entry = visit.new(maxAttempts=2, length=4)
    watch = Watch(entry, entry.owner)
    for status in ("open", "locked"):
        entry.type_all()
        entry.redeem(hold=True)
        assert entry.reject("no") == status
    assert watch.to_the_end() == "locked"


def cancelled(visit):
    entry = visit.new()
    entry.insert("12")
    entry.closes("DELETE", "", "cancelled")
    entry.closes("DELETE", "", "cancelled")
    assert entry.ask("POST", "/redeem").status == 410


def expired(visit):
    entry = visit.new(timeouts={"total": 2, "firstInput": 1})
    watch = Watch(entry)
    # On a slow machine its time may be over before.
    assert entry.ask("POST", "/begin").status in (200, 410)
    assert watch.to_the_end() == "expired"


def forgotten(visit):
    entry = visit.new(timeouts={"total": visit.random.randint(10, 30), "interDigit": 1})
    entry.insert("1")


def changed(visit):
    entry = visit.new(length=8, metadata={"order": "17"})
    watch = Watch(entry)
    entry.insert("1")
    for style in ("grid", "code", "boxes"):
        answer = entry.ask("PATCH", "", {"style": {"name": style}, "label": style, "metadata": {"style": style}})
        assert answer.status == 200, answer
        entry.event_id = answer.json["eventId"]
        watch.catch_up(entry.event_id)
    entry.type_all()
    entry.redeem()
    assert watch.to_the_end() == "redeemed"


def sealed(visit):
    key = nacl.public.PrivateKey.generate()
    public = base64.urlsafe_b64encode(bytes(key.public_key)).decode().rstrip("=")
    entry = visit.new(sealTo=public, length=6)
    entry.insert(entry.digits(6))
    box = entry.ask("POST", "/redeem").json["sealed"]
    opened = nacl.public.SealedBox(key).decrypt(base64.urlsafe_b64decode(box + "=="))
    assert opened.decode() == entry.text, "another text was sealed than was acknowledged"
    visit.line.tally.add("redeemed")


def revealed(visit):
    entry = visit.new(style="code")
    entry.insert("12")
    assert entry.ask("GET").json["text"] == "12"
    assert visit.line.ask("GET", entry.path + "/cells.svg").status == 200
    entry.type_all()
    entry.redeem()


def created_twice(visit):
    headers = {"Idempotency-Key": f"creation-{visit.random.getrandbits(64):x}"}
    answers = [visit.line.ask("POST", "/v1/sessions", {}, visit.key, headers) for _ in range(2)]
    visit.line.tally.add("sessions")
    assert answers[0].json["id"] == answers[1].json["id"], answers


def several(visit):
    entries = [visit.new() for _ in range(4)]
    ids = ",".join(entry.id for entry in entries)
    with EventStream(visit.pinpad, f"/v1/events?sessions={ids}") as stream:
        visit.line.tally.add("streams")
        assert [event.event for event in stream.take(4)] == ["state"] * 4
        for entry in entries:
            entry.type_all()
            entry.redeem()
        told = [event.event for event in stream.rest()]
    for name, times in (("close", 4), ("complete", sum(entry.completion for entry in entries))):
        assert told.count(name) == times, (name, told)


# MARK: Clients with bad manners


def vanishes(visit):
    entry = visit.new()
    whole = request_bytes(visit.pinpad, "POST", entry.path + "/set", {"text": "1" * entry.length}, entry.entry)
    visit.line.vanish_after(whole[:visit.random.randrange(len(whole))])
    stream = request_bytes(visit.pinpad, "GET", entry.path + "/events")
    visit.line.vanish_after(stream)
    visit.line.vanish_after(request_bytes(visit.pinpad, "GET", entry.path + "/events?after=0&wait=50"))
    visit.line.vanish_after(
        request_bytes(visit.pinpad, "POST", entry.path + "/redeem", {"hold": True, "wait": 50}, entry.owner))
    # Nothing of it was typed.
    entry.type_all()
    entry.redeem()


def trickles(visit):
    entry = visit.new()
    whole = request_bytes(visit.pinpad, "POST", entry.path + "/insert", {"text": "1", "at": 0}, entry.entry)
    with connect(visit.pinpad) as connection:
        for start in range(0, len(whole), 24):
            connection.sendall(whole[start:start + 24])
            time.sleep(0.05)
        answer = visit.line.checked(receive(connection, "POST"))
        assert answer.status == 200, answer
    entry.text = "1"
    entry.type_all()
    entry.redeem()


def reads_slowly(visit):
    entry = visit.new(label="a label of some length, so that events have some bytes " * 3)
    with slow_stream(visit.pinpad, entry.path + "/events") as stream:
        for _ in range(40):
            entry.insert(entry.digits(1))
            entry.clear()
        entry.type_all()
        entry.redeem()
        told = read_all(stream)
    # To the end, or cut off where it was too slow; without a gap or a double in either case.
    ids = [int(number) for number in re.findall(rb"^id: (\d+)\n", told, re.MULTILINE)]
    assert ids == list(range(1, len(ids) + 1)), told


BAD = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"nonsense\r\n\r\n", b"\r\n" * 40,
    b"GET /" + b"x" * 40000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /livez HTTP/1.1\r\n" + b"A: b\r\n" * 4000 + b"\r\n",
)


def bad_bytes(visit):
    with connect(visit.pinpad) as connection:
        try:
            connection.sendall(visit.random.choice(BAD))
            connection.shutdown(1)
        except OSError:
            # It has refused the first of them, and closed.
            pass
        told = read_all(connection)
    visit.line.tally.add("requests")
    assert not told or told.startswith(b"HTTP/1.1 4"), told


def bad_requests(visit):
    entry = visit.new()
    wrong = entry.owner[:-1] + ("A" if entry.owner[-1] != "A" else "B")
    for method, path, body, token, statuses in (
        ("POST", entry.path + "/insert", "{", entry.entry, (400,)),
        ("POST", entry.path + "/insert", {"text": 7}, entry.entry, (422,)),
        ("POST", entry.path + "/insert", {"text": "²"}, entry.entry, (422,)),
        ("POST", entry.path + "/insert", {"text": "1", "at": 5}, entry.entry, (409,)),
        ("POST", entry.path + "/insert", {"text": "1"}, wrong, (401,)),
        ("POST", entry.path + "/redeem", {}, entry.entry, (403,)),
        ("PATCH", entry.path, {"length": 99}, entry.owner, (422,)),
        ("PUT", entry.path, {}, entry.owner, (405,)),
        ("GET", entry.path + "x", "", None, (404,)),
        ("GET", f"/v1/events?sessions={entry.id},{entry.id}", "", None, (422,)),
        ("POST", "/v1/sessions", {"length": 0}, visit.key, (422,)),
        ("POST", "/v1/sessions", {}, "not-the-key-that-creates", (401,)),
        ("POST", "/v1/sessions", "x" * 20000, visit.key, (413,)),
    ):
        answer = visit.line.ask(method, path, body, token)
        assert answer.status in statuses, (method, path, answer)
    entry.type_all()
    entry.redeem()


def looks(visit):
    entry = visit.new()
    entry.insert("12")
    for path, body in (
        ("/", b"<!"), ("/pin-entry.js", b""), ("/openapi.json", b"{"), ("/metrics", b"# "), ("/readyz", b"{"),
        ("/problems/full", b""), (entry.path, b"{"), (entry.path + "/cells.svg", b"<svg"),
        (entry.path + "/cells.svg?width=4000&height=4000", b"<svg"), ("/v1/cells.svg?style=grid&count=3", b"<svg"),
    ):
        answer = visit.line.ask("GET", path)
        assert answer.status == 200 and answer.body.startswith(body), (path, answer)
        tag = answer.header("ETag")
        if tag:
            assert visit.line.ask("GET", path, headers={"If-None-Match": tag}).status == 304, path
    entry.closes("DELETE", "", "cancelled")


def gives_up(visit):
    """A stream that is left open over a session which nobody ends, and reset."""
    entry = visit.new(timeouts={"total": 10})
    connection = connect(visit.pinpad)
    connection.sendall(request_bytes(visit.pinpad, "GET", entry.path + "/events"))
    assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    visit.line.tally.add("streams")
    entry.insert("1")
    reset(connection)


# Each, and how often it comes among the others.
VISITS = {
    redeemed: 12, judged: 6, locked: 3, cancelled: 2, expired: 2, forgotten: 3, changed: 2, sealed: 2, revealed: 2,
    created_twice: 1, several: 1, vanishes: 3, trickles: 1, reads_slowly: 1, bad_bytes: 4, bad_requests: 2, looks: 2,
    gives_up: 2}
