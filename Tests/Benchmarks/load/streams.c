/* Many open event streams, and how long an event takes to arrive.
 *
 *   streams [-r RATE] [-t SECONDS | -1] [-a ADDRESS] PORT TARGETS
 *
 * TARGETS is a file with a line for each stream, its fields separated by tabs: the path that is watched, a token or
 * nothing, and twice a path and a body that are posted to cause an event. These two take turns, so that a session
 * never fills up, and each causes one event.
 *
 * Opens the streams, prints {"open":…,"seconds":…} when the first bytes of all have come, and waits for a line on
 * standard input. Then it posts RATE times a second (default 1000), for SECONDS (default 5) to streams chosen at
 * random, or with -1 once for each stream. One post is under way at a time; a stream with an event under way is not
 * chosen. Prints {"posted":…,"arrived":…,"closed":…,"p50":…,"p99":…,"max":…}: the microseconds from sending the post
 * to having the event; `closed` are streams that the server ended. -a: the first of the addresses that it connects
 * from, counted from 127.0.0.2; every 20,000 streams have one of their own.
 */
#include "load.h"

enum { PER_ADDRESS = 20000, HANG = 60 };
static const unsigned POSTER = UINT32_MAX;

struct target {
  char *watched, *token, *paths[2], *bodies[2];
  int descriptor, turn, is_open;
  /* When its event was caused; 0: none is under way. */
  double since;
};

static struct target *targets;
static unsigned target_count;
static int port, poll_descriptor;
static unsigned address;
static char buffer[65536];

static void read_targets(const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL, *fields[6];
  size_t room = 0, line_room = 0;
  if (!file) fail(path);
  while (getline(&line, &line_room, file) > 0) {
    if (target_count == room) {
      room = room ? 2 * room : 1024;
      targets = realloc(targets, room * sizeof *targets);
      if (!targets) fail("realloc");
    }
    split(strdup(line), fields, 6);
    targets[target_count++] =
      (struct target){fields[0], fields[1], {fields[2], fields[4]}, {fields[3], fields[5]}, -1, 0, 0, 0};
  }
  free(line);
  fclose(file);
}

static void add(int descriptor, unsigned number) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.u32 = number};
  if (epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl");
}

/* Takes the first bytes of streams that have some; returns of how many. */
static unsigned take_first_bytes(int timeout) {
  struct epoll_event events[1024];
  unsigned found = 0;
  int ready = epoll_wait(poll_descriptor, events, 1024, timeout);
  for (int i = 0; i < ready; i++) {
    struct target *target = &targets[events[i].data.u32];
    ssize_t count = recv(target->descriptor, buffer, sizeof buffer - 1, MSG_DONTWAIT);
    buffer[count > 0 ? count : 0] = 0;
    if (count <= 0 || (!target->is_open && strncmp(buffer, "HTTP/1.1 200 ", 13) != 0)) {
      fprintf(stderr, "a stream does not open: %.200s\n", buffer);
      exit(1);
    }
    found += !target->is_open;
    target->is_open = 1;
  }
  return found;
}

static void open_streams(void) {
  double start = seconds_now();
  unsigned open = 0;
  for (unsigned i = 0; i < target_count; i++) {
    targets[i].descriptor = dial(port, address + i / PER_ADDRESS);
    int length = snprintf(buffer, sizeof buffer, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", targets[i].watched,
                          "Accept: text/event-stream\r\n");
    if (send(targets[i].descriptor, buffer, (size_t)length, MSG_NOSIGNAL) != length) fail("send");
    add(targets[i].descriptor, i);
    open += take_first_bytes(0);
  }
  while (open < target_count && seconds_now() - start < HANG) open += take_first_bytes(100);
  printf("{\"open\":%u,\"seconds\":%.3f}\n", open, seconds_now() - start);
  fflush(stdout);
}

