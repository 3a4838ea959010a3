"""Two nodes behind a real nginx that is configured as the README says, with Config/nginx.conf."""

import pathlib
import socket
import subprocess
import tempfile
import time

import pytest

from client import HANG, at_once, connect, create, names, receive, request
from redis_support import at

ROOT = pathlib.Path(__file__).resolve().parents[2]
NGINX = ROOT / ".venv" / "bin" / "nginx"


class Nginx:
    """An nginx on a free port; everything else is as Config/nginx.conf has it, but for the ports of the nodes."""

    def __init__(self, nodes):
        assert NGINX.exists(), f"there is no {NGINX}: Config/setup test gets it"
        self._folder = tempfile.TemporaryDirectory(prefix="pinpad-nginx-")
        self.folder = pathlib.Path(self._folder.name)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.host = "127.0.0.1"
        self.nodes = nodes
        text = (ROOT / "Config" / "nginx.conf").read_text()
        for written, port in ((8080, self.port), (8081, nodes[0].port), (8082, nodes[1].port)):
            assert text.count(f" 127.0.0.1:{written}") == 1
            text = text.replace(f" 127.0.0.1:{written}", f" 127.0.0.1:{port}")
        # Which node has answered, for the tests.
        text = text.replace("location / {", "location / { add_header Node $upstream_addr always;")
        (self.folder / "pinpad.conf").write_text(text)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        (self.folder / "nginx.conf").write_text("\n".join([
            "daemon off; master_process off; pid pid; error_log errors warn;", "events { worker_connections 256; }",
            "http {", "access_log off;", *(f"{kind}_temp_path {kind};" for kind in kinds),
            "include pinpad.conf;", "}", ""]))
        self.process = subprocess.Popen(
            [NGINX, "-p", self.folder, "-c", "nginx.conf", "-e", "errors"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        give_up = time.monotonic() + HANG
        while True:
            try:
                connect(self).close()
                return
            except ConnectionRefusedError:
                assert self.process.poll() is None, (self.folder / "errors").read_text()
                assert time.monotonic() < give_up, "nginx does not start"
                time.sleep(0.01)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("nginx hangs after SIGTERM") from None
        finally:
            self._folder.cleanup()


@pytest.fixture
def nginx(start_pinpad, own_redis):
    settings = {**own_redis.environment, "PINPAD_PROXIES": "127.0.0.1"}
    server = Nginx([start_pinpad(env=settings) for _ in range(2)])
    yield server
    server.stop()


def test_each_event_comes_through_nginx_before_the_next_key_is_pressed(nginx):
    session = create(nginx, length=6)
    with session.events(last=0) as stream:
        for place, digit in enumerate("534418"):
            answer = session.insert(digit, at=place)
            assert (answer.status, answer.json["count"]) == (200, place + 1)
            # What nginx kept back would never come: nothing more is typed until it is here.
            expected = ["begin", "change"] if place == 0 else ["change", "complete"] if place == 5 else ["change"]
            events = stream.take(len(expected))
            assert names(events) == expected
            assert events[-1].data["count"] == place + 1
        assert session.redeem().json == {"text": "534418", "completion": 1}
        assert names(stream.rest()) == ["end", "close"]


def test_the_head_of_a_stream_without_an_event_comes_at_once(nginx):
    session = create(nginx)
    with session.events(last=0) as stream:
        assert stream.status == 200
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.line().startswith("retry: ")


def test_both_nodes_answer_and_a_stream_resumes_on_the_other_one(nginx):
    session = create(nginx)
    asked = {session.get().header("Node") for _ in range(8)}
    assert asked == {f"127.0.0.1:{node.port}" for node in nginx.nodes}
    first = session.events(last=0)
    session.insert("12")
    assert names(first.take(2)) == ["begin", "change"]
    watched = next(node for node in nginx.nodes if first.headers["Node"] == f"127.0.0.1:{node.port}")
    watched.stop()
    # Told to come back, and cut off.
    assert first.rest() == []
    first.close()
    session.insert("3")
    session.delete_backward()
    with session.events(last=2) as second:
        # Behind the comma is the one that answered, where one was tried in vain.
        assert second.headers["Node"].endswith(f":{next(n for n in nginx.nodes if n is not watched).port}")
        assert [(event.id, event.event) for event in second.take(3)] == [
            ("3", "change"), ("4", "change"), ("5", "delete")]
        session.insert("4")
        assert second.next().id == "6"


def test_a_killed_node_is_not_noticed_by_those_who_type(nginx):
    session = create(nginx, length=32)
    victim = nginx.nodes[0]
    for place in range(16):
        if place == 4:
            victim.expect(-9)
            victim.process.kill()
            victim.process.wait(HANG)
        answer = session.insert(str(place % 10), at=place)
        assert (answer.status, answer.json["count"]) == (200, place + 1), answer
    assert at(session, nginx.nodes[1]).state()["revision"] == 16


def test_a_redeem_waits_through_nginx(nginx):
    session = create(nginx, length=4)
    waiting = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    session.insert("1234")
    assert waiting.answer().json == {"text": "1234", "completion": 1}


def test_the_clients_address_is_what_nginx_says_it_is(nginx):
    # A creation's key belongs to the client's address.
    def created(source, **headers):
        answer = request(
            nginx, "POST", "/v1/sessions", {}, None, {"Idempotency-Key": "k", **headers}, source=source)
        assert answer.status == 201, answer
        return answer.json["id"]

    one, two = created("127.0.0.8"), created("127.0.0.9")
    assert one != two
    for _ in range(4):
        assert created("127.0.0.8") == one
        assert created("127.0.0.9") == two
    # Whatever a client makes up.
    assert created("127.0.0.9", **{"X-Forwarded-For": "127.0.0.8"}) == two


def test_a_page_of_its_own_origin_may_create_and_one_from_elsewhere_may_not(nginx):
    own = f"http://127.0.0.1:{nginx.port}"
    assert request(nginx, "POST", "/v1/sessions", {}, None, {"Origin": own}).status == 201
    assert request(nginx, "POST", "/v1/sessions", {}, None, {"Origin": "http://example.org"}).status == 403


def test_who_types_at_once_through_nginx_types_in_one_order(nginx):
    session = create(nginx, length=8)
    at_once(8, lambda place: [
        None for _ in iter(lambda: session.insert(str(place), at=place).status, 200)])
    assert session.redeem().json["text"] == "01234567"
