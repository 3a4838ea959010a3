#include "internal.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The streams' thread. It looks for work, then sleeps. Who makes work first writes it down and then calls one of the
 * two functions here. `signalled` says that the thread will look anyway; `loop_sleeps_to` is later than any time while
 * it looks. */

void loop_signal(mhs_server *server) {
  if (!atomic_exchange(&server->signalled, true)) eventfd_write(server->event, 1);
}

void loop_sleep_no_longer_than(mhs_server *server, int64_t when) {
  if (when < atomic_load(&server->loop_sleeps_to)) loop_signal(server);
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t run_timers(mhs_server *server, int64_t now) {
  if (now < atomic_load(&server->timers_at)) return atomic_load(&server->timers_at);
  /* Whoever asks from here on asks for another call. */
  atomic_store(&server->timers_at, INT64_MAX);
  mhs_wake_timers(server, server->callbacks.on_time(server->callbacks.context, now));
  return atomic_load(&server->timers_at);
}

/* Does what is to be done now; says when there is more. */
static int64_t look(mhs_server *server) {
  int64_t now = mhs_now();
  int64_t next = run_timers(server, now);
  next = earlier(next, wheel_turn(server, now));
  next = earlier(next, connections_sweep(server, now));
  if (atomic_exchange(&server->wake_all, false)) streams_wake(server);
  streams_go_on(server);
  streams_close(server);
  return next;
}

static void handle(const struct epoll_event *event) {
  mhs_stream *stream = event->data.ptr;
  if (!stream) return;
  if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) stream_gone(stream);
  else if (atomic_exchange(&stream->blocked, false)) mhs_stream_wake(stream);
}

static void sleep_and_handle(mhs_server *server, int64_t next) {
  struct epoll_event events[64];
  int64_t pause = next == INT64_MAX ? -1 : next - mhs_now();
  if (next != INT64_MAX && pause < 0) pause = 0;
  int count = epoll_wait(server->epoll, events, 64, pause > 60000 ? 60000 : (int)pause);
  atomic_store(&server->signalled, true);
  for (int i = 0; i < count; i++) handle(&events[i]);
}

void *loop_run(void *closure) {
  mhs_server *server = closure;
  for (;;) {
    atomic_store(&server->loop_sleeps_to, INT64_MAX);
    atomic_exchange(&server->signalled, false);
    int64_t next = look(server);
    wipe_stack();
    if (atomic_load(&server->stopping) && !streams_end(server)) return NULL;
    atomic_store(&server->loop_sleeps_to, next);
    sleep_and_handle(server, next);
  }
}
