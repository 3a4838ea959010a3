"""Servers for the tests that need one.

`pinpad` is a server on a free port, one for each file of tests; `start_pinpad` starts one with options, environment
or configuration of its own. Both assert that the server ends with status 0, so that a crash shows. The program is the
one that PINPAD_BINARY names, or else the release build. With PINPAD_TEST_SANITIZER it has a sanitizer (sanitizers.py).

With PINPAD_TEST_STORE=redis in the environment the servers keep their sessions in a Redis that the tests start.
"""

import contextlib
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The client is for every folder of tests.
sys.path.insert(0, str(ROOT / "Tests" / "Server"))
sys.path.insert(0, str(ROOT / "Tests"))

import sanitizers  # noqa: E402 (they are found only now)
from redis import Redis  # noqa: E402
from servers import STORE, find_binary, running  # noqa: E402

# How many tests are left out for each reason.
LEFT_OUT = pytest.StashKey()


def pytest_collection_modifyitems(config, items):
    """Leaves out what a program with a sanitizer can't do."""
    done, left_out = [], []
    reasons = config.stash[LEFT_OUT] = {}
    for item in items:
        reason = sanitizers.reason_against(f"{item.path.relative_to(ROOT).as_posix()}::{item.name}")
        (left_out if reason else done).append(item)
        if reason:
            reasons[reason] = reasons.get(reason, 0) + 1
    items[:] = done
    config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter, config):
    for reason, count in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(f"{count} left out: {reason}")


@pytest.fixture(scope="session")
def pinpad_binary():
    binary = find_binary()
    sanitizers.check(binary)
    return binary


@pytest.fixture(scope="session", autouse=True)
def nothing_found():
    """Whatever a sanitizer has found fails the tests, in servers that were killed as well."""
    yield
    assert sanitizers.take_findings() == ""


@pytest.fixture(autouse=True)
def nothing_found_in_this_test(nothing_found):
    yield
    assert sanitizers.take_findings() == ""


@pytest.fixture(scope="session", autouse=True)
def store():
    """The environment that makes servers use the store that the tests are to run over."""
    named = os.environ.get("PINPAD_TEST_STORE", "memory")
    assert named in ("memory", "redis"), f"PINPAD_TEST_STORE is {named}"
    if named == "memory":
        yield STORE
        return
    redis = Redis()
    STORE.update(redis.environment)
    yield STORE
    STORE.clear()
    redis.stop()


@pytest.fixture(scope="module")
def pinpad(pinpad_binary):
    """A server with the default settings, shared by the tests of one file."""
    with running(pinpad_binary) as server:
        yield server


@pytest.fixture
def start_pinpad(pinpad_binary):
    """`start_pinpad(*arguments, env={}, config={})` starts a server that ends with the test."""
    with contextlib.ExitStack() as servers:
        yield lambda *arguments, **options: servers.enter_context(running(pinpad_binary, *arguments, **options))


@pytest.fixture(scope="module")
def redis():
    """A Redis for the tests of one file."""
    server = Redis()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def nodes(pinpad_binary, redis):
    """Two nodes that share it."""
    with contextlib.ExitStack() as servers:
        yield [servers.enter_context(running(pinpad_binary, env=redis.environment)) for _ in range(2)]


@pytest.fixture
def own_redis(request):
    """One that a test may stop, hang and fill; nodes wait for it as long as the file's PATIENCE says, in ms."""
    server = Redis(patience=getattr(request.module, "PATIENCE", 10_000))
    yield server
    if server.process.poll() is None:
        server.go_on()
    server.stop()
