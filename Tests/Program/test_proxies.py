"""Whose word for the client's address is believed, and who may read the metrics.

The client's address shows in what an Idempotency-Key of a creation belongs to: without API keys, to the address.
"""

import socket
import subprocess

import pytest

from client import connect, create, problem, receive, request, request_bytes
from servers import environment

KEY = "0123456789abcdef0123456789abcdef"


def created(pinpad, *forwarded, key="k", source=None):
    """The id of the session that a creation with these X-Forwarded-For fields makes, or made."""
    lines = "".join(f"X-Forwarded-For: {field}\r\n" for field in forwarded)
    with connect(pinpad, source) as connection:
        connection.sendall((
            f"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: {key}\r\n{lines}"
            "Content-Length: 0\r\nConnection: close\r\n\r\n").encode())
        answer = receive(connection)
    assert answer.status == 201, answer
    return answer.json["id"]


def test_without_proxies_nobodys_word_is_believed(pinpad):
    assert created(pinpad, "192.0.2.1") == created(pinpad, "192.0.2.2") == created(pinpad)


def test_a_listed_proxy_says_who_the_client_is(start_pinpad):
    pinpad = start_pinpad(config={"proxies": ["127.0.0.1"]})
    one, two = created(pinpad, "192.0.2.1"), created(pinpad, "192.0.2.2")
    assert one != two
    assert created(pinpad, "192.0.2.1") == one
    assert created(pinpad, "192.0.2.1:4711") == created(pinpad, " 192.0.2.1 ") == one
    assert created(pinpad, "::ffff:192.0.2.1") == created(pinpad, "[::ffff:192.0.2.1]:80") == one
    assert created(pinpad, "2001:db8::1") == created(pinpad, "[2001:db8:0::1]:443")
    # 127.0.0.2 is not listed.
    assert created(pinpad, "192.0.2.1", source="127.0.0.2") == created(pinpad, "192.0.2.2", source="127.0.0.2")


def test_the_last_address_that_is_no_proxys_is_the_clients(start_pinpad):
    pinpad = start_pinpad(config={"proxies": ["127.0.0.0/8", "10.0.0.0/8"]})
    one = created(pinpad, "192.0.2.1")
    assert created(pinpad, "198.51.100.7, 192.0.2.1") == one, "what the client made up comes first"
    assert created(pinpad, "192.0.2.1, 10.1.2.3, 10.9.9.9") == one
    assert created(pinpad, "198.51.100.7", "192.0.2.1", "10.1.2.3") == one, "several fields are one list"
    assert created(pinpad, "198.51.100.7", "192.0.2.1,10.1.2.3") == one
    assert created(pinpad, *[f"198.51.100.{number}" for number in range(40)], "192.0.2.1") == one
    assert created(pinpad, "10.0.0.9, 10.0.0.8") == created(pinpad, "10.0.0.9"), "if all are proxies, the first"


def test_what_cannot_be_read_ends_the_chain(start_pinpad):
    pinpad = start_pinpad(config={"proxies": ["127.0.0.1", "10.0.0.0/8"]})
    itself = created(pinpad)
    for nonsense in ("unknown", "", "192.0.2.1,", "192.0.2.1, x", "[::1", "1.2.3.4.5", "a" * 300):
        assert created(pinpad, nonsense) == itself
    assert created(pinpad, "192.0.2.1, unknown, 10.0.0.1") == created(pinpad, "10.0.0.1")


def test_a_proxy_may_connect_to_a_unix_socket(start_pinpad, tmp_path):
    def ask(config, forwarded):
        with start_and_connect(config) as connection:
            connection.sendall((
                "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\n"
                f"X-Forwarded-For: {forwarded}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").encode())
            return receive(connection).json["id"]

    servers = {}

    def start_and_connect(config):
        if str(config) not in servers:
            servers[str(config)] = start_pinpad("--listen", f"unix:{tmp_path}/{len(servers)}", config=config)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(servers[str(config)].path)
        return connection

    assert ask({}, "192.0.2.1") == ask({}, "192.0.2.2")
    listed = {"proxies": ["unix"]}
    assert ask(listed, "192.0.2.1") != ask(listed, "192.0.2.2")
    assert ask(listed, "192.0.2.1") == ask(listed, "192.0.2.1")


