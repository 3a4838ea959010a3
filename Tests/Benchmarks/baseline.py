"""The counts that are kept, instructions.json, and what is worse than they are."""

import json
import pathlib

FILE = pathlib.Path(__file__).with_name("instructions.json")
# Runs of one build differ by 2 % at most. What else the tolerance is for: another version of a library, and another
# processor, by which libsodium and the C library choose among their variants.
TOLERANCE_PERCENT = 5
# Counts that have a fraction because something happens every few requests.
TOLERANCE_CALLS = 0.2


def read():
    if not FILE.exists():
        return {"costs": {}}
    return json.loads(FILE.read_text())


def write(costs):
    """Keeps these; what was not counted now stays as it is."""
    FILE.write_text(json.dumps({"costs": {**read()["costs"], **costs}}, indent=2) + "\n")


def compare(name, figures, kept):
    """Sentences on what costs more now than what is kept."""
    before = kept["costs"].get(name)
    if not before:
        return [f"{name}: nothing is kept to compare with; --renew keeps it"]
    worse = []
    most = before["instructions"] * (1 + TOLERANCE_PERCENT / 100)
    if figures["instructions"] > most:
        worse.append(f"{name}: {figures['instructions']} instructions, where {before['instructions']} are kept")
    for owner, count in figures["allocations"].items():
        if count > before["allocations"][owner] + TOLERANCE_CALLS:
            worse.append(f"{name}: {count} allocations by {owner}, where {before['allocations'][owner]} are kept")
    if figures["systemCalls"] > before["systemCalls"] + TOLERANCE_CALLS:
        worse.append(f"{name}: {figures['systemCalls']} system calls, where {before['systemCalls']} are kept")
    return worse
