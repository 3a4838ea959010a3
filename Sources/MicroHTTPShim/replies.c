#include "internal.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void free_body(void *body) {
  if (body) wipe_and_free(body, malloc_usable_size(body));
}

static struct MHD_Response *response_of(void *body, size_t count, bool owned) {
  static char nothing[1];
  if (count == 0) {
    if (owned) free_body(body);
    return MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
  }
  if (!owned) return MHD_create_response_from_buffer(count, body, MHD_RESPMEM_PERSISTENT);
  struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback(count, body, free_body);
  if (!response) free_body(body);
  return response;
}

void mhs_reply(mhs_request *request, unsigned status, const char *fields, size_t fields_count, void *body,
               size_t body_count, bool owned, bool close) {
  struct MHD_Response *response = response_of(body, body_count, owned);
  if (!response) return;
  bool whole = true;
  for (const char *name = fields; whole && name < fields + fields_count;) {
    const char *value = name + strlen(name) + 1;
    /* libmicrohttpd takes no empty value. */
    whole = *value == '\0' || MHD_add_response_header(response, name, value) == MHD_YES;
    name = value + strlen(value) + 1;
  }
  if (close || atomic_load_explicit(&request->server->draining, memory_order_relaxed))
    whole = whole && MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES;
  /* An answer without one of its fields might be stored by a cache or read by a stranger: then rather none. */
  if (!whole) return MHD_destroy_response(response);
  request->response = response;
  request->status = status;
}

void mhs_reply_raw(mhs_request *request, const void *bytes, size_t count) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (!info) return;
  /* A head fits into the socket's empty buffer; if it does not, the reader sees that it is cut. */
  ssize_t sent = send(info->connect_fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  (void)sent;
}
