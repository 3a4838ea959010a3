#include "internal.h"

#include <string.h>
#include <strings.h>

/* What the head of a request says about its framing. */
struct fields {
  unsigned hosts, lengths, codings;
  bool bad_name, folded;
  const char *length;
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

static enum MHD_Result see_field(void *closure, enum MHD_ValueKind kind, const char *name, size_t name_count,
                                 const char *value, size_t value_count) {
  (void)kind, (void)value_count;
  struct fields *fields = closure;
  if (!is_token(name, name_count)) fields->bad_name = true;
  if (is_folded(name + name_count, value, fields->memory)) fields->folded = true;
  switch (name_count) {
  case 4:
    if (!strncasecmp(name, "Host", 4)) fields->hosts++;
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

/* A NUL cuts the target short for libmicrohttpd. In its buffer the target is followed by a NUL of its own, and by
 * spaces up to the version; anything else was cut off. */
static bool holds_nul(const struct mhs_request *request, const char *version) {
  const char *end = request->sent_target + request->target_count;
  uintptr_t distance = (uintptr_t)version - (uintptr_t)end;
  bool in_buffer = distance < request->server->config.connection_memory;
  for (uintptr_t i = 0; in_buffer && i < distance; i++) {
    if (end[i] != ' ' && end[i] != '\t' && end[i] != '\0') return true;
  }
  return strstr(request->target, "%00");
}

/* libmicrohttpd 0.9.75 takes the first of two lengths, prefers a transfer coding to a length, waits for ever on most
 * codings, and takes a name that ends with a space for another name. A proxy in front may read all of these in another
 * way, and then one request is two. */
struct framing guard(const struct mhs_request *request, const char *version) {
  struct fields fields = {.memory = request->server->config.connection_memory};
  MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, see_field, &fields);
  bool is_old = !strcmp(version, "HTTP/1.0");
  if (fields.bad_name || fields.folded) return (struct framing){MHS_MALFORMED, 0};
  if (fields.hosts > 1 || (fields.hosts == 0 && !is_old)) return (struct framing){MHS_MALFORMED, 0};
  if (fields.lengths > 1) return (struct framing){MHS_MALFORMED, 0};
  if (holds_nul(request, version)) return (struct framing){MHS_MALFORMED, 0};
  if (fields.codings) return (struct framing){MHS_LENGTH_REQUIRED, 0};
  if (!fields.length) return (struct framing){MHS_OK, 0};
  /* libmicrohttpd has seen to it that there are digits only. */
  size_t length = 0;
  for (const char *c = fields.length; *c >= '0' && *c <= '9'; c++) {
    length = length * 10 + (size_t)(*c - '0');
    if (length > MOST_DISCARDED) break;
  }
  return (struct framing){length > request->server->config.max_body ? MHS_TOO_LARGE : MHS_OK, length};
}
