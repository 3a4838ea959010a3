"""All that clients and operators do, seen by valgrind's memcheck: nothing is read that was not written, nothing used
after it was freed, nothing forgotten."""

import json
import re
import signal
import subprocess
import threading
import uuid

import pytest

from client import EventStream, connect, create, raw, request, request_bytes
from servers import running

ORIGIN = "https://shop.example"


@pytest.fixture(scope="module")
def watched_binary(pinpad_binary, tmp_path_factory):
    """The program under valgrind, as a program of its own. It ends with 99 if valgrind found anything."""
    folder = tmp_path_factory.mktemp("valgrind")
    # Valgrind can't read the debug information that Swift writes; the names of the functions stay.
    subprocess.run(["strip", "--strip-debug", "-o", folder / "pinpad", pinpad_binary], check=True)
    script = folder / "watched"
    # The program's own malloc family gives way to valgrind's.
    script.write_text(
        "#!/bin/sh\nexec valgrind --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "
        f"--show-leak-kinds=definite --num-callers=40 --soname-synonyms=somalloc=NONE {folder}/pinpad \"$@\"\n")
    script.chmod(0o755)
    return script


def type_and_judge(server):
    """A session from its creation to its verdict, with displays of all kinds."""
    session = create(
        server, headers={"Idempotency-Key": uuid.uuid4().hex}, length=8, label="Your \"code\" \u2013 here", style={
            "name": "grid", "dotColor": "#123456"}, metadata={"order": "4711", "name": "J\u00f6rg"},
        maxAttempts=3, timeouts={"total": 600, "firstInput": 500, "interDigit": 500})
    other = create(server, style="code", reveal=True)
    stream, both = session.events(), EventStream(server, f"/v1/events?sessions={session.id},{other.id}")
    poll = session.waiting("GET", "/events?after=0&wait=50", headers={"Accept": "application/json"})
    wait = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    session.begin()
    assert poll.answer().status == 200
    for at, digit in enumerate("1234567"):
        session.insert(digit, at, headers={"Idempotency-Key": f"press-{at}"})
        session.insert(digit, at, headers={"Idempotency-Key": f"press-{at}"})
        other.insert(digit)
    session.delete_backward()
    session.insert("78 9", headers={"If-Match": '"1"'})
    assert session.picture("?dotColor=red").status == session.picture().status == 200
    assert other.picture(token=other.entry).status == 200
    session.insert("78")
    assert wait.answer().json == {"text": "12345678", "completion": 1}
    assert session.insert("1").status == 409
    session.reject("That was \"wrong\".")
    assert session.patch({"length": 6, "label": "Again", "style": {"name": "boxes"}}).status == 200
    session.set("123456")
    assert session.hold().status == 200
    assert session.get(session.owner, headers={"If-None-Match": '"1"'}).status == 200
    assert session.accept().status == 200
    assert stream.rest()[-1].event == "close"
    other.clear()
    other.set("271828")
    assert other.redeem().json["text"] == "271828"
    assert both.rest()
    assert len(session.log()) > 10 and session.events(last=3).rest()


