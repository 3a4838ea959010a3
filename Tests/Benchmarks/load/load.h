/* What both load generators need. */
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline _Noreturn void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Connects to 127.0.0.1 from the address 127.0.0.(2 + which), each of which has ports of its own. */
static inline int dial(int port, unsigned which) {
  int yes = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002 + which)};
  struct sockaddr_in to = {
    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
  if (descriptor < 0) fail("socket");
  /* The port is chosen when it connects, so that the same one can be used towards several servers. */
  setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  if (bind(descriptor, (struct sockaddr *)&from, sizeof from) != 0) fail("bind");
  if (connect(descriptor, (struct sockaddr *)&to, sizeof to) != 0) fail("connect");
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return descriptor;
}

/* Writes a request into `buffer`; returns its length. */
static inline size_t write_request(char *buffer, size_t size, const char *method, const char *path, const char *suffix,
                                   const char *token, const char *body) {
  int is_get = strcmp(method, "GET") == 0;
  char length[64] = "";
  if (!is_get) snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
  int count = snprintf(buffer, size, "%s %s%s HTTP/1.1\r\nHost: localhost\r\n%s%s%s%s%s\r\n%s", method, path, suffix,
                       *token ? "Authorization: Bearer " : "", token, *token ? "\r\n" : "",
                       *body ? "Content-Type: application/json\r\n" : "", length, body);
  if (count < 0 || (size_t)count >= size) {
    fprintf(stderr, "a request is too long\n");
    exit(1);
  }
  return (size_t)count;
}

/* How long things took, in seconds. */
struct times {
  float *all;
  size_t count, room;
};

static inline void add_time(struct times *times, double seconds) {
  if (times->count == times->room) {
    times->room = times->room ? 2 * times->room : 65536;
    times->all = realloc(times->all, times->room * sizeof *times->all);
    if (!times->all) fail("realloc");
  }
  times->all[times->count++] = (float)seconds;
}

static inline int compare_times(const void *left, const void *right) {
  float difference = *(const float *)left - *(const float *)right;
  return (difference > 0) - (difference < 0);
}

/* Sorts, and prints "p50":…,"p99":…,"max":… in microseconds. */
static inline void print_times(struct times *times) {
  qsort(times->all, times->count, sizeof *times->all, compare_times);
  double parts[] = {0.5, 0.99, 1};
  const char *names[] = {"p50", "p99", "max"};
  for (int i = 0; i < 3; i++) {
    size_t at = (size_t)(parts[i] * (double)times->count);
    if (at >= times->count) at = times->count - 1;
    printf("%s\"%s\":%.1f", i ? "," : "", names[i], times->count ? (double)times->all[at] * 1e6 : 0);
  }
}

/* Splits a line at its tabs into at most `most` fields; the rest are empty. */
static inline void split(char *line, char **fields, int most) {
  line[strcspn(line, "\n")] = 0;
  for (int i = 0; i < most; i++) {
    char *field = strsep(&line, "\t");
    fields[i] = field ? field : "";
  }
}
