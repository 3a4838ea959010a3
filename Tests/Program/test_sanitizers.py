"""That a sanitizer's finding in a server fails the test that started it: small programs that have one."""

import json
import subprocess

import pytest

import sanitizers
from servers import running

MAIN = """
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int shared;
static void *count(void *unused) { for (int i = 0; i < 1000; i++) shared++; return unused; }
static void race(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
static void overflow(void) { volatile char *bytes = malloc(4); bytes[4] = 1; }
static void leak(void) { for (int i = 0; i < 9; i++) { volatile char *lost = malloc(100); lost[0] = 1; } }
static void shift(void) { volatile int by = 40; printf("%d", 1 << by); }
static void nothing(void) {}
int main(void) {
  sigset_t set;
  int number;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  puts("pinpad listening on http://127.0.0.1:9");
  fflush(stdout);
  sigwait(&set, &number);
  DOES();
  return 0;
}
"""


def build(folder, does, options):
    (folder / "main.c").write_text(MAIN)
    binary = folder / does
    subprocess.run(
        ["clang", "-O0", "-g", f"-DDOES={does}", *options, "-o", binary, folder / "main.c"],
        check=True, capture_output=True)
    return binary


SWIFT = json.loads(subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True).stdout)
LIBRARIES = SWIFT["paths"]["runtimeLibraryPaths"][0]
# As Tests/run builds the program. Swift's ThreadSanitizer takes libdispatch to be there.
THREAD = ["-fsanitize=thread", f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}", "-ldispatch", "-lBlocksRuntime"]
ADDRESS = ["-fsanitize=address", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"]


@pytest.mark.parametrize("does, options, said", [
    ("race", THREAD, "WARNING: ThreadSanitizer: data race"),
    ("overflow", ADDRESS, "ERROR: AddressSanitizer: heap-buffer-overflow"),
    ("leak", ADDRESS, "ERROR: LeakSanitizer: detected memory leaks"),
    ("shift", ADDRESS, "runtime error: shift exponent 40 is too large"),
])
def test_what_a_sanitizer_finds_fails_the_test(tmp_path, does, options, said):
    with pytest.raises(AssertionError, match=f"it ended with {sanitizers.FOUND}: (?s:.*){said}"):
        with running(build(tmp_path, does, options)):
            pass


@pytest.mark.parametrize("options", [THREAD, ADDRESS], ids=["thread", "address"])
def test_where_nothing_is_found_all_is_well(tmp_path, options):
    with running(build(tmp_path, "nothing", options)):
        pass
    assert sanitizers.take_findings() == ""
