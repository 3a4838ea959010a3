"""Searches the whole memory of a running process, as root: every mapping, what may not be dumped among them."""

import base64
import errno
import os
import struct
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
# How much of a secret has to be left for us to see it: the allocator writes over the first 16 bytes of what is freed.
WINDOW = 8

# Bits of /proc/PID/pagemap.
PRESENT_OR_SWAPPED = 3 << 62
OF_A_FILE = 1 << 61


def mappings(pid):
    """(start, end, is private, name) of all but the kernel's own."""
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            place, permissions, *rest = line.split(maxsplit=5)
            start, end = (int(number, 16) for number in place.split("-"))
            name = rest[3].strip() if len(rest) > 3 else "anonymous"
            if name not in ("[vvar]", "[vvar_vclock]", "[vsyscall]"):
                yield start, end, permissions[3] == "p", name


def written_pages(pagemap, start, end, private):
    """The pages that have anything of the process's in them: not those that were never touched, nor those of a private
    mapping of a file that are still the file's."""
    count = (end - start) // PAGE
    flags = struct.unpack(f"{count}Q", os.pread(pagemap.fileno(), 8 * count, start // PAGE * 8))
    return [
        start + index * PAGE for index, bits in enumerate(flags)
        if bits & PRESENT_OR_SWAPPED and not (private and bits & OF_A_FILE)]


def runs(pages):
    """Neighbouring pages as (start, size)."""
    start = previous = None
    for page in pages:
        if start is not None and page != previous + PAGE:
            yield start, previous + PAGE - start
            start = None
        start, previous = page if start is None else start, page
    if start is not None:
        yield start, previous + PAGE - start


def contents(pid):
    """(name, address, bytes) of all that the process has written."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory, open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap:
        for start, end, private, name in mappings(pid):
            for place, size in runs(written_pages(pagemap, start, end, private)):
                try:
                    yield name, place, os.pread(memory.fileno(), size, place)
                except OSError as error:
                    # Unmapped meanwhile.
                    assert error.errno == errno.EIO, error


def windows(secret):
    """What must not be left of a secret: any part of it of `WINDOW` bytes."""
    return {secret[start:start + WINDOW] for start in range(len(secret) - WINDOW + 1)}


def forms(secret):
    """A secret as text, and a token also as the 32 bytes that it is written from."""
    found = windows(secret.encode())
    prefix, _, rest = secret.partition("_")
    if prefix in ("pinent", "pinown"):
        found = windows(rest.encode()) | windows(base64.urlsafe_b64decode(rest + "="))
    return found


def search(pid, secrets):
    """Where in the process each secret, or a part of it, is: {name of the secret: [place, …]}."""
    wanted = [(name, part) for name, secret in secrets.items() for part in forms(secret)]
    found = {}
    for mapping, place, content in contents(pid):
        for name, part in wanted:
            offset = content.find(part)
            while offset >= 0:
                found.setdefault(name, set()).add((place + offset, mapping))
                offset = content.find(part, offset + 1)
    return {name: starts(sorted(places)) for name, places in found.items()}


def starts(places):
    """Where something begins, without the windows that only go on with it."""
    return [
        f"{mapping} {place:#x}" for index, (place, mapping) in enumerate(places)
        if index == 0 or place != places[index - 1][0] + 1]


def left(pid, secrets, within=1.0):
    """What is still there of the secrets when that many seconds are over; at once {} when nothing is."""
    deadline = time.monotonic() + within
    while True:
        last = time.monotonic() >= deadline
        found = search(pid, secrets)
        if not found or last:
            return found
        time.sleep(min(0.05, max(0, deadline - time.monotonic())))
