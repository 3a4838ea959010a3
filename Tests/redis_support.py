"""What the tests of several nodes have in common."""

import os
import random

from client import Session

# What is random is so by this number, which the tests print.
SEED = int(os.environ.get("PINPAD_SEED", random.SystemRandom().randrange(1 << 32)))

# How long nodes wait for a reply where times are tested, in ms: more than the standard, so that what hangs can be told
# from a machine that is slow.
PATIENCE = 1000
# No answer takes longer, in seconds: Redis may take three times the patience, the rest is for the machine. With the
# standard it is a second.
LIMIT = 4 * PATIENCE / 1000


def number(name, standard):
    """How often something is done: more often once before a release than each time."""
    return int(os.environ.get(name, standard))


def at(session, node):
    """The same session, asked for at another node."""
    other = Session.__new__(Session)
    other.__dict__.update(session.__dict__)
    other.pinpad = node
    return other
