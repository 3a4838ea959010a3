"""SIGHUP: the configuration, the keys and the styles are read again while the service runs."""

import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest

from client import HANG, create, pointers, problem, request
from servers import environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
OLD, NEW = "0123456789abcdef-old", "0123456789abcdef-new"
ORIGIN = "https://pages.example"


def log(server):
    """What the log says so far: whole lines."""
    return [json.loads(line) for line in server.stderr.split("\n")[:-1]]


def outcomes(server):
    return [line for line in log(server) if line.get("message") in (
        "the configuration was read again", "the configuration has mistakes: all stays as it was")]


def reload(server, **settings):
    """Writes the settings into the server's file, and waits until they have been read. Returns the log's last lines."""
    if settings:
        (server.folder / "pinpad.json").write_text(json.dumps(settings))
    # The log is written a moment later than things happen.
    wait(server, lambda: "listens on" in messages(log(server)))
    before, seen = len(outcomes(server)), len(log(server))
    server.process.send_signal(signal.SIGHUP)
    wait(server, lambda: len(outcomes(server)) > before)
    return log(server)[seen:]


def wait(server, is_so):
    limit = time.monotonic() + HANG
    while not is_so():
        assert time.monotonic() < limit, "it hangs"
        assert request(server, "GET", "/livez").status == 200


def levels(lines):
    return [line["level"] for line in lines]


def messages(lines):
    return " ".join(line.get("message", "") for line in lines)


def status(server, key=None):
    return request(server, "POST", "/v1/sessions", token=key).status


