"""The outside tests with a program that was built with a sanitizer: PINPAD_TEST_SANITIZER=thread or =address says so.

What a sanitizer finds ends the program at once with status FOUND, and is written to a file, so that it shows whichever
way a test starts the program, also where it looks at neither status nor standard error.
"""

import os
import pathlib
import subprocess
import tempfile

FOUND = 66
_folder = tempfile.TemporaryDirectory(prefix="pinpad-findings-")
FINDINGS = pathlib.Path(_folder.name)
# Some tests start the program as another user.
FINDINGS.chmod(0o1777)

_COMMON = f"exitcode={FOUND}:log_path={FINDINGS}/finding"
# For every program under test; others take no notice.
OPTIONS = {
    "TSAN_OPTIONS": f"{_COMMON}:halt_on_error=1:atexit_sleep_ms=50",
    "ASAN_OPTIONS": f"{_COMMON}:detect_leaks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": f"{_COMMON}:print_stacktrace=1"}

# What a program with a sanitizer in it says when it finds something.
SIGNS = ("WARNING: ThreadSanitizer", "ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:")

# The tests that say nothing about a program with a sanitizer: by the beginning of their names, with the reason.
EXCLUDED = {
    "Tests/Benchmarks/": "they count the instructions of the release build",
    "Tests/Drawing/": "they compare pictures; how those are made, Tests/Server and the unit tests do as well",
    "Tests/Memory/": "the sanitizers' malloc keeps what is freed, in place of ours, which wipes it",
    "Tests/Program/test_binary.py": "it looks at the release build's file",
    "Tests/Program/test_failing.py": "the sanitizers' malloc is in place of ours, which is made to fail",
    "Tests/Program/test_heap.py": "a sanitizer has a heap of its own",
    "Tests/Program/test_secrecy.py::test_memory_": "with a sanitizer no memory is ever locked",
    "Tests/Program/test_secrecy.py::test_what_holds_digits_is_left": "with a sanitizer no memory is ever locked",
    "Tests/Program/test_valgrind.py": "valgrind runs no program with a sanitizer",
    "Tests/Soak/": "they ask no server",
}
# Those that only one of them can't do.
EXCLUDED_BY = {
    "thread": {},
    "address": {
        "Tests/Program/test_secrecy.py::test_digits_are_in_no_write": "leaks can't be searched for under strace",
    },
}


def sanitizer():
    """Which one the program has by PINPAD_TEST_SANITIZER; None without."""
    name = os.environ.get("PINPAD_TEST_SANITIZER")
    assert name in (None, "thread", "address"), f"PINPAD_TEST_SANITIZER is {name}"
    return name


def check(binary):
    """Asserts that the program has the sanitizer that it is said to have."""
    name = sanitizer()
    if name:
        symbols = subprocess.run(["nm", "--defined-only", binary], check=True, capture_output=True, text=True).stdout
        initializer = {"thread": "__tsan_init", "address": "__asan_init"}[name]
        assert f" T {initializer}\n" in symbols, f"{binary} was not built with --sanitize={name}"


def reason_against(test):
    """Why the test with this name isn't done with the program's sanitizer; None where it is."""
    name = sanitizer()
    if not name:
        return None
    for beginning, reason in (EXCLUDED | EXCLUDED_BY[name]).items():
        if test.startswith(beginning):
            return reason
    return None


def take_findings():
    """What has been found since the last time, as text; each only once."""
    found = []
    for path in sorted(FINDINGS.iterdir()):
        found.append(path.read_text(errors="replace"))
        path.unlink()
    return "\n".join(found)
