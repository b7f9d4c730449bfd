/* Asks a server over many connections without a pause, in so little processor time that the server is what is measured.
 *
 *   crowd PORT ADDRESS CONNECTIONS < PATHS
 *
 * ADDRESS is where the connections come from; PATHS are asked for in turn, one to a line, again from the first at the end.
 * Writes the number of complete answers so far to standard output, a line each tenth of a second; ends when that is closed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1024, BYTES = 1 << 20 };

static struct peer {
  int socket;
  size_t filled;
  char bytes[BYTES];
} *peers;
static char **requests;
static size_t count, place;

static void fail(const char *what) {
  fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void ask(struct peer *peer) {
  const char *request = requests[place++ % count];
  size_t length = strlen(request);
  if (send(peer->socket, request, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
}

/* The length of the answer at the beginning of what was read; 0 if it is not complete. */
static size_t answer(struct peer *peer) {
  char *end = memmem(peer->bytes, peer->filled, "\r\n\r\n", 4);
  if (!end) return 0;
  *end = 0;
  const char *field = strcasestr(peer->bytes, "\r\ncontent-length:");
  *end = '\r';
  if (!field) fail("an answer without a length");
  size_t length = (size_t)(end + 4 - peer->bytes) + strtoul(field + 17, NULL, 10);
  if (length >= BYTES) fail("an answer is too long");
  return peer->filled >= length ? length : 0;
}

int main(int argc, char **words) {
  if (argc != 4) return 2;
  int connections = atoi(words[3]);
  if (connections < 1 || connections > MOST) return 2;
  for (char *line = NULL; ;) {
    size_t room = 0;
    ssize_t length = getline(&line, &room, stdin);
    if (length <= 1) break;
    line[length - 1] = 0;
    requests = realloc(requests, (count + 1) * sizeof *requests);
    if (!requests || asprintf(&requests[count++], "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", line) < 0) fail("memory");
    free(line);
    line = NULL;
  }
  if (!count || !(peers = calloc((size_t)connections, sizeof *peers))) fail("nothing to ask");
  struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(words[1]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (inet_pton(AF_INET, words[2], &from.sin_addr) != 1) fail("address");
  int events = epoll_create1(0);
  for (int number = 0; number < connections; number++) {
    struct peer *peer = &peers[number];
    peer->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (peer->socket < 0 || bind(peer->socket, (struct sockaddr *)&from, sizeof from) || connect(peer->socket, (struct sockaddr *)&to, sizeof to))
      fail("connect");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    if (epoll_ctl(events, EPOLL_CTL_ADD, peer->socket, &event)) fail("epoll");
    ask(peer);
  }
  long answers = 0;
  struct timespec told = {0};
  for (;;) {
    struct epoll_event ready[64];
    int found = epoll_wait(events, ready, 64, 100);
    if (found < 0 && errno != EINTR) fail("epoll");
    for (int number = 0; number < found; number++) {
      struct peer *peer = ready[number].data.ptr;
      ssize_t got = recv(peer->socket, peer->bytes + peer->filled, BYTES - peer->filled - 1, 0);
      if (got <= 0) fail("the server closed a connection");
      peer->filled += (size_t)got;
      if (answer(peer)) {
        answers++;
        peer->filled = 0;
        ask(peer);
      }
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - told.tv_sec) * 10 + (now.tv_nsec - told.tv_nsec) / 100000000 >= 1) {
      told = now;
      if (printf("%ld\n", answers) < 0 || fflush(stdout)) return 0;
    }
  }
}
