#include "internal.h"

#include <stdlib.h>
#include <string.h>

void wipe_and_free(void *memory, size_t count) {
  if (!memory) return;
  explicit_bzero(memory, count);
  free(memory);
}

/* More than an answer takes; a thread's first frames are small, so that none comes near the end of its stack. */
enum { STACK_BYTES = 16384 };

__attribute__((noinline)) void wipe_stack(void) {
  char below[STACK_BYTES];
  explicit_bzero(below, sizeof below);
}
