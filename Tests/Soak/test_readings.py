"""What the soak takes for flat."""

import pytest

from readings import MIB, Reading, not_flat


def hour(memory=20, descriptors=11, threads=5, sessions=3000, grows=None, by=0.0):
    """An hour of readings, of which one figure grows by so much a minute."""
    figures = {
        "process_resident_memory_bytes": memory * MIB, "process_threads": threads, "pinpad_sessions": sessions,
        "pinpad_connections": 12, "pinpad_streams": 3, "process_open_fds": descriptors + 15}
    readings = []
    for seconds in range(0, 3600, 5):
        now = dict(figures)
        if grows:
            now[grows] += by * seconds / 60
        readings.append(Reading(seconds, now))
    return readings


def test_what_stays_as_it_is_is_flat():
    assert not_flat(hour()) == []


@pytest.mark.parametrize("figure, by, said", [
    ("process_resident_memory_bytes", 0.1 * MIB, "memory has grown by 3.5 MiB, with 0 sessions more"),
    ("process_open_fds", 1, "descriptors: 26.7917, then 62.125"),
    ("process_threads", 1, "threads: between 5 and 64.9167"),
])
def test_what_grows_is_told(figure, by, said):
    assert not_flat(hour(grows=figure, by=by)) == [said]


def test_sessions_that_are_more_may_take_memory_and_as_much_of_it_as_they_need():
    growing = hour(grows="pinpad_sessions", by=100)
    assert not_flat(growing) == []
    for reading in growing:
        reading.memory += (reading.sessions - 3000) * 2048
    assert not_flat(growing) == []
    for reading in growing:
        reading.memory += (reading.sessions - 3000) * 2048
    assert len(not_flat(growing)) == 1