def metrics(pinpad, token=None, source=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return request(pinpad, "GET", "/metrics", token=token, headers=headers, source=source)


def test_the_metrics_are_for_this_machine(start_pinpad):
    pinpad = start_pinpad(config={"proxies": ["127.0.0.3"]})
    assert metrics(pinpad).status == 200
    assert metrics(pinpad, source="127.0.0.2").status == 200
    problem(metrics(pinpad, source="127.0.0.3", X_Forwarded_For="192.0.2.1"), "forbidden")
    # A client of a proxy on another machine may call itself whatever it likes there.
    problem(metrics(pinpad, source="127.0.0.3", X_Forwarded_For="127.0.0.1"), "forbidden")
    # A proxy on this machine that nobody listed.
    problem(metrics(pinpad, X_Forwarded_For="192.0.2.1"), "forbidden")
    problem(metrics(pinpad, Forwarded="for=192.0.2.1"), "forbidden")
    problem(metrics(pinpad, Via="1.1 proxy.example"), "forbidden")
    problem(metrics(pinpad, X_Real_IP="192.0.2.1"), "forbidden")


def test_the_metrics_can_be_for_anyone(start_pinpad):
    pinpad = start_pinpad(config={"metrics": {"access": "anyone"}, "proxies": ["127.0.0.1"]})
    assert metrics(pinpad, X_Forwarded_For="192.0.2.1").status == 200


def test_the_metrics_can_be_for_those_with_a_key(start_pinpad):
    pinpad = start_pinpad(config={"metrics": {"access": "key"}, "apiKeys": [KEY]})
    answer = metrics(pinpad)
    problem(answer, "unauthorized")
    assert answer.header("WWW-Authenticate") == "Bearer"
    problem(metrics(pinpad, token=KEY[::-1]), "unauthorized")
    assert metrics(pinpad, token=KEY).status == 200
    assert metrics(pinpad, token=KEY, X_Forwarded_For="192.0.2.1").status == 200


def test_streams_count_for_the_client_and_not_for_the_proxy(start_pinpad):
    pinpad = start_pinpad(config={"proxies": ["127.0.0.1"], "streams": {"perAddress": 2}, "metrics": {"access": "anyone"}})
    session = create(pinpad)

    def opened(address):
        connection = connect(pinpad)
        connection.sendall(request_bytes(
            pinpad, "GET", session.path + "/events", headers={"X-Forwarded-For": address}))
        return connection

    ours = [opened("192.0.2.1") for _ in range(2)]
    for connection in ours:
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    with opened("192.0.2.1") as third:
        answer = receive(third)
    problem(answer, "too-many")
    assert answer.header("Retry-After") == "5"
    others = [opened(address) for address in ("192.0.2.2", "2001:db8::1", "2001:db8::2")]
    for connection in others:
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    with opened("2001:db8::ffff:1:2:3") as third:
        problem(receive(third), "too-many")
    # What comes without a proxy from this machine is not limited.
    for stream in [session.events() for _ in range(5)]:
        stream.close()
    for connection in ours + others:
        connection.close()


@pytest.mark.parametrize("wrong", ["10.0.0.1/8", "proxy.example", "10.0.0.0/40", "*"])
def test_a_proxy_that_is_no_address_is_a_mistake(pinpad_binary, wrong):
    ended = subprocess.run(
        [str(pinpad_binary), "--check-config"], env=environment(PINPAD_PROXIES=wrong), capture_output=True, text=True)
    assert ended.returncode == 78 and f"PINPAD_PROXIES: {wrong}: " in ended.stderr
