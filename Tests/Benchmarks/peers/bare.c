/* The floor: libmicrohttpd with one answer for everything, without a thought of our own. */
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char state[] =
  "{\"id\":\"floor\",\"length\":6,\"count\":1,\"active\":true,\"complete\":false,\"revision\":1}";

static enum MHD_Result respond(void *answer, struct MHD_Connection *connection, const char *path, const char *method,
                               const char *version, const char *body, size_t *body_size, void **request) {
  (void)path, (void)method, (void)version, (void)body;
  if (!*request) {
    *request = answer;
    return MHD_YES;
  }
  if (*body_size != 0) {
    *body_size = 0;
    return MHD_YES;
  }
  return MHD_queue_response(connection, MHD_HTTP_OK, answer);
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  struct MHD_Response *answer =
    MHD_create_response_from_buffer(strlen(state), (void *)state, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(answer, "Content-Type", "application/json");
  MHD_add_response_header(answer, "Cache-Control", "no-store");
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO;
  struct MHD_Daemon *daemon =
    MHD_start_daemon(flags, (uint16_t)atoi(arguments[1]), NULL, NULL, respond, answer, MHD_OPTION_THREAD_POOL_SIZE, 2u,
                     MHD_OPTION_CONNECTION_LIMIT, 4096u, MHD_OPTION_END);
  if (!daemon) return 1;
  for (;;) pause();
}