def test_keys_are_read_again(start_pinpad, tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(OLD)
    server = start_pinpad(config={"apiKeysFile": str(keys)})
    session = create(server, token=OLD)
    assert (status(server, OLD), status(server, NEW)) == (201, 401)
    keys.write_text(f"{OLD}\n{NEW}\n")
    assert levels(reload(server)) == ["info"]
    assert (status(server, OLD), status(server, NEW)) == (201, 201)
    keys.write_text(NEW)
    reload(server)
    assert (status(server, OLD), status(server, NEW)) == (401, 201)
    # What has been created stays.
    assert session.insert("1").status == 200
    assert OLD not in server.stderr and NEW not in server.stderr


def test_a_mistake_keeps_all_as_it_was_and_is_said(start_pinpad, tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(OLD)
    server = start_pinpad(config={"apiKeysFile": str(keys)})
    keys.write_text(NEW)
    said = reload(server, apiKeysFile=str(keys), log={"requests": True}, sesions={"maximum": 1}, workers=-1)
    assert set(levels(said)) == {"error"}
    assert "sesions" in messages(said) and "workers" in messages(said)
    assert (status(server, OLD), status(server, NEW)) == (201, 401)
    keys.unlink()
    assert str(keys) in messages(reload(server, apiKeysFile=str(keys)))
    (server.folder / "pinpad.json").unlink()
    assert "pinpad.json" in messages(reload(server))
    (tmp_path / "wrong.json").write_text('{"layout": "circle"}')
    keys.write_text(NEW)
    said = reload(server, apiKeysFile=str(keys), styles={"directory": str(tmp_path)})
    assert "wrong.json" in messages(said)
    assert (status(server, OLD), status(server, NEW)) == (201, 401)


def make_endless(path):
    path.symlink_to("/dev/zero")


def make_large(path):
    path.touch()
    os.truncate(path, 1 << 32)


@pytest.mark.parametrize("make", [make_endless, make_large, os.mkfifo])
def test_what_has_no_end_or_no_beginning_is_a_mistake_and_keeps_nobody(start_pinpad, pinpad_binary, tmp_path, make):
    keys, folder, strange = tmp_path / "keys", tmp_path / "styles", tmp_path / "strange.json"
    keys.write_text(OLD)
    folder.mkdir()
    make(strange)
    server = start_pinpad(config={"apiKeysFile": str(keys)})
    assert str(strange) in messages(reload(server, apiKeysFile=str(strange)))
    (folder / "strange.json").symlink_to(strange)
    assert "strange.json" in messages(reload(server, apiKeysFile=str(keys), styles={"directory": str(folder)}))
    (server.folder / "pinpad.json").unlink()
    (server.folder / "pinpad.json").symlink_to(strange)
    assert "pinpad.json" in messages(reload(server))
    assert (status(server, OLD), status(server)) == (201, 401)
    if make != os.mkfifo:
        # At the start a pipe is read.
        ended = subprocess.run(
            [pinpad_binary, "--check-config", "--config", strange], env=environment(), timeout=HANG, capture_output=True)
        assert ended.returncode == 78


@pytest.mark.parametrize("text", ["", "\n \n", f"# {OLD}\n"])
def test_a_file_of_keys_that_has_come_to_be_empty_opens_nothing(start_pinpad, tmp_path, text):
    keys = tmp_path / "keys"
    keys.write_text(OLD)
    server = start_pinpad(config={"apiKeysFile": str(keys)})
    keys.write_text(text)
    said = reload(server)
    assert levels(said) == ["error", "error"]
    assert f"apiKeysFile: {keys}: has no key" in messages(said)
    assert (status(server), status(server, OLD)) == (401, 201)


def test_keys_that_are_taken_away_are_said(start_pinpad):
    server = start_pinpad(config={"apiKeys": [OLD]})
    assert levels(reload(server)) == ["info"]
    said = reload(server, apiKeys=[])
    assert levels(said) == ["warning", "info"] and "no API keys any more" in messages(said)
    assert status(server) == 201
    assert levels(reload(server)) == ["info"]


def test_what_can_not_change_is_named_and_the_rest_changes(start_pinpad):
    server = start_pinpad()
    said = reload(
        server, workers=3, sessions={"maximum": 5}, memory={"lock": "required"}, cors={"allowedOrigins": [ORIGIN]})
    assert levels(said) == ["warning"] * 3 + ["info"]
    named = {line["message"].split(":")[0] for line in said[:3]}
    assert named == {"workers", "sessions.maximum", "memory.lock"}
    assert request(server, "GET", "/livez", headers={"Origin": ORIGIN}).header("Access-Control-Allow-Origin") == ORIGIN
    # Named again, as they still don't hold.
    assert levels(reload(server)) == ["warning"] * 3 + ["info"]
    assert levels(reload(server, log={"level": "info"})) == ["info"]
    assert request(server, "GET", "/livez", headers={"Origin": ORIGIN}).header("Access-Control-Allow-Origin") is None


def test_keys_can_not_be_taken_away_where_others_reach_it(start_pinpad):
    server = start_pinpad("--listen", "0.0.0.0:0", config={"apiKeys": [OLD]})
    assert "allowAnyoneToCreate" in messages(reload(server, apiKeys=[]))
    assert (status(server), status(server, OLD)) == (401, 201)
    # It was another place that they were not needed for.
    reload(server, allowAnyoneToCreate=True)
    assert request(server, "POST", "/v1/sessions", headers={"Host": "localhost"}).status == 201


def test_what_is_logged_changes(start_pinpad):
    server = start_pinpad()
    request(server, "GET", "/openapi.json")
    reload(server, log={"requests": True})
    request(server, "GET", "/pin-entry.js")
    server.stop()
    routes = [json.loads(line).get("route") for line in server.stderr.splitlines()]
    assert "/pin-entry.js" in routes and "/openapi.json" not in routes


@pytest.fixture
def styles(tmp_path):
    """A directory with one style, `mine`."""
    boxes = json.loads((ROOT / "Config" / "styles" / "boxes.json").read_text())
    boxes["options"]["dotColor"] = "#123456"
    folder = tmp_path / "styles"
    folder.mkdir()
    (folder / "mine.json").write_text(json.dumps(boxes))
    return folder


def test_styles_are_read_again(start_pinpad, styles):
    server = start_pinpad(config={"styles": {"directory": str(styles)}})
    old = create(server, style="mine")
    old.insert("1")
    boxes = json.loads((styles / "mine.json").read_text())
    boxes["options"]["dotColor"] = "#654321"
    (styles / "mine.json").write_text(json.dumps(boxes))
    (styles / "new.json").write_text(json.dumps(boxes))
    reload(server)
    assert create(server, style="new").created.json["config"]["style"]["dotColor"] == "#654321"
    assert create(server, style="mine").created.json["config"]["style"]["dotColor"] == "#654321"
    # A session keeps the options that it has got.
    assert old.state()["config"]["style"]["dotColor"] == "#123456"
    assert "#123456" in old.picture().text


@pytest.mark.parametrize("gone", ["taken away", "of another layout"])
def test_a_session_keeps_a_style_that_is_gone(start_pinpad, styles, gone):
    server = start_pinpad(config={"styles": {"directory": str(styles)}})
    session = create(server, style="mine", label="Mine")
    session.insert("123")
    before = session.picture().text
    assert "#123456" in before
    if gone == "taken away":
        (styles / "mine.json").unlink()
    else:
        (styles / "mine.json").write_text((ROOT / "Config" / "styles" / "strip.json").read_text())
    # Also after more than one.
    for _ in range(2):
        reload(server)
        assert session.picture().text == before
    answer = session.patch({"label": "Yours"})
    assert answer.status == 200
    assert answer.json["config"]["style"]["dotColor"] == "#123456"
    assert session.picture().text == before.replace("Mine", "Yours")
    assert session.patch({"style": {"name": "mine", "dotColor": "red"}}).json["config"]["style"]["dotColor"] == "red"
    created = request(server, "POST", "/v1/sessions", {"style": "mine"})
    drawn = request(server, "GET", "/v1/cells.svg?style=mine")
    if gone == "taken away":
        assert pointers(created) == ["#/style"]
        problem(drawn, "invalid")
    else:
        assert "edgeSpacing" not in created.json["config"]["style"]
        assert drawn.status == 200
    assert session.patch({"style": "boxes"}).json["config"]["style"]["name"] == "boxes"


def test_requests_meanwhile_see_the_old_or_the_new(start_pinpad, styles):
    settings = [
        {"styles": {"directory": str(styles)}, "cors": {"allowedOrigins": [ORIGIN]}, "apiKeys": [OLD]},
        {"apiKeys": [NEW]},
    ]
    server = start_pinpad(config=settings[0])
    session = create(server, token=OLD, style="mine")
    picture = session.picture().text
    done, errors = threading.Event(), []

    def ask():
        try:
            while not done.is_set():
                answers = [request(server, "POST", "/v1/sessions", {"style": "mine"}, key) for key in (OLD, NEW)]
                # The second key is one of a configuration without the style.
                assert answers[0].status in (201, 401) and answers[1].status in (422, 401)
                assert session.picture().text == picture
                answer = request(server, "GET", session.path, headers={"Origin": ORIGIN})
                assert answer.status == 200
                allowed, varies = answer.header("Access-Control-Allow-Origin"), answer.headers.get_all("Vary")
                assert (allowed, "Origin" in varies) in ((None, False), (ORIGIN, True))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for index in range(1, 21):
        reload(server, **settings[index % 2])
    done.set()
    for thread in threads:
        thread.join(HANG)
        assert not thread.is_alive(), "it hangs"
    assert errors == []
