"""How long an allocation takes does not depend on how much was given back before it."""

import signal
import subprocess

from client import create
from servers import HANG, running

# What glibc would join to its neighbours all at once, under its lock: with a million blocks that takes 20 ms and more.
TELLING = r"""
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((destructor)) static void tell(void) {
  FILE *file = fopen(getenv("TELL_HEAP"), "w");
  if (!file) return;
  fprintf(file, "%zu %zu", mallinfo2().uordblks, mallinfo2().fsmblks);
  fclose(file);
}
"""


def test_the_heap_keeps_no_small_blocks_that_are_to_be_joined_later(pinpad_binary, tmp_path):
    source, library, told = tmp_path / "tell.c", tmp_path / "tell.so", tmp_path / "told"
    source.write_text(TELLING)
    subprocess.run(["clang", "-shared", "-fPIC", "-o", library, source], check=True)
    with running(pinpad_binary, env={"LD_PRELOAD": str(library), "TELL_HEAP": str(told)}) as server:
        for _ in range(50):
            session = create(server)
            for text in "1234":
                assert session.insert(text).status == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(HANG) == 0
    used, waiting = map(int, told.read_text().split())
    assert used > 50_000, "nothing was told of the program's heap"
    assert waiting == 0
