#include "internal.h"

#include <errno.h>
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

/* libmicrohttpd never writes to the socket again: under MHD_USE_TURBO it does not even shut it down when the handler
 * refuses the connection, it only closes its own descriptor. */
mhs_stream *mhs_stream_open(mhs_request *request, void *user, const uint8_t *address, mhs_taken *taken) {
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

/* From now on the reader has that long to take something. */
static void give_time(mhs_stream *stream) {
  stream->give_up_at = mhs_now() + stream->server->config.stall_ms;
  wheel_set(stream, stream->give_up_at);
}

/* Gives a stream that the caller holds to the streams' thread, by way of one of its lists. */
static void give_to_loop(mhs_stream *stream, mhs_stream **list) {
  mhs_server *server = stream->server;
  pthread_mutex_lock(&server->streams_lock);
  stream->next_for_loop = *list;
  *list = stream;
  pthread_mutex_unlock(&server->streams_lock);
  loop_signal(server);
}

/* Gives the stream back, after the rounds that were asked for meanwhile. */
static void leave(mhs_stream *stream) {
  if (stream->over) atomic_fetch_or(&stream->state, GONE);
  unsigned state = atomic_load(&stream->state);
  for (int rounds = 0; !(state & GONE);) {
    if (state & AGAIN) {
      if (rounds++ == MOST_ROUNDS) return give_to_loop(stream, &stream->server->going_on);
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

/* How many bytes the socket took; -1: it is gone. */
static ssize_t push(mhs_stream *stream, const char *bytes, size_t count) {
  size_t sent = 0;
  while (sent < count) {
    ssize_t n = send(stream->fd, bytes + sent, count - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n >= 0) sent += (size_t)n;
    else if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    else if (errno != EINTR) return -1;
  }
  return (ssize_t)sent;
}

static mhs_sent lost(mhs_stream *stream) {
  stream->over = stream->aborted = true;
  return MHS_GONE;
}

mhs_sent mhs_stream_send(mhs_stream *stream, const void *bytes, size_t count) {
  if (stream->over) return MHS_GONE;
  ssize_t sent = push(stream, bytes, count);
  if (sent < 0 || count > UINT32_MAX) return lost(stream);
  if ((size_t)sent == count) return MHS_SENT;
  size_t rest = count - (size_t)sent;
  stream->kept = malloc(rest);
  if (!stream->kept) return lost(stream);
  memcpy(stream->kept, (const char *)bytes + sent, rest);
  stream->kept_offset = 0;
  stream->kept_count = (uint32_t)rest;
  give_time(stream);
  return mhs_stream_flush(stream);
}

mhs_sent mhs_stream_flush(mhs_stream *stream) {
  if (stream->over) return MHS_GONE;
  if (!stream->kept) return MHS_SENT;
  if (atomic_load(&stream->blocked)) return MHS_PENDING;
  /* Set before the last try: the socket may take bytes again in between, and tells of it only once. */
  for (int tries = 0; tries < 2; tries++) {
    ssize_t sent = push(stream, stream->kept + stream->kept_offset, stream->kept_count - stream->kept_offset);
    if (sent < 0) return lost(stream);
    stream->kept_offset += (uint32_t)sent;
    if (stream->kept_offset == stream->kept_count) {
      atomic_store(&stream->blocked, false);
      wipe_and_free(stream->kept, stream->kept_count);
      stream->kept = NULL;
      return MHS_SENT;
    }
    if (sent > 0 && !stream->finishing) give_time(stream);
    atomic_store(&stream->blocked, true);
  }
  return MHS_PENDING;
}

void mhs_stream_wait_until(mhs_stream *stream, int64_t when) {
  /* While something is kept nothing else can be sent, and the wheel has to come when the reader's time is over. */
  wheel_set(stream, stream->kept ? stream->give_up_at : when);
}

void mhs_stream_finish(mhs_stream *stream) {
  if (!stream->kept) {
    stream->over = true;
  } else if (!stream->finishing) {
    stream->finishing = true;
    give_time(stream);
  }
}

void mhs_stream_cut(mhs_stream *stream, bool too_slow) {
  if (too_slow) atomic_fetch_add(&stream->server->cut, 1);
  stream->over = stream->aborted = true;
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

static mhs_stream *take_from(mhs_server *server, mhs_stream **list) {
  pthread_mutex_lock(&server->streams_lock);
  mhs_stream *first = *list;
  *list = NULL;
  pthread_mutex_unlock(&server->streams_lock);
  return first;
}

/* Goes on with what other threads went round for often enough. On the streams' thread. */
void streams_go_on(mhs_server *server) {
  mhs_stream *stream = take_from(server, &server->going_on);
  while (stream) {
    mhs_stream *next = stream->next_for_loop;
    leave(stream);
    stream = next;
  }
}

/* Closes what is to be closed. On the streams' thread, when no event of it is left to be looked at. */
void streams_close(mhs_server *server) {
  mhs_stream *stream = take_from(server, &server->closing);
  while (stream) {
    mhs_stream *next = stream->next_for_loop;
    close_stream(stream);
    stream = next;
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
