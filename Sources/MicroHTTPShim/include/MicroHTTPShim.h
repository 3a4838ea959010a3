/* Hosts libmicrohttpd: whole requests in, whole responses out, and sockets that stay open taken over from it.
 *
 * Threads: `workers` of libmicrohttpd's, each with a daemon of its own on a duplicate of one listening socket; one for
 * everything that stays open: streams, their deadlines, the deadlines of slow requests, and the caller's timers; and
 * `waiters` for whatever may have to wait for another machine, so that the others never do. None of them gets a signal.
 *
 * A request is seen once, when it is whole, in `on_request`, on a worker, or on a waiter if `may_wait` says so. It is
 * answered there, by `mhs_reply`, `mhs_reply_raw` or `mhs_stream_open`; otherwise its connection is closed. All that it
 * points to dies when `on_request` returns.
 *
 * Requests that break HTTP's rules in a way that libmicrohttpd 0.9.75 lets through, or that are too large, reach
 * `on_request` too, marked by `refusal` and without a body; their answer closes the connection, but
 * that to a body of up to 1 MiB, which is read for nothing. Slow ones are cut.
 *
 * A connection that is one too many for its address is answered so as well, when its request comes, and has a second
 * for that; from twice as many on they are closed at once. Of IPv6 addresses only the first 64 bits count.
 *
 * A stream is a socket that the caller feeds from any thread, one at a time: see mhs_stream_wake. It works over plain
 * HTTP only: TLS would have to be libmicrohttpd's.
 *
 * Memory: bodies of requests, owned bodies of responses and what of a stream's bytes is still to be sent are wiped
 * before they are freed, and a request's body is wiped in libmicrohttpd's buffer as soon as it was read. That buffer's
 * other bytes (heads, with their tokens) are wiped by libmicrohttpd when a connection goes on with its next request,
 * and freed as they are when it is closed: M_PERTURB has to cover that. When memory runs out, a request is refused or
 * its connection closed. */
#ifndef MICRO_HTTP_SHIM_H
#define MICRO_HTTP_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mhs_server mhs_server;
typedef struct mhs_request mhs_request;
typedef struct mhs_stream mhs_stream;

/* Borrowed bytes; `bytes` is NULL if there are none. */
typedef struct { const char *bytes; size_t count; } mhs_slice;

typedef struct {
  unsigned workers;
  unsigned waiters;            /* 0: nothing has to wait */
  unsigned max_connections;    /* of all workers together; more wait in the backlog */
  unsigned max_streams;        /* sockets taken over */
  unsigned max_address_connections;  /* of one address, where on_connection says so; more are refused: MHS_CROWDED */
  unsigned max_address_streams;      /* of one address, where mhs_stream_open is given one */
  unsigned idle_ms;            /* for a connection without a request under way */
  unsigned request_ms;         /* from the start of a request until it is whole */
  unsigned stall_ms;           /* a stream whose reader takes no byte for so long is cut */
  size_t connection_memory;    /* for the heads of a request and of its response; bounds both */
  size_t max_body;
} mhs_config;

typedef enum {
  MHS_OK = 0,
  MHS_MALFORMED,        /* framing that can be read in two ways, a bad method or name, a folded line, a NUL, no or two
                         * Hosts */
  MHS_LENGTH_REQUIRED,  /* any Transfer-Encoding */
  MHS_TOO_LARGE,        /* a body over `max_body` */
  MHS_NO_MEMORY,
  MHS_CROWDED,          /* its address has too many connections */
} mhs_refusal;

enum { MHS_REFUSALS = 6 };

typedef struct {
  void *context;  /* the caller's */
  /* On a worker: whether connections of this address (IPv6, IPv4 mapped) are counted and limited. */
  bool (*on_connection)(void *context, const uint8_t address[16]);
  /* On a worker, with waiters only: whether on_request may have to wait. */
  bool (*may_wait)(void *context, const mhs_request *request);
  /* On a worker or a waiter. */
  void (*on_request)(void *context, mhs_request *request);
  /* Feed the stream: see mhs_stream_wake. */
  void (*on_stream_ready)(void *context, void *user);
  /* On the streams' thread, once for each stream that was opened, after its last on_stream_ready has returned. The
   * descriptor is closed. The stream itself stays valid until mhs_stream_free. */
  void (*on_stream_closed)(void *context, void *user);
  /* On the streams' thread: runs what is due and says when it wants to be called again (ms; INT64_MAX: when asked). */
  int64_t (*on_time)(void *context, int64_t now);
  /* On any thread. */
  void (*on_log)(void *context, const char *line);
} mhs_callbacks;

typedef struct {
  uint64_t accepted;                /* connections since the start */
  uint32_t connections;             /* of libmicrohttpd's, open now */
  uint32_t requests;                /* under way */
  uint32_t early_requests;          /* those of them that began before mhs_drain */
  uint32_t handed_requests;         /* those of them that were handed to a waiter */
  uint32_t streams;                 /* open now */
  uint64_t cut;                     /* streams dropped because their reader was too slow */
  uint64_t timed_out;               /* connections closed because a request was not whole in time */
  uint64_t refused[MHS_REFUSALS];   /* requests, by mhs_refusal */
} mhs_counts;

