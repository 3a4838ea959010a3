/* Requests over keep-alive connections, and how long their answers took.
 *
 *   requests [-c CONNECTIONS] [-n REQUESTS | -p PASSES | -t SECONDS] [-r RATE] [-k SKIP] [-g GROUP] [-o FILE]
 *            [-d TIME] PORT SESSIONS STEP...
 *
 * SESSIONS is a file with a line for each session: its path, a tab, its token or nothing. STEP is a method, what
 * follows the path or "-", and a body or nothing, separated by blanks: 'POST /insert {"text":"7"}'. Each connection
 * has sessions of its own, so that no request overtakes another of the same session: it goes through GROUP of them
 * (default: all) with the first step, then with the second, …, then through the next GROUP, and again from the start.
 *
 * -n and -t: ends after so many requests, or so long. -p: goes through all sessions so many times.
 * -r: so many requests a second, on whichever connection is free, timed from when they were due. -k: leaves out so
 * many sessions at the start of the file. -o: writes the sessions that were created to a file of the same kind. -d:
 * "%T" in a body becomes the whole seconds until TIME (since 1970), so that all sessions expire within a second.
 *
 * Prints {"answered":…,"seconds":…,"statuses":{"200":…},"p50":…,"p99":…,"max":…}, times in microseconds.
 */
#include "load.h"

#include <math.h>

enum { ROOM = 65536, LONGEST = 4096 };

struct session {
  char *path, *token;
};

struct step {
  char *method, *suffix, *body;
};

struct connection {
  int descriptor, is_free;
  size_t number, group, step, member, passes, have;
  double since;
  char answer[ROOM];
};

static struct session *sessions;
static size_t session_count, connection_count = 32, group_size = SIZE_MAX, step_count, pass_count = SIZE_MAX;
static struct step steps[16];
static int port;
static double deadline;
static FILE *created;
static size_t statuses[600];
static struct times times;

static void read_sessions(const char *path, size_t skip) {
  FILE *file = fopen(path, "r");
  char *line = NULL, *fields[2];
  size_t room = 0, line_room = 0;
  if (!file) fail(path);
  while (getline(&line, &line_room, file) > 0) {
    if (skip > 0) {
      skip--;
      continue;
    }
    if (session_count == room) {
      room = room ? 2 * room : 1024;
      sessions = realloc(sessions, room * sizeof *sessions);
      if (!sessions) fail("realloc");
    }
    split(line, fields, 2);
    sessions[session_count++] = (struct session){strdup(fields[0]), strdup(fields[1])};
  }
  free(line);
  fclose(file);
  if (session_count == 0) {
    fprintf(stderr, "%s has no session left\n", path);
    exit(1);
  }
  if (connection_count > session_count) connection_count = session_count;
}

static void read_step(char *text) {
  struct step step = {.method = strsep(&text, " "), .suffix = text ? strsep(&text, " ") : "", .body = text ? text : ""};
  if (strcmp(step.suffix, "-") == 0) step.suffix = "";
  steps[step_count++] = step;
}

/* The body of a step; that of a creation says when it expires. */
static const char *body_of(const struct step *step, char *buffer) {
  const char *place = strstr(step->body, "%T");
  if (!place) return step->body;
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  double left = ceil(deadline - (double)time.tv_sec - (double)time.tv_nsec / 1e9);
  snprintf(buffer, LONGEST, "%.*s%.0f%s", (int)(place - step->body), step->body, left < 1 ? 1 : left, place + 2);
  return buffer;
}

