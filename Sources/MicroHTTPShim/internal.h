/* What the parts of the shim share; nobody else includes it. */
#ifndef MICRO_HTTP_SHIM_INTERNAL_H
#define MICRO_HTTP_SHIM_INTERNAL_H

#include "MicroHTTPShim.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

/* A connection of libmicrohttpd's, for the sweeper: see connections.c. */
struct connection {
  struct connection *previous, *next;  /* under `connections_lock` */
  int fd;                              /* under `connections_lock`; -1: not to be touched any more */
  _Atomic int64_t deadline;            /* when it is shut down, by connections.c's clock */
  atomic_bool arriving;                /* a request has begun and is not whole */
  struct peer *peer;                   /* NULL: not counted */
  bool crowded;                        /* one too many */
};

/* What a waiter is to do: see waiters.c. `is_over`: nobody waits any more, so only what has to be given back is. It may be
 * gone afterwards. */
struct task {
  struct task *next;
  void (*run)(struct task *, bool is_over);
};

struct waiters {
  pthread_mutex_t lock;
  pthread_cond_t given;
  struct task *first, **end;
  pthread_t *threads;
  unsigned running, idle;
  bool stopping;
};

struct mhs_request {
  struct task task;
  mhs_server *server;
  struct MHD_Connection *connection;
  struct connection *entry;
  const char *method;
  const char *sent_target;  /* in libmicrohttpd's buffer, which cuts it at '?' */
  char *body;
  size_t body_size, body_count;
  uint64_t name_sizes;      /* a bit for each size, modulo 64, that a field's name has */
  mhs_refusal refusal;
  bool seen;      /* the first handler call has been made */
  bool late;      /* it began after mhs_drain */
  bool may_wait;  /* it is to be handed to a waiter at the next handler call */
  bool handed;    /* to a waiter; the next handler call comes when it is done */
  int64_t handed_at;
  int64_t waited_ms;
  struct MHD_Response *response;  /* NULL: none yet, or none at all */
  unsigned status;
  mhs_slice path, query;
  size_t target_count;
  char target[];
};

struct mhs_stream {
  mhs_server *server;
  void *user;
  struct peer *peer;       /* NULL: not counted */
  int fd;
  atomic_uint state;       /* HELD, AGAIN, GONE: see streams.c */
  atomic_bool blocked;     /* the socket is to tell when it takes bytes again */
  bool left;               /* the client has; on the streams' thread */
  bool may_wait;           /* who feeds it: then a waiter does */
  /* By the thread that holds it. */
  bool over, finishing, aborted;
  unsigned wakes;      /* of all streams, when it was opened */
  uint32_t kept_offset, kept_count;
  char *kept;
  int64_t give_up_at;  /* while something is kept */
  /* All streams, and those that the streams' thread is to go on with or to close; under `streams_lock`. */
  struct mhs_stream *previous, *next;
  struct task task;
  /* The wheel: see wheel.c. */
  struct mhs_stream *slot_previous, *slot_next;
  _Atomic int64_t wait_until, scheduled;
};

enum { WHEEL_SLOTS = 512, WHEEL_TICK = 64 /* ms */ };

enum { PEER_PLACES = 4096 };

struct mhs_server {
  mhs_config config;
  mhs_callbacks callbacks;
  struct MHD_Daemon **daemons;
  struct waiters waiters;
  atomic_bool draining;

  pthread_mutex_t connections_lock;
  struct connection *connections;

  pthread_mutex_t peers_lock;
  uint64_t peers_key[2];
  struct peer *peers[PEER_PLACES];

  pthread_t loop;
  int epoll, event;
  atomic_bool stopping, wake_all, signalled;
  _Atomic int64_t timers_at;       /* when on_time is to be called */
  _Atomic int64_t loop_sleeps_to;  /* INT64_MIN while it does not sleep */

  pthread_mutex_t streams_lock;
  struct mhs_stream *streams;
  struct task *closing, *going_on;
  struct mhs_stream *wheel[WHEEL_SLOTS];
  uint64_t wheel_used[WHEEL_SLOTS / 64];
  int64_t wheel_tick;              /* all ticks before it have been looked at */

  _Atomic uint64_t accepted, cut, timed_out, refused[MHS_REFUSALS];
  atomic_uint wakes;  /* of all streams, so far */
  /* Each request under way is in one of the first two. */
  atomic_uint early_requests, late_requests, handed_requests, open_connections, open_streams;
};

/* connections.c */
void connections_notify(void *server, struct MHD_Connection *, void **slot, enum MHD_ConnectionNotificationCode);
void connection_expect(struct connection *, int64_t in_ms);
void connection_forget(mhs_server *, struct connection *);
int64_t connections_sweep(mhs_server *, int64_t now);

/* peers.c */
enum peer_count { PEER_CONNECTIONS, PEER_STREAMS };
void peers_start(mhs_server *);
/* One more for the address; `count` is how many it has now, 0 without memory to count them. */
struct peer *peer_add(mhs_server *, const uint8_t address[16], enum peer_count, unsigned *count);
void peer_remove(mhs_server *, struct peer *, enum peer_count);

/* requests.c */
bool connection_address(struct MHD_Connection *, uint8_t address[16]);
void *request_begin(void *server, const char *target, struct MHD_Connection *);
enum MHD_Result request_continue(void *server, struct MHD_Connection *, const char *url, const char *method,
                                 const char *version, const char *data, size_t *size, void **slot);
void request_completed(void *server, struct MHD_Connection *, void **slot, enum MHD_RequestTerminationCode);
size_t request_keep_escapes(void *server, struct MHD_Connection *, char *text);

/* guard.c */
/* Bytes of a body too large that are read, for nothing: who is still sending would not see the answer before its
 * connection is reset. */
enum { MOST_DISCARDED = 1 << 20 };
struct framing {
  mhs_refusal refusal;
  size_t length;
  bool has_no_room;  /* for an answer, beside the head */
};
struct framing guard(struct mhs_request *, const char *version);

/* streams.c */
void stream_gone(mhs_stream *);
void streams_go_on(mhs_server *);
void streams_close(mhs_server *);
bool streams_end(mhs_server *);
void streams_wake(mhs_server *);

/* wheel.c */
void wheel_set(mhs_stream *, int64_t when);
void wheel_remove(mhs_stream *);
int64_t wheel_turn(mhs_server *, int64_t now);

/* waiters.c */
bool waiters_start(struct waiters *, unsigned count);
/* Any thread; false: there are none, or not any more. */
bool waiters_give(struct waiters *, struct task *);
void waiters_stop(struct waiters *);
void waiters_free(struct waiters *);

/* loop.c */
void *loop_run(void *server);
void loop_signal(mhs_server *);
void loop_sleep_no_longer_than(mhs_server *, int64_t when);

/* lines.c */
void log_line(void *server, const char *format, va_list arguments);

/* memory.c */
void wipe_and_free(void *memory, size_t count);
/* What callees have left on the stack: whoever works with digits or tokens has had them in registers and frames. */
void wipe_stack(void);

#endif