def seal_cancel_and_expire(server):
    sealed = create(server, sealTo="CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    sealed.insert("314159")
    assert set(sealed.redeem().json) == {"sealed", "completion"}
    cancelled = create(server)
    stream = cancelled.events()
    wait = cancelled.waiting("POST", "/redeem", {"hold": True, "wait": 50}, cancelled.owner)
    cancelled.insert("12")
    assert cancelled.cancel().status == 204
    assert stream.rest()[-1].event == "close" and wait.answer().status == 410
    expired = create(server, timeouts={"total": 1})
    assert expired.events().rest()[-1].event == "close"
    left = create(server).events()
    left.next()
    left.close()


def ask_for_the_rest(server):
    for path in ("/livez", "/readyz", "/metrics", "/openapi.json", "/", "/pin-entry.js", "/problems/full",
                 "/v1/cells.svg?style=boxes&length=6&count=3", "/nowhere"):
        for method in ("GET", "HEAD", "BREW"):
            assert request(server, method, path, headers={"Accept-Encoding": "gzip"}).status in (200, 404, 405)
    for method in ("OPTIONS", "GET"):
        request(server, method, "/v1/sessions", headers={
            "Origin": ORIGIN, "Access-Control-Request-Method": "POST", "X-Forwarded-For": "192.0.2.1, 2001:db8::7",
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})


def break_rules(server):
    session = create(server)
    head = f"POST {session.path}/insert HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {session.entry}\r\n"
    for content in (
            b"GARBAGE\r\n\r\n", b"GET / HTTP/7.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
            b"GET /" + 9000 * b"a" + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + 9000 * b"a" + b"\r\n\r\n",
            b"GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /\x00a HTTP/1.1\r\nHost: a\r\n\r\n",
            f"{head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n".encode(),
            f"{head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode(),
            f"{head}Content-Length: x\r\n\r\n".encode(),
            f"{head}Connection: close\r\nContent-Length: 20000\r\n\r\n".encode() + 20000 * b"1"):
        raw(server, content)
    for body in ("", "{", "[]", '{"text":1}', '{"text":"12","at":1e400}', '{"text":"\\ud800"}', '{"text":"\u4e01"}',
                 '{"text":"1","text":"2"}', "[" * 5000, '{"x":123456789012345678901234567890}', b"\xff", '{"at":-1}'):
        assert session.request("POST", "/insert", body, session.entry).status in (400, 422)
    for token in ("", "pinent_", session.entry[:-1], "pinent_" + 43 * "A", 5000 * "x"):
        assert session.insert("1", token=token or " ").status in (400, 401)
    for members in ({"length": 0}, {"style": "none"}, {"style": {"name": "boxes", "dotColor": "x"}}, {"sealTo": "A"},
                    {"metadata": {"a": 5000 * "b"}}, {"alphabet": []}, {"timeouts": {"total": -1}}, {"x": 1}):
        assert request(server, "POST", "/v1/sessions", members).status == 422
    for query in ("sessions=", "sessions=x", f"sessions={session.id},{session.id}", "%zz", "sessions=%00"):
        assert request(server, "GET", f"/v1/events?{query}").status >= 400
    for last in ("x", "-1", "99999999999999999999", "7"):
        session.events(last=last).close()
    # In the middle of its body a client has gone.
    content = request_bytes(server, "POST", session.path + "/insert", {"text": "123456"}, session.entry)
    with connect(server) as connection:
        connection.sendall(content[:-4])


def read_again(server, config, mistaken):
    """Has the configuration read again, and waits until the log has told of it."""
    said = server.stderr
    (server.folder / "pinpad.json").write_text(json.dumps(config))
    server.process.send_signal(signal.SIGHUP)
    words = "the configuration has mistakes" if mistaken else "the configuration was read again"
    while server.stderr.count(words) == said.count(words):
        assert request(server, "GET", "/livez").status == 200


def tell(server, config):
    type_and_judge(server)
    seal_cancel_and_expire(server)
    ask_for_the_rest(server)
    break_rules(server)
    read_again(server, {**config, "watch": {"grid": 200}, "log": {"requests": False}}, False)
    read_again(server, {"watch": {"grid": "x"}, "none": 1}, True)
    type_and_judge(server)


def stop_with_all_open(server):
    """Ends the server while streams and waits are open."""
    session = create(server)
    open_ones = [session.events() for _ in range(5)]
    wait = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    idle = connect(server)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    assert all(stream.rest() is not None for stream in open_ones)
    assert wait.answer().status == 503
    stopping.join()
    idle.close()
    # What valgrind found is in the exit status, which `stop` looks at.
    server.stop()
    allocated = re.search(r"total heap usage: ([0-9,]+) allocs", server.stderr)[1]
    assert int(allocated.replace(",", "")) > 2000, "valgrind does not see what is allocated"
    assert "definitely lost: 0 bytes" in server.stderr
    assert "ERROR SUMMARY: 0 errors" in server.stderr


@pytest.mark.parametrize("store", ["memory", "redis"])
def test_nothing_is_read_before_it_is_written_nor_forgotten(watched_binary, request, store):
    env = request.getfixturevalue("redis").environment if store == "redis" else {}
    config = {"log": {"requests": True}, "cors": {"allowedOrigins": [ORIGIN]}, "proxies": ["127.0.0.0/8"]}
    with running(watched_binary, env=env, config=config) as server:
        tell(server, config)
        stop_with_all_open(server)
