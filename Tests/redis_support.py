"""What the tests of several nodes have in common."""

import os
import random

from client import Session

# What is random is so by this number, which the tests print.
SEED = int(os.environ.get("PINPAD_SEED", random.SystemRandom().randrange(1 << 32)))


def number(name, standard):
    """How often something is done: more often once before a release than each time."""
    return int(os.environ.get(name, standard))


def at(session, node):
    """The same session, asked for at another node."""
    other = Session.__new__(Session)
    other.__dict__.update(session.__dict__)
    other.pinpad = node
    return other
