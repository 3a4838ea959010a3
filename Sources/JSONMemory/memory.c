#include "JSONMemory.h"

#include <WipingScratch.h>
#include <jansson.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

/* More than jansson makes of the largest body; a page that is never written to takes no memory. */
enum { RESERVE_BYTES = 2 << 20, ALIGNMENT = 16 };
static _Alignas(ALIGNMENT) char reserve[RESERVE_BYTES];
/* Held by the thread that reads a text and had to take from the reserve, until it is done with the text. */
static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t reserve_used;
static _Thread_local bool has_reserve;

static __attribute__((noinline)) void *take_reserve(size_t size) {
  if (!has_reserve) {
    pthread_mutex_lock(&reserve_lock);
    has_reserve = true;
  }
  if (size > RESERVE_BYTES - reserve_used) return NULL;
  void *memory = reserve + reserve_used;
  reserve_used += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return memory;
}

/* What was in it may be digits. */
static void give_reserve_back(void) {
  explicit_bzero(reserve, reserve_used);
  reserve_used = 0;
  has_reserve = false;
  pthread_mutex_unlock(&reserve_lock);
}

/* A small body has seven parts, which live as long as its document and on one thread. */
static void *take(size_t size) {
  void *memory = scratch_take(size);
  return memory ? memory : take_reserve(size);
}

static void give(void *memory) {
  if ((uintptr_t)memory - (uintptr_t)reserve >= RESERVE_BYTES) scratch_give_back(memory);
}

__attribute__((constructor)) static void start(void) { json_set_alloc_funcs(take, give); }

void *json_memory_load(const char *text, size_t count, size_t flags, void *error, bool *no_memory) {
  json_t *value = json_loadb(text, count, flags, error);
  *no_memory = has_reserve;
  if (!has_reserve) return value;
  json_decref(value);
  give_reserve_back();
  return NULL;
}
