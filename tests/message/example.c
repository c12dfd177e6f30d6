/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of docs/messages.md, in C: both ends of a connection in one process. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "weir/message.h"

#define CHECK(what) \
  if (!(what)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what), exit(1)

static double x[1000], y[1000];
static void daxpy(double a) {
  for (int i = 0; i < 1000; ++i) y[i] += a * x[i];
}

/* Register, compute, ask. */
static void overlap(weir_link *here, weir_link *there) {
  static char out[100000] = "hello", in[100000];
  weir_message sent = weir_msg_send(here, out, sizeof out);
  weir_message got = weir_msg_recv(there, in, sizeof in);
  daxpy(2.0); /* the overlap region */
  CHECK(weir_msync(sent) == sizeof out);
  CHECK(weir_msync(got) == sizeof in);
  CHECK(!strcmp(in, "hello"));
}

/* Compute until the message is there, not longer. */
static void arrived(void *flag, ssize_t result) { atomic_store((atomic_int *)flag, result < 0 ? -1 : 1); }

static void until_it_arrives(weir_link *here, weir_link *there) {
  static char in[4];
  atomic_int flag = 0;
  weir_message got = weir_msg_recv(there, in, sizeof in);
  CHECK(weir_mcont(got, arrived, &flag) == 0);
  weir_message sent = weir_msg_send(here, "four", 4);
  while (!atomic_load(&flag)) daxpy(1.0);
  CHECK(weir_msync(got) == 4 && weir_msync(sent) == 4);
}

/* A list is no memory that could be sent as it is. */
struct item {
  struct item *next;
  int value;
};

static int write_list(weir_stream *stream, void *list) {
  for (struct item *i = list; i; i = i->next) {
    int error = weir_stream_put(stream, &i->value, sizeof i->value);
    if (error) return error; /* the transfer is over: nobody wants the rest */
  }
  return 0;
}

static int read_list(weir_stream *stream, void *head) {
  struct item **end = head;
  while (1) {
    int value;
    ssize_t got = weir_stream_get(stream, &value, sizeof value);
    if (got <= 0) return (int)got;               /* 0: the message's end */
    if (got < (ssize_t)sizeof value) return -EBADMSG; /* the result at both ends */
    *end = calloc(1, sizeof **end);
    if (!*end) return -ENOMEM;
    (*end)->value = value;
    end = &(*end)->next;
  }
}

static void list_over(weir_link *here, weir_link *there) {
  struct item last = {NULL, 3}, middle = {&last, 2}, first = {&middle, 1}, *copy = NULL;
  weir_message sent = weir_msg_send_by(here, write_list, &first);
  weir_message got = weir_msg_recv_by(there, read_list, &copy);
  CHECK(weir_msync(sent) == 3 * sizeof(int));
  CHECK(weir_msync(got) == 3 * sizeof(int));
  CHECK(copy->value == 1 && copy->next->value == 2 && copy->next->next->value == 3);
  while (copy) {
    struct item *next = copy->next;
    free(copy);
    copy = next;
  }
}

/* Not for ever; asked without waiting; given up; forgotten. */
static void limits(weir_link *here, weir_link *there) {
  char in[8];
  ssize_t result = 0;
  weir_message got = weir_msg_recv(there, in, sizeof in);
  CHECK(weir_msg_sequence(got) >= 0);
  CHECK(weir_msync_within(got, 1000000) == -ETIMEDOUT); /* 1 ms; the id stays */
  CHECK(weir_mtest(got, &result) == 0);
  CHECK(weir_mcancel(got) == 0);
  CHECK(weir_msync(got) == -ECANCELED);
  weir_message sent = weir_msg_send(here, in, sizeof in); /* meets the receive that was given up */
  CHECK(weir_mrelease(sent) == 0);
}

int main(void) {
  int ends[2];
  weir_link *here, *there;
  weir_link_options options = {sizeof options, 5000000000}; /* 5 s of silence break it */
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  CHECK(weir_link_open(&here, ends[0], &options) == 0);
  CHECK(weir_link_open(&there, ends[1], NULL) == 0);
  close(ends[0]); /* the links have their own */
  close(ends[1]);
  overlap(here, there);
  until_it_arrives(here, there);
  list_over(here, there);
  limits(here, there);
  weir_link_close(here);
  weir_link_close(there);
  return 0;
}
