#include "internal.h"

#include <string.h>
#include <strings.h>

/* What the head of a request says about its framing. */
struct fields {
  unsigned count, hosts, lengths, codings, types, credentials, keys, origins;
  uint64_t name_sizes;
  bool bad_name, bad_value, folded;
  const char *length;
  const char *end;  /* of the value before, or of the version */
  size_t memory;
};

/* RFC 9110 section 5.6.2. */
static bool is_token(const char *text, size_t count) {
  static const bool token[256] = {
      ['!'] = true, ['#'] = true, ['$'] = true, ['%'] = true, ['&'] = true, ['\''] = true, ['*'] = true, ['+'] = true,
      ['-'] = true, ['.'] = true, ['^'] = true, ['_'] = true, ['`'] = true, ['|'] = true,  ['~'] = true,
      ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
  };
  for (size_t i = 0; i < count; i++) {
    if (!token[(unsigned char)text[i]]) return false;
  }
  return count > 0;
}

/* libmicrohttpd glues a folded line (RFC 9112 section 5.2) to the name of the field before it, so that
 * "Content: 5 CR LF SP -Length" becomes a Content-Length. The name moves to another place in its buffer by that: else
 * there are only the end of the name and white space between a name and its value. */
static bool is_folded(const char *name_end, const char *value, size_t memory) {
  uintptr_t distance = (uintptr_t)value - (uintptr_t)name_end;
  if (distance == 0 || distance > memory) return true;
  for (uintptr_t i = 1; i < distance; i++) {
    if (name_end[i] != ' ' && name_end[i] != '\t') return true;
  }
  return false;
}

/* RFC 9110 section 5.5. libmicrohttpd takes control characters, a lone CR too, and cuts a value at a NUL. */
static bool is_value(const char *text, size_t count) {
  /* Without a way out of the loop, so that the compiler looks at sixteen at a time. */
  unsigned char wrong = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned char c = (unsigned char)text[i];
    wrong |= (unsigned char)(((c < ' ') & (c != '\t')) | (c == 0x7f));
  }
  return !wrong;
}

/* Whether there is nothing but white space and `zeros` of what libmicrohttpd made of line ends between a value and what
 * comes after it; else a NUL has cut the value, or a line without a name or with a NUL in front, which it takes for the
 * end of the head, has cut that. */
static bool is_line_end(const char *end, const char *next, size_t memory, size_t zeros) {
  uintptr_t distance = (uintptr_t)next - (uintptr_t)end;
  if (distance > memory) return true;  /* a value that is not in the buffer */
  size_t found = 0;
  for (uintptr_t i = 0; i < distance; i++) {
    if (end[i] == '\0') found++;
    else if ((end[i] != ' ' && end[i] != '\t') || found > 0) return false;
  }
  return found == zeros || 2 * found == zeros;
}

static enum MHD_Result see_field(void *closure, enum MHD_ValueKind kind, const char *name, size_t name_count,
                                 const char *value, size_t value_count) {
  (void)kind;
  struct fields *fields = closure;
  fields->count++;
  fields->name_sizes |= UINT64_C(1) << (name_count & 63);
  if (!is_value(value, value_count)) fields->bad_value = true;
  if (!is_line_end(fields->end, name, fields->memory, 2)) fields->bad_value = true;
  fields->end = value + value_count;
  if (!is_token(name, name_count)) fields->bad_name = true;
  if (is_folded(name + name_count, value, fields->memory)) fields->folded = true;
  switch (name_count) {
  case 4:
    if (!strncasecmp(name, "Host", 4)) fields->hosts++;
    break;
  case 6:
    if (!strncasecmp(name, "Origin", 6)) fields->origins++;
    break;
  case 12:
    if (!strncasecmp(name, "Content-Type", 12)) fields->types++;
    break;
  case 13:
    if (!strncasecmp(name, "Authorization", 13)) fields->credentials++;
    break;
  case 15:
    if (!strncasecmp(name, "Idempotency-Key", 15)) fields->keys++;
    break;
  case 14:
    if (!strncasecmp(name, "Content-Length", 14)) fields->lengths++, fields->length = value;
    break;
  case 17:
    if (!strncasecmp(name, "Transfer-Encoding", 17)) fields->codings++;
    break;
  }
  return MHD_YES;
}

