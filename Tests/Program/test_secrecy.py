"""What keeps the digits in the process: no core dumps, no looking in, locked memory; and, seen by strace, no write with
digits but the answer to a redeem."""

import contextlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess

import pytest

from client import HANG, create, digits, names, request
from servers import STORE, environment

NOBODY = 65534


@pytest.fixture(scope="module", autouse=True)
def as_root():
    assert os.geteuid() == 0, "root starts the program as another user, and traces it"


@pytest.fixture
def nobody(pinpad_binary, tmp_path_factory):
    """Runs the program as a user who may lock only so many bytes, until the block ends: gives (process, first line)."""
    folder = tmp_path_factory.mktemp("program")
    # The folders above are root's own.
    for place in (folder, *folder.parents):
        if place.owner() == "root" and place != pathlib.Path("/"):
            place.chmod(place.stat().st_mode | 0o055)
    binary = shutil.copy(pinpad_binary, folder)

    @contextlib.contextmanager
    def run(lock, limit):
        process = subprocess.Popen(
            [binary, "--listen", "127.0.0.1:0"], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, user=NOBODY, group=NOBODY, extra_groups=[],
            env=environment(PINPAD_MEMORY_LOCK=lock),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit)))
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=HANG)

    return run


def test_memory_that_must_be_locked_and_cannot_be_is_a_refusal(nobody):
    with nobody("required", 65536) as process:
        output, errors = process.communicate(timeout=HANG)
        assert process.returncode == 1 and output == ""
        assert "memory.lock" in errors and "limit of locked memory" in errors


def test_memory_that_should_be_locked_and_cannot_be_is_a_warning(nobody):
    with nobody("preferred", 65536) as process:
        assert process.stdout.readline().startswith("pinpad listening on ")
        process.terminate()
        _, errors = process.communicate(timeout=HANG)
        assert process.returncode == 0
        assert "limit of locked memory" in errors


def test_memory_with_digits_is_locked(nobody):
    with nobody("required", 8 << 20) as process:
        assert process.stdout.readline().startswith("pinpad listening on ")
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        assert int(re.search(r"VmLck:\s+(\d+) kB", status)[1]) >= 1024


def test_what_holds_digits_is_left_out_of_dumps_and_children(nobody):
    with nobody("required", 8 << 20) as process:
        process.stdout.readline()
        flags = re.findall(r"VmFlags: (.*)", pathlib.Path(f"/proc/{process.pid}/smaps").read_text())
        # dd: not dumped, wf: wiped on fork, lo: locked.
        assert [line for line in flags if {"dd", "wf", "lo"} <= set(line.split())]


def test_it_writes_no_core_dump_and_lets_nobody_look(nobody):
    with nobody("preferred", 8 << 20) as process:
        process.stdout.readline()
        limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text()
        assert re.search(r"^Max core file size +0 +0 ", limits, re.MULTILINE)
        # What may not be dumped belongs to root in /proc, whoever runs it.
        for name in ("mem", "maps", "environ"):
            assert os.stat(f"/proc/{process.pid}/{name}").st_uid == 0, name


def test_the_address_of_a_redis_is_wiped_from_the_environment(start_pinpad, redis):
    server = start_pinpad(env=redis.environment)
    create(server)
    environment = pathlib.Path(f"/proc/{server.process.pid}/environ").read_bytes()
    assert b"PINPAD_STORE=\0" in environment
    assert str(redis.socket).encode() not in environment


# strace


@contextlib.contextmanager
def traced(binary, folder):
    """The program under strace; gives the process of strace, which ends as the program does, and the file it writes."""
    trace = folder / "trace"
    process = subprocess.Popen(
        ["strace", "-f", "-s", "65536", "-o", trace, "--", str(binary), "--listen", "127.0.0.1:0"], cwd=folder,
        env=environment(**STORE), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line.startswith("pinpad listening on "), f"strace can't trace it: {process.communicate()[1]}"
    try:
        process.host, process.port = "127.0.0.1", int(line.rsplit(":", 1)[1])
        yield process, trace
    finally:
        # strace passes it on to nobody, so it goes to the program, its only child.
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGTERM)
        process.communicate(timeout=3 * HANG)


def calls_with(trace, text):
    """The calls whose data has this text, with those that strace shows in two lines put together."""
    unfinished, found = {}, []
    for line in trace.read_text(errors="replace").splitlines():
        thread, _, call = line.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):
            unfinished[thread] = call.removesuffix("<unfinished ...>")
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>", call)
        if resumed:
            call = unfinished.pop(thread, "") + call[resumed.end():]
        if text in call:
            found.append(call)
    return found


WRITING = {"write", "writev", "pwrite64", "pwritev", "pwritev2", "send", "sendto", "sendmsg", "sendmmsg", "sendfile"}


def test_digits_are_in_no_write_but_the_answer_to_redeem(pinpad_binary, tmp_path):
    seed = random.randrange(2**32)
    print("seed", seed)
    pin, other = digits(32, seed), digits(32, seed + 1)
    with traced(pinpad_binary, tmp_path) as (pinpad, trace):
        session = create(pinpad, length=32)
        with session.events(session.owner) as stream:
            session.insert(pin[:7])
            for at, digit in enumerate(pin[7:], 7):
                session.insert(digit, at=at, headers={"Idempotency-Key": f"k{at}"})
            session.insert(pin)
            session.set(pin + "x")
            session.set(pin, headers={"Idempotency-Key": "k"})
            session.set(pin, headers={"Idempotency-Key": "k"})
            request(pinpad, "POST", session.path + "/insert", f'{{"text":"{pin}"', session.entry)
            for token in (None, session.entry, session.owner):
                session.state(token)
                session.poll(0, token=token)
                session.picture(token=token)
            request(pinpad, "GET", "/metrics")
            assert session.redeem().json["text"] == pin
            assert names(stream.rest())[-1] == "close"
        held = create(pinpad, length=32)
        held.set(other)
        held.hold()
        held.reject(other[:4])
        held.cancel()
    assert pinpad.returncode == 0
    for text in (pin, other):
        calls = calls_with(trace, text)
        assert [call for call in calls if call.split("(")[0] in ("recvfrom", "recv", "read")], "strace shows no data"
        written = [call for call in calls if call.split("(")[0] not in ("recvfrom", "recv", "read")]
        assert len(written) == 1, written
        assert written[0].split("(")[0] in WRITING and f'{{\\"text\\":\\"{text}\\"' in written[0]
