/* SPDX-License-Identifier: Apache-2.0 */
/* unheard [FILE]: waits, and ends with status 3. FILE takes the number that stderr had. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pipes[2];

static void *later(void *nothing) {
  usleep(50 * 1000);
  return write(pipes[1], "x", 1) == 1 ? nothing : NULL;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    close(2);
    if (open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0644) != 2 || write(2, "mine\n", 5) != 5) return 2;
  }
  pthread_t writer;
  if (pipe(pipes) || pthread_create(&writer, NULL, later, NULL)) return 2;
  char got = 0;
  if (read(pipes[0], &got, 1) != 1) return 2;
  pthread_join(writer, NULL);
  return printf("%c\n", got) == 2 ? 3 : 2;
}
