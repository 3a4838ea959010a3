"""Clients that are slow on purpose: they are cut in time, and keep nobody else waiting. (How long others wait is not a
question for a test: `slow.py` measures it.)"""

import re
import socket
import subprocess

import pytest

from client import connect, create, read_all, request_bytes
from figures import figure, until_figure
from slow import ATTACKS, CONNECTIONS, Attack, normal_requests

QUICK = {"connections": {"requestSeconds": 2, "idleSeconds": 1}}


@pytest.mark.parametrize("attack", ATTACKS)
def test_slow_clients_are_cut_and_others_are_served(start_pinpad, attack):
    pinpad = start_pinpad(config=QUICK)
    session = create(pinpad)
    with Attack(attack, pinpad) as under:
        taken = normal_requests(pinpad, session, under.goes_on)
        assert figure(pinpad, "pinpad_connections_total") >= CONNECTIONS
        assert under.over_after is not None, "they are still there"
    assert len(taken) >= 40
    assert session.state()["count"] in (0, 1)


@pytest.mark.parametrize("sent", ["", "GET /livez HTT", "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nX", "\r\n", "all but the body"])
def test_a_client_that_ends_within_a_request_is_gone_in_time(start_pinpad, sent):
    pinpad = start_pinpad(config=QUICK)
    content = sent.encode()
    if sent == "all but the body":
        content = request_bytes(pinpad, "POST", "/v1/sessions", "{}")[:-1]
    with connect(pinpad) as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        # Although this side still listens.
        assert read_all(connection) == b""
        # Only the one that asks is left.
        until_figure(pinpad, 1, "pinpad_connections")


def test_a_connection_that_says_nothing_is_gone_in_time(start_pinpad):
    pinpad = start_pinpad(config=QUICK)
    with connect(pinpad) as connection:
        assert connection.recv(1) == b""


SLOWHTTPTEST = {
    "headers": ["-H", "-l", "60", "-u", "/"],
    "body": ["-B", "-l", "60", "-s", "16000", "-u", "/v1/sessions"],
    "reading": ["-X", "-w", "256", "-y", "512", "-n", "1", "-z", "32", "-l", "5", "-u", "/openapi.json"]}


@pytest.mark.parametrize("attack", SLOWHTTPTEST)
def test_slowhttptest_finds_the_service_available(start_pinpad, attack):
    pinpad = start_pinpad(config=QUICK)
    *options, path = SLOWHTTPTEST[attack]
    ran = subprocess.run(
        ["slowhttptest", "-c", str(CONNECTIONS), "-r", "500", "-i", "1", "-p", "20", *options,
         pinpad.url + path], capture_output=True, text=True, timeout=120)
    said = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout)
    assert set(re.findall(r"service available: *(\w+)", said)) == {"YES"}, said
    # A slow reader sees the end only when it has read what the system keeps for it.
    assert attack == "reading" or "No open connections left" in said, said
    until_figure(pinpad, 1, "pinpad_connections")