static void send_next(struct connection *connection, double since) {
  size_t mine = (session_count - connection->number + connection_count - 1) / connection_count;
  size_t size = group_size < mine ? group_size : mine;
  size_t index = connection->group * size + connection->member;
  const struct session *session = &sessions[connection->number + index * connection_count];
  const struct step *step = &steps[connection->step];
  char request[2 * LONGEST], body[LONGEST];
  size_t length = write_request(request, sizeof request, step->method, session->path, step->suffix, session->token,
                                body_of(step, body));
  connection->member++;
  if (connection->member == size || index + 1 == mine) {
    connection->member = 0;
    connection->step++;
  }
  if (connection->step == step_count) {
    connection->step = 0;
    connection->group++;
    if (connection->group * size >= mine) {
      connection->group = 0;
      connection->passes++;
    }
  }
  connection->since = since;
  connection->is_free = 0;
  if (send(connection->descriptor, request, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
}

/* Writes down the session that an answer tells of. */
static void keep_session(const char *body) {
  const char *id = strstr(body, "\"id\":\""), *token = strstr(body, "\"entry\":\"");
  if (!id || !token) {
    fprintf(stderr, "an answer creates no session: %.200s\n", body);
    exit(1);
  }
  id += 6;
  token += 9;
  fprintf(created, "/v1/sessions/%.*s\t%.*s\n", (int)strcspn(id, "\""), id, (int)strcspn(token, "\""), token);
}

/* Reads what has come; returns whether the answer is whole. */
static int receive(struct connection *connection) {
  char *answer = connection->answer;
  ssize_t count = recv(connection->descriptor, answer + connection->have, ROOM - 1 - connection->have, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return 0;
  if (count <= 0) {
    fprintf(stderr, "the server closed a connection\n");
    exit(1);
  }
  connection->have += (size_t)count;
  answer[connection->have] = 0;
  char *head_end = strstr(answer, "\r\n\r\n");
  if (!head_end) return 0;
  unsigned status = (unsigned)atoi(answer + 9) % 600;
  *head_end = 0;
  char *field = strcasestr(answer, "\r\ncontent-length:");
  *head_end = '\r';
  if (!field && status != 204 && status != 304) {
    fprintf(stderr, "an answer has no length: %.200s\n", answer);
    exit(1);
  }
  size_t length = field ? strtoul(field + 17, NULL, 10) : 0, head = (size_t)(head_end + 4 - answer);
  if (connection->have < head + length) return 0;
  if (status >= 400 && statuses[status] == 0) fprintf(stderr, "%.*s\n", (int)connection->have, answer);
  statuses[status]++;
  if (created && status == 201) keep_session(answer + head);
  connection->have = 0;
  return 1;
}

int main(int count, char **arguments) {
  size_t most = SIZE_MAX, skip = 0;
  double seconds = INFINITY, rate = 0;
  for (int option; (option = getopt(count, arguments, "+c:n:p:t:r:k:g:o:d:")) != -1;) {
    switch (option) {
      case 'c': connection_count = strtoul(optarg, NULL, 10); break;
      case 'n': most = strtoul(optarg, NULL, 10); break;
      case 'p': pass_count = strtoul(optarg, NULL, 10); break;
      case 't': seconds = atof(optarg); break;
      case 'r': rate = atof(optarg); break;
      case 'k': skip = strtoul(optarg, NULL, 10); break;
      case 'g': group_size = strtoul(optarg, NULL, 10); break;
      case 'd': deadline = atof(optarg); break;
      case 'o':
        created = fopen(optarg, "w");
        if (!created) fail(optarg);
        break;
      default: return 64;
    }
  }
  if (count - optind < 3 || count - optind > 18) {
    fprintf(stderr, "usage: requests [options] PORT SESSIONS STEP...\n");
    return 64;
  }
  port = atoi(arguments[optind]);
  read_sessions(arguments[optind + 1], skip);
  for (int i = optind + 2; i < count; i++) read_step(arguments[i]);

  int poll = epoll_create1(EPOLL_CLOEXEC);
  struct connection **connections = calloc(connection_count, sizeof *connections);
  for (size_t i = 0; i < connection_count; i++) {
    struct connection *connection = connections[i] = calloc(1, sizeof *connection);
    if (!connection) fail("calloc");
    connection->number = i;
    connection->is_free = 1;
    connection->descriptor = dial(port, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, connection->descriptor, &event) != 0) fail("epoll_ctl");
  }

  double start = seconds_now(), due = start, now = start;
  size_t sent = 0, answered = 0, next = 0, ended = 0;
  for (;;) {
    now = seconds_now();
    int is_over = sent >= most || now - start >= seconds || ended == connection_count;
    if (is_over && answered == sent) break;
    if (!rate && sent == 0) {
      for (; sent < connection_count && sent < most; sent++) send_next(connections[sent], seconds_now());
    }
    for (size_t tries = 0; rate && !is_over && now >= due && sent < most && tries < connection_count; tries++) {
      struct connection *connection = connections[next++ % connection_count];
      if (!connection->is_free) continue;
      send_next(connection, due);
      sent++;
      due += 1 / rate;
      tries = 0;
    }
    /* With a rate it looks again and again, or its own waking up would be measured. */
    struct epoll_event events[256];
    int ready = epoll_wait(poll, events, 256, rate ? 0 : 1000);
    for (int i = 0; i < ready; i++) {
      struct connection *connection = events[i].data.ptr;
      if (!receive(connection)) continue;
      double then = seconds_now();
      add_time(&times, then - connection->since);
      answered++;
      if (connection->passes == pass_count) {
        ended++;
        continue;
      }
      connection->is_free = 1;
      if (rate || sent >= most || then - start >= seconds) continue;
      send_next(connection, then);
      sent++;
    }
  }
  printf("{\"answered\":%zu,\"seconds\":%.6f,\"statuses\":{", answered, seconds_now() - start);
  for (unsigned i = 0, some = 0; i < 600; i++) {
    if (statuses[i]) printf("%s\"%u\":%zu", some++ ? "," : "", i, statuses[i]);
  }
  printf("},");
  print_times(&times);
  printf("}\n");
  if (created && fclose(created) != 0) fail("close");
  return 0;
}
