"""Requests over keep-alive connections: CPU time each, beside peers that insert a digit."""

import peers
from measured import Figure, processor_seconds, show
from program import Program

CONNECTIONS = 32
SESSIONS = 256
DIGITS = [f'POST /insert {{"text":"{digit}"}}' for digit in range(1, 7)]
# Six digits and a clear, so that a session is filled as one is that somebody types into.
STEPS = {
    "insert": [*DIGITS, "POST /clear"],
    "insert and delete": ['POST /insert {"text":"7"}', "POST /delete-backward"],
    "picture": ["GET /cells.svg"],
    "creation": ["POST - {}"],
}


def _prepare(bench, server, kind):
    """The sessions of a kind of request, in a file."""
    path = bench.folder / "sessions"
    if kind == "creation":
        path.write_text("/v1/sessions\t\n" * CONNECTIONS)
    elif kind == "peer":
        path.write_text("".join(f"/v1/sessions/s{number}\t\n" for number in range(SESSIONS)))
    else:
        bench.load.create(server.port, SESSIONS, path, '{"timeouts":{"total":3600}}')
    if kind == "picture":
        # With three of six in.
        bench.load.requests(server.port, path, *DIGITS[:3], p=1, c=CONNECTIONS)
    return path


def _measure(bench, server, kind):
    """CPU microseconds and p99 of a request, and requests a second."""
    path = _prepare(bench, server, kind)
    steps = DIGITS if kind == "peer" else STEPS[kind]
    bench.load.requests(server.port, path, *steps, t=bench.seconds / 4, c=CONNECTIONS)
    if kind.startswith("insert"):
        # The warming up ends anywhere; what is measured starts with empty entries.
        bench.load.requests(server.port, path, "POST /clear", p=1, c=CONNECTIONS)
    before = processor_seconds(server.pid)
    done = bench.load.requests(server.port, path, *steps, t=bench.seconds, c=CONNECTIONS)
    used = processor_seconds(server.pid) - before
    return used / done["answered"] * 1e6, done["p99"], done["answered"] / done["seconds"]


def measure(bench):
    """The table of requests."""
    found = peers.find([peers.BARE, peers.LUA, peers.GO, peers.NODE], bench.folder)
    results = {}
    for _ in range(bench.rounds):
        for kind in STEPS:
            with Program([bench.binary]) as server:
                results.setdefault(kind, []).append(_measure(bench, server, kind))
        for name, command in found.items():
            with peers.Peer(command) as server:
                results.setdefault(name, []).append(_measure(bench, server, "peer"))

    processor = {name: Figure((cpu for cpu, _, _ in rounds), 2) for name, rounds in results.items()}
    insert = processor["insert"].median
    rows = []
    for name, rounds in results.items():
        own = processor[name].median
        ratio = f"{own / insert:.2f} × an insert" if name in STEPS else f"an insert is {insert / own:.2f} × this"
        rows.append([
            name, processor[name], "" if name == "insert" else ratio, Figure((rate for _, _, rate in rounds), 0),
            Figure((p99 / 1000 for _, p99, _ in rounds), 2)])
    show(
        f"Requests over {CONNECTIONS} keep-alive connections",
        ["request", "CPU µs", "ratio", "a second", "p99 ms"], rows)


