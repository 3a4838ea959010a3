"""What the server's figures say over time, and whether they are flat."""

import statistics

MIB = 1 << 20
# A closed session answers for 300 s more, so their number grows until then: what one that is more may cost.
SESSION_BYTES = 2048
# What the allocator may keep, and a window's median may be off by.
SLACK_BYTES = 3 * MIB


class Reading:
    """One look at /metrics."""

    def __init__(self, seconds, figures):
        self.seconds = seconds
        self.memory = figures["process_resident_memory_bytes"]
        self.threads = figures["process_threads"]
        self.sessions = figures["pinpad_sessions"]
        self.connections = figures["pinpad_connections"]
        self.streams = figures["pinpad_streams"]
        # Besides those of connections and streams.
        self.descriptors = figures["process_open_fds"] - self.connections - self.streams

    def __str__(self):
        return (
            f"{self.seconds:6.0f} s: {self.memory / MIB:.1f} MiB, {self.descriptors:.0f} descriptors besides those of "
            f"{self.connections:.0f} connections and {self.streams:.0f} streams, {self.threads:.0f} threads, "
            f"{self.sessions:.0f} sessions")


def median(readings, name):
    return statistics.median(getattr(reading, name) for reading in readings)


def windows(readings):
    """The readings of the first and of the last third, after a beginning in which the number of sessions grows."""
    end = readings[-1].seconds
    begin = min(end / 4, 420)
    length = (end - begin) / 3
    early = [reading for reading in readings if begin <= reading.seconds < begin + length]
    late = [reading for reading in readings if reading.seconds >= end - length]
    return early, late


def not_flat(readings):
    """What has grown from one window to the other, as sentences; none is right."""
    early, late = windows(readings)
    found = []
    more = max(0, median(late, "sessions") - median(early, "sessions"))
    allowed = SLACK_BYTES + more * SESSION_BYTES
    grown = median(late, "memory") - median(early, "memory")
    if grown > allowed:
        found.append(f"memory has grown by {grown / MIB:.1f} MiB, with {more:.0f} sessions more")
    if median(late, "descriptors") > median(early, "descriptors"):
        found.append(f"descriptors: {median(early, 'descriptors'):g}, then {median(late, 'descriptors'):g}")
    counts = {reading.threads for reading in readings}
    if len(counts) > 1:
        found.append(f"threads: between {min(counts):g} and {max(counts):g}")
    return found
