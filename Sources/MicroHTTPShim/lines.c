#include "internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* What libmicrohttpd says, as lines of the caller's log, and not too many of them. */

/* A worker that has no connection tries to accept one again at once when no descriptor is left for it: it has nothing
 * else to do. */
static void pause_before_next_try(const char *format) {
  const struct timespec pause = {.tv_nsec = 20000000};
  if (strstr(format, "at FIRST connection")) nanosleep(&pause, NULL);
}

static bool is_of_accepting(const char *format) {
  return strstr(format, "at FIRST connection") || strstr(format, "Error accepting connection")
      || strstr(format, "system resource limit");
}

/* What comes with each try to accept a connection is told every ten seconds at most. */
static bool is_told_already(void) {
  static _Thread_local int64_t next;
  int64_t now = mhs_now();
  bool told = now < next;
  if (!told) next = now + 10000;
  return told;
}

/* Strangers can cause lines as fast as they break requests: of each worker there are so many a second. How many were
 * left out, the next one says. */
enum { LINES_A_SECOND = 5 };

static bool is_one_too_many(unsigned *left_out) {
  static _Thread_local int64_t second_ends;
  static _Thread_local unsigned told, untold;
  int64_t now = mhs_now();
  if (now >= second_ends) {
    second_ends = now + 1000;
    told = 0;
  }
  if (told == LINES_A_SECOND) {
    untold++;
    return true;
  }
  told++;
  *left_out = untold;
  untold = 0;
  return false;
}

void log_line(void *closure, const char *format, va_list arguments) {
  mhs_server *server = closure;
  /* A client that left before it had its answer: nothing to tell, and the target may be the way to a session. */
  if (strstr(format, "for the request for")) return;
  pause_before_next_try(format);
  bool accepting = is_of_accepting(format);
  if (accepting && is_told_already()) return;
  char line[512];
  /* With room for what comes after it. */
  vsnprintf(line, sizeof line - 64, format, arguments);
  /* That is how libmicrohttpd sees a socket that was taken over. */
  if (strstr(line, "Application reported internal error")) return;
  unsigned left_out = 0;
  if (!accepting && is_one_too_many(&left_out)) return;
  size_t end = strcspn(line, "\r\n");
  line[end] = '\0';
  if (left_out > 0) snprintf(line + end, sizeof line - end, " (%u lines before it were left out)", left_out);
  server->callbacks.on_log(server->callbacks.context, line);
  wipe_stack();
}