/* ms of CLOCK_BOOTTIME, the clock of all times here. */
int64_t mhs_now(void);
/* "Date: …" as in RFC 9110 section 5.6.7, with CR LF, of now. */
mhs_slice mhs_date(char buffer[40]);
/* A status's name, "Unknown" for one that has none. For ever. */
const char *mhs_reason(unsigned status);

/* Takes `listen_fd`, which is bound and listens, also on failure. NULL: `error` says why. */
mhs_server *mhs_start(int listen_fd, const mhs_config *config, const mhs_callbacks *callbacks, char *error,
                      size_t error_size);
/* From now on every answer of mhs_reply closes its connection, and a request that begins is late. Any thread. */
void mhs_drain(mhs_server *server);
/* Ends everything at once and joins the threads: no callback runs afterwards. Not from a callback; once. */
void mhs_stop(mhs_server *server);
/* After mhs_stop. */
void mhs_free(mhs_server *server);
/* Any thread, until mhs_free. */
void mhs_count(mhs_server *server, mhs_counts *counts);
/* on_time is to be called no later than at `when`. Any thread. */
void mhs_wake_timers(mhs_server *server, int64_t when);
/* Wakes every stream, on the streams' thread. Any thread. */
void mhs_wake_streams(mhs_server *server);

typedef struct {
  mhs_slice method;
  mhs_slice path;    /* as it was sent, not decoded, without the query; of an absolute target its path only */
  mhs_slice query;   /* after the first '?', not decoded; NULL without one */
  mhs_slice body;
  mhs_refusal refusal;
  bool late;         /* its first line came after mhs_drain */
  int64_t waited_ms; /* until a waiter was free */
} mhs_view;

mhs_view mhs_request_view(const mhs_request *request);
/* The value of the first field of that name, in any case of letters, without white space around it. */
mhs_slice mhs_request_field(const mhs_request *request, const char *name, size_t name_count);
/* The values of the last `most` fields of that name, in order and without white space around them; how many there are. */
size_t mhs_request_fields(const mhs_request *request, const char *name, size_t name_count, mhs_slice *values,
                          size_t most);
/* The address that it came from as IPv6 (IPv4 mapped). False for a Unix socket, and all zero. */
bool mhs_request_peer(const mhs_request *request, uint8_t address[16]);

/* Answers. `fields` is name NUL value NUL …, `fields_count` bytes in all. The body is taken if `owned` (it is from
 * malloc), else it has to stay for ever. `close`: and closes the connection. */
void mhs_reply(mhs_request *request, unsigned status, const char *fields, size_t fields_count, void *body,
               size_t body_count, bool owned, bool close);
/* Answers by these bytes, a whole head, and closes the connection: for HEAD of a body without a length, which
 * libmicrohttpd 0.9.75 answers with the end of a chunked one. */
void mhs_reply_raw(mhs_request *request, const void *bytes, size_t count);

typedef enum {
  MHS_TAKEN = 0,
  MHS_FULL,            /* there are as many streams as there may be */
  MHS_FULL_ADDRESS,    /* the address has as many as it may */
  MHS_NO_DESCRIPTOR,   /* no descriptor, or no memory */
} mhs_taken;

/* Takes the request's socket over; NULL: not, `taken` says why, and the request is still to be answered. The caller
 * feeds the stream at once, and then calls mhs_stream_start. `address`: whose stream it is; NULL if it counts for
 * nobody. `may_wait`: who feeds it; then waiters do, if there are any. */
mhs_stream *mhs_stream_open(mhs_request *request, void *user, const uint8_t *address, bool may_wait, mhs_taken *taken);
void mhs_stream_start(mhs_stream *stream);

/* There may be something to send: calls on_stream_ready, here and now (of a stream that may wait: has a waiter call it),
 * or lets the thread that is in it go round once more. So it is called by one thread at a time, never waits, and misses
 * nothing. Besides, the streams' thread calls this when the socket takes bytes again after MHS_PENDING, and at the time
 * of mhs_stream_wait_until. Any thread. */
void mhs_stream_wake(mhs_stream *stream);

/* What follows is called by who feeds the stream only: between open and start, and in on_stream_ready. */

typedef enum { MHS_SENT, MHS_PENDING, MHS_GONE } mhs_sent;
/* Sends; what the socket does not take is kept. Not while something is kept. */
mhs_sent mhs_stream_send(mhs_stream *stream, const void *bytes, size_t count);
/* Sends what is kept. */
mhs_sent mhs_stream_flush(mhs_stream *stream);
/* Wake the stream at `when` (ms, some 64 ms late at most; INT64_MAX: never). A later time than before costs nothing. */
void mhs_stream_wait_until(mhs_stream *stream, int64_t when);
/* Ends it, after what is kept (for which there are `stall_ms`), and calls on_stream_ready no more. */
void mhs_stream_finish(mhs_stream *stream);
/* Drops the connection. `too_slow`: it is counted as cut. */
void mhs_stream_cut(mhs_stream *stream, bool too_slow);

/* Not before on_stream_closed; any thread. */
void mhs_stream_free(mhs_stream *stream);

#endif
