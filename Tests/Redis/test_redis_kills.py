"""A node that dies takes nothing with it: its clients go on at the other, with their keys."""

import random
import signal
import threading
import time

from client import create, request
from redis_support import SEED, at, number


class Pair:
    """Two nodes, of which one is killed and started again at a time, always at the same place."""

    def __init__(self, start_pinpad, redis):
        self._start = start_pinpad
        self._redis = redis
        self.nodes = [self.start() for _ in range(2)]

    def start(self):
        return self._start(env=self._redis.environment)

    def kill(self, index):
        node = self.nodes[index]
        node.expect(-signal.SIGKILL)
        node.process.kill()
        node.process.wait()

    def revive(self, index):
        self.nodes[index] = self.start()


def insist(pair, session, action, body, key, first):
    """Sends one request until it is answered, at one node after the other, always with the same key."""
    for attempt in range(200):
        node = pair.nodes[(first + attempt) % 2]
        try:
            answer = request(
                node, "POST", f"{session.path}/{action}", body, session.entry, {"Idempotency-Key": key})
        except (OSError, EOFError, ValueError):
            # The node died; http.client says so in several ways.
            time.sleep(0.005)
            continue
        except Exception as error:
            if type(error).__module__ != "http.client":
                raise
            time.sleep(0.005)
            continue
        if answer.status == 503:
            time.sleep(0.02)
            continue
        return answer
    raise AssertionError("no node answers")


class Watcher:
    """Reads a session's events to the end, going on at the other node by the last id when one dies."""

    def __init__(self, pair, session, index):
        self.events = []
        self._pair, self._session, self._index = pair, session, index
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        while True:
            last = self.events[-1][0] if self.events else 0
            try:
                stream = at(self._session, self._pair.nodes[self._index % 2]).events(last=last)
                if stream.status == 204:
                    return
                while (event := stream.next()) is not None:
                    self.events.append((int(event.id), event.event, event.data["count"]))
                if self.events and self.events[-1][1] == "close":
                    return
            except Exception:
                # Cut off in the middle of an event, or not even connected.
                pass
            self._index += 1
            time.sleep(0.005)

    def wait(self):
        self._thread.join(120)
        assert not self._thread.is_alive(), f"it waits for the end after {self.events[-3:]}"
        return self.events


def test_a_killed_node_loses_no_acknowledged_edit_and_doubles_none(start_pinpad, own_redis):
    kills = number("PINPAD_REDIS_KILLS", 6)
    print(f"PINPAD_SEED={SEED}")
    chance = random.Random(SEED)
    pair = Pair(start_pinpad, own_redis)
    for number_of_kill in range(kills):
        session = create(pair.nodes[0], length=8)
        watchers = [Watcher(pair, session, index) for index in range(2)]
        text = "".join(chance.choice("0123456789") for _ in range(8))
        victim = chance.randrange(2)
        delay = chance.uniform(0, 0.02)
        killer = threading.Timer(delay, pair.kill, (victim,))
        killer.start()
        for place, digit in enumerate(text):
            answer = insist(
                pair, session, "insert", {"text": digit, "at": place}, f"{number_of_kill}-{place}", chance.randrange(2))
            assert (answer.status, answer.json["count"]) == (200, place + 1), (SEED, number_of_kill, place, answer)
        killer.join()
        survivor = pair.nodes[1 - victim]
        assert at(session, survivor).state()["completion"] == 1
        assert at(session, survivor).hold().json["text"] == text, (SEED, number_of_kill)
        at(session, survivor).accept()
        for watcher in watchers:
            events = watcher.wait()
            assert [id for id, *_ in events] == list(range(1, len(events) + 1)), (SEED, number_of_kill, events)
            told = [name for _, name, _ in events]
            assert told == ["begin"] + ["change"] * 8 + ["complete", "hold", "end", "close"], (SEED, told)
            assert [count for _, name, count in events if name == "change"] == list(range(1, 9))
        pair.revive(victim)
