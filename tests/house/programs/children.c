/* SPDX-License-Identifier: Apache-2.0 */
/* A team's threads wait for commands: by system, in a loop or in "tasks", by waitpid ("forks"), or by pclose ("pipes"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_hand(void) {
  pid_t child = fork();
  if (!child) execl("/bin/sleep", "sleep", "0.05", (char *)0);
  int status;
  return waitpid(child, &status, 0) == child ? status : -1;
}

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  int bad = 0;
  if (!strcmp(how, "tasks")) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 6; ++i)
#pragma omp task
      if (system("sleep 0.05")) abort();
  } else {
    const int forks = !strcmp(how, "forks"), pipes = !strcmp(how, "pipes");
#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : bad)
    for (int i = 0; i < 6; ++i)
      bad += (forks ? by_hand() : pipes ? pclose(popen("sleep 0.05", "w")) : system("sleep 0.05")) != 0;
  }
  printf("bad %d\n", bad);
  return 0;
}
