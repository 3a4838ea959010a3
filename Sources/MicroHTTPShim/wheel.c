#include "internal.h"

/* The times at which streams are to be woken. A slot holds the streams of one tick; one that is farther away than the
 * wheel's turn waits in the last slot and is put in again from there. A stream's time is in `wait_until`; it moves in
 * the wheel only when that is earlier than `scheduled`, when the wheel looks at it. Both orders of "store one, then
 * load the other", here and in `look`, make sure that a later time is never lost. */

static void insert(mhs_server *server, mhs_stream *stream, int64_t when) {
  int64_t tick = when / WHEEL_TICK + (when % WHEEL_TICK > 0);
  if (tick < server->wheel_tick) tick = server->wheel_tick;
  if (tick > server->wheel_tick + WHEEL_SLOTS - 1) tick = server->wheel_tick + WHEEL_SLOTS - 1;
  size_t slot = (size_t)tick % WHEEL_SLOTS;
  stream->slot_previous = NULL;
  stream->slot_next = server->wheel[slot];
  if (stream->slot_next) stream->slot_next->slot_previous = stream;
  server->wheel[slot] = stream;
  server->wheel_used[slot / 64] |= (uint64_t)1 << slot % 64;
  atomic_store(&stream->scheduled, tick * WHEEL_TICK);
}

/* Under `streams_lock`. */
void wheel_remove(mhs_stream *stream) {
  mhs_server *server = stream->server;
  int64_t scheduled = atomic_load(&stream->scheduled);
  if (scheduled == INT64_MAX) return;
  size_t slot = (size_t)(scheduled / WHEEL_TICK) % WHEEL_SLOTS;
  if (stream->slot_previous) stream->slot_previous->slot_next = stream->slot_next;
  else server->wheel[slot] = stream->slot_next;
  if (stream->slot_next) stream->slot_next->slot_previous = stream->slot_previous;
  if (!server->wheel[slot]) server->wheel_used[slot / 64] &= ~((uint64_t)1 << slot % 64);
  atomic_store(&stream->scheduled, INT64_MAX);
}

void wheel_set(mhs_stream *stream, int64_t when) {
  mhs_server *server = stream->server;
  atomic_store(&stream->wait_until, when);
  if (when >= atomic_load(&stream->scheduled)) return;
  pthread_mutex_lock(&server->streams_lock);
  if (when < atomic_load(&stream->scheduled)) {
    wheel_remove(stream);
    insert(server, stream, when);
  }
  pthread_mutex_unlock(&server->streams_lock);
  loop_sleep_no_longer_than(server, when);
}

/* Takes a stream out of the tick; true: its time has come. */
static bool look(mhs_server *server, mhs_stream *stream, int64_t now) {
  wheel_remove(stream);
  int64_t when = atomic_load(&stream->wait_until);
  if (when <= now) return true;
  if (when != INT64_MAX) insert(server, stream, when);
  return false;
}

static int64_t next_tick(const mhs_server *server) {
  for (int64_t i = 0; i < WHEEL_SLOTS;) {
    size_t slot = (size_t)(server->wheel_tick + i) % WHEEL_SLOTS;
    uint64_t rest = server->wheel_used[slot / 64] >> slot % 64;
    if (rest) return server->wheel_tick + i + __builtin_ctzll(rest);
    i += 64 - (int64_t)(slot % 64);
  }
  return -1;
}

/* Wakes the streams whose time has come, and says when the next one's comes. On the streams' thread. */
int64_t wheel_turn(mhs_server *server, int64_t now) {
  for (;;) {
    mhs_stream *due[64];
    size_t count = 0;
    int64_t next;
    pthread_mutex_lock(&server->streams_lock);
    while ((next = next_tick(server)) >= 0 && next <= now / WHEEL_TICK && count < 64) {
      server->wheel_tick = next;
      mhs_stream *stream = server->wheel[(size_t)next % WHEEL_SLOTS];
      if (look(server, stream, now)) due[count++] = stream;
    }
    /* A tick that is over is never used again, or a stream that was put in now would wait for a whole turn. */
    if (count < 64 && server->wheel_tick <= now / WHEEL_TICK) server->wheel_tick = now / WHEEL_TICK + 1;
    pthread_mutex_unlock(&server->streams_lock);
    /* Only this thread closes streams: they are still there. */
    for (size_t i = 0; i < count; i++) mhs_stream_wake(due[i]);
    if (count == 0) return next < 0 ? INT64_MAX : next * WHEEL_TICK;
  }
}
