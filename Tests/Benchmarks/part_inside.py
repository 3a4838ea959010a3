"""What single steps cost within the process, without HTTP: CostTests/, in a release build."""

import os
import re
import subprocess

from measured import Figure, show
from program import ROOT

STEPS = {
    "edit": "an edit in the store", "body": "reading the body of an insert", "picture": "drawing a picture",
    "event": "writing the document of an event"}


def measure(bench):
    """The table of steps."""
    # A folder of its own: what is testable is built in another way.
    done = subprocess.run(
        ["swift", "test", "-c", "release", "-Xswiftc", "-enable-testing", "--disable-xctest",
         "--scratch-path", ".build-inside", "--filter", "CostTests"],
        cwd=ROOT, env={**os.environ, "PINPAD_COST_ROUNDS": str(bench.rounds), "SWIFT_BACKTRACE": "enable=no"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = dict(re.findall(r"^cost (\w+) (.+)$", done.stdout, re.MULTILINE))
    if done.returncode != 0 or set(found) != set(STEPS):
        raise SystemExit(f"the steps were not measured:\n{done.stdout[-3000:]}")
    show("Within the process", ["step", "CPU ns"], [
        [STEPS[name], Figure(map(float, found[name].split()), 0)] for name in STEPS])
