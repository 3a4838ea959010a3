"""What Redis gets to see and to keep: no digit, but sealed."""

import secrets
import threading

from client import create, problem, request
from redis import Redis, encoded, until
from redis_support import at
from servers import ends, find_binary, running

# With letters, as six digits in a row are sooner or later those of a time in milliseconds.
CANARY = "7Q9W8Z6X5V3R1KJ4"


class Monitor:
    """All that Redis is sent, as MONITOR tells it."""

    def __init__(self, redis):
        self.heard = b""
        self._connection = redis.connect()
        self._connection.sendall(encoded("MONITOR"))
        assert self._connection.recv(5) == b"+OK\r\n"
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        while part := self._connection.recv(65536):
            self.heard += part

    def until(self, word):
        """Waits for a word that is sent last."""
        while word not in self.heard:
            assert self._thread.is_alive()
            self._thread.join(0.01)
        self._connection.shutdown(2)
        self._thread.join(30)
        return self.heard


def test_neither_what_redis_is_sent_nor_what_it_keeps_has_a_digit_in_it(start_pinpad, own_redis):
    nodes = [start_pinpad(env=own_redis.environment) for _ in range(2)]
    monitor = Monitor(own_redis)
    session = create(nodes[0], length=16, alphabet="alphanumeric", reveal=True, metadata={"order": "visible-marker"})
    session.insert(CANARY[:9], headers={"Idempotency-Key": "key-canary-55"})
    at(session, nodes[1]).insert(CANARY[9:])
    session.set(CANARY)
    at(session, nodes[1]).state(session.owner)
    own_redis.command("SAVE")
    assert session.hold().json["text"] == CANARY
    session.reject("no")
    session.set(CANARY)
    own_redis.command("SAVE")
    assert at(session, nodes[1]).redeem().json["text"] == CANARY
    own_redis.command("ECHO", "that-is-all")
    places = {"MONITOR": monitor.until(b"that-is-all")}
    for path in own_redis.folder.rglob("*"):
        if path.is_file() and path.name != "redis-server":
            places[path.name] = path.read_bytes()
    assert {"dump.rdb"} < set(places) and any(name.endswith(".aof") for name in places)
    # What has to be there, so that one knows that the right places are looked at.
    for name in ("MONITOR", *(name for name in places if name.endswith(".incr.aof"))):
        assert b"visible-marker" in places[name], name
    for name, content in places.items():
        # Six characters in a row are the shortest part that tells something.
        for start in range(len(CANARY) - 5):
            assert CANARY[start:start + 6].encode() not in content, name
        for secret in (session.owner, session.entry, "key-canary-55"):
            assert secret.encode() not in content, name


def test_the_same_digit_a_thousand_times_gives_a_thousand_different_values_of_one_size(nodes, redis):
    session = create(nodes[0], length=4)
    name = f"pinpad:{{{session.id}}}:text"
    values = set()
    for _ in range(1000):
        session.set("7")
        values.add(redis.command("GET", name))
    assert len(values) == 1000
    assert len({len(value) for value in values}) == 1
    session.set("1234")
    assert len(redis.command("GET", name)) == len(next(iter(values)))


def test_a_text_goes_when_the_session_closes_and_with_its_deadline(nodes, redis):
    session = create(nodes[0], timeouts={"total": 100})
    name = f"pinpad:{{{session.id}}}:text"
    session.insert("123")
    # The node knows Redis's time to a few ms.
    assert 70_000 < redis.command("PTTL", name) <= 100_100
    assert redis.command("PTTL", f"pinpad:{{{session.id}}}:record") <= 400_100
    session.patch({"timeouts": {"total": 1000}})
    assert 400_000 < redis.command("PTTL", name) <= 1_000_100
    session.cancel()
    assert redis.command("GET", name) is None
    for kind in ("record", "events"):
        assert 200_000 < redis.command("PTTL", f"pinpad:{{{session.id}}}:{kind}") <= 300_100


def test_a_sealed_text_that_was_put_into_another_session_does_not_open(start_pinpad, own_redis):
    maker, reader = (start_pinpad(env=own_redis.environment) for _ in range(2))
    mine, theirs = (create(maker, length=4) for _ in range(2))
    mine.set("1111")
    theirs.set("9999")
    names = [f"pinpad:{{{session.id}}}:text" for session in (mine, theirs)]
    own_redis.command("COPY", names[1], names[0], "REPLACE")
    # A node that has no copy would have to believe what Redis has.
    problem(at(mine, reader).redeem(), "unavailable")
    assert at(theirs, reader).redeem().json["text"] == "9999"
    assert "pinpad_store_unreadable_total 1\n" in request(reader, "GET", "/metrics").text


