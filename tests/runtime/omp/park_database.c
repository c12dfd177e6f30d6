/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that writes to a database of SQLite's: who finds it locked tries again for a time, and gives up. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of sqlite3.h, which is not installed with the library. */
struct sqlite3;
int sqlite3_open(const char *name, struct sqlite3 **database);
int sqlite3_busy_timeout(struct sqlite3 *, int ms);
int sqlite3_exec(struct sqlite3 *, const char *text, int (*row)(void *, int, char **, char **), void *, char **error);
int sqlite3_close(struct sqlite3 *);

enum { rows = 100 };

static int run(const char *name, const char *text) {
  struct sqlite3 *database;
  int error = sqlite3_open(name, &database) || sqlite3_busy_timeout(database, 20000) || sqlite3_exec(database, "pragma synchronous = off", 0, 0, 0) ||
              sqlite3_exec(database, text, 0, 0, 0);
  sqlite3_close(database);
  return error;
}

int main(void) {
  char folder[] = "/tmp/weir-database-XXXXXX", name[64];
  if (!mkdtemp(folder)) return 1;
  snprintf(name, sizeof name, "%s/a", folder);
  int wrong = run(name, "create table t(number int)");
#pragma omp parallel for schedule(dynamic) reduction(+ : wrong)
  for (int i = 0; i < rows; ++i) {
    usleep(500);
    wrong += run(name, "insert into t values (1)");
  }
  printf("%d wrong\n", wrong);
  unlink(name);
  return rmdir(folder);
}
