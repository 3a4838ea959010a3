#include "internal.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Who may feed a stream. HELD: a thread is feeding it. AGAIN: and is to go round once more. GONE: it is over; whoever
 * sets GONE while nobody holds the stream, or holds it and finds it GONE, has it closed, and keeps it HELD for ever, so
 * that nobody feeds it again. */
enum { HELD = 1, AGAIN = 2, GONE = 4 };

enum { UNSENT_BYTES = 16384 };

/* How often a thread goes round for others before it has the streams' thread go on: a worker has requests to answer,
 * and the others may wake faster than it feeds. */
enum { MOST_ROUNDS = 16 };

static mhs_stream *stream_of(struct task *task) {
  return (mhs_stream *)(void *)((char *)task - offsetof(mhs_stream, task));
}

static void feed_on_waiter(struct task *, bool is_over);

/* libmicrohttpd never writes to the socket again: under MHD_USE_TURBO it does not even shut it down when the handler
 * refuses the connection, it only closes its own descriptor. */
mhs_stream *mhs_stream_open(mhs_request *request, void *user, const uint8_t *address, bool may_wait, mhs_taken *taken) {
  mhs_server *server = request->server;
  struct peer *peer = NULL;
  *taken = MHS_FULL;
  if (atomic_fetch_add(&server->open_streams, 1) >= server->config.max_streams) goto full;
  unsigned count = 0;
  if (address) peer = peer_add(server, address, PEER_STREAMS, &count);
  *taken = MHS_FULL_ADDRESS;
  if (count > server->config.max_address_streams) goto full;
  *taken = MHS_NO_DESCRIPTOR;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  int fd = info ? fcntl(info->connect_fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (fd < 0) goto full;
  mhs_stream *stream = calloc(1, sizeof *stream);
  if (!stream) {
    close(fd);
    goto full;
  }
  /* The sweeper would shut down a socket that is the stream's now. */
  connection_forget(server, request->entry);
  /* The kernel is to give up a machine that is gone, and to keep little for a slow reader, who is to be noticed. A Unix
   * socket has none of these. */
  int one = 1, timeout = (int)server->config.stall_ms, unsent = UNSENT_BYTES;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
  setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  stream->server = server;
  stream->user = user;
  stream->peer = peer;
  stream->may_wait = may_wait;
  stream->task.run = feed_on_waiter;
  stream->wakes = atomic_load(&server->wakes);
  stream->fd = fd;
  atomic_init(&stream->state, HELD);
  atomic_init(&stream->wait_until, INT64_MAX);
  atomic_init(&stream->scheduled, INT64_MAX);
  *taken = MHS_TAKEN;
  return stream;
full:
  peer_remove(server, peer, PEER_STREAMS);
  atomic_fetch_sub(&server->open_streams, 1);
  return NULL;
}

/* What a thread that holds the stream does with it. */
static void feed(mhs_stream *stream) {
  const mhs_callbacks *callbacks = &stream->server->callbacks;
  if (stream->kept && mhs_now() >= stream->give_up_at) mhs_stream_cut(stream, true);
  else if (!stream->finishing) callbacks->on_stream_ready(callbacks->context, stream->user);
  else if (mhs_stream_flush(stream) == MHS_SENT) stream->over = true;
}

/* Gives a stream that the caller holds to the streams' thread, by way of one of its lists. */
static void give_to_loop(mhs_stream *stream, struct task **list) {
  mhs_server *server = stream->server;
  pthread_mutex_lock(&server->streams_lock);
  stream->task.next = *list;
  *list = &stream->task;
  pthread_mutex_unlock(&server->streams_lock);
  loop_signal(server);
}

/* Has another thread go on with a stream that the caller holds. */
static void pass_on(mhs_stream *stream) {
  if (stream->may_wait && waiters_give(&stream->server->waiters, &stream->task)) return;
  give_to_loop(stream, &stream->server->going_on);
}

/* Gives the stream back, after the rounds that were asked for meanwhile. */
static void leave(mhs_stream *stream) {
  if (stream->over) atomic_fetch_or(&stream->state, GONE);
  unsigned state = atomic_load(&stream->state);
  for (int rounds = 0; !(state & GONE);) {
    if (state & AGAIN) {
      if (rounds++ == MOST_ROUNDS) return pass_on(stream);
      atomic_fetch_and(&stream->state, ~(unsigned)AGAIN);
      feed(stream);
      if (stream->over) atomic_fetch_or(&stream->state, GONE);
      state = atomic_load(&stream->state);
    } else if (atomic_compare_exchange_weak(&stream->state, &state, state & ~(unsigned)HELD)) {
      return;
    }
  }
  give_to_loop(stream, &stream->server->closing);
}

static void feed_on_waiter(struct task *task, bool is_over) {
  mhs_stream *stream = stream_of(task);
  if (is_over) mhs_stream_cut(stream, false);
  else if (!(atomic_load(&stream->state) & GONE)) feed(stream);
  leave(stream);
  wipe_stack();
}

void mhs_stream_start(mhs_stream *stream) {
  mhs_server *server = stream->server;
  pthread_mutex_lock(&server->streams_lock);
  stream->next = server->streams;
  if (stream->next) stream->next->previous = stream;
  server->streams = stream;
  pthread_mutex_unlock(&server->streams_lock);
  /* All may have been woken after it was fed and before it was one of them. */
  if (atomic_load(&server->wakes) != stream->wakes) atomic_fetch_or(&stream->state, AGAIN);
  /* Not EPOLLIN: what a client says on a stream is of no interest, and RDHUP comes without it. */
  struct epoll_event event = {.events = EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = stream};
  if (!stream->over && epoll_ctl(server->epoll, EPOLL_CTL_ADD, stream->fd, &event)) mhs_stream_cut(stream, false);
  leave(stream);
}

void mhs_stream_wake(mhs_stream *stream) {
  unsigned state = atomic_load(&stream->state);
  do {
    if (state & GONE) return;
  } while (!atomic_compare_exchange_weak(&stream->state, &state, state & HELD ? state | AGAIN : state | HELD));
  if (state & HELD) return;
  if (stream->may_wait && waiters_give(&stream->server->waiters, &stream->task)) return;
  feed(stream);
  leave(stream);
}

/* The client has left. On the streams' thread. */
void stream_gone(mhs_stream *stream) {
  stream->left = true;
  unsigned state = atomic_load(&stream->state);
  do {
    if (state & GONE) return;
  } while (!atomic_compare_exchange_weak(&stream->state, &state, state | GONE | HELD));
  if (!(state & HELD)) give_to_loop(stream, &stream->server->closing);
}

void mhs_stream_free(mhs_stream *stream) { free(stream); }

static void close_socket(mhs_stream *stream) {
  /* libmicrohttpd's descriptor may still be open, so closing this one does not take it off the list. */
  epoll_ctl(stream->server->epoll, EPOLL_CTL_DEL, stream->fd, NULL);
  if (stream->aborted) {
    /* What the kernel still holds for the reader is dropped too. */
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  } else {
    /* Closing a socket with bytes that were not read resets the connection, and the reader may lose the end. */
    char ignored[512];
    if (!stream->left) shutdown(stream->fd, SHUT_WR);
    for (int i = 0; i < 64 && recv(stream->fd, ignored, sizeof ignored, MSG_DONTWAIT) > 0; i++);
  }
  close(stream->fd);
}

static void close_stream(mhs_stream *stream) {
  mhs_server *server = stream->server;
  pthread_mutex_lock(&server->streams_lock);
  wheel_remove(stream);
  if (stream->previous) stream->previous->next = stream->next;
  else server->streams = stream->next;
  if (stream->next) stream->next->previous = stream->previous;
  pthread_mutex_unlock(&server->streams_lock);
  close_socket(stream);
  wipe_and_free(stream->kept, stream->kept_count);
  stream->kept = NULL;
  peer_remove(server, stream->peer, PEER_STREAMS);
  atomic_fetch_sub(&server->open_streams, 1);
  server->callbacks.on_stream_closed(server->callbacks.context, stream->user);
}

static struct task *take_from(mhs_server *server, struct task **list) {
  pthread_mutex_lock(&server->streams_lock);
  struct task *first = *list;
  *list = NULL;
  pthread_mutex_unlock(&server->streams_lock);
  return first;
}

/* Goes on with what other threads went round for often enough. On the streams' thread. */
void streams_go_on(mhs_server *server) {
  struct task *task = take_from(server, &server->going_on);
  while (task) {
    struct task *next = task->next;
    leave(stream_of(task));
    task = next;
  }
}

/* Closes what is to be closed. On the streams' thread, when no event of it is left to be looked at. */
void streams_close(mhs_server *server) {
  struct task *task = take_from(server, &server->closing);
  while (task) {
    struct task *next = task->next;
    close_stream(stream_of(task));
    task = next;
  }
}

static mhs_stream *first_stream(mhs_server *server) {
  pthread_mutex_lock(&server->streams_lock);
  mhs_stream *first = server->streams;
  pthread_mutex_unlock(&server->streams_lock);
  return first;
}

/* Other threads only put streams before the first, and only the streams' thread takes any away: it may walk on without
 * the lock. */
void streams_wake(mhs_server *server) {
  for (mhs_stream *stream = first_stream(server); stream; stream = stream->next) mhs_stream_wake(stream);
}

/* Ends all of them; false: there are none left. */
bool streams_end(mhs_server *server) {
  mhs_stream *first = first_stream(server);
  for (mhs_stream *stream = first; stream; stream = stream->next) stream_gone(stream);
  return first;
}
