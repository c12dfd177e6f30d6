/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that reads from a database of LMDB's, which has room for 126 threads that read, unless it is told another number. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of lmdb.h, which is not installed with the library. */
struct MDB_env;
struct MDB_txn;
int mdb_env_create(struct MDB_env **);
int mdb_env_open(struct MDB_env *, const char *folder, unsigned flags, mode_t);
void mdb_env_close(struct MDB_env *);
int mdb_txn_begin(struct MDB_env *, struct MDB_txn *parent, unsigned flags, struct MDB_txn **);
void mdb_txn_abort(struct MDB_txn *);

enum { reads = 600, read_only = 0x20000 };

int main(void) {
  char folder[] = "/tmp/weir-readers-XXXXXX", name[64];
  struct MDB_env *env;
  if (!mkdtemp(folder) || mdb_env_create(&env) || mdb_env_open(env, folder, 0, 0600)) return 1;
  int wrong = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : wrong)
  for (int i = 0; i < reads; ++i) {
    struct MDB_txn *read;
    int error = mdb_txn_begin(env, 0, read_only, &read);
    usleep(1000);
    if (!error) mdb_txn_abort(read);
    wrong += error != 0;
  }
  printf("%d wrong\n", wrong);
  mdb_env_close(env);
  snprintf(name, sizeof name, "%s/data.mdb", folder);
  unlink(name);
  snprintf(name, sizeof name, "%s/lock.mdb", folder);
  unlink(name);
  return rmdir(folder);
}
