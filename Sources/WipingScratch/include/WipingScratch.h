/* Memory for what is made and thrown away within one step of one thread, such as the parts of a parsed document: a piece
 * costs an addition instead of a `malloc`, and all are wiped at once when the last has come back. */
#ifndef WIPING_SCRATCH_H
#define WIPING_SCRATCH_H

#include <stddef.h>

/* `size` bytes, not zeroed, aligned for anything; from the heap when the thread's 2 KiB are used up. NULL without memory. */
void *scratch_take(size_t size);
/* On the thread that took it. NULL is allowed. */
void scratch_give_back(void *piece);

#endif
