#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* How many connections and streams each address has. An entry lives as long as it has one of either, so that there are
 * never more entries than descriptors. Only what is limited is counted: see on_connection and mhs_stream_open. */

struct peer {
  struct peer *next;
  uint64_t high, low;
  unsigned connections, streams;
};

/* Of IPv6 the network counts (RFC 4291 section 2.5.4): whoever has one of its addresses has all. */
static void read_address(const uint8_t address[16], uint64_t *high, uint64_t *low) {
  static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
  memcpy(high, address, 8);
  memcpy(low, address + 8, 8);
  if (memcmp(address, mapped, 12)) *low = 0;
}

/* Keyed, so that nobody can choose addresses that share a place. */
static struct peer **place_of(mhs_server *server, uint64_t high, uint64_t low) {
  uint64_t hash = (high ^ server->peers_key[0]) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 32 ^ low ^ server->peers_key[1]) * 0xbf58476d1ce4e5b9u;
  return &server->peers[(hash ^ hash >> 29) % PEER_PLACES];
}

void peers_start(mhs_server *server) {
  ssize_t count = getrandom(server->peers_key, sizeof server->peers_key, 0);
  (void)count;
  pthread_mutex_init(&server->peers_lock, NULL);
}

static unsigned *count_of(struct peer *peer, enum peer_count which) {
  return which == PEER_CONNECTIONS ? &peer->connections : &peer->streams;
}

struct peer *peer_add(mhs_server *server, const uint8_t address[16], enum peer_count which, unsigned *count) {
  uint64_t high, low;
  read_address(address, &high, &low);
  pthread_mutex_lock(&server->peers_lock);
  struct peer **place = place_of(server, high, low);
  struct peer *peer = *place;
  while (peer && (peer->high != high || peer->low != low)) peer = peer->next;
  if (!peer && (peer = calloc(1, sizeof *peer))) {
    peer->high = high;
    peer->low = low;
    peer->next = *place;
    *place = peer;
  }
  *count = peer ? ++*count_of(peer, which) : 0;
  pthread_mutex_unlock(&server->peers_lock);
  return peer;
}

void peer_remove(mhs_server *server, struct peer *peer, enum peer_count which) {
  if (!peer) return;
  pthread_mutex_lock(&server->peers_lock);
  --*count_of(peer, which);
  if (peer->connections == 0 && peer->streams == 0) {
    struct peer **place = place_of(server, peer->high, peer->low);
    while (*place != peer) place = &(*place)->next;
    *place = peer->next;
    free(peer);
  }
  pthread_mutex_unlock(&server->peers_lock);
}
