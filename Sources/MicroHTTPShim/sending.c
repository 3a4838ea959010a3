#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* What who feeds a stream does with it. */

/* From now on the reader has that long to take something. */
static void give_time(mhs_stream *stream) {
  stream->give_up_at = mhs_now() + stream->server->config.stall_ms;
  wheel_set(stream, stream->give_up_at);
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