/* Whether more than white space is between two parts of the first line, the first of which libmicrohttpd has ended with
 * one NUL. */
static bool is_cut(const char *end, const char *next, size_t memory) {
  uintptr_t distance = (uintptr_t)next - (uintptr_t)end;
  bool in_buffer = distance < memory;
  size_t zeros = 0;
  for (uintptr_t i = 0; in_buffer && i < distance; i++) {
    if (end[i] == '\0') zeros++;
    else if (end[i] != ' ' && end[i] != '\t') return true;
  }
  return zeros > 1;
}

/* libmicrohttpd takes any method. A NUL that was sent cuts method or target short for it, and a CR alone may be the end
 * of the line for others. */
static bool is_bad_line(const struct mhs_request *request, const char *version) {
  const char *method = request->method, *target = request->sent_target;
  size_t memory = request->server->config.connection_memory, method_count = strlen(method);
  if (!is_token(method, method_count) || is_cut(method + method_count, target, memory)) return true;
  if (is_cut(target + request->target_count, version, memory)) return true;
  return strstr(request->target, "%00") || memchr(request->target, '\r', request->target_count);
}

/* Of the request's head, from its method to the empty line; 0 if it is not known. */
static size_t head_size(const struct mhs_request *request) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/* What libmicrohttpd notes of each field besides, and the most that the head of an answer takes. */
enum { FIELD_SIZE = 72, ANSWER_SIZE = 1536 };

/* libmicrohttpd 0.9.75 takes the first of two lengths, prefers a transfer coding to a length, waits for ever on most
 * codings, and takes a name that ends with a space for another name. A proxy in front may read all of these in another
 * way, and then one request is two. */
struct framing guard(struct mhs_request *request, const char *version) {
  struct fields fields = {.memory = request->server->config.connection_memory, .end = version + strlen(version)};
  MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, see_field, &fields);
  request->name_sizes = fields.name_sizes;
  size_t head = head_size(request);
  const char *body = request->method + head;
  if (head > 0 && !is_line_end(fields.end, body, fields.memory, 4)) fields.bad_value = true;
  /* libmicrohttpd makes the head of the answer in the same memory, and closes the connection if it has no room. */
  if (head + fields.count * FIELD_SIZE + ANSWER_SIZE > fields.memory) return (struct framing){.has_no_room = true};
  bool is_old = !strcmp(version, "HTTP/1.0");
  if (is_bad_line(request, version)) return (struct framing){.refusal = MHS_MALFORMED};
  if (fields.bad_name || fields.bad_value || fields.folded) return (struct framing){.refusal = MHS_MALFORMED};
  if (fields.hosts > 1 || (fields.hosts == 0 && !is_old)) return (struct framing){.refusal = MHS_MALFORMED};
  /* Which of two was meant nobody knows. */
  bool is_double = fields.lengths > 1 || fields.types > 1 || fields.credentials > 1 || fields.keys > 1;
  if (is_double || fields.origins > 1) return (struct framing){.refusal = MHS_MALFORMED};
  if (fields.codings) return (struct framing){.refusal = MHS_LENGTH_REQUIRED};
  if (!fields.length) return (struct framing){.refusal = MHS_OK};
  /* libmicrohttpd has seen to it that there are digits only. */
  size_t length = 0;
  for (const char *c = fields.length; *c >= '0' && *c <= '9'; c++) {
    length = length * 10 + (size_t)(*c - '0');
    if (length > MOST_DISCARDED) break;
  }
  return (struct framing){
      .refusal = length > request->server->config.max_body ? MHS_TOO_LARGE : MHS_OK,
      .length = length,
  };
}
