// SPDX-License-Identifier: Apache-2.0
// tasks_parked read|poll|fifo: calls that wait on their own thread (the program has a handler that ends such waits; or poll would not
// tell) for what tasks send that were set aside in a read of a cold file. The same lines bare and under weir.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { pairs = 32, bytes = 65536, pieces = 4 };

static void handler(int number) { (void)number; }

static int cold_file(int i) {
  static char content[bytes];
  char name[64];
  snprintf(name, sizeof name, "tasks_parked.%d.%d", (int)getpid(), i);
  int fd = open(name, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || unlink(name) || write(fd, content, bytes) != bytes) abort();
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  return fd;
}

static void named_pipe(int i, int ends[2]) {
  char name[64];
  snprintf(name, sizeof name, "tasks_parked.%d.%d.fifo", (int)getpid(), i);
  if (mkfifo(name, 0600)) abort();
  ends[0] = ends[1] = open(name, O_RDWR);
  if (ends[0] < 0 || unlink(name)) abort();
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int by_poll = !strcmp(how, "poll"), by_fifo = !strcmp(how, "fifo");
  // A read goes on after a handler with SA_RESTART, poll after none.
  struct sigaction action = {.sa_handler = handler, .sa_flags = by_poll ? SA_RESTART : 0};
  if (!by_fifo) sigaction(SIGINT, &action, NULL);
  int ends[pairs][2], files[pairs], came = 0;
  for (int i = 0; i < pairs; ++i) {
    files[i] = cold_file(i);
    if (by_fifo) named_pipe(i, ends[i]);
    else if (pipe(ends[i])) abort();
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < pairs; ++i)
#pragma omp task firstprivate(i) shared(ends, files, came)
  {
#pragma omp task firstprivate(i) shared(ends, came)
    {
      char byte;
      struct pollfd one = {ends[i][0], POLLIN, 0};
      if (by_poll ? poll(&one, 1, -1) == 1 : read(ends[i][0], &byte, 1) == 1)
#pragma omp atomic
        ++came;
    }
    char piece[4096];
    for (int k = 0; k < pieces; ++k)
      if (pread(files[i], piece, sizeof piece, k * (bytes / pieces)) != sizeof piece) abort();
    if (write(ends[i][1], "x", 1) != 1) abort();
  }
  printf("%d\n", came);
}
