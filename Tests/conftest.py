"""Servers for the tests that need one.

`pinpad` is a server on a free port, one for each file of tests; `start_pinpad` starts one with options, environment
or configuration of its own. Both assert that the server ends with status 0: a sanitizer that found something, or a
crash, shows there. The program is the one that PINPAD_BINARY names, or else the release build.

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

from redis import Redis  # noqa: E402 (they are found only now)
from servers import STORE, find_binary, running  # noqa: E402


@pytest.fixture(scope="session")
def pinpad_binary():
    return find_binary()


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
