#include "internal.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* libmicrohttpd would decode in place, and cut a path at %00. */
size_t request_keep_escapes(void *closure, struct MHD_Connection *connection, char *text) {
  (void)closure, (void)connection;
  return strlen(text);
}

/* RFC 9112 section 3.2: of the absolute form only the path counts here. */
static void split_target(struct mhs_request *request) {
  const char *start = request->target, *end = start + request->target_count;
  size_t scheme = !strncasecmp(start, "http://", 7) ? 7 : !strncasecmp(start, "https://", 8) ? 8 : 0;
  if (scheme) start += scheme + strcspn(start + scheme, "/?");
  const char *mark = memchr(start, '?', (size_t)(end - start));
  request->path = (mhs_slice){start, (size_t)((mark ? mark : end) - start)};
  if (scheme && request->path.count == 0) request->path = (mhs_slice){"/", 1};
  if (mark) request->query = (mhs_slice){mark + 1, (size_t)(end - mark - 1)};
}

/* Called once per request, with its target as it was sent. */
void *request_begin(void *closure, const char *target, struct MHD_Connection *connection) {
  mhs_server *server = closure;
  size_t count = strlen(target);
  struct mhs_request *request = malloc(sizeof *request + count + 1);
  if (!request) return NULL;
  memset(request, 0, sizeof *request);
  /* In this order, so that who drains and then counts misses none that is early. */
  atomic_fetch_add(&server->early_requests, 1);
  request->late = atomic_load(&server->draining);
  if (request->late) {
    atomic_fetch_add(&server->late_requests, 1);
    atomic_fetch_sub(&server->early_requests, 1);
  }
  request->server = server;
  request->connection = connection;
  request->sent_target = target;
  request->target_count = count;
  memcpy(request->target, target, count + 1);
  split_target(request);
  /* libmicrohttpd would note each parameter, which nobody asks it for, and hang without memory for that: so it sees none.
   * The target is in its buffer, which is not constant. */
  char *query = strchr((char *)(uintptr_t)target, '?');
  if (query) query[1] = '\0';
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  request->entry = info ? info->socket_context : NULL;
  connection_expect(request->entry, server->config.request_ms);
  if (request->entry) atomic_store_explicit(&request->entry->arriving, true, memory_order_relaxed);
  return request;
}

/* libmicrohttpd closes the connection of a request that has no answer, or whose socket was taken. */
static enum MHD_Result finish(struct mhs_request *request) {
  if (request->response && MHD_queue_response(request->connection, request->status, request->response) == MHD_YES)
    return MHD_YES;
  connection_forget(request->server, request->entry);
  return MHD_NO;
}

static struct mhs_request *request_of(struct task *task) {
  return (struct mhs_request *)(void *)((char *)task - offsetof(struct mhs_request, task));
}

static void ask_on_waiter(struct task *task, bool is_over) {
  struct mhs_request *request = request_of(task);
  mhs_server *server = request->server;
  request->waited_ms = mhs_now() - request->handed_at;
  if (!is_over) server->callbacks.on_request(server->callbacks.context, request);
  wipe_stack();
  /* The request may be gone afterwards. */
  MHD_resume_connection(request->connection);
}

/* Until the waiter is done libmicrohttpd leaves the connection alone. */
static enum MHD_Result hand_over(struct mhs_request *request) {
  request->handed = true;
  atomic_fetch_add_explicit(&request->server->handed_requests, 1, memory_order_relaxed);
  request->handed_at = mhs_now();
  request->task.run = ask_on_waiter;
  MHD_suspend_connection(request->connection);
  wipe_stack();
  if (!waiters_give(&request->server->waiters, &request->task)) MHD_resume_connection(request->connection);
  return MHD_YES;
}

static bool may_wait(const struct mhs_request *request) {
  const mhs_server *server = request->server;
  return server->config.waiters > 0 && request->refusal == MHS_OK &&
         server->callbacks.may_wait(server->callbacks.context, request);
}

/* Asks for the answer. */
static enum MHD_Result ask(struct mhs_request *request) {
  mhs_server *server = request->server;
  /* The answer has to be read in time too. */
  connection_expect(request->entry, (int64_t)server->config.idle_ms + server->config.request_ms);
  if (request->entry) atomic_store_explicit(&request->entry->arriving, false, memory_order_relaxed);
  /* Without an answer libmicrohttpd takes it that the request is whole and the answer to come, and calls again at once. If
   * the connection were suspended now, it would read from it first when it is resumed, and close that of a client who has
   * sent all that it has to say. */
  request->may_wait = may_wait(request);
  if (request->may_wait) return MHD_YES;
  server->callbacks.on_request(server->callbacks.context, request);
  wipe_stack();
  return finish(request);
}

/* libmicrohttpd has no room for an answer of its own. */
static enum MHD_Result refuse_head(struct mhs_request *request) {
  static const char answer[] =
      "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  atomic_fetch_add(&request->server->refused[MHS_TOO_LARGE], 1);
  mhs_reply_raw(request, answer, sizeof answer - 1);
  connection_forget(request->server, request->entry);
  return MHD_NO;
}

