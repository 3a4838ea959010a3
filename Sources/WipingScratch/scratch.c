#include "WipingScratch.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers see a byte too far only in pieces of the heap. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { BYTES = 0 };
#else
enum { BYTES = 2048 };
#endif

static _Thread_local struct {
  alignas(max_align_t) char bytes[BYTES + 1];
  size_t used;
  unsigned pieces;
} scratch;

void *scratch_take(size_t size) {
  /* Nothing has no place of its own. */
  if (size == 0 || size > BYTES - scratch.used) return malloc(size);
  char *piece = scratch.bytes + scratch.used;
  scratch.used = (scratch.used + size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
  scratch.pieces++;
  return piece;
}

void scratch_give_back(void *piece) {
  if ((uintptr_t)piece - (uintptr_t)scratch.bytes >= BYTES) {
    free(piece);
    return;
  }
  if (--scratch.pieces > 0) return;
  explicit_bzero(scratch.bytes, scratch.used);
  scratch.used = 0;
}