def test_keys_are_changed_while_sessions_are_in_use(start_pinpad, own_redis, tmp_path):
    old, new = own_redis.key_file.read_text(), new_key()

    def node(*lines):
        return start_pinpad(env={**own_redis.environment, **keys(tmp_path, *lines)})

    before, knowing, after = node(old), node(old, new), node(new, old)
    session = create(before)
    first = session.insert("12", headers={"Idempotency-Key": "k1"})
    # What was begun with the old key goes on at the node with the new one, and back at one that knows it.
    assert at(session, after).insert("12", headers={"Idempotency-Key": "k1"}).json == first.json
    at(session, after).insert("34", headers={"Idempotency-Key": "k2"})
    assert at(session, knowing).insert("34", headers={"Idempotency-Key": "k2"}).header("Idempotency-Replayed") == "true"
    made = create(after)
    made.insert("987654")
    assert at(made, knowing).hold().json["text"] == "987654"
    assert at(made, after).accept().status == 200
    assert at(session, knowing).insert("56").json["complete"]
    assert at(session, after).redeem().json["text"] == "123456"


def keys(folder, *lines, mode=0o600):
    """A file of keys, and the environment that names it."""
    file = folder / f"keys-{secrets.token_hex(4)}"
    file.write_text("".join(lines))
    file.chmod(mode)
    return {"PINPAD_REDIS_KEY_FILE": str(file)}


def new_key():
    return secrets.token_hex(32) + "\n"


def test_a_node_without_the_right_key_is_refused_and_gives_nothing_away_when_told_to_start(
        pinpad_binary, start_pinpad, own_redis, tmp_path):
    first = start_pinpad(env=own_redis.environment)
    assert "redis.keyFile" not in first.stderr
    session = create(first)
    session.insert("123456")
    stranger = {**own_redis.environment, **keys(tmp_path, new_key())}
    assert "redis.keyFile has none of the keys" in ends(pinpad_binary, stranger)
    told = start_pinpad(env={**stranger, "PINPAD_REDIS_ALLOW_LOSS": "true"})
    assert "redis.keyFile has none of the keys" in told.stderr
    for _ in range(3):
        problem(at(session, told).redeem(), "unavailable")
    # What an operator has to know is said, and not for each request.
    until(lambda: "redis.keyFile has no key that opens its text" in told.stderr)
    assert told.stderr.count("can't be read") == 1
    # The first one, which was there before, has nothing to fear from a stranger, and may come back.
    again = start_pinpad(env=own_redis.environment)
    assert at(session, again).redeem().json["text"] == "123456"
    assert "none of the keys" not in again.stderr


def test_nodes_with_other_keys_that_run_are_told_of_in_the_log(start_pinpad, own_redis, tmp_path):
    old, new = own_redis.key_file.read_text(), new_key()
    first = start_pinpad(env=own_redis.environment)
    # The new key has become the first one before all nodes had it: said by the node that has it, once.
    hasty = start_pinpad(env={**own_redis.environment, **keys(tmp_path, new, old)})
    late = start_pinpad(env=own_redis.environment)
    assert "redis.keyFile lacks a key" in late.stderr
    until(lambda: "another node lacks the first key of redis.keyFile" in hasty.stderr)
    until(lambda: "redis.keyFile lacks a key" in first.stderr)
    for node in (first, hasty, late):
        assert node.stderr.count("redis.keyFile") == 1
    # Only names of keys are in Redis.
    left = own_redis.command("ZRANGE", "pinpad:keys", 0, -1)
    assert len(left) == 2
    for line in left:
        assert all(len(name) <= 16 for name in line.decode().split(","))
        for key in (old, new):
            assert not any(key[start:start + 8].encode() in line for start in range(0, 57))


def test_keys_are_changed_in_three_steps_without_a_warning(start_pinpad, own_redis, tmp_path):
    old, new = own_redis.key_file.read_text(), new_key()

    def restart(*lines):
        with running(find_binary(), env={**own_redis.environment, **keys(tmp_path, *lines)}) as node:
            # It compares at its start, and once more when it runs, and then says that it is there.
            said = own_redis.calls()["zadd"]
            until(lambda: own_redis.calls()["zadd"] > said)
            assert "redis.keyFile" not in node.stderr
            return create(node), own_redis.command("ZRANGE", "pinpad:keys", 0, -1)

    # Node by node, at once.
    for step in ((old,), (old, new), (new, old)):
        for _ in range(2):
            restart(*step)
    # What was sealed with the old one is gone after a day.
    for line in own_redis.command("ZRANGE", "pinpad:keys", 0, -1):
        own_redis.command("ZINCRBY", "pinpad:keys", -86_400_000, line)
    _, left = restart(new)
    assert len(left) == 1


def test_a_file_of_keys_that_others_may_read_is_warned_of(start_pinpad, own_redis, tmp_path):
    key = own_redis.key_file.read_text()
    for mode, readers in ((0o640, "its group"), (0o604, "everybody"), (0o600, None), (0o400, None)):
        node = start_pinpad(env={**own_redis.environment, **keys(tmp_path, key, mode=mode)})
        assert ("may read it" in node.stderr) == (readers is not None), node.stderr
        assert readers is None or f"{readers} may read it" in node.stderr


def test_a_redis_without_a_file_is_used_only_when_told_so(pinpad_binary, start_pinpad):
    redis = Redis(append_only=False)
    try:
        said = ends(pinpad_binary, redis.environment)
        assert "append-only" in said and "redis.allowLoss" in said
        node = start_pinpad(env={**redis.environment, "PINPAD_REDIS_ALLOW_LOSS": "true"})
        assert create(node).insert("1").status == 200
    finally:
        redis.stop()
