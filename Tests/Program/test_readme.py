"""The README's commands, pasted."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from client import HANG
from redis import free_port
from servers import environment

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def blocks():
    """The indented blocks of the README."""
    return [
        "\n".join(line[4:] for line in block.splitlines())
        for block in re.findall(r"(?:^    .*\n)+", README.read_text(), re.MULTILINE)]


def block(*words):
    found = [text for text in blocks() if all(word in text for word in words)]
    assert len(found) == 1, f"{len(found)} blocks of the README have {words}"
    return found[0]


@pytest.fixture
def paste(start_pinpad, tmp_path):
    """Pastes text into a shell, as it is but for the port."""
    server = start_pinpad()

    def paste(text):
        text = text.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
        return subprocess.run(
            ["bash", "-c", text], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANG)

    return paste


def test_the_session_gives_what_the_readme_says(paste, tmp_path):
    ended = paste(block("curl -sN", "redeem"))
    assert ended.returncode == 0 and ended.stderr == ""
    assert '{"text":"123456","completion":2}' in ended.stdout
    assert re.findall(r"^event: (.*)$", ended.stdout, re.MULTILINE) == [
        "state", "begin", "change", "complete", "change", "delete", "change", "complete", "end", "close"]
    assert (tmp_path / "cells.svg").read_text().count("6 of 6 entered") == 1


def test_a_back_end_waits_judges_and_is_done(paste):
    ended = paste("\n".join([
        block("curl -sN", "redeem").splitlines()[0],
        block("curl -sN", "redeem").splitlines()[1],
        block('"wait":50'),
    ]))
    assert ended.returncode == 0 and ended.stderr == ""
    assert ended.stdout.startswith('{"text":"534418","completion":1}')
    assert '"status":"accepted"' in ended.stdout


def test_the_sealed_text_is_opened_by_who_has_the_key(start_pinpad, tmp_path):
    server = start_pinpad()
    program = block("SealedBox").replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=HANG)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "534418\n", "")


def test_two_nodes_share_a_redis(pinpad_binary, tmp_path):
    (tmp_path / "redis-server").symlink_to("/usr/bin/redis-check-rdb")
    ports = {port: str(free_port()) for port in ("6379", "8080", "8081")}
    text = block("redis-server", "--listen")
    for old, new in [*ports.items(), (".build/release/pinpad", str(pinpad_binary)), ("/var/tmp", str(tmp_path))]:
        text = text.replace(old, new)
    one, two = (f"http://127.0.0.1:{ports[port]}" for port in ("8080", "8081"))
    ended = subprocess.run(
        ["bash", "-c", text + f"""
            for node in {one} {two}; do curl -s --retry 100 --retry-delay 1 --retry-connrefused -o ready $node/readyz; done
            place=$(curl -s -D - -o created -X POST {one}/v1/sessions | tr -d '\\r' | sed -n 's/^Location: //p')
            curl -s -o seen -w '%{{http_code}}' {two}$place > status
            kill $A $B && wait $A $B && kill $R && wait $R"""],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3 * HANG,
        env=environment(PATH=f"{tmp_path}:{os.environ['PATH']}"))
    assert ended.returncode == 0, ended
    assert (tmp_path / "status").read_text() == "200", ended


def test_every_setting_is_in_the_table(pinpad_binary):
    printed = subprocess.run([str(pinpad_binary), "--help"], capture_output=True, text=True, check=True).stdout
    settings = re.findall(r"^  ([a-z]\w*(?:\.\w+)?)$", printed, re.MULTILINE)
    assert len(settings) > 10
    table = README.read_text()
    assert [setting for setting in settings if f"`{setting}`" not in table] == []
