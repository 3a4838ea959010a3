"""What callgrind counted, read from the file it writes (the format: valgrind's manual, "Callgrind Format")."""

import collections
import pathlib
import re

# What takes memory from the C library.
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}
# What allocates for its caller, such as strdup, and the jump tables between libraries, which have no name.
GO_BETWEENS = ("libc.so", "ld-linux", "???")
# Libraries that were told by us what to allocate with: what we allocate when they call is theirs.
HOOKED = "libjansson"


class Counts:
    """What one run did, or, as a difference, what one run did more than another.

    A function is a pair (object, name). `instructions` is the number of all, `own` has those of each function
    without what it calls, `calls` the number of calls for each pair (caller, called).
    """

    def __init__(self):
        self.instructions = 0
        self.own = collections.Counter()
        self.calls = collections.Counter()

    def __sub__(self, other):
        difference = Counts()
        difference.instructions = self.instructions - other.instructions
        for name in ("own", "calls"):
            counter = collections.Counter(getattr(self, name))
            counter.subtract(getattr(other, name))
            setattr(difference, name, counter)
        return difference

    def objects(self):
        """Instructions by object."""
        objects = collections.Counter()
        for (thing, _), count in self.own.items():
            objects[thing] += count
        return objects

    def allocations(self):
        """Calls of the allocators by the object they were made for."""
        callers = collections.defaultdict(list)
        for (caller, called), count in self.calls.items():
            if count > 0:
                callers[called].append((caller, count))
        found = collections.Counter()

        def share_out(function, amount, below):
            thing = function[0]
            above = [(caller, count) for caller, count in callers[function] if caller not in below]
            is_hook = any(caller[0].startswith(HOOKED) for caller, _ in above)
            if above and (thing.startswith(GO_BETWEENS) or is_hook and not thing.startswith(HOOKED)):
                total = sum(count for _, count in above)
                for caller, count in above:
                    share_out(caller, amount * count / total, below | {function})
            else:
                found[thing] += amount

        for (caller, called), count in self.calls.items():
            if called[1] in ALLOCATORS and caller[1] not in ALLOCATORS and not caller[1].startswith("_mid_memalign"):
                share_out(caller, count, frozenset([called]))
        return found


class _Names:
    """Names are written once, `(3) name`, and then only `(3)`."""

    def __init__(self):
        self._known = {}

    def find(self, text):
        number, _, name = text.partition(" ")
        if not number.startswith("("):
            return text
        if name:
            self._known[number] = name
        return self._known[number]


def read(path):
    """Reads a file of callgrind's."""
    counts = Counts()
    objects, functions = _Names(), _Names()
    here = called = ("", "")
    thing = called_thing = ""
    is_call = False
    for line in pathlib.Path(path).read_text(errors="replace").splitlines():
        key, _, value = line.partition("=")
        if key == "ob":
            thing = called_thing = pathlib.PurePath(objects.find(value)).name
        elif key == "fn":
            here = (thing, _plain(functions.find(value)))
        elif key == "cob":
            called_thing = pathlib.PurePath(objects.find(value)).name
        elif key == "cfn":
            called = (called_thing, _plain(functions.find(value)))
        elif key == "calls":
            counts.calls[here, called] += int(value.split()[0])
            called_thing = thing
            # The line after it is what the call cost in all.
            is_call = True
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            costs = line.split()[1:]
            if costs and not is_call:  # A cost of nothing isn't written.
                counts.own[here] += int(costs[0])
            is_call = False
        elif line.startswith("summary:"):
            counts.instructions = int(line.split()[1])
    return counts


def _plain(name):
    """The name without the depth of a recursion."""
    return re.sub(r"'\d+$", "", name)
