"""What the program writes while it serves."""

import json
import re
import signal
import socket
import struct
import subprocess
import time

import pytest

from client import HANG, connect, create, raw, receive, request, request_bytes
from servers import environment

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def lines(server):
    """The log of a server that has ended."""
    server.stop()
    return [json.loads(line) for line in server.stderr.splitlines()]


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


def test_without_being_asked_it_tells_of_start_stop_and_redeems_only(start_pinpad):
    server = start_pinpad()
    session = create(server)
    session.insert("123456")
    session.redeem(headers={"traceparent": PARENT})
    log = lines(server)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line.pop("time")) for line in log)
    first, *others, last = [line for line in log if line["level"] != "warning"]
    assert first["level"] == "info" and f":{server.port}" in first["message"]
    assert last == {"level": "info", "message": "pinpad stops"}
    [audit] = others
    assert re.fullmatch("[0-9a-f]{32}", audit.pop("session"))
    assert audit == {"level": "audit", "request": TRACE, "event": "redeem", "hold": False, "completion": 1}


@pytest.mark.parametrize("level,kept", [("error", 0), ("warning", 0), ("info", 2)])
def test_the_level_leaves_out_what_matters_less(start_pinpad, level, kept):
    server = start_pinpad(config={"log": {"level": level}})
    session = create(server)
    session.insert("123456")
    session.redeem()
    levels = [line["level"] for line in lines(server)]
    assert levels.count("audit") == 1
    assert levels.count("info") == kept


def test_each_handing_over_of_digits_is_in_it_and_nothing_else_is(start_pinpad):
    server = start_pinpad()
    first, second = create(server), create(server)
    wait = first.waiting(
        "POST", "/redeem", {"hold": True, "wait": 50}, first.owner, headers={"traceparent": PARENT})
    assert second.redeem().status == 409
    assert second.redeem(token=second.entry).status == 403
    first.insert("123456")
    assert wait.answer().status == 200
    first.hold()
    first.reject()
    first.set("654321")
    first.redeem()
    second.set("000000")
    second.redeem()
    audits = [line for line in lines(server) if line["level"] == "audit"]
    assert [(audit["hold"], audit["completion"]) for audit in audits] == [
        (True, 1), (True, 1), (False, 2), (False, 1)]
    hashes = [audit["session"] for audit in audits]
    assert len(set(hashes[:3])) == 1 and hashes[3] != hashes[0]
    assert [audit.get("request") for audit in audits] == [TRACE, None, None, None]


def test_requests_are_in_it_when_asked_for_by_pattern_and_without_what_they_say(start_pinpad):
    server = start_pinpad(config={"log": {"requests": True, "level": "error"}})
    session = create(server, length=32)
    canary = "73519264807351926480735192648073"
    session.insert(canary, headers={"traceparent": PARENT})
    session.insert("x\u001b[31m", headers={"traceparent": PARENT.upper()})
    request(server, "GET", f"/v1/sessions/{session.id}/{session.owner}?key={session.entry}")
    request(server, "BREW", f"/v1/sessions/{session.id}")
    stream = session.events()
    stream.next()
    stream.close()
    session.redeem()
    log = [line for line in lines(server) if line["level"] != "audit"]
    assert [(line["method"], line["route"], line["status"]) for line in log] == [
        ("POST", "/v1/sessions", 201),
        ("POST", "/v1/sessions/{id}/insert", 200),
        ("POST", "/v1/sessions/{id}/insert", 422),
        ("other", "none", 404),
        ("other", "/v1/sessions/{id}", 405),
        ("GET", "/v1/sessions/{id}/events", 200),
        ("POST", "/v1/sessions/{id}/redeem", 200),
    ]
    assert [line.get("request") for line in log] == [None, TRACE, None, None, None, None, None]
    assert all(isinstance(line["microseconds"], int) for line in log)
    for secret in (session.id, session.owner, session.entry, canary, "\u001b", "[31m"):
        assert secret not in server.stderr


def test_requests_that_break_http_fill_no_log(start_pinpad):
    server = start_pinpad(config={"workers": 1})
    sent, began = 0, time.monotonic()

    def left_out():
        return [int(count) for count in re.findall(r"\((\d+) lines before it were left out\)", server.stderr)]

    # Until a second is over and the next line tells of it.
    while sent < 200 or not left_out():
        assert raw(server, b"GET / HTTP/7.0\r\n\r\n").startswith(b"HTTP/1.1 505 ")
        sent += 1
    seconds = time.monotonic() - began
    told = [line for line in lines(server) if line["level"] == "warning"]
    assert all("505" in line["message"] for line in told)
    assert len(told) <= 5 * (seconds + 1)
    # What was left out since the last line is in no line.
    assert max(left_out()) > 0 and len(told) + sum(left_out()) <= sent


def test_a_reader_of_the_log_that_stops_holds_up_no_request(pinpad_binary, tmp_path):
    class Server:
        host = "127.0.0.1"

    reader = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=open(tmp_path / "log", "wb"))
    process = subprocess.Popen(
        [str(pinpad_binary), "--listen", "127.0.0.1:0"], env=environment(PINPAD_LOG_REQUESTS="true"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=reader.stdin, text=True)
    reader.stdin.close()
    try:
        Server.port = int(process.stdout.readline().rsplit(":", 1)[1])
        reader.send_signal(signal.SIGSTOP)
        session = create(Server)
        with connect(Server) as connection:
            def ask(*arguments):
                connection.sendall(request_bytes(Server, *arguments))
                return receive(connection)

            def dropped():
                return int(re.search(r"(?m)^pinpad_log_dropped_lines_total (\d+)$", ask("GET", "/metrics").text)[1])

            # More than the pipe and the log's own memory hold; an answer that waited for the log would never come.
            while dropped() == 0:
                for _ in range(500):
                    assert ask("POST", session.path + "/delete-backward", "", session.entry).status == 200
            lost = dropped()
            reader.send_signal(signal.SIGCONT)
            while "dropped" not in (tmp_path / "log").read_text():
                assert ask("GET", "/livez").status == 200
        process.terminate()
        assert process.wait(HANG) == 0
        assert reader.wait(HANG) == 0
    finally:
        for child in (process, reader):
            child.kill()
            child.wait()
    log = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert sum(line.get("dropped", 0) for line in log) >= lost


def test_with_a_reader_that_never_reads_again_it_ends_all_the_same(pinpad_binary):
    process = subprocess.Popen(
        [str(pinpad_binary), "--listen", "127.0.0.1:0"], env=environment(PINPAD_LOG_REQUESTS="true"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=HANG) as connection:
            for _ in range(1000):
                connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert receive(connection).status == 200
        process.terminate()
        assert process.wait(HANG) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_without_anybody_to_read_it_goes_on(pinpad_binary):
    process = subprocess.Popen(
        [str(pinpad_binary), "--listen", "127.0.0.1:0"], env=environment(PINPAD_LOG_REQUESTS="true"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stderr.close()
    try:
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=HANG) as connection:
            lost = 0
            while lost == 0:
                connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = receive(connection)
                assert answer.status == 200
                lost = int(re.search(r"(?m)^pinpad_log_dropped_lines_total (\d+)$", answer.text)[1])
        process.terminate()
        assert process.wait(HANG) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
