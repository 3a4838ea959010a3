"""100,000 streams over several processes, each on its own port: all open, all get their event, none is dropped."""

import concurrent.futures
import contextlib

import part_streams
from measured import processor_seconds, resident_bytes, show
from program import Program

STREAMS = 100_000
PROCESSES = 7
# Edits a second, over all processes.
RATE = 2000


def measure(bench):
    """One run, in a table."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Program([bench.binary])) for _ in range(PROCESSES)]
        empty = [resident_bytes(server.pid) for server in servers]
        counts = [STREAMS // PROCESSES + (number < STREAMS % PROCESSES) for number in range(PROCESSES)]
        loads = []
        for number, (server, count) in enumerate(zip(servers, counts)):
            targets = bench.folder / f"targets-{number}"
            part_streams.pinpad_targets(bench, server, count, targets)
            loads.append(stack.enter_context(
                bench.load.streams(server.port, targets, "-1", "-r", RATE / PROCESSES, "-a", number)))
        full = [resident_bytes(server.pid) for server in servers]
        before = sum(processor_seconds(server.pid) for server in servers)
        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            posted = list(pool.map(lambda load: load[1](), loads))
        used = sum(processor_seconds(server.pid) for server in servers) - before

    rows = []
    for number, ((opened, _), done) in enumerate(zip(loads, posted)):
        memory = (full[number] - empty[number]) / counts[number] / 1024
        rows.append([
            number + 1, f"{opened['open']:,}", f"{opened['seconds']:.1f}", f"{done['arrived']:,}", done["closed"],
            f"{done['p50']:,.0f}", f"{done['p99']:,.0f}", f"{memory:.2f}"])
    arrived, dropped = (sum(done[name] for done in posted) for name in ("arrived", "closed"))
    rows.append([
        "all", f"{sum(opened['open'] for opened, _ in loads):,}", "", f"{arrived:,}", dropped, "", "",
        f"{(sum(full) - sum(empty)) / STREAMS / 1024:.2f}"])
    show(
        f"{STREAMS:,} streams over {PROCESSES} processes",
        ["process", "open", "after s", "events arrived", "dropped", "p50 µs", "p99 µs",
         "KiB per stream with its session"], rows)
    print(f"CPU per event with its request: {used / arrived * 1e6:.0f} µs")
    if arrived != STREAMS or dropped:
        raise SystemExit("streams or events were lost")