/* The next stream in order, or one at random without an event under way; NULL if there is none. */
static struct target *choose(unsigned posted, int is_once) {
  static unsigned seed = 20260101;
  if (is_once) return posted < target_count ? &targets[posted] : NULL;
  for (int tries = 0; tries < 64; tries++) {
    struct target *target = &targets[(unsigned)rand_r(&seed) % target_count];
    if (target->since == 0) return target;
  }
  return NULL;
}

static void post(int poster, struct target *target) {
  size_t length = write_request(buffer, sizeof buffer, "POST", target->paths[target->turn], "", target->token,
                                target->bodies[target->turn]);
  target->turn ^= 1;
  target->since = seconds_now();
  if (send(poster, buffer, length, MSG_NOSIGNAL) != (ssize_t)length) fail("post");
}

/* Takes the answer to a post; returns whether it is there. */
static int take_answer(int poster) {
  ssize_t count = recv(poster, buffer, sizeof buffer - 1, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return 0;
  buffer[count > 0 ? count : 0] = 0;
  if (strncmp(buffer, "HTTP/1.1 2", 10) != 0) {
    fprintf(stderr, "a post is refused: %.400s\n", buffer);
    exit(1);
  }
  return 1;
}

static void run(double rate, double seconds, int is_once) {
  struct times times = {0};
  unsigned posted = 0, closed = 0, under_way = 0;
  int poster = dial(port, address + target_count / PER_ADDRESS + 1), is_busy = 0;
  add(poster, POSTER);
  double start = seconds_now(), due = start, end = is_once ? start + target_count / rate + HANG : start + seconds;
  for (;;) {
    double now = seconds_now();
    int has_more = is_once ? posted < target_count : now < end;
    /* What was caused in time gets another second, or as long as it takes when all are awaited. */
    if (!has_more && !is_busy && (under_way == 0 || now > end + 1)) break;
    if (has_more && !is_busy && now >= due) {
      struct target *target = choose(posted, is_once);
      if (target) {
        post(poster, target);
        is_busy = 1;
        posted++;
        under_way++;
      }
      due += 1 / rate;
    }
    /* It looks again and again, so that its own waking up isn't measured; but not when several run at once. */
    struct epoll_event events[1024];
    double left = due - now;
    int patience = is_busy || left > 0.01 ? 10 : left > 0;
    int ready = epoll_wait(poll_descriptor, events, 1024, is_once ? patience : 0);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.u32 == POSTER) {
        is_busy = !take_answer(poster);
        continue;
      }
      struct target *target = &targets[events[i].data.u32];
      ssize_t count = recv(target->descriptor, buffer, sizeof buffer - 1, MSG_DONTWAIT);
      if (count < 0 && errno == EAGAIN) continue;
      if (count <= 0) {
        closed++;
        epoll_ctl(poll_descriptor, EPOLL_CTL_DEL, target->descriptor, NULL);
        continue;
      }
      buffer[count] = 0;
      int is_event = strstr(buffer, "event: change") || (strstr(buffer, "data:") && !strstr(buffer, "event: ping"));
      if (target->since > 0 && is_event) {
        add_time(&times, seconds_now() - target->since);
        target->since = 0;
        under_way--;
      }
    }
  }
  printf("{\"posted\":%u,\"arrived\":%zu,\"closed\":%u,", posted, times.count, closed);
  print_times(&times);
  printf("}\n");
}

int main(int count, char **arguments) {
  double rate = 1000, seconds = 5;
  int is_once = 0;
  for (int option; (option = getopt(count, arguments, "+r:t:1a:")) != -1;) {
    switch (option) {
      case 'r': rate = atof(optarg); break;
      case 't': seconds = atof(optarg); break;
      case '1': is_once = 1; break;
      case 'a': address = (unsigned)atoi(optarg); break;
      default: return 64;
    }
  }
  if (count - optind != 2) {
    fprintf(stderr, "usage: streams [options] PORT TARGETS\n");
    return 64;
  }
  port = atoi(arguments[optind]);
  read_targets(arguments[optind + 1]);
  poll_descriptor = epoll_create1(EPOLL_CLOEXEC);
  open_streams();
  if (getchar() == EOF) return 1;
  run(rate, seconds, is_once);
  return 0;
}