static enum MHD_Result see_head(struct mhs_request *request, const char *method, const char *version) {
  request->seen = true;
  request->method = method;
  struct framing framing = request->entry ? guard(request, version) : (struct framing){.refusal = MHS_NO_MEMORY};
  if (framing.has_no_room) return refuse_head(request);
  request->refusal = request->entry && request->entry->crowded ? MHS_CROWDED : framing.refusal;
  if (framing.length > 0 && request->refusal == MHS_OK) {
    request->body_size = framing.length;
    request->body = malloc(framing.length);
    if (!request->body) request->refusal = MHS_NO_MEMORY;
  }
  if (request->refusal == MHS_OK) return MHD_YES;
  atomic_fetch_add(&request->server->refused[request->refusal], 1);
  /* Who expects a word before sending (RFC 9110 section 10.1.1) gets this one. */
  bool is_coming = framing.length <= MOST_DISCARDED && !mhs_request_field(request, "Expect", 6).bytes;
  if (request->refusal == MHS_TOO_LARGE && is_coming) return MHD_YES;
  /* An answer in the first call closes the connection, so that nothing of a body is taken for a request. */
  return ask(request);
}

static enum MHD_Result see_body(struct mhs_request *request, const char *data, size_t *count) {
  if (request->refusal == MHS_TOO_LARGE) {
    explicit_bzero((char *)(uintptr_t)data, *count);
    *count = 0;
    return MHD_YES;
  }
  /* Nothing comes that the guard did not allow. */
  if (*count > request->body_size - request->body_count) return MHD_NO;
  memcpy(request->body + request->body_count, data, *count);
  /* The bytes are in libmicrohttpd's buffer, which is not constant, and it is done with them. */
  explicit_bzero((char *)(uintptr_t)data, *count);
  request->body_count += *count;
  *count = 0;
  return MHD_YES;
}

enum MHD_Result request_continue(void *server, struct MHD_Connection *connection, const char *url, const char *method,
                                 const char *version, const char *data, size_t *size, void **slot) {
  (void)server, (void)connection, (void)url;
  struct mhs_request *request = *slot;
  if (!request) return MHD_NO;
  if (!request->seen) return see_head(request, method, version);
  if (*size > 0) return see_body(request, data, size);
  if (request->handed) return finish(request);
  if (request->may_wait) return hand_over(request);
  return ask(request);
}

void request_completed(void *closure, struct MHD_Connection *connection, void **slot,
                       enum MHD_RequestTerminationCode code) {
  (void)connection;
  mhs_server *server = closure;
  struct mhs_request *request = *slot;
  if (!request) return;
  *slot = NULL;
  atomic_fetch_sub_explicit(request->late ? &server->late_requests : &server->early_requests, 1, memory_order_relaxed);
  if (request->handed) atomic_fetch_sub_explicit(&server->handed_requests, 1, memory_order_relaxed);
  if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK) connection_expect(request->entry, server->config.idle_ms);
  if (request->response) MHD_destroy_response(request->response);
  wipe_and_free(request->body, request->body_size);
  /* The target holds ids at most, no secret. */
  free(request);
}

mhs_view mhs_request_view(const mhs_request *request) {
  return (mhs_view){
      .method = {request->method, strlen(request->method)},
      .path = request->path,
      .query = request->query,
      .body = {request->refusal == MHS_OK ? request->body : NULL, request->body_count},
      .refusal = request->refusal,
      .late = request->late,
      .waited_ms = request->waited_ms,
  };
}

static bool is_space(char c) { return c == ' ' || c == '\t'; }

static mhs_slice trimmed(const char *value, size_t count) {
  if (!value) return (mhs_slice){"", 0};
  while (count > 0 && is_space(*value)) value++, count--;
  while (count > 0 && is_space(value[count - 1])) count--;
  return (mhs_slice){value, count};
}

mhs_slice mhs_request_field(const mhs_request *request, const char *name, size_t name_count) {
  /* Most that are asked for are not there. */
  if (!(request->name_sizes >> (name_count & 63) & 1)) return (mhs_slice){NULL, 0};
  const char *value = NULL;
  size_t count = 0;
  if (MHD_lookup_connection_value_n(request->connection, MHD_HEADER_KIND, name, name_count, &value, &count) != MHD_YES)
    return (mhs_slice){NULL, 0};
  return trimmed(value, count);
}

struct last_fields {
  const char *name;
  mhs_slice *values;
  size_t name_count, count, most;
};

static enum MHD_Result add_field(void *closure, enum MHD_ValueKind kind, const char *name, size_t name_count,
                                 const char *value, size_t value_count) {
  (void)kind;
  struct last_fields *last = closure;
  if (name_count != last->name_count || strncasecmp(name, last->name, name_count)) return MHD_YES;
  if (last->count == last->most) memmove(last->values, last->values + 1, --last->count * sizeof *last->values);
  last->values[last->count++] = trimmed(value, value_count);
  return MHD_YES;
}

size_t mhs_request_fields(const mhs_request *request, const char *name, size_t name_count, mhs_slice *values,
                          size_t most) {
  struct last_fields last = {.name = name, .values = values, .name_count = name_count, .most = most};
  MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, add_field, &last);
  return last.count;
}

bool mhs_request_peer(const mhs_request *request, uint8_t address[16]) {
  return connection_address(request->connection, address);
}

bool connection_address(struct MHD_Connection *connection, uint8_t address[16]) {
  memset(address, 0, 16);
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr) return false;
  switch (info->client_addr->sa_family) {
  case AF_INET6:
    memcpy(address, &((const struct sockaddr_in6 *)(const void *)info->client_addr)->sin6_addr, 16);
    return true;
  case AF_INET:
    address[10] = address[11] = 0xff;
    memcpy(address + 12, &((const struct sockaddr_in *)(const void *)info->client_addr)->sin_addr, 4);
    return true;
  default:
    return false;
  }
}
