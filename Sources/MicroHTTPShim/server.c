#include "internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct MHD_Daemon *start_worker(mhs_server *server, int fd) {
  const mhs_config *config = &server->config;
  unsigned connections = (config->max_connections + config->workers - 1) / config->workers;
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_TURBO | MHD_USE_ERROR_LOG;
  if (config->waiters > 0) flags |= MHD_ALLOW_SUSPEND_RESUME;
  /* The logger comes first: it is to hear of the others. */
  return MHD_start_daemon(
      flags, 0, NULL, NULL, request_continue, server,
      MHD_OPTION_EXTERNAL_LOGGER, log_line, server,
      MHD_OPTION_LISTEN_SOCKET, fd,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, config->connection_memory,
      MHD_OPTION_URI_LOG_CALLBACK, request_begin, server,
      MHD_OPTION_UNESCAPE_CALLBACK, request_keep_escapes, server,
      MHD_OPTION_NOTIFY_CONNECTION, connections_notify, server,
      MHD_OPTION_NOTIFY_COMPLETED, request_completed, server,
      MHD_OPTION_END);
}

static void stop_workers(mhs_server *server) {
  for (unsigned i = 0; server->daemons && i < server->config.workers; i++) {
    if (server->daemons[i]) MHD_stop_daemon(server->daemons[i]);
    server->daemons[i] = NULL;
  }
}

static bool start_workers(mhs_server *server, int listen_fd) {
  for (unsigned i = 0; i < server->config.workers; i++) {
    int fd = fcntl(listen_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return false;
    server->daemons[i] = start_worker(server, fd);
    if (server->daemons[i]) continue;
    close(fd);
    return false;
  }
  return true;
}

static bool start_loop(mhs_server *server) {
  server->epoll = epoll_create1(EPOLL_CLOEXEC);
  server->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  /* Edge-triggered: each write is told of once, and nobody has to read. */
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
  if (server->epoll < 0 || server->event < 0) return false;
  if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->event, &event)) return false;
  if (pthread_create(&server->loop, NULL, loop_run, server)) return false;
  pthread_setname_np(server->loop, "streams");
  return true;
}

static void stop_loop(mhs_server *server) {
  atomic_store(&server->stopping, true);
  loop_signal(server);
  pthread_join(server->loop, NULL);
}

static bool start_threads(mhs_server *server, int listen_fd, const char **what) {
  *what = "the streams' thread does not start";
  if (!server->daemons || !start_loop(server)) return false;
  *what = "the waiters do not start";
  bool started = waiters_start(&server->waiters, server->config.waiters);
  if (started) *what = "libmicrohttpd does not start";
  if (started && start_workers(server, listen_fd)) return true;
  mhs_stop(server);
  return false;
}

static mhs_server *new_server(const mhs_config *config, const mhs_callbacks *callbacks) {
  mhs_server *server = calloc(1, sizeof *server);
  if (!server) return NULL;
  server->config = *config;
  server->callbacks = *callbacks;
  server->daemons = calloc(config->workers, sizeof *server->daemons);
  server->epoll = server->event = -1;
  server->wheel_tick = mhs_now() / WHEEL_TICK;
  pthread_mutex_init(&server->connections_lock, NULL);
  pthread_mutex_init(&server->streams_lock, NULL);
  peers_start(server);
  return server;
}

mhs_server *mhs_start(int listen_fd, const mhs_config *config, const mhs_callbacks *callbacks, char *error,
                      size_t error_size) {
  const char *what = "there is no memory";
  mhs_server *server = new_server(config, callbacks);
  /* Signals are for the caller's threads: new ones inherit the mask. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = server && start_threads(server, listen_fd, &what);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(listen_fd);
  if (started) return server;
  snprintf(error, error_size, "%s", what);
  if (server) mhs_free(server);
  return NULL;
}

void mhs_drain(mhs_server *server) { atomic_store(&server->draining, true); }

void mhs_stop(mhs_server *server) {
  /* libmicrohttpd aborts if it is stopped while a waiter has one of its connections. */
  waiters_stop(&server->waiters);
  stop_workers(server);
  stop_loop(server);
}

void mhs_free(mhs_server *server) {
  if (server->epoll >= 0) close(server->epoll);
  if (server->event >= 0) close(server->event);
  pthread_mutex_destroy(&server->connections_lock);
  pthread_mutex_destroy(&server->streams_lock);
  pthread_mutex_destroy(&server->peers_lock);
  waiters_free(&server->waiters);
  free(server->daemons);
  free(server);
}

void mhs_count(mhs_server *server, mhs_counts *counts) {
  unsigned early = atomic_load(&server->early_requests);
  *counts = (mhs_counts){
      .accepted = atomic_load(&server->accepted),
      .connections = atomic_load(&server->open_connections),
      .requests = early + atomic_load(&server->late_requests),
      .early_requests = early,
      .handed_requests = atomic_load(&server->handed_requests),
      .streams = atomic_load(&server->open_streams),
      .cut = atomic_load(&server->cut),
      .timed_out = atomic_load(&server->timed_out),
  };
  for (int i = 0; i < MHS_REFUSALS; i++) counts->refused[i] = atomic_load(&server->refused[i]);
}

void mhs_wake_timers(mhs_server *server, int64_t when) {
  int64_t before = atomic_load(&server->timers_at);
  while (when < before) {
    if (!atomic_compare_exchange_weak(&server->timers_at, &before, when)) continue;
    loop_sleep_no_longer_than(server, when);
    return;
  }
}

void mhs_wake_streams(mhs_server *server) {
  atomic_fetch_add(&server->wakes, 1);
  atomic_store(&server->wake_all, true);
  loop_signal(server);
}
