#include "internal.h"

#include <stdlib.h>
#include <string.h>

void wipe_and_free(void *memory, size_t count) {
  if (!memory) return;
  explicit_bzero(memory, count);
  free(memory);
}
