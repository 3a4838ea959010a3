"""Event streams: memory, delivery time and CPU time, by how many are open, beside nchan."""

import time

import peers
from measured import Figure, processor_seconds, resident_bytes, show
from program import Program

COUNTS = (1000, 5000, 15000)
RATE = 1000
MESSAGE = '{"id":"peer","length":6,"count":1,"active":true,"complete":false,"revision":1}'


def pinpad_targets(bench, server, count, path):
    """Sessions that have begun, and for each a stream and two posts that cause one event each."""
    sessions = bench.folder / "sessions"
    bench.load.create(server.port, count, sessions, '{"timeouts":{"total":3600}}')
    bench.load.requests(server.port, sessions, "POST /begin", p=1)
    with open(path, "w") as targets:
        for line in sessions.read_text().splitlines():
            session, token = line.split("\t")
            fields = [f"{session}/events", token, f"{session}/insert", '{"text":"7"}', f"{session}/clear", ""]
            targets.write("\t".join(fields) + "\n")


def _nchan_targets(bench, server, count, path):
    """Channels, each with a message, so that a stream gets its first bytes."""
    channels = bench.folder / "channels"
    channels.write_text("".join(f"/post/{number}\t\n" for number in range(count)))
    bench.load.requests(server.port, channels, f"POST - {MESSAGE}", p=1)
    path.write_text("".join(
        "\t".join([f"/watch/{number}", "", f"/post/{number}", MESSAGE, f"/post/{number}", MESSAGE]) + "\n"
        for number in range(count)))


def _measure(bench, server, count, prepare):
    path = bench.folder / "targets"
    empty = resident_bytes(server.pid)
    prepare(bench, server, count, path)
    sessions = resident_bytes(server.pid)
    with bench.load.streams(server.port, path, "-r", RATE, "-t", bench.seconds) as (opened, post):
        # What opening has left to do is over, also in nginx's other worker.
        time.sleep(0.5)
        full = resident_bytes(server.pid)
        before = processor_seconds(server.pid)
        posted = post()
        used = processor_seconds(server.pid) - before
    if opened["open"] != count or posted["closed"]:
        raise SystemExit(f"streams were lost: {opened} {posted}")
    return {
        "memory": (full - empty) / count / 1024, "session": (sessions - empty) / count / 1024,
        "p50": posted["p50"], "p99": posted["p99"], "cpu": used / posted["arrived"] * 1e6,
        "lost": posted["posted"] - posted["arrived"]}


def measure(bench):
    """The table of streams."""
    servers = {"Pinpad": (lambda: Program([bench.binary]), pinpad_targets)}
    for name, command in peers.find([peers.NCHAN], bench.folder).items():
        servers[name] = (lambda command=command: peers.Peer(command), _nchan_targets)
    results = {}
    for _ in range(bench.rounds):
        for count in COUNTS:
            for name, (start, prepare) in servers.items():
                with start() as server:
                    results.setdefault((name, count), []).append(_measure(bench, server, count, prepare))

    rows = []
    for (name, count), rounds in sorted(results.items(), key=lambda pair: pair[0][0], reverse=True):
        figures = {
            key: Figure((one[key] for one in rounds), 2 if key in ("memory", "session") else 0) for key in rounds[0]}
        peer = results.get((peers.NCHAN, count))
        ratios = ""
        if peer and name == "Pinpad":
            ratios = ", ".join(
                f"{figures[key].median / Figure(one[key] for one in peer).median:.2f}"
                for key in ("memory", "p50", "p99", "cpu"))
        rows.append([name, f"{count:,}", *figures.values(), ratios])
    show(
        f"Event streams, {RATE:,} edits a second",
        ["server", "streams", "KiB per stream with its session", "the session", "p50 µs", "p99 µs",
         "CPU µs per event with its request", "events lost", "÷ nchan (memory, p50, p99, CPU)"], rows)
    if any(one["lost"] for (name, _), rounds in results.items() if name == "Pinpad" for one in rounds):
        raise SystemExit("Pinpad lost events")
