#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* libmicrohttpd's time-out is for idleness only: a byte a second keeps a connection for ever, and it costs each request a
 * twentieth of its time. So each connection has a time by which something whole must have come or gone: at first, and
 * from the first line of a request, `request_ms`; for an answer to be read, `idle_ms` more; between requests `idle_ms`.
 *
 * The lock makes sure that a descriptor that is shut down here is still its connection's: libmicrohttpd tells of a
 * connection's end before it closes the descriptor. */

enum { CROWDED_MS = 1000 };

/* A clock that is some ms late, and costs a fifth of an exact one. */
static int64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void name_thread(void) {
  static _Thread_local bool named;
  if (!named) pthread_setname_np(pthread_self(), "http");
  named = true;
}

/* Counts the connection for its address, and says what comes of it: how many ms it has for its first request. */
static unsigned admit(mhs_server *server, struct MHD_Connection *connection, struct connection *entry) {
  const mhs_config *config = &server->config;
  uint8_t address[16];
  if (!connection_address(connection, address)) return config->request_ms;
  if (!server->callbacks.on_connection(server->callbacks.context, address)) return config->request_ms;
  unsigned count;
  entry->peer = peer_add(server, address, PEER_CONNECTIONS, &count);
  if (count <= config->max_address_connections) return config->request_ms;
  entry->crowded = true;
  if (count > 2 * config->max_address_connections) return 0;
  return config->request_ms < CROWDED_MS ? config->request_ms : CROWDED_MS;
}

static void refuse(mhs_server *server, struct connection *entry) {
  atomic_fetch_add(&server->refused[MHS_CROWDED], 1);
  shutdown(entry->fd, SHUT_RDWR);
  entry->fd = -1;
}

static void started(mhs_server *server, struct MHD_Connection *connection, void **slot) {
  name_thread();
  atomic_fetch_add(&server->accepted, 1);
  atomic_fetch_add(&server->open_connections, 1);
  struct connection *entry = calloc(1, sizeof *entry);
  *slot = entry;
  /* Without memory for the entry the first request is refused, and nothing lasts long. */
  if (!entry) return;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  entry->fd = info ? info->connect_fd : -1;
  unsigned time = admit(server, connection, entry);
  if (time == 0) refuse(server, entry);
  atomic_init(&entry->deadline, clock_now() + time);
  pthread_mutex_lock(&server->connections_lock);
  bool first = !server->connections;
  entry->next = server->connections;
  if (entry->next) entry->next->previous = entry;
  server->connections = entry;
  pthread_mutex_unlock(&server->connections_lock);
  if (first) loop_sleep_no_longer_than(server, mhs_now() + server->config.request_ms);
}

static void closed(mhs_server *server, void **slot) {
  atomic_fetch_sub(&server->open_connections, 1);
  struct connection *entry = *slot;
  if (!entry) return;
  *slot = NULL;
  pthread_mutex_lock(&server->connections_lock);
  if (entry->previous) entry->previous->next = entry->next;
  else server->connections = entry->next;
  if (entry->next) entry->next->previous = entry->previous;
  pthread_mutex_unlock(&server->connections_lock);
  peer_remove(server, entry->peer, PEER_CONNECTIONS);
  free(entry);
}

void connections_notify(void *server, struct MHD_Connection *connection, void **slot,
                        enum MHD_ConnectionNotificationCode code) {
  if (code == MHD_CONNECTION_NOTIFY_STARTED) started(server, connection, slot);
  else closed(server, slot);
}

void connection_expect(struct connection *entry, int64_t in_ms) {
  if (entry && !entry->crowded) atomic_store_explicit(&entry->deadline, clock_now() + in_ms, memory_order_relaxed);
}

void connection_forget(mhs_server *server, struct connection *entry) {
  if (!entry) return;
  pthread_mutex_lock(&server->connections_lock);
  entry->fd = -1;
  pthread_mutex_unlock(&server->connections_lock);
}

/* When the end of what a client sends comes together with its last bytes, libmicrohttpd reads those, takes it that there
 * are no more for now, and never hears of the end, as its epoll tells of each change once. So it is told again: nothing
 * is lost of a socket from which nothing more can be read, and who waits for an answer still gets it. */
static void tell_of_end(struct connection *entry) {
  if (!atomic_load_explicit(&entry->arriving, memory_order_relaxed)) return;
  char byte;
  if (recv(entry->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) shutdown(entry->fd, SHUT_RD);
  explicit_bzero(&byte, 1);
}

/* Shuts down what is late, tells of ends, and says when to look again: a tenth of the shortest time late at most. */
int64_t connections_sweep(mhs_server *server, int64_t now) {
  int64_t time = clock_now();
  pthread_mutex_lock(&server->connections_lock);
  bool any = server->connections != NULL;
  for (struct connection *entry = server->connections; entry; entry = entry->next) {
    if (entry->fd < 0) continue;
    if (atomic_load_explicit(&entry->deadline, memory_order_relaxed) > time) {
      tell_of_end(entry);
      continue;
    }
    atomic_fetch_add(&server->timed_out, 1);
    shutdown(entry->fd, SHUT_RDWR);
    entry->fd = -1;
  }
  pthread_mutex_unlock(&server->connections_lock);
  int64_t pause = server->config.request_ms / 10;
  return any ? now + (pause < 10 ? 10 : pause > 500 ? 500 : pause) : INT64_MAX;
}
