#include "WipingHeap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* The program's own malloc family, which every library that it is linked with uses too (glibc manual, "Replacing
 * malloc"). It is glibc's but for the wiping. mallopt(M_PERTURB) would not do: it leaves out the thread caches, and
 * through them all small blocks.
 *
 * Sanitizers bring a family of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void *__libc_valloc(size_t);
extern void *__libc_pvalloc(size_t);
extern void __libc_free(void *);

/* Without bins of small blocks that are not joined to their neighbours when they come back: glibc joins all of them at
 * once when somebody wants more than a KiB, and holds the lock meanwhile, 20 ms and more after a million sessions have
 * expired. The caches of the threads are left, which serve nearly all small blocks. */
__attribute__((constructor)) static void have_no_fast_bins(void) { mallopt(M_MXFAST, 0); }

void *malloc(size_t size) { return __libc_malloc(size); }

/* glibc's own leaves the caches of the threads alone, which have small blocks at hand. */
enum { MOST_CACHED = 1024 };

void *calloc(size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all) || all > MOST_CACHED) return __libc_calloc(count, size);
  void *memory = __libc_malloc(all);
  return memory ? memset(memory, 0, all) : NULL;
}

void *memalign(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }

void *valloc(size_t size) { return __libc_valloc(size); }

void *pvalloc(size_t size) { return __libc_pvalloc(size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) || alignment & (alignment - 1) || alignment == 0) return EINVAL;
  int before = errno;
  void *made = __libc_memalign(alignment, size);
  errno = before;
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  if (!memory) return;
  memset(memory, 0, malloc_usable_size(memory));
  /* The compiler is to believe that the zeros are read. */
  __asm__ volatile("" : : "r"(memory) : "memory");
  __libc_free(memory);
}

/* Moves unless the block is large enough as it is; glibc's own would free the old one past us. */
void *realloc(void *memory, size_t size) {
  if (!memory) return __libc_malloc(size);
  if (size == 0) {
    free(memory);
    return NULL;
  }
  size_t room = malloc_usable_size(memory);
  if (size <= room && size >= room / 2) return memory;
  void *moved = __libc_malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, size < room ? size : room);
  free(memory);
  return moved;
}

#endif
